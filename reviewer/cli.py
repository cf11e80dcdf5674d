"""The command line: arguments in, an exit code out.

Exit codes: 0 nothing at or above `--fail-on`; 1 findings at or above it; 2 usage, unreadable input, a rule that cannot
be loaded; 3 the report is incomplete because a rule crashed; 130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewer.errors import ReviewerError

if TYPE_CHECKING:
    import argparse

INCOMPLETE = 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; every error that the user can mend is one line on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:  # answered without loading anything: scripts ask it often
        from reviewer import __version__

        print(f"reviewer {__version__}")
        return 0
    try:
        from reviewer.arguments import parser

        options = parser().parse_args(given)
        code = _run(options)
        sys.stdout.flush()
    except ReviewerError as error:
        print(f"reviewer: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one while Python ends shall not print a traceback
        return INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough; Python would complain again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _run(options: argparse.Namespace) -> int:
    command: str = options.command
    if command == "review":
        from reviewer.review import run_review

        return run_review(options)
    if command == "series":
        from reviewer.series_command import run_series

        return run_series(options)
    from reviewer import rulebook

    if command == "rules":
        return rulebook.run_rules(options)
    if command == "explain":
        return rulebook.run_explain(options)
    return rulebook.run_test(options)
