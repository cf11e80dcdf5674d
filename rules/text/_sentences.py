"""The sentences of a message, put together from its lines, each knowing the lines that it came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator

from reviewer.rule import Struct, TextLine

_END = re.compile(r"[.!?:;](?:\s+|$)")
_BULLET = re.compile(r"\s*(?:[-*+o]|\d{1,2}[.)])\s+")


class Sentence(Struct, frozen=True, kw_only=True):
    """A sentence; `starts` are the places in `text` where each of `lines` begins."""

    text: str
    lines: tuple[TextLine, ...]
    starts: tuple[int, ...]

    def line_at(self, place: int) -> TextLine:
        """The line that the character at `place` stands on."""
        return self.lines[max(bisect_right(self.starts, place) - 1, 0)]


def sentences(lines: tuple[TextLine, ...], without: Collection[int]) -> Iterator[Sentence]:
    """The sentences of `lines`, which empty or missing lines, bullets and the body lines in `without` end too."""
    run: list[TextLine] = []
    for line in (*lines, TextLine(text="", body_line=0)):
        ends = not line.text.strip() or line.body_line in without
        if ends or _BULLET.match(line.text) or (run and run[-1].body_line + 1 != line.body_line):
            yield from _split(run)
            run = []
        if not ends:
            run.append(line)


def _split(lines: list[TextLine]) -> Iterator[Sentence]:
    starts: list[int] = []
    length = 0
    for line in lines:
        starts.append(length)
        length += len(line.text) + 1
    text = " ".join(line.text for line in lines)
    begin = 0
    first = 0
    for end in [*(found.end() for found in _END.finditer(text)), length]:
        last = bisect_right(starts, max(end - 1, begin))
        if text[begin:end].strip():
            first = max(bisect_right(starts, begin) - 1, 0)
            yield Sentence(
                text=text[begin:end],
                lines=tuple(lines[first:last]),
                starts=tuple(start - begin for start in starts[first:last]),
            )
        begin = end
