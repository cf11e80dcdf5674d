"""Sends that take the place of an earlier one: partial rerolls and resends."""

from __future__ import annotations

from collections.abc import Iterable

from reviewer.model import Mail
from reviewer.series.drafts import Draft
from reviewer.series.titles import DAY, clean_title

_CLIMB = 4
_RECENT = 8


def merge_rerolls(drafts: Iterable[Draft]) -> list[Draft]:
    """Fold a few patches of a higher version into the series that they answer, each in the place of its number.

    A send with a cover, or with all its patches, is a version of its own and left alone.
    """
    kept: list[Draft] = []
    into: dict[int, Draft] = {}
    for draft in drafts:
        base = into.get(id(draft.above), draft.above)
        places: dict[int, Mail] | None = None
        for _ in range(_CLIMB):
            if base is None or places is not None:
                break
            places = _places(draft, base)
            if places is None:
                base = into.get(id(base.above), base.above)
        if base is None or places is None:
            kept.append(draft)
            continue
        into[id(draft)] = base
        for number, mail in places.items():
            _reroll(base, number, mail)
    return kept


def _places(draft: Draft, base: Draft) -> dict[int, Mail] | None:
    """The numbers in `base` that the patches of `draft` stand for, or None when it is no partial reroll of it."""
    if draft.cover is not None or draft.person != base.person or draft.version <= base.version or base.size < 2:
        return None
    if draft.total == base.total:
        cover_lost = draft.below_absent and len(draft.patches) > 1
        return dict(draft.patches) if draft.holes and not cover_lost else None
    if draft.total is not None:
        return None
    number = base.numbers_by_title().get(draft.title)
    return None if number is None else {number: draft.head}


def _reroll(base: Draft, number: int, mail: Mail) -> None:
    before = base.patches.get(number)
    if before is not None and before.subject.version > mail.subject.version:
        base.replaced.append(mail)
        return
    if before is not None:
        base.replaced.append(before)
    base.patches[number] = mail
    base.rerolled.append(mail)


def merge_resends(drafts: Iterable[Draft]) -> list[Draft]:
    """Fold what was sent again into the first send: the newest copy of each mail counts.

    Sent again means: same person, version and total, same title or patches, and either tagged so or, within a day,
    more complete than before (the first send was aborted).
    """
    kept: list[Draft] = []
    sends: dict[tuple[str, int, int], list[Draft]] = {}
    for draft in sorted(drafts, key=lambda one: (one.first, one.serial)):
        earlier = sends.setdefault((draft.person, draft.version, draft.total or 1), [])
        first = next((one for one in reversed(earlier[-_RECENT:]) if _sent_again(one, draft)), None)
        if first is None:
            earlier.append(draft)
            kept.append(draft)
            continue
        for mail in [*([draft.cover] if draft.cover else []), *draft.patches.values()]:
            first.add(mail)
        first.replaced += draft.replaced
        first.rerolled += draft.rerolled
    return kept


def _sent_again(first: Draft, again: Draft) -> bool:
    aborted = first.holes > again.holes and again.sent_near(first.head, DAY)
    return (again.resent or aborted) and _same_content(first, again)


def _same_content(one: Draft, other: Draft) -> bool:
    if one.cover is not None and other.cover is not None:
        return one.title == other.title
    common = one.patches.keys() & other.patches.keys()
    return bool(common) and all(
        clean_title(one.patches[number].subject) == clean_title(other.patches[number].subject) for number in common
    )
