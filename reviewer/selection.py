"""Which of the assembled series a call is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from reviewer.errors import InputError, UsageError
from reviewer.model import Assembly, Lineage, Mail, Notice, Outline


def parse_revision(word: str) -> str | int:
    """`latest`, `all`, or a version's number; raises UsageError for anything else."""
    if word in ("latest", "all"):
        return word
    number = word.removeprefix("v")
    if number.isascii() and number.isdigit() and len(number) < 6:
        return int(number)
    raise UsageError(f"unknown revision: {word}; give latest, all, or a version's number such as 2")


def select_outlines(
    assembly: Assembly,
    *,
    message_id: str | None,
    revision: str | int,
    latest: Callable[[Lineage], Outline],
    since: datetime | None = None,
) -> tuple[Outline, ...]:
    """The series to review, in the order of the lineages.

    `message_id` picks the series that this mail belongs to (or, with a revision other than latest, its lineage),
    `since` the lineages whose newest mail is not older; it may leave none. Raises InputError when there is none else.
    """
    lineages = assembly.lineages
    if not lineages:
        raise InputError("neither a patch nor a cover letter in the input; give a thread with a series")
    if since is not None:
        lineages = tuple(one for one in lineages if is_recent(_mails(one), since))
    if message_id is not None:
        wanted = message_id.strip().removeprefix("<").removesuffix(">")
        home = assembly.homes.get(wanted)
        if wanted not in assembly.homes:
            raise InputError(f"no mail <{wanted}> in the input; give the Message-ID of one that is")
        if home is None:
            raise InputError(f"mail <{wanted}> belongs to no series; name a patch, a cover letter or a reply to one")
        lineages = tuple(one for one in lineages if any(outline.id == home for outline in one.outlines))
        if revision == "latest":
            return tuple(outline for one in lineages for outline in one.outlines if outline.id == home)
    if revision == "latest":
        return tuple(latest(lineage) for lineage in lineages)
    outlines = tuple(outline for one in lineages for outline in one.outlines if revision in ("all", outline.version))
    if not outlines and lineages:
        seen = sorted({outline.version for one in lineages for outline in one.outlines})
        raise InputError(f"no version {revision} in the input, only {', '.join(map(str, seen))}")
    return outlines


def is_recent(mails: Iterable[Mail], since: datetime) -> bool:
    """Whether one of `mails` is from `since` on, or none has a date."""
    dates = [mail.date for mail in mails if mail.date is not None]
    return not dates or max(dates) >= since


def nothing_since(assembly: Assembly, since: datetime) -> Notice:
    """What to say when `since` leaves no series."""
    dates = [mail.date for lineage in assembly.lineages for mail in _mails(lineage) if mail.date is not None]
    newest = f"; the newest is of {max(dates).date().isoformat()}" if dates else ""
    moment = since.strftime("%Y-%m-%d %H:%M %Z").removesuffix("UTC").rstrip().removesuffix(" 00:00")
    return Notice(code="nothing-since", message=f"no series has mail since {moment}{newest}")


def _mails(lineage: Lineage) -> Iterable[Mail]:
    for outline in lineage.outlines:
        yield from filter(None, (outline.cover, *outline.patches, *outline.replaced, *outline.replies))
