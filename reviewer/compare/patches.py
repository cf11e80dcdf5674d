"""What became of each patch of a version: the same, changed, added, dropped, squashed or split off."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from reviewer.compare.values import PatchChange, PatchFate
from reviewer.model import Patch, Series
from reviewer.opinions import is_opinion
from reviewer.series.matching_lines import matching_lines
from reviewer.series.rangediff import PatchPair, RangeLine, diff_of_diffs, match_patches
from reviewer.series.titles import clean_title
from reviewer.talk.changelog import Entry
from reviewer.talk.later import Later
from reviewer.talk.named import reasons
from reviewer.talk.versions import Versions

_MARKS = ("+", "-")


def patch_changes(old: Series, new: Series, entries: Sequence[Entry]) -> tuple[PatchChange, ...]:
    """The patches of both versions in the order of the newer one; `entries` are those of its changelog.

    Only where no patch is missing in a version can one be dropped or added.
    """
    pairs = match_patches(old.patches, new.patches)
    moved = _moved([pair for pair in pairs if pair.old and pair.new], old.patches)
    later = Later(versions=Versions(series=(old, new)))
    changes = (_change(pair, pairs, later, id(pair) in moved, entries) for pair in pairs)
    return tuple(change for change in changes if _is_known(change, old, new))


def _is_known(change: PatchChange, old: Series, new: Series) -> bool:
    if change.fate == "dropped":
        return not new.outline.missing
    return change.fate != "added" or not old.outline.missing


def _change(
    pair: PatchPair, pairs: Sequence[PatchPair], later: Later, moved: bool, entries: Sequence[Entry]
) -> PatchChange:
    old, new = pair.old, pair.new
    if old is not None and new is not None:
        code = diff_of_diffs(old, new) if pair.how != "same" else ()
        message = _message(old, new)
        fate: PatchFate = "message" if message else "same"
        if any(line.outer != " " for line in code):
            fate = "changed" if _alters(code) else "context"
        return PatchChange(
            old=old,
            new=new,
            fate=fate,
            renamed=clean_title(old.mail.subject) != clean_title(new.mail.subject),
            moved=moved,
            code=code if fate in ("changed", "context") else (),
            message=message,
        )
    if old is not None:
        homes = _homes(old, [(one.new, one.old) for one in pairs], later.versions)
        why = _reasons(old, later, entries)
        return PatchChange(old=old, new=None, fate="squashed" if homes else "dropped", others=homes, reasons=why)
    assert new is not None
    homes = _homes(new, [(one.old, one.new) for one in pairs], later.versions)
    return PatchChange(old=None, new=new, fate="split" if homes else "added", others=homes)


def _reasons(old: Patch, later: Later, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    found = {(one.message_id, one.line) for one in reasons(old, 1, later)}
    return tuple(entry for entry in entries if (entry.message_id, entry.body_line) in found)


def _alters(code: Iterable[RangeLine]) -> bool:
    """Whether what a patch adds, removes or touches differs, not only the lines around."""
    return any(line.outer != " " and line.text[:1] in _MARKS for line in code) or any(
        line.outer != " " and line.text.startswith(" ## ") for line in code
    )


def _message(old: Patch, new: Patch) -> tuple[RangeLine, ...]:
    """The lines of both messages, the title first; empty when only white space or what people think of it differs."""
    before, after = _text(old), _text(new)
    if [line.split() for line in before] == [line.split() for line in after]:
        return ()
    lines: list[RangeLine] = []
    at = there = 0
    for one, other in (*matching_lines(before, after), (len(before), len(after))):
        lines += (RangeLine(outer="-", text=text) for text in before[at:one])
        lines += (RangeLine(outer="+", text=text) for text in after[there:other])
        if one < len(before):
            lines.append(RangeLine(outer=" ", text=before[one]))
        at, there = one + 1, other + 1
    return tuple(lines)


def _text(patch: Patch) -> list[str]:
    opinions = {trailer.body_line for trailer in patch.text.trailers if is_opinion(trailer.name)}
    lines = [line.text.rstrip() for line in patch.text.message if line.body_line not in opinions]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return [patch.mail.subject.title, "", *lines]


def _moved(pairs: Sequence[PatchPair], old: Sequence[Patch]) -> set[int]:
    """The pairs (by `id`) outside of the longest run that kept its order."""
    places = {id(patch): at for at, patch in enumerate(old)}
    order = [places[id(pair.old)] for pair in pairs]
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, place in enumerate(order):
        pile = bisect_left(tops, place)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [place]
        ends[pile : pile + 1] = [index]
    stayed: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        stayed.add(at)
        at = before[at]
    return {id(pair) for index, pair in enumerate(pairs) if index not in stayed}


def _homes(one: Patch, others: Sequence[tuple[Patch | None, Patch | None]], versions: Versions) -> tuple[Patch, ...]:
    """The patches of the other version that hold half of what `one` adds, and whose counterpart has not.

    `others` are those patches, each with its counterpart in the version of `one`.
    """
    wanted = _added(one, versions)
    if not wanted:
        return ()
    held: set[str] = set()
    homes: list[Patch] = []
    for patch, counterpart in others:
        if patch is None or counterpart is None:
            continue
        lines = (wanted & _added(patch, versions)) - _added(counterpart, versions)
        if lines:
            held |= lines
            homes.append(patch)
    whole = sum(map(len, wanted))
    return tuple(homes) if 2 * sum(map(len, held)) >= whole else ()


def _added(patch: Patch, versions: Versions) -> frozenset[str]:
    return frozenset[str]().union(*(versions.added(file) for file in patch.files))
