"""Which lines of one text stand in another: patience diff, with Myers' between the anchors. Time stays near linear."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

_DEEPEST = 40
_MOST_EDITS = 200

Span = tuple[int, int, int, int]
Match = tuple[int, int]


def matching_lines(old: Sequence[str], new: Sequence[str]) -> tuple[Match, ...]:
    """Pairs of places (from 0) of equal lines, ascending on both sides.

    Lines that stand once on both sides anchor the rest. Between anchors the shortest edit is sought up to 200 edits;
    stretches that differ more are taken as replaced.
    """
    found: list[Match] = []
    todo: list[tuple[Span, int]] = [((0, len(old), 0, len(new)), 0)]
    while todo:
        span, depth = todo.pop()
        span = _without_ends(old, new, span, found)
        start, end, other, other_end = span
        if start == end or other == other_end:
            continue
        anchors = _anchors(old, new, span) if depth < _DEEPEST else []
        if not anchors:
            found += _shortest(old, new, span)
            continue
        for at, there in (*anchors, (end, other_end)):
            todo.append(((start, at, other, there), depth + 1))
            start, other = at + 1, there + 1
        found += anchors
    found.sort()
    return tuple(found)


def edit_cost(old: Sequence[str], new: Sequence[str], context: int = 3) -> int:
    """How many lines a unified diff prints, hunk headers included: what `git range-diff` calls the size of a diff."""
    cost, edits_below = 0, False
    for kept, edited in _stretches(old, new):
        cost += edited + (1 if edited else 0)
        if edits_below and edited and kept <= 2 * context:
            cost += kept - 1  # one hunk with the one before
        else:
            cost += (min(kept, context) if edits_below else 0) + (min(kept, context) if edited else 0)
        edits_below = edited > 0 or edits_below
    return cost


def _stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of kept lines, each with the number of lines changed behind it."""
    kept = at = there = 0
    for one, other in (*matching_lines(old, new), (len(old), len(new))):
        edited = one - at + other - there
        if edited:
            yield kept, edited
            kept = 0
        kept += one < len(old)
        at, there = one + 1, other + 1
    yield kept, 0


def _without_ends(old: Sequence[str], new: Sequence[str], span: Span, found: list[Match]) -> Span:
    start, end, other, other_end = span
    while start < end and other < other_end and old[start] == new[other]:
        found.append((start, other))
        start, other = start + 1, other + 1
    while start < end and other < other_end and old[end - 1] == new[other_end - 1]:
        end, other_end = end - 1, other_end - 1
        found.append((end, other_end))
    return start, end, other, other_end


def _anchors(old: Sequence[str], new: Sequence[str], span: Span) -> list[Match]:
    """The longest ascending run of lines that are unique on both sides."""
    start, end, other, other_end = span
    counts, other_counts = Counter(old[start:end]), Counter(new[other:other_end])
    places = {new[at]: at for at in range(other, other_end) if other_counts[new[at]] == 1}
    pairs = [(at, places[old[at]]) for at in range(start, end) if counts[old[at]] == 1 and old[at] in places]
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, there) in enumerate(pairs):
        pile = bisect_left(tops, there)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [there]
        ends[pile : pile + 1] = [index]
    chain: list[Match] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _shortest(old: Sequence[str], new: Sequence[str], span: Span) -> list[Match]:
    """Myers' greedy algorithm, given up beyond `_MOST_EDITS`."""
    start, end, other, other_end = span
    rows, columns = end - start, other_end - other
    if not set(old[start:end]) & set(new[other:other_end]):
        return []
    front = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(rows + columns, _MOST_EDITS) + 1):
        trace.append(front)
        now: dict[int, int] = {}
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and front[diagonal - 1] < front[diagonal + 1])
            row = front[diagonal + 1] if down else front[diagonal - 1] + 1
            while row < rows and row - diagonal < columns and old[start + row] == new[other + row - diagonal]:
                row += 1
            now[diagonal] = row
            if row >= rows and row - diagonal >= columns:
                return _walked_back(trace, rows, columns, (start, other))
        front = now
    return []


def _walked_back(trace: list[dict[int, int]], rows: int, columns: int, offset: Match) -> list[Match]:
    kept: list[Match] = []
    row, column = rows, columns
    for edits in range(len(trace) - 1, -1, -1):
        front = trace[edits]
        diagonal = row - column
        down = diagonal == -edits or (diagonal != edits and front[diagonal - 1] < front[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        top = front[before] if edits else 0
        floor = top if down or not edits else top + 1
        while row > floor:
            row, column = row - 1, column - 1
            kept.append((offset[0] + row, offset[1] + column))
        if edits:
            row, column = top, top - before
    return kept
