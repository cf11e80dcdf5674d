"""From drafts to outlines, and what the reader must know about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from reviewer.model import Mail, Notice, Outline
from reviewer.series.drafts import Draft
from reviewer.series.titles import moment

MAX_TOTAL = 20_000
"""Above it, the total of a counter is not believed."""
MAX_MISSING = 500
"""So many numbers are listed: a thousand covers that count to 20,000 are no reason to hold 20,000,000."""


def by_date(mails: Iterable[Mail]) -> tuple[Mail, ...]:
    """`mails` by date, then place in the input."""
    return tuple(sorted(mails, key=lambda mail: (moment(mail), mail.position)))


def outline_of(draft: Draft, replies: Iterable[Mail]) -> Outline:
    """The outline of a finished draft."""
    patches = tuple(draft.patches[number] for number in sorted(draft.patches))
    head = draft.head
    total = draft.size if draft.total is not None and _believed(draft) else None
    return Outline(
        id=head.message_id,
        cover=draft.cover,
        patches=patches,
        missing=_missing(draft, total or 0),
        replies=by_date(replies),
        version=draft.version,
        total=total,
        title=head.subject.title,
        author=head.author,
        date=head.date,
        replaced=by_date([*draft.replaced, *draft.strays]),
    )


def _missing(draft: Draft, total: int) -> tuple[int, ...]:
    if not draft.patches:
        return _first_numbers(min(total, MAX_MISSING))
    return tuple(
        islice((number for number in islice(_every_number(), total) if number not in draft.patches), MAX_MISSING)
    )


@lru_cache(maxsize=MAX_MISSING)
def _first_numbers(count: int) -> tuple[int, ...]:
    return _every_number()[:count]


@lru_cache(maxsize=1)
def _every_number() -> tuple[int, ...]:
    """All numbers that a patch may have, each once for all series."""
    return tuple(range(1, MAX_TOTAL + 1))


def _believed(draft: Draft) -> bool:
    return draft.size <= MAX_TOTAL and (draft.total or 0) > 0


def notices_of(draft: Draft) -> Iterator[Notice]:
    """What is odd about a draft: wrong counters, holes without end, numbers given twice, patches replaced."""
    head = draft.head
    about = f"{head.subject.title} (v{draft.version})"
    beyond = [mail for mail in draft.patches.values() if (mail.subject.number or 0) > (mail.subject.total or 1)]
    if beyond or draft.other_total is not None or (draft.total and not _believed(draft)):
        yield _notice("bad-counter", f"{about}: {_miscount(draft, beyond)}", beyond or [head])
    if draft.total and _believed(draft) and draft.holes > MAX_MISSING:
        text = f"{about}: {draft.holes} of {draft.size} patches are missing; the first {MAX_MISSING} are listed"
        yield _notice("many-missing", text, [head])
    if draft.strays:
        text = f"{about}: two different patches have one number; the first counts"
        yield _notice("duplicate-patch", text, draft.strays)
    if draft.rerolled:
        numbers = ", ".join(str(number) for number in sorted(_numbers(draft, draft.rerolled)))
        text = f"{about}: patch {numbers} was sent again in the thread with a higher version, which is used here"
        yield _notice("partial-reroll", text, draft.rerolled)
    elif draft.replaced:
        yield _notice("resend", f"{about}: sent more than once; the newest copies are used", [head])


def _miscount(draft: Draft, beyond: list[Mail]) -> str:
    if beyond:
        counters = ", ".join(f"{mail.subject.number}/{mail.subject.total}" for mail in by_date(beyond)[:5])
        return f"patch {counters} is numbered beyond the total"
    if draft.other_total is not None:
        return f"the cover letter counts {draft.total} patches, the patches {draft.other_total}"
    return f"a total of {draft.total} patches is not believed"


def _numbers(draft: Draft, mails: Iterable[Mail]) -> set[int]:
    ids = {mail.message_id for mail in mails}
    return {number for number, mail in draft.patches.items() if mail.message_id in ids}


def _notice(code: str, message: str, mails: Iterable[Mail]) -> Notice:
    mails = by_date(mails)
    return Notice(code=code, message=message, patches=tuple(mail.message_id for mail in mails), source=mails[0].source)
