"""Tables that compare a state before with one after: which cells say what, and what change they claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from reviewer.kit.numbers import Number
from reviewer.kit.table import Row, Table
from reviewer.kit.versus import Role, role


class Compared(Struct, frozen=True, kw_only=True):
    """A row of a comparison: what was, what is, and the change that is printed."""

    row: Row
    before: Number
    after: Number
    change: Number


class Comparison(Struct, frozen=True, kw_only=True):
    """The rows of one change column, or of the changes in brackets behind one column.

    `title` is the column's name. `named` tells that the header says what is before and what is after; else they are the
    only two columns of numbers on the left, in this order. `percent` tells that both columns
    are percentages by their names.
    """

    title: str
    named: bool
    percent: bool
    rows: tuple[Compared, ...]


Roles = Mapping[int, Role | None]


class _Place(Struct, frozen=True):
    """Where in a row a number stands: its column, and which number of the cell."""

    column: int
    part: Literal["number", "target", "change"] = "number"

    def of(self, row: Row) -> Number | None:
        cell = row.cells[self.column]
        return {"number": cell.number, "target": cell.target, "change": cell.change}[self.part]

    def change_of(self, row: Row) -> Number | None:
        """The change in a cell: the percentage in brackets behind a plain difference, if there is one."""
        cell = row.cells[self.column]
        return cell.change if cell.change and cell.change.unit == "%" else self.of(row)


class _Pair(Struct, frozen=True):
    """The places before and after, and whether the header names them."""

    before: _Place
    after: _Place
    named: bool


def comparisons(table: Table) -> tuple[Comparison, ...]:
    """The comparisons in a table, from left to right; columns that could be read in two ways give none."""
    numbers = [column for column in range(len(table.header)) if _is_numbers(table, column)]
    roles: dict[int, Role | None] = {column: role(table.header[column]) for column in numbers}
    found: list[Comparison] = []
    stretch: list[int] = []
    for column in numbers:
        if _is_change(table, column, roles[column]):
            pair = _arrow(table, stretch[-1]) if stretch else None
            found += _comparison(table, pair or _pair(stretch, roles), _Place(column))
            stretch = []
        else:
            pair = _arrow(table, column) or _base(column, roles)
            found += _comparison(table, pair, _Place(column, "change"))
            stretch.append(column)
    return tuple(found)


def _is_numbers(table: Table, column: int) -> bool:
    """Whether a column holds numbers that are not the names of the rows."""
    return table.numbers_in(column) > 0 and (column > 0 or role(table.header[0]) is not None)


def _is_change(table: Table, column: int, named: Role | None) -> bool:
    """Whether a column is one of changes: by its name, or without one by a sign or brackets in every cell."""
    if table.header[column]:
        return named == "change"
    cells = [number for row in table.rows if (number := row.cells[column].number)]
    return all(number.unit == "%" and (number.signed or number.bracketed) for number in cells)


def _arrow(table: Table, column: int) -> _Pair | None:
    """The two ends of the arrows in a column."""
    if any(row.cells[column].target for row in table.rows):
        return _Pair(_Place(column), _Place(column, "target"), named=True)
    return None


def _base(column: int, roles: Roles) -> _Pair | None:
    """The only column before, for a column with changes of its own in brackets."""
    befores = [other for other, named in roles.items() if named == "before"]
    if len(befores) == 1 and befores[0] != column:
        return _Pair(_Place(befores[0]), _Place(column), named=True)
    return None


def _pair(stretch: Sequence[int], roles: Roles) -> _Pair | None:
    """What a change column is the change of, of the columns of numbers since the last one."""
    befores = [column for column in stretch if roles[column] == "before"]
    afters = [column for column in stretch if roles[column] == "after"]
    if len(befores) > 1 or len(afters) > 1:
        return None
    if befores and afters:
        return _Pair(_Place(befores[0]), _Place(afters[0]), named=True)
    if len(stretch) == 2:
        turned = befores == [stretch[1]] or afters == [stretch[0]]
        first, last = reversed(stretch) if turned else stretch
        return _Pair(_Place(first), _Place(last), named=bool(befores or afters))
    return _base(stretch[0], roles) if len(stretch) == 1 else None


def _comparison(table: Table, pair: _Pair | None, place: _Place) -> Iterator[Comparison]:
    if pair is None:
        return
    rows: list[Compared] = []
    for row in table.rows:
        before, after, change = pair.before.of(row), pair.after.of(row), place.change_of(row)
        if before and after and change and not change.about and _comparable(before, after):
            rows.append(Compared(row=row, before=before, after=after, change=change))
    if rows:
        columns = {pair.before.column, pair.after.column}
        percent = all("%" in table.header[column] for column in columns)
        title = table.header[place.column]
        yield Comparison(title=title, named=pair.named, percent=percent, rows=tuple(rows))


def _comparable(before: Number, after: Number) -> bool:
    """Whether both are exact, not below zero, and of one unit, or of one that only one of them bears."""
    units = {number.unit.casefold() for number in (before, after)} - {""}
    return len(units) < 2 and before.value > 0 <= after.value and not (before.about or after.about)
