"""Lines of text as what stands in them: pieces set off by two blanks or a tab, and their places."""

from __future__ import annotations

import re

from msgspec import Struct

from reviewer.kit.numbers import SPREADS, Cell, read_cell
from reviewer.rule import TextLine

_SEGMENT = re.compile(r"[^ \t]+(?: [^ \t]+)*")
_DASHES = re.compile(r"[-=]{2,}")
_DASHED = frozenset("-= \t")
_OPEN = (*SPREADS, "(", "[", "->", "=>", "→")
"""What cannot end a cell, however wide the gap behind it."""
MOST_COLUMNS = 40
"""A line of more pieces is no row of a table that people read."""


class Segment(Struct, frozen=True):
    """A piece of a line that two blanks or a tab set off, and where it stands."""

    start: int
    end: int
    cell: Cell


class Line(Struct, frozen=True):
    """A line, its text with tabs as wide as they show, and the pieces of it."""

    line: TextLine
    text: str
    segments: tuple[Segment, ...]

    @property
    def numeric(self) -> int:
        """How many segments hold numbers."""
        return sum(segment.cell.numeric for segment in self.segments)

    @property
    def is_data(self) -> bool:
        """Whether it can be a row: a label and a number, or two numbers."""
        return len(self.segments) > 1 and any(segment.cell.numeric for segment in self.segments[1:])

    @property
    def is_dashed(self) -> bool:
        """Whether it is a rule: nothing but dashes."""
        return _DASHED.issuperset(self.text) and ("--" in self.text or "==" in self.text)


def segmented(line: TextLine) -> Line:
    """The pieces of `line`; a spread, an arrow or a bracket keeps to its number over any gap."""
    text = _expanded(line.text.rstrip())
    spans: list[tuple[int, int]] = []
    for found in _SEGMENT.finditer(text):
        if spans and (found[0].startswith(SPREADS) or text.endswith(_OPEN, 0, spans[-1][1])):
            spans[-1] = (spans[-1][0], found.end())
        else:
            spans.append(found.span())
    if len(spans) > MOST_COLUMNS:
        spans = []
    return Line(line, text, tuple(Segment(*span, read_cell(" ".join(text[slice(*span)].split()))) for span in spans))


def _expanded(text: str) -> str:
    """`text` with every tab as wide as it shows, still led by the tab, which sets cells off however narrow it is."""
    parts = text.split("\t")
    shown = parts[0]
    for part in parts[1:]:
        shown += "\t" + " " * (7 - len(shown) % 8) + part
    return shown


def spans_of(line: Line) -> list[tuple[int, int]]:
    """Where the dashes of a rule stand, column by column; nothing for another line."""
    return [found.span() for found in _DASHES.finditer(line.text)] if line.is_dashed else []
