"""The difference of two diffs cut to what a reader needs: changed lines, a little around them, not too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from reviewer.report.source import Shown
from reviewer.series.rangediff import RangeLine

AROUND = 2
"""How many equal lines are shown on either side of a difference."""
MOST = 60
"""How many lines are shown of one patch before the others are only counted."""
_LEFT_OUT = RangeLine(outer=" ", text="...")


class RangeView(Struct, frozen=True, kw_only=True):
    """Lines to show, the first character telling `-` only in the older version, `+` only in the newer one.

    `added` and `removed` count all that differ, `more` the lines that are not shown.
    """

    lines: tuple[Shown, ...]
    added: int
    removed: int
    more: int


def range_views(lines: Sequence[RangeLine], *, is_code: bool) -> RangeView:
    """The view of a difference. In code, the file and the hunk of each group of lines are shown above it."""
    differing = [at for at, line in enumerate(lines) if line.outer != " "]
    chosen: set[int] = set()
    for at in differing:
        chosen.add(at)
        for step in (-1, 1):
            chosen.update(_around(lines, at, step, is_code=is_code))
    if is_code:
        chosen |= _headings(lines, chosen)
    picked = _with_gaps(lines, sorted(chosen))
    return RangeView(
        lines=tuple(
            Shown(text=line.outer + line.text, body_line=0, at_issue=line.outer != " ") for line in picked[:MOST]
        ),
        added=sum(lines[at].outer == "+" for at in differing),
        removed=sum(lines[at].outer == "-" for at in differing),
        more=max(0, len(picked) - MOST),
    )


def _around(lines: Sequence[RangeLine], at: int, step: int, *, is_code: bool) -> Iterator[int]:
    """The places next to one in the direction of `step`, as far as they belong to the same hunk."""
    for place in range(at + step, at + step * (AROUND + 1), step):
        if not 0 <= place < len(lines) or (is_code and _heads(lines[place].text)):
            return
        yield place


def _heads(text: str) -> bool:
    return text.startswith((" ## ", "@@"))


def _headings(lines: Sequence[RangeLine], chosen: set[int]) -> set[int]:
    """The places of the last file and hunk headings above each of the chosen lines."""
    found: set[int] = set()
    file = hunk = -1
    for at, line in enumerate(lines):
        if line.text.startswith(" ## "):
            file, hunk = at, -1
        elif line.text.startswith("@@"):
            hunk = at
        if at in chosen:
            found |= {place for place in (file, hunk) if place >= 0}
    return found


def _with_gaps(lines: Sequence[RangeLine], places: Sequence[int]) -> list[RangeLine]:
    """The lines at some places, `...` where others were left out between lines of one hunk."""
    picked: list[RangeLine] = []
    before = -1
    for at in places:
        if picked and at > before + 1 and not _heads(lines[at].text) and not _heads(picked[-1].text):
            picked.append(_LEFT_OUT)
        picked.append(lines[at])
        before = at
    return picked
