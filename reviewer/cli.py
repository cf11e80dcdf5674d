"""The command line: arguments in, an exit code out.

Exit codes: 0 nothing at or above `--fail-on`; 1 findings at or above it; 2 usage, configuration, unreadable input, a
rule that cannot be loaded; 3 the report is incomplete because a rule crashed; 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from reviewer.errors import ReviewerError
from reviewer.streams import complain, give_up_output, mend_streams

if TYPE_CHECKING:
    import argparse

INCOMPLETE = 3
INTERRUPTED = 130

_COLLECT = (100_000, 20, 20)
"""When to look for garbage: syntax trees are many objects; to look at them again and again is a third of the work."""


def run() -> NoReturn:
    """The `reviewer` command: `main`, and then the end of the process.

    Everything is written and closed by then. To free a million objects one by one, as Python does when it ends, is a
    sixth of the time that a review takes; `python -X dev` still does.
    """
    code = main()
    if not sys.flags.dev_mode:
        os._exit(code)
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; every error that the user can mend is one line on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    mend_streams()
    gc.set_threshold(*_COLLECT)
    try:
        code = _answer(given)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        give_up_output()
        return 0
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one while Python ends shall not print a traceback
        return INTERRUPTED
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        complain(_reason(error))
        give_up_output()
        return 2
    return code


def _answer(given: Sequence[str]) -> int:
    if given == ["--version"]:  # answered without loading anything: scripts ask it often
        from reviewer import __version__

        print(f"reviewer {__version__}")
        return 0
    from reviewer.arguments import parser

    try:
        options = parser().parse_args(given)
    except SystemExit:  # the help was printed
        sys.stdout.flush()
        raise
    return _run(options)


def _reason(error: Exception) -> str:
    """One line for what ended the run."""
    if isinstance(error, ReviewerError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory; give less mail at once"
    if isinstance(error, OSError) and error.strerror:
        named = isinstance(error.filename, str | bytes)
        place = os.fsdecode(error.filename) if named else "standard output or a temporary file"
        return f"cannot read or write {place}: {error.strerror}"
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" at {os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}" if frame else ""
    said = f"{type(error).__name__}{where}: {error}"
    return f"internal error: {said}; please report it (`python -X dev -m reviewer` shows more)"


def _run(options: argparse.Namespace) -> int:
    from reviewer.config import settle

    settle(options)
    command: str = options.command
    if command == "review":
        from reviewer.review import run_review

        return run_review(options)
    if command == "series":
        from reviewer.series_command import run_series

        return run_series(options)
    if command == "compare":
        from reviewer.compare_command import run_compare

        return run_compare(options)
    return _tell(options)


def _tell(options: argparse.Namespace) -> int:
    """The commands that read no mail."""
    command: str = options.command
    if command == "config":
        from reviewer.config_command import run_config

        return run_config(options)
    from reviewer import rulebook

    if command == "rules":
        return rulebook.run_rules(options)
    if command == "explain":
        return rulebook.run_explain(options)
    return rulebook.run_test(options)
