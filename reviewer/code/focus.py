"""The parts of a file that are worth parsing: the functions and paragraphs around some lines, and what they name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from reviewer.code.lexical import brackets, lex
from reviewer.code.pieces import ends

_DEFINED = re.compile(
    rb"^(?:typedef[ \t]++)?(?:(?:static|const)[ \t]++)*(?:struct|union|enum)[ \t]++(\w++)[ \t\n]*+\{"
    rb"|^[ \t]*+#[ \t]*+define[ \t]++(\w++)",
    re.MULTILINE,
)
_WORD = re.compile(rb"[A-Za-z_]\w++")
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
        words = {word for piece in taken for word in _WORD.findall(source, edges[piece], edges[piece + 1])}
        taken.update(piece for word, piece in _definitions(source) if word in words)
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


@lru_cache(maxsize=64)
def _definitions(source: bytes) -> tuple[tuple[bytes, int], ...]:
    """The names of structs, enums and macros with the piece that defines each."""
    edges = _edges(source)
    return tuple((match[1] or match[2], bisect_right(edges, match.start()) - 1) for match in _DEFINED.finditer(source))


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
    lexed = lex(source[start:end])
    found = brackets(lexed.code)
    last = lexed.opaque[-1] if lexed.opaque else (0, 0)
    comment = lexed.source[last[0] : last[1]]
    in_comment = comment.startswith(b"/*") and not (comment.endswith(b"*/") and len(comment) > 3)
    begins_inside = source.rfind(b"/*", 0, start) > source.rfind(b"*/", 0, start)
    continued = source[max(start - 2, 0) : start] == b"\\\n"
    before = bool(found.closers) or begins_inside or continued
    behind = bool(found.openers) or in_comment or source[max(end - 2, 0) : end] == b"\\\n"
    return before, behind


def starts_of(source: bytes) -> list[int]:
    """Where each row of `source` begins, and its end."""
    starts = [0]
    place = source.find(b"\n")
    while place >= 0:
        starts.append(place + 1)
        place = source.find(b"\n", place + 1)
    if starts[-1] != len(source):
        starts.append(len(source))
    return starts
