"""The lines of a unit: of a fragment as a tuple, of a whole file made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import overload

from msgspec import Struct

from reviewer.code.parts import UnitLine
from reviewer.model import DiffLine


class Content(Struct, frozen=True, kw_only=True):
    """A whole file: its text, ended by a newline unless it is empty, its lines without theirs, and its UTF-8."""

    text: str
    rows: tuple[str, ...]
    source: bytes


class Rows(Sequence[UnitLine]):
    """The lines of a whole file. `shown` are the lines of the diff among them by row, from 0.

    `focus` are the rows that matter, in order; None when all do.
    """

    def __init__(self, content: Content, shown: Mapping[int, DiffLine], *, focused: bool = False) -> None:
        self.content = content
        self.focus = tuple(sorted(shown)) if focused else None
        self.texts = content.rows
        self.shown = shown

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, row: int) -> UnitLine: ...

    @overload
    def __getitem__(self, row: slice) -> tuple[UnitLine, ...]: ...

    def __getitem__(self, row: int | slice) -> UnitLine | tuple[UnitLine, ...]:
        if isinstance(row, slice):
            return tuple(self._line(one) for one in range(*row.indices(len(self.texts))))
        if row < 0:
            row += len(self.texts)
        if not 0 <= row < len(self.texts):
            raise IndexError(row)
        return self._line(row)

    def __iter__(self) -> Iterator[UnitLine]:
        return map(self._line, range(len(self.texts)))

    def _line(self, row: int) -> UnitLine:
        line = self.shown.get(row)
        return UnitLine(
            text=self.texts[row],
            number=row + 1,
            body_line=line.body_line if line else None,
            touched=line is not None and line.mark != " ",
        )


@lru_cache(maxsize=64)
def content_of(data: bytes) -> Content:
    """The contents of a file, lines ended by LF only; bytes that are not UTF-8 are replaced.

    The same for the same bytes: what a patch leaves is what the next one finds.
    """
    return content(data.decode("utf-8", "replace").replace("\r\n", "\n"))


def content(text: str) -> Content:
    """A text, and what is made of it."""
    rows = text.split("\n")
    if not rows[-1]:
        rows.pop()
    whole = text if not text or text.endswith("\n") else f"{text}\n"
    return Content(text=whole, rows=tuple(rows), source=whole.encode("utf-8", "surrogatepass"))


def shown_rows(lines: Sequence[UnitLine]) -> Iterator[tuple[int, int]]:
    """The rows of the lines that stand in the mail, each with its line there."""
    if isinstance(lines, Rows):
        return ((row, line.body_line) for row, line in lines.shown.items())
    return ((row, line.body_line) for row, line in enumerate(lines) if line.body_line is not None)


def touched_rows(lines: Sequence[UnitLine]) -> list[int]:
    """The rows of the lines that the patch added or removed, in order."""
    if isinstance(lines, Rows):
        return sorted(row for row, line in lines.shown.items() if line.mark != " ")
    return [row for row, line in enumerate(lines) if line.touched]
