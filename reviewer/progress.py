"""What long work shows of itself on a terminal: how many mails were read, how many series reviewed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_Item = TypeVar("_Item")

PATIENCE = 0.5
"""Seconds of work before anything is shown."""
_PAUSE = 0.1


class Progress:
    """A line on `stream` (standard error) while it is entered; nothing at all when that is no terminal.

    The line comes after `patience` seconds, is redrawn at most ten times a second, without a thread of its own, and is
    gone when the context is left, however it is left. NO_COLOR and TERM=dumb are respected.
    """

    def __init__(self, stream: TextIO | None = None, *, patience: float = PATIENCE) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._awaited = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._due = monotonic() + patience
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def over(self, items: Iterable[_Item], doing: str, total: int | None = None) -> Iterator[_Item]:
        """The same `items`, counted as they go by; `doing` says what is counted, such as `mails read`."""
        if not self._awaited:
            yield from items
            return
        for done, item in enumerate(items):
            self.tell(doing, done, total)
            yield item

    def tell(self, doing: str, done: int, total: int | None = None) -> None:
        """Show that `done` of `total` are done, unless it is too early for that."""
        now = monotonic()
        if not self._awaited or now < self._due:
            return
        self._due = now + _PAUSE
        said = f"{done:,} {doing}" if total is None else f"{done:,} of {total:,} {doing}"
        if self._bar is None:
            self._bar = _bar(self._stream)
            self._task = self._bar.add_task(said)
            self._bar.start()
        elif self._task is not None:
            self._bar.update(self._task, description=said, refresh=True)


def _bar(stream: TextIO) -> Bar:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn

    return Bar(
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        console=Console(file=stream),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
