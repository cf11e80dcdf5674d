"""Which parts of a changed line differ from the line that it replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from reviewer.model import DiffLine
from reviewer.series.matching_lines import matching_lines

Spans = tuple[tuple[int, int], ...]
"""Parts of a line: first character and the one behind the last, from 0, ascending."""

LONGEST_LINE = 500
"""Characters; longer lines are not compared."""
MOST_PAIRS = 150
"""Where more lines could be those of others, only blocks of equal length are compared, line by line."""
_ALIKE = 0.5
_KEPT = 0.4
_TOKEN = r"\w+|\s+|[^\w\s]"


def marks_of(lines: Sequence[DiffLine]) -> Mapping[int, Spans]:
    """The parts of the lines of a hunk to mark, by the line of the mail's body; lines without any are left out."""
    marks: dict[int, Spans] = {}
    for removed, added in _replaced(lines):
        for old, new in _pairs(removed, added):
            before, after = _spans(old.text, new.text)
            if before:
                marks[old.body_line] = before
            if after:
                marks[new.body_line] = after
    return marks


def _replaced(lines: Sequence[DiffLine]) -> Iterator[tuple[list[DiffLine], list[DiffLine]]]:
    """Runs of removed lines that added ones follow."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        if line.mark == "+":
            added.append(line)
            continue
        if added or line.mark == " ":
            if removed and added:
                yield removed, added
            removed, added = [], []
        if line.mark == "-":
            removed.append(line)
    if removed and added:
        yield removed, added


def _pairs(removed: Sequence[DiffLine], added: Sequence[DiffLine]) -> Iterator[tuple[DiffLine, DiffLine]]:
    """Lines that became each other, in order: those that are most alike in all."""
    if len(removed) * len(added) > MOST_PAIRS:
        if len(removed) == len(added):
            yield from zip(removed, added, strict=True)
        return
    words = [[frozenset(line.text.split()) | _names(line.text) for line in side] for side in (removed, added)]
    best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    for row in range(len(removed) - 1, -1, -1):
        for column in range(len(added) - 1, -1, -1):
            alike = _likeness(words[0][row], words[1][column])
            both = alike + best[row + 1][column + 1] if alike >= _ALIKE else 0.0
            best[row][column] = max(both, best[row + 1][column], best[row][column + 1])
    row = column = 0
    while row < len(removed) and column < len(added):
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            yield removed[row], added[column]
            row, column = row + 1, column + 1


def _names(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text[:LONGEST_LINE]))


def _likeness(old: frozenset[str], new: frozenset[str]) -> float:
    whole = len(old) + len(new)
    return 2 * len(old & new) / whole if whole else 0.0


def _spans(old: str, new: str) -> tuple[Spans, Spans]:
    """The parts of both lines that the other has not; nothing when little is left of the one in the other."""
    if max(len(old), len(new)) > LONGEST_LINE or old == new:
        return (), ()
    before, after = re.findall(_TOKEN, old), re.findall(_TOKEN, new)
    pairs = matching_lines(before, after)
    kept = sum(len(before[one].strip()) for one, _ in pairs)
    if kept < _KEPT * max(len(old.strip()), len(new.strip())):
        return (), ()
    return _rest(before, {one for one, _ in pairs}), _rest(after, {other for _, other in pairs})


def _rest(tokens: Sequence[str], kept: set[int]) -> Spans:
    """The parts that are not kept; a kept space between two of them belongs to both."""
    spans: list[tuple[int, int]] = []
    place = 0
    for at, token in enumerate(tokens):
        end = place + len(token)
        if at not in kept or (
            token.isspace() and at - 1 not in kept and 0 < at < len(tokens) - 1 and at + 1 not in kept
        ):
            if spans and spans[-1][1] == place:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((place, end))
        place = end
    return tuple(spans)
