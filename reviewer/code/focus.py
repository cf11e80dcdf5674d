"""The parts of a file that are worth parsing: the functions and paragraphs around some lines, and what they name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from reviewer.code.lexical import brackets, lex
from reviewer.code.pieces import ends

_NAMED = re.compile(rb"\b((?:struct|union|enum) [A-Za-z_]\w*+)(?!\s*+\{)|\b([A-Z_][A-Z0-9_]{2,}+)\b")
_WORD = re.compile(rb"\w")
_GROWTH = 8
"""How many pieces a span may take in on either side to stand alone."""

Span = tuple[int, int]


def focus(source: bytes, wanted: Sequence[Span]) -> list[Span]:
    """The spans of `source` to parse for the bytes in `wanted` (spans in order), in order and apart.

    They begin and end between functions, structs or paragraphs of the file, and hold the structs, enums and macros
    of the file that the wanted ones name.
    """
    edges = _edges(source)
    taken: set[int] = set()
    for start, end in wanted:
        first, last = bisect_right(edges, start) - 1, max(bisect_left(edges, end), bisect_right(edges, start))
        taken.update(range(*_grown(source, edges, first, last)))
    if len(taken) < len(edges) - 1:
        named = {found for piece in taken for found in _NAMED.findall(source, edges[piece], edges[piece + 1])}
        defined = (_definition(source, tagged, macro) for tagged, macro in named)
        taken.update(bisect_right(edges, place) - 1 for place in defined if place is not None)
    return list(_joined(edges, sorted(taken)))


def spans_of(rows: Iterable[int], starts: Sequence[int]) -> list[Span]:
    """The bytes of rows (in order), neighbours joined; `starts` is where each row begins, and the end."""
    found: list[Span] = []
    for row in rows:
        if found and found[-1][1] == starts[row]:
            found[-1] = (found[-1][0], starts[row + 1])
        else:
            found.append((starts[row], starts[row + 1]))
    return found


@lru_cache(maxsize=64)
def _edges(source: bytes) -> list[int]:
    """Where a piece of the file may begin, and its end."""
    return sorted({0, *ends(source), len(source)})


def _definition(source: bytes, tagged: bytes, macro: bytes) -> int | None:
    """Where the file defines a struct, union or enum (`tagged`: keyword and name) or a macro, the other being empty."""
    for text in (b"\n%s {" % tagged, b"\n%s\n{" % tagged) if tagged else (b"\n#define %s" % macro,):
        is_first = source.startswith(text[1:])
        place = 0 if is_first else source.find(text) + 1
        end = place + len(text) - 1
        if (is_first or place) and not (macro and _WORD.match(source, end)):
            return place
    return None


def _joined(edges: Sequence[int], taken: Sequence[int]) -> Iterator[Span]:
    start = previous = None
    for piece in taken:
        if previous is None or start is None:
            start = piece
        elif piece != previous + 1:
            yield edges[start], edges[previous + 1]
            start = piece
        previous = piece
    if start is not None and previous is not None:
        yield edges[start], edges[previous + 1]


def _grown(source: bytes, edges: Sequence[int], first: int, last: int) -> Span:
    """The pieces from `first` to before `last`, with neighbours as far as they need them to stand alone."""
    start, stop = first, last
    for _ in range(_GROWTH):
        before, behind = _open(source, edges[start], edges[stop])
        if not ((before and start > 0) or (behind and stop < len(edges) - 1)):
            return start, stop
        start -= before and start > 0
        stop += behind and stop < len(edges) - 1
    return first, last


def _open(source: bytes, start: int, end: int) -> tuple[bool, bool]:
    """Whether what stands before `start`, and behind `end`, belongs to what is between."""
    piece = source[start:end]
    before = source[max(start - 2, 0) : start] == b"\\\n" or _ends_in_comment(source, start)
    behind = piece.endswith(b"\\\n") or _ends_in_comment(source, end)
    if any(piece.count(opener) != piece.count(closer) for opener, closer in ((b"{", b"}"), (b"(", b")"))):
        found = brackets(lex(piece).code)
        before, behind = before or bool(found.closers), behind or bool(found.openers)
    return before, behind


def _ends_in_comment(source: bytes, at: int) -> bool:
    return source.rfind(b"/*", 0, at) > source.rfind(b"*/", 0, at)


@lru_cache(maxsize=64)
def starts_of(source: bytes) -> list[int]:
    """Where each row of `source` begins, and its end."""
    lengths = list(map(len, source.split(b"\n")))
    starts = [start + row for row, start in enumerate(accumulate(lengths, initial=0))]
    # Behind the last newline there is an empty row, which is none; a last row without one ends with the source.
    starts.pop()
    if starts[-1] != len(source):
        starts.append(len(source))
    return starts
