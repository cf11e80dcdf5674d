"""A file's contents as lines that hunks are laid on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate


class Image:
    """The lines of a file, each with its newline (the last may have none).

    With `loose`, a CR before a newline does not count in comparisons: transport loses it.
    """

    def __init__(self, data: bytes, *, loose: bool = False) -> None:
        self.lines = lines_of(data)
        self.keys = [without_cr(line) for line in self.lines] if loose else self.lines

    def holds(self, wanted: Sequence[bytes], row: int) -> bool:
        """Whether the lines from `row` (from 0) on are `wanted`."""
        return row >= 0 and self.keys[row : row + len(wanted)] == wanted

    def nearest(self, wanted: Sequence[bytes], row: int, first: int) -> int | None:
        """The row nearest to `row`, and not before `first`, where `wanted` stands; of two the later one.

        Linear in the size of the image. `wanted` is not empty, and its lines end with a newline.
        """
        text, starts = self._text, self._starts
        pattern = b"\n" + b"".join(wanted)
        middle = min(max(row, first), len(starts) - 1)
        after = text.find(pattern, starts[middle])
        later = None if after < 0 else bisect_left(starts, after)
        if middle <= first:
            return later
        # bytes.rfind needs quadratic time for some patterns; find does not.
        skipped = max(0, len(text) - starts[middle - 1] - len(pattern))
        found = self._backwards.find(pattern[::-1], skipped)
        before = len(text) - found - len(pattern)
        if found < 0 or before < starts[first]:
            return later
        earlier = bisect_left(starts, before)
        return earlier if later is None or row - earlier < later - row else later

    @cached_property
    def _text(self) -> bytes:
        return b"\n" + b"".join(self.keys)

    @cached_property
    def _backwards(self) -> bytes:
        return self._text[::-1]

    @cached_property
    def _starts(self) -> list[int]:
        """Where the newline before each line stands in the text, and the one behind the last."""
        return [0, *accumulate(map(len, self.keys))]


def lines_of(data: bytes) -> list[bytes]:
    """`data` cut behind each newline."""
    pieces = data.split(b"\n")
    last = pieces.pop()
    lines = [piece + b"\n" for piece in pieces]
    return [*lines, last] if last else lines


def without_cr(line: bytes) -> bytes:
    """A line without the CR at its end."""
    return line[:-2] + b"\n" if line.endswith(b"\r\n") else line
