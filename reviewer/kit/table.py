"""Tables as values: what `tables.read_tables` gives, and what its readers hand to each other."""

from __future__ import annotations

from msgspec import Struct

from reviewer.kit.numbers import Cell
from reviewer.rule import TextLine


class Row(Struct, frozen=True, kw_only=True):
    """A row: the line it stands on, and a cell for every column."""

    line: TextLine
    cells: tuple[Cell, ...]

    @property
    def label(self) -> str:
        """The text of the first cell."""
        return self.cells[0].text


class Table(Struct, frozen=True, kw_only=True):
    """A table: a name for every column (empty where the header has none), and at least one row with a number."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def numbers_in(self, column: int) -> int:
        """How many cells of `column` hold a number."""
        return sum(row.cells[column].number is not None for row in self.rows)


class Tables(Struct, frozen=True, kw_only=True):
    """The tables of a text in their order, and the lines of each block that looks like one and could not be read."""

    tables: tuple[Table, ...]
    blocks: tuple[tuple[TextLine, ...], ...]

    @property
    def unread(self) -> int:
        """How many blocks look like tables and could not be read."""
        return len(self.blocks)


Found = Table | tuple[TextLine, ...]
"""A table, or the lines of one that could not be read."""
