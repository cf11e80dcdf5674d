"""The process's standard streams: closed ones made harmless, complaints made one plain line."""

from __future__ import annotations

import os
import sys

LONGEST = 2000
"""Characters of a complaint that are shown."""


def mend_streams() -> None:
    """Give standard streams that are closed something to be: input and output fail when used, complaints are lost.

    Otherwise the next file that is opened would take their place, and get what is meant for them.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # The wrong way round for the first two: reading and writing fail with a reason, as from what is closed.
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))  # noqa: SIM115 - for as long as the process runs


def complain(message: str) -> None:
    """Tell the user what is wrong: one line on standard error, nothing in it that a terminal obeys."""
    from reviewer.report.escape import visible

    shown = visible(message)
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST // 2]} [...] {shown[-LONGEST // 2 :]}"
    try:
        print(f"reviewer: {shown}", file=sys.stderr, flush=True)
    except OSError:  # nobody listens
        silence(2)


def give_up_output() -> None:
    """Drop what standard output still holds when it cannot be written: Python would try once more at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout.fileno())


def silence(number: int) -> None:
    """Let what is still written to stream `number` go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
