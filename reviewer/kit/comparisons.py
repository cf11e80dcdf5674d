"""Tables that compare a state before with one after: which cells say what, and what change they claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.kit.numbers import Number
from reviewer.kit.table import Row, Table
from reviewer.kit.versus import Role, role


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A row of a comparison: what was, what is, and the change that is printed."""

    row: Row
    before: Number
    after: Number
    change: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The rows of one change column, or of the changes in brackets behind one column.

    `title` is the column's name. `named` tells that the header says what is before and what is after; else they are the
    only two columns of numbers on the left, in this order. `percent` tells that what is compared are percentages.
    """

    title: str
    named: bool
    percent: bool
    rows: tuple[Compared, ...]


Columns = tuple[int, int, bool]
"""The columns before and after, and whether the header names them."""
Cells = Iterable[tuple[Row, Number | None, Number | None, Number | None]]


def comparisons(table: Table) -> tuple[Comparison, ...]:
    """The comparisons in a table, from left to right; columns that could be read in two ways give none."""
    numbers = [column for column in range(len(table.header)) if _is_numbers(table, column)]
    roles = {column: role(table.header[column]) for column in numbers}
    found: list[Comparison] = []
    stretch: list[int] = []
    for column in numbers:
        if _is_change(table, column, roles[column]):
            found += _left_of(table, column, stretch, roles)
            stretch = []
        else:
            found += _in_brackets(table, column, roles)
            stretch.append(column)
    return tuple(found)


def _is_numbers(table: Table, column: int) -> bool:
    """Whether a column holds numbers that are not the names of the rows."""
    if not table.numbers_in(column):
        return False
    return column > 0 or role(table.header[0]) is not None


def _is_change(table: Table, column: int, named: Role | None) -> bool:
    """Whether a column is one of changes: by its name, or without one by a sign or brackets in every cell."""
    cells = [number for row in table.rows if (number := row.cells[column].number)]
    if table.header[column]:
        return named == "change"
    return all(number.unit == "%" and (number.signed or number.bracketed) for number in cells)


def _left_of(table: Table, column: int, stretch: Sequence[int], roles: Mapping[int, Role | None]) -> Iterator[Comparison]:
    """What the change column `column` is the change of: the columns of numbers since the last one."""
    title = table.header[column]
    if stretch and any(row.cells[stretch[-1]].target for row in table.rows):
        arrow = stretch[-1]
        cells = [(row.cells[arrow], row) for row in table.rows]
        moved = ((row, cell.number, cell.target, row.cells[column].number) for cell, row in cells)
        yield from _comparison(title, moved, named=True, percent=_is_percent(table, (arrow,)))
    elif pair := _pair(stretch, roles):
        before, after, named = pair
        found = ((row, *(row.cells[place].number for place in (before, after, column))) for row in table.rows)
        yield from _comparison(
            title, ((row, *rest) for row, *rest in found), named=named, percent=_is_percent(table, (before, after))
        )


def _pair(stretch: Sequence[int], roles: Mapping[int, Role | None]) -> Columns | None:
    befores = [column for column in stretch if roles[column] == "before"]
    afters = [column for column in stretch if roles[column] == "after"]
    if len(stretch) == 2:
        if befores == [stretch[1]] or afters == [stretch[0]]:
            stretch = (stretch[1], stretch[0])
        return (stretch[0], stretch[1], len(befores) == 1 or len(afters) == 1) if len(afters) < 2 > len(befores) else None
    if len(befores) == len(afters) == 1:
        return befores[0], afters[0], True
    earlier = [column for column, named in roles.items() if named == "before"]
    if len(stretch) == len(earlier) == 1 and earlier[0] < stretch[0]:
        return earlier[0], stretch[0], True
    return None


def _in_brackets(table: Table, column: int, roles: Mapping[int, Role | None]) -> Iterator[Comparison]:
    """The changes in brackets behind the numbers of `column`: against its own arrow, or the only column before."""
    title = table.header[column]
    if any(row.cells[column].target for row in table.rows):
        cells = ((row, row.cells[column].number, row.cells[column].target, row.cells[column].change) for row in table.rows)
        yield from _comparison(title, cells, named=True, percent=_is_percent(table, (column,)))
        return
    befores = [other for other, named in roles.items() if named == "before"]
    if len(befores) == 1 and befores[0] != column:
        before = befores[0]
        found = ((row, row.cells[before].number, row.cells[column].number, row.cells[column].change) for row in table.rows)
        yield from _comparison(title, found, named=True, percent=_is_percent(table, (before, column)))


def _comparison(title: str, cells: Cells, *, named: bool, percent: bool) -> Iterator[Comparison]:
    rows = tuple(
        Compared(row=row, before=before, after=after, change=change)
        for row, before, after, change in cells
        if before and after and change and _comparable(before, after) and not change.about
    )
    if rows:
        yield Comparison(title=title, named=named, percent=percent, rows=rows)


def _comparable(before: Number, after: Number) -> bool:
    """Whether both are exact, above zero, and of one unit, or of one that only one of them bears."""
    units = {number.unit.casefold() for number in (before, after)} - {""}
    return len(units) < 2 and before.value > 0 <= after.value and not (before.about or after.about)


def _is_percent(table: Table, columns: Sequence[int]) -> bool:
    cells = [number for row in table.rows for column in columns if (number := row.cells[column].number)]
    return all("%" in table.header[column] for column in columns) or any(number.unit == "%" for number in cells)
