"""Tables whose cells stand below each other: under dashed rules, or aligned under a header."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from reviewer.kit.numbers import Cell, read_cell
from reviewer.kit.segments import Line, Segment, segmented, spans_of
from reviewer.kit.table import Found, Row, Table
from reviewer.kit.versus import role
from reviewer.rule import TextLine

HEADER_LINES = 3
REACH = 4
"""Columns of text that a header may stand beside its numbers."""
LONGEST = 10_000
"""Behind the end of any line."""


def aligned_tables(lines: tuple[TextLine, ...]) -> Iterator[Found]:
    """The tables in a block of lines without pipes, and what looks like one and cannot be read."""
    read = [segmented(line) for line in lines]
    rule = next((index for index, line in enumerate(read) if len(spans_of(line)) > 1), None)
    if rule is not None:
        yield from _ruled(read, rule)
    elif _lost(read):
        yield from _flattened(read)
    else:
        yield from _free(read)


# Under dashed rules


def _ruled(lines: list[Line], rule: int) -> Iterator[Found]:
    spans = spans_of(lines[rule])
    beyond = spans[-1][1]
    if any(line.segments[-1].start > beyond for line in lines[rule + 1 :] if line.is_data):
        spans.append((beyond + 1, LONGEST))
    header: list[list[str]] = []
    for line in reversed(lines[max(rule - HEADER_LINES, 0) : rule]):
        cells = None if line.is_dashed else _cut(line, spans)
        if cells is None or (header and len(line.segments) < 2):
            break
        header.insert(0, cells)
    rows: list[Row] = []
    for line in lines[rule + 1 :]:
        if line.is_dashed:
            continue
        cells = _cut(line, spans)
        if line.is_data and (cells is None or _crowded(line, spans)):
            yield tuple(one.line for one in lines)
            return
        if cells is None:
            break
        rows.append(Row(line=line.line, cells=tuple(map(read_cell, cells))))
    if any(cell.number for row in rows for cell in row.cells):
        columns = list(zip(*header, strict=True)) if header else [()] * len(spans)
        yield Table(header=tuple(" ".join(filter(None, column)) for column in columns), rows=tuple(rows))


def _cut(line: Line, spans: Sequence[tuple[int, int]]) -> list[str] | None:
    """The texts of `line` by the columns of `spans`; None when one crosses from column to column."""
    cuts = [0]
    for (_, end), (start, _) in pairwise(spans):
        cut = next((at for at in range(end, start) if line.text[at : at + 1].strip() == ""), None)
        if cut is None:
            return None
        cuts.append(cut)
    cells = [" ".join(line.text[left:right].split()) for left, right in zip(cuts, [*cuts[1:], None], strict=True)]
    beyond = spans[-1][1] + REACH < len(line.text) and not line.is_data
    return None if beyond and len(line.segments) == 1 else cells


def _crowded(line: Line, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether two pieces of a line stand in one column."""
    places = [bisect_right(spans, segment.start, key=itemgetter(1)) for segment in line.segments]
    return len(set(places)) < len(places)


# Under a header


def _free(lines: list[Line]) -> Iterator[Found]:
    start = 0
    while start < len(lines):
        stop = start
        while stop < len(lines) and lines[stop].is_data:
            stop += 1
        if stop > start:
            yield from _free_table(lines[max(start - 2, 0) : start], lines[start:stop])
        start = max(stop, start + 1)


def _free_table(above: list[Line], rows: list[Line]) -> Iterator[Found]:
    heads = [line for line in above if not line.is_dashed][-1:]
    if not heads and _is_head(rows):
        heads, rows = rows[:1], rows[1:]
    head = heads[0] if heads and len(heads[0].segments) > 1 else None
    columns = _columns(rows)
    names = _named(head, columns) if head and columns else None
    if names:
        table = Table(header=names, rows=tuple(Row(line=row.line, cells=_placed(row, columns)) for row in rows))
        if sum(2 * table.numbers_in(column) >= len(rows) for column in range(len(names))) > 1:
            yield table
            return
    several = sum(row.numeric > 1 for row in rows)
    if several > 1 or (head and len(rows) > 1):
        yield tuple(line.line for line in (*heads[: head is not None], *rows))


def _is_head(rows: Sequence[Line]) -> bool:
    """Whether the first row names columns, some by numbers (versions, sizes): a word above nothing but numbers."""
    columns = _columns(rows[1:])
    words = [segment for segment in rows[0].segments[1:] if not segment.cell.numeric]
    places = {_place(segment, columns) for segment in words}
    return bool(places) and all(
        place is not None and all(_placed(row, columns)[place].numeric for row in rows[1:]) for place in places
    )


def _columns(rows: Sequence[Line]) -> list[tuple[int, int]]:
    """Where the columns of `rows` stand: what overlaps is one; none when two cells of a row fall into one column."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted((segment.start, segment.end) for row in rows for segment in row.segments):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    for row in rows:
        places = [_place(segment, spans) for segment in row.segments]
        if len(set(places)) < len(places):
            return []
    return spans


def _place(segment: Segment, spans: Sequence[tuple[int, int]]) -> int | None:
    """The one column that `segment` overlaps, or the only one within reach when it overlaps none."""
    for reach in (0, REACH):
        first = bisect_right(spans, segment.start - reach, key=itemgetter(1))
        last = bisect_left(spans, segment.end + reach, key=itemgetter(0))
        if first < last:
            return first if last - first == 1 else None
    return None


def _placed(row: Line, columns: Sequence[tuple[int, int]]) -> tuple[Cell, ...]:
    cells = {_place(segment, columns): segment.cell for segment in row.segments}
    return tuple(cells.get(index) or read_cell("") for index in range(len(columns)))


def _named(head: Line, columns: Sequence[tuple[int, int]]) -> tuple[str, ...] | None:
    """The names of the columns; None when a word of the header stands over none or over two."""
    names = {_place(segment, columns): segment.cell.text for segment in head.segments}
    if None in names or len(names) < len(head.segments):
        if len(head.segments) != len(columns):
            return None
        return tuple(segment.cell.text for segment in head.segments)
    return tuple(names.get(index, "") for index in range(len(columns)))


# Without alignment


def _lost(lines: Sequence[Line]) -> bool:
    """Whether a block lost its columns: single blanks everywhere, under words that can only be names of columns."""
    words = lines[0].text.split()
    return all(len(line.segments) == 1 for line in lines) and len(words) > 1 and all(map(role, words))


def _flattened(lines: Sequence[Line]) -> Iterator[Found]:
    names = lines[0].text.split()
    rows: list[Row] = []
    for line in lines[1:]:
        words = line.text.split()
        extra = words.pop() if words and words[-1].startswith("(") and words[-1].endswith(")") else ""
        cells = [read_cell(word) for word in words[-len(names) :]]
        label = " ".join(words[: -len(names)])
        if len(cells) < len(names) or not label or not all(cell.numeric for cell in cells):
            yield tuple(line.line for line in lines)
            return
        rows.append(Row(line=line.line, cells=(read_cell(label), *cells, read_cell(extra))))
    if rows:
        yield Table(header=("", *names, ""), rows=tuple(rows))
