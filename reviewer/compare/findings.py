"""What became of each finding from one version to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reviewer.compare.values import FindingChange, PatchChange
from reviewer.model import Finding, Series


def finding_changes(
    old: Series, new: Series, findings: Iterable[Finding], patches: Sequence[PatchChange]
) -> tuple[FindingChange, ...]:
    """The findings in either version: new, moved and kept ones in the order of the newer version, then those gone.

    Only what a series introduces counts. A finding is the same when its fingerprint is; one that is gone and one of the
    same rule and text that is new, in another file, are one that moved.
    """
    charged = [finding for finding in findings if finding.origin == "introduced"]
    before = {one.fingerprint: one for one in charged if one.patch in _mails(old)}
    after = {one.fingerprint: one for one in charged if one.patch in _mails(new)}
    became = {change.old.mail.message_id: change.new.mail.message_id for change in patches if change.old and change.new}
    if old.cover and new.cover:
        became[old.cover.mail.message_id] = new.cover.mail.message_id
    lost = {one.patch for one in before.values()} - became.keys()
    gone = {key: one for key, one in before.items() if key not in after}
    changes = [_seen(one, before.get(key), gone, became) for key, one in after.items()]
    changes += [FindingChange(fate="gone", old=one, new=None, with_patch=one.patch in lost) for one in gone.values()]
    return tuple(changes)


def _mails(series: Series) -> frozenset[str]:
    outline = series.outline
    return frozenset(mail.message_id for mail in (outline.cover, *outline.patches) if mail)


def _seen(one: Finding, same: Finding | None, gone: dict[str, Finding], became: dict[str, str]) -> FindingChange:
    """`one` of the newer version, with what it was; one that it is found to have been is taken out of `gone`."""
    if same is not None:
        stayed = became.get(same.patch) == one.patch
        return FindingChange(fate="kept" if stayed else "moved", old=same, new=one)
    text = one.location.text.strip()
    for key, other in gone.items():
        if text and other.rule == one.rule and other.location.text.strip() == text:
            del gone[key]
            moved = other.location.file != one.location.file or became.get(other.patch) != one.patch
            return FindingChange(fate="moved" if moved else "kept", old=other, new=one)
    return FindingChange(fate="new", old=None, new=one)
