"""The lines that a comment is about, in the versions that came later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from reviewer.model import DiffLine, FileDiff, Patch
from reviewer.talk.versions import Sheet, Versions

_MOVED = 30
"""Characters that must be found under another file name before lines count as moved there."""
_AROUND = 4
_SAYS_LITTLE = 9
_TELLING = 6
_COMMON = re.compile(r"[+-](?:return|break|continue|goto)")
_NEAR = 8
_FAR = 40
_WORD = re.compile(r"\w+")


class Spot(Struct, frozen=True, kw_only=True):
    """Lines of one file in one patch of the version with index `version`: those from `first` to `last` of its sheet."""

    version: int
    patch: Patch
    file: FileDiff
    first: int
    last: int


class Difference(Struct, frozen=True, kw_only=True):
    """How lines that were followed differ in a version: what was there, what is now, and the line of the patch's mail.

    `patch` is None when nothing of the file is left in that version.
    """

    version: int
    patch: Patch | None
    body_line: int | None
    before: str
    after: str


class Reach(Struct, frozen=True, kw_only=True):
    """What counts as a difference beside the lines themselves.

    In the next version those within `lines` of them: later, neighbours change for reasons of their own. Blank lines
    count when `blanks` says so.
    """

    lines: int
    blanks: bool


def follow(spot: Spot, versions: Versions, reach: Reach) -> Iterator[Spot | Difference]:
    """The same lines in each later version, up to the first in which they, or what `reach` adds to them, differ.

    A version that lacks the patch because its mail is not there is passed over.
    """
    for newer in range(spot.version + 1, len(versions.series)):
        there = _file_in(spot, versions, newer)
        if there is None:
            if versions.series[newer].outline.missing:
                continue
            yield Difference(version=newer, patch=None, body_line=None, before=_text(spot, versions), after="")
            return
        patch, file = there
        difference = _difference(spot, patch, file, versions, newer, reach)
        if difference is not None:
            yield difference
            return
        reach = Reach(lines=0, blanks=reach.blanks)
        matches = versions.matches(spot.file, file)
        places = [matches[at] for at in range(spot.first, spot.last + 1) if at in matches]
        if not places:
            return
        spot = Spot(version=newer, patch=patch, file=file, first=places[0], last=places[-1])
        yield spot


def _file_in(spot: Spot, versions: Versions, newer: int) -> tuple[Patch, FileDiff] | None:
    """The patch and file in which most of the lines stand: what the patch became, unless another has more of them.

    Lines were moved to a file of another name when most of them stand there.
    """
    became = versions.became(spot.patch, spot.version, newer)
    low, high = _within_hunk(spot, _AROUND)
    wanted = set(versions.sheet(spot.file).keys[low : high + 1])
    total = sum(map(len, wanted))
    files = [(patch, file) for patch in versions.series[newer].patches for file in patch.files]
    same = [one for one in files if one[1].path == spot.file.path]
    ranked = [(sum(map(len, wanted & versions.key_set(file))), patch is became) for patch, file in same]
    best = max(range(len(same)), key=lambda at: (ranked[at], -at), default=None)
    if best is not None and ranked[best][0] == total:
        return same[best]
    moved = versions.holding(newer, wanted)
    if moved is not None and moved[0] >= max(_MOVED, 2 * total // 3, ranked[best][0] + 1 if best is not None else 0):
        return moved[1]
    kept = best is not None and ranked[best] > (0, False)
    return same[best] if best is not None and kept else None


def _difference(
    spot: Spot, patch: Patch, file: FileDiff, versions: Versions, newer: int, reach: Reach
) -> Difference | None:
    """What differs first within reach of the lines: one that is gone, else one that was added between them."""
    old, new, matches = versions.sheet(spot.file), versions.sheet(file), versions.matches(spot.file, file)
    low, high = _within_hunk(spot, reach.lines)
    lost = [at for at in range(low, high + 1) if at not in matches and _counts(old, new, matches, at)]
    if lost and (reach.blanks or any(old.lines[at].text.strip() for at in lost)):
        at = min(lost, key=lambda place: (len(old.keys[place]) <= _SAYS_LITTLE, abs(place - spot.last), place))
        now = _moved(old, new, matches, at) or _counterpart(old, new, matches, at)
        return Difference(
            version=newer,
            patch=patch,
            body_line=now.body_line if now else None,
            before=old.lines[at].text.strip(),
            after=now.text.strip() if now else "",
        )
    kept = [matches[at] for at in range(low, high + 1) if at in matches]
    for one, other in pairwise(kept):
        between = (line for line in new.lines[one + 1 : other] if line.mark != " ")
        added = next((line for line in between if reach.blanks or line.text.strip()), None)
        if added is not None:
            return Difference(
                version=newer, patch=patch, body_line=added.body_line, before="", after=added.text.strip()
            )
    return None


def _counts(old: Sheet, new: Sheet, matches: Mapping[int, int], at: int) -> bool:
    """Whether a line that has no match differs: a context line only when it now stands elsewhere close by."""
    if old.lines[at].mark != " ":
        return True
    return _moved(old, new, matches, at) is not None


def _moved(old: Sheet, new: Sheet, matches: Mapping[int, int], at: int) -> DiffLine | None:
    """A lost line where it now stands, close by."""
    start, end = _gap(new, matches, at)
    start = max(start - _NEAR, 0)
    near = new.keys[start : end + _NEAR]
    key = old.keys[at]
    around = old.keys[max(at - _NEAR, 0) : at + _NEAR]
    alone = near.count(key) == 1 and around.count(key) == 1
    return new.lines[start + near.index(key)] if alone and len(key) > _TELLING and not _COMMON.match(key) else None


def _gap(new: Sheet, matches: Mapping[int, int], at: int) -> tuple[int, int]:
    """The places in the new sheet between the matches around a line that has none."""
    before = next((matches[place] for place in range(at, max(at - _FAR, -1), -1) if place in matches), None)
    after = next((matches[place] for place in range(at, at + _FAR) if place in matches), None)
    if before is None and after is None:
        return 0, 0
    start = before + 1 if before is not None else max((after or 0) - _NEAR, 0)
    end = after if after is not None else start + _NEAR
    return start, min(end, len(new.lines))


def _counterpart(old: Sheet, new: Sheet, matches: Mapping[int, int], at: int) -> DiffLine | None:
    """The new line in a lost one's place that shares most words with it."""
    words = set(_WORD.findall(old.lines[at].text))
    start, end = _gap(new, matches, at)
    best: tuple[int, DiffLine] | None = None
    for line in new.lines[start : min(end, start + _FAR)]:
        common = len(words.intersection(_WORD.findall(line.text)))
        if common and line.text.strip() != old.lines[at].text.strip() and (best is None or common > best[0]):
            best = (common, line)
    return best[1] if best else None


def _within_hunk(spot: Spot, reach: int) -> tuple[int, int]:
    """The places of the lines and of those within `reach` of them in the hunks that they stand in."""
    start = 0
    low, high = spot.first, spot.last
    for hunk in spot.file.hunks:
        end = start + len(hunk.lines)
        if start <= spot.last < end:
            high = min(spot.last + reach, end - 1)
        if start <= spot.first < end:
            low = max(spot.first - reach, start)
        start = end
    return low, high


def _text(spot: Spot, versions: Versions) -> str:
    return versions.sheet(spot.file).lines[spot.last].text.strip()
