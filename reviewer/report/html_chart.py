"""Tables of a message that can be drawn: which numbers become bars, and which of them share a scale.

Whatever could be two things is kept apart: columns share a scale when their names say what was before and after, or
when they have a unit and it is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from reviewer.kit.numbers import Number
from reviewer.kit.table import Row, Table
from reviewer.kit.tables import read_tables
from reviewer.kit.versus import role
from reviewer.model import TextLine

MOST_ROWS, MOST_BARS, MOST_PANELS = 40, 160, 4
"""A table beyond these is easier to read as it stands."""
_APART = 100
"""How many times larger than the smallest the largest row may be to be drawn on the same scale."""


class Bar(Struct, frozen=True, kw_only=True):
    """A number: the name it belongs to (from 0), as a value with its spread, and as it was printed."""

    name: int
    value: float
    spread: float | None
    text: str


class BarRow(Struct, frozen=True, kw_only=True):
    """The bars of one row of a table, and the changes printed in it."""

    label: str
    bars: tuple[Bar, ...]
    change: str


class Chart(Struct, frozen=True, kw_only=True):
    """Bars that are drawn together. `alone` tells that each row has a scale of its own."""

    names: tuple[str, ...]
    by: str
    rows: tuple[BarRow, ...]
    alone: bool


class Drawn(Struct, frozen=True, kw_only=True):
    """The charts of the tables in one paragraph: its first and last line in the body."""

    first: int
    last: int
    charts: tuple[Chart, ...]


class _Column(Struct, frozen=True, kw_only=True):
    """Where bars come from: a column, its name, and whether the number behind its arrows is meant."""

    at: int
    name: str
    target: bool = False

    def of(self, row: Row) -> Number | None:
        cell = row.cells[self.at]
        return cell.target if self.target else cell.number


def drawings_of(lines: tuple[TextLine, ...]) -> tuple[Drawn, ...]:
    """The charts of a text, in the order of its paragraphs."""
    found: dict[tuple[int, int], tuple[Chart, ...]] = {}
    paragraphs = _paragraphs(lines)
    for table in read_tables(lines).tables:
        key = paragraphs[table.rows[-1].line.body_line]
        found[key] = (*found.get(key, ()), *_charts(table))
    return tuple(Drawn(first=first, last=last, charts=charts) for (first, last), charts in found.items() if charts)


def _paragraphs(lines: Sequence[TextLine]) -> Mapping[int, tuple[int, int]]:
    """The first and last line of the paragraph that each line stands in."""
    found: dict[int, tuple[int, int]] = {}
    run: list[int] = []
    for line in (*lines, TextLine(text="", body_line=0)):
        if line.text.strip():
            run.append(line.body_line)
        elif run:
            found.update(dict.fromkeys(run, (run[0], run[-1])))
            run = []
    return found


def _charts(table: Table) -> Iterator[Chart]:
    columns, changes = _columns(table)
    if len(table.rows) > MOST_ROWS or len(table.rows) * len(columns) > MOST_BARS:
        return
    groups = _groups(columns, table)
    if len(groups) > MOST_PANELS:
        return
    labels = [_label(row, min(column.at for column in columns)) for row in table.rows] if columns else []
    for group in groups:
        rows = tuple(
            BarRow(label=label, bars=bars, change=" ".join(filter(None, (_change(row, at) for at in changes))))
            for row, label in zip(table.rows, labels, strict=True)
            if (bars := tuple(_bars(row, group)))
        )
        if sum(len(row.bars) for row in rows) > 1:
            names = tuple(column.name for column in group)
            yield Chart(names=names, by=table.header[0], rows=rows, alone=len(group) > 1 and _is_apart(table, group))


def _columns(table: Table) -> tuple[list[_Column], list[int]]:
    """The columns to draw, and those that hold changes."""
    roles = {at: role(name) for at, name in enumerate(table.header)}
    numbers = [at for at in range(len(table.header)) if table.numbers_in(at) and (at or roles[0])]
    changes = [at for at in numbers if roles[at] == "change" or _is_percent(table, at)]
    values = [at for at in numbers if at not in changes]
    if {roles[at] for at in values} & {"before", "after"}:
        values = [at for at in values if roles[at] in ("before", "after")]
    columns: list[_Column] = []
    for at in values:
        name = table.header[at]
        if any(row.cells[at].target for row in table.rows):
            columns += [
                _Column(at=at, name=f"{name} before".strip()),
                _Column(at=at, name=f"{name} after".strip(), target=True),
            ]
        else:
            columns.append(_Column(at=at, name=name))
    return columns, changes


def _is_percent(table: Table, at: int) -> bool:
    """Whether all that a column holds are percentages with a sign, or in brackets."""
    numbers = [number for row in table.rows if (number := row.cells[at].number)]
    return all(number.unit == "%" and (number.signed or number.bracketed) for number in numbers)


def _groups(columns: Sequence[_Column], table: Table) -> list[list[_Column]]:
    """Columns that share a scale."""
    if len(columns) == 2 and (columns[0].at == columns[1].at or {role(column.name) for column in columns} - {None}):
        return [[*columns]]
    groups: dict[str, list[_Column]] = {}
    for column in columns:
        known = {"before", "after"} if role(column.name) in ("before", "after") or column.target else set[str]()
        unit = _unit(column, table) or ("" if known else f"column {column.at}")
        groups.setdefault(unit, []).append(column)
    return [*groups.values()]


def _unit(column: _Column, table: Table) -> str:
    """The unit of a column: that of its numbers, else what its name has in brackets."""
    units = {number.unit.casefold() for row in table.rows if (number := column.of(row))}
    named = re.search(r"[(\[]([^()\[\]]{1,12})[)\]]", column.name)
    return (units.pop() if len(units) == 1 else "") or (named[1].strip().casefold() if named else "")


def _label(row: Row, first: int) -> str:
    """What names a row: the cells left of its bars."""
    return " ".join(filter(None, (cell.text for cell in row.cells[:first])))


def _bars(row: Row, group: Sequence[_Column]) -> Iterator[Bar]:
    for at, column in enumerate(group):
        number = column.of(row)
        if number is not None:
            spread = f" ± {number.spread:g}" if number.spread is not None else ""
            yield Bar(name=at, value=number.value, spread=number.spread, text=f"{number.text}{spread}")


def _change(row: Row, at: int) -> str:
    number = row.cells[at].number
    return row.cells[at].text if number else ""


def _is_apart(table: Table, group: Sequence[_Column]) -> bool:
    """Whether the rows are of different things: other units, or sizes that one scale cannot show."""
    units: set[str] = set()
    tops: list[float] = []
    for row in table.rows:
        numbers = [number for column in group if (number := column.of(row))]
        units |= {number.unit.casefold() for number in numbers}
        tops.append(max((abs(number.value) for number in numbers), default=0.0))
    tops = [top for top in tops if top]
    return len(units) > 1 or bool(tops and max(tops) > _APART * min(tops))
