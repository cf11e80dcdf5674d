"""Tags given on the list: to which patch, and whether they count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from reviewer.mail.address import person_matches
from reviewer.mail.replytags import ReplyTag
from reviewer.model import Mail, MessageText, Outline, Tag
from reviewer.series.drafts import numbers_of
from reviewer.series.people import is_bot
from reviewer.series.titles import clean_title

COVER = 0


class Credit(Struct, frozen=True, kw_only=True):
    """A tag, the number of the patch that it was given to (0: the cover letter), and those that its words name."""

    number: int
    tag: Tag
    named: tuple[int, ...] | None = None


def own_tags(text: MessageText) -> tuple[Tag, ...]:
    """The trailers of a commit message."""
    return tuple(
        Tag(name=trailer.name, value=trailer.value, source=None, counted=True, why="in the commit message")
        for trailer in text.trailers
    )


class Targets:
    """Which patch or cover of a series a reply is about: the first up the chain of replies.

    Where that chain is broken by a mail that is not there, the subject decides between the cover letter and the
    patches; a tag is never raised to the cover letter because the patch is missing.
    """

    def __init__(self, outline: Outline) -> None:
        self._replies = {mail.message_id: mail for mail in outline.replies}
        self._members = {mail.message_id: mail for mail in outline.replaced + outline.patches}
        if outline.cover is not None:
            self._members[outline.cover.message_id] = outline.cover
        self._numbers = numbers_of(outline)
        self._current = {self._numbers[mail.message_id]: mail for mail in outline.patches}
        self._titled = {clean_title(mail.subject): mail for mail in (*outline.replaced, *outline.patches)}
        self._cover = outline.cover
        self._found: dict[str, Mail | None] = {}

    def of(self, reply: Mail) -> tuple[int, str] | None:
        """The number of the patch, 0 for the cover letter, and why a tag given there does not count for it now."""
        mail = self._member_above(reply)
        if mail is None:
            return None
        if mail is self._cover or mail.subject.number == COVER:
            return COVER, ""
        number = self._numbers[mail.message_id]
        now = self._current.get(number)
        if now is None or now is mail:
            return number, ""
        if now.subject.version != mail.subject.version:
            return number, f"given on v{mail.subject.version} of this patch"
        return (number, "") if clean_title(now.subject) == clean_title(mail.subject) else None

    def _member_above(self, reply: Mail) -> Mail | None:
        path: list[Mail] = []
        at: Mail | None = reply
        found: Mail | None = None
        seen: set[str] = set()
        while at is not None and at.message_id not in seen:
            if at.message_id in self._found:
                found = self._found[at.message_id]
                break
            seen.add(at.message_id)
            path.append(at)
            parent, gap = self._parent(at)
            member = self._members.get(parent or "")
            if member is not None and not (gap and member is self._cover):
                found = member
                break
            if gap:
                found = self._by_subject(at)
                break
            at = self._replies.get(parent or "")
        for mail in path:
            self._found[mail.message_id] = found
        return found

    def _parent(self, mail: Mail) -> tuple[str | None, bool]:
        """The nearest mail that is there, and whether one between is not."""
        above = [one for one in mail.references if one != mail.message_id]
        if mail.in_reply_to in self._members or mail.in_reply_to in self._replies:
            return mail.in_reply_to, False
        for distance, one in enumerate(reversed(above)):
            if one in self._members or one in self._replies:
                return one, distance > 0
        return None, True

    def _by_subject(self, mail: Mail) -> Mail | None:
        title = clean_title(mail.subject)
        if self._cover is not None and title == clean_title(self._cover.subject):
            return self._cover
        return self._titled.get(title)


def credits_of(reply: Mail, given: Iterable[ReplyTag], targets: Targets) -> Iterator[Credit]:
    """Where the tags of `reply` go: to the patch or cover that it is about, or to the patches that its words name."""
    target = targets.of(reply)
    if target is None:
        return
    number, stale = target
    seen: set[tuple[str, str]] = set()
    for one in given:
        if (one.name, one.value) in seen:
            continue
        seen.add((one.name, one.value))
        why = _objection_to(one, reply) or stale
        tag = Tag(
            name=one.name,
            value=one.value,
            source=reply.message_id,
            counted=not why,
            why=why or ("given on the cover letter" if number == COVER else "given on the patch"),
        )
        yield Credit(number=number, tag=tag, named=one.patches)


def tags_by_number(given: Iterable[Credit], numbers: Sequence[int]) -> dict[int, tuple[Tag, ...]]:
    """The tags of the cover letter (number 0) and of each of the patches `numbers`, in the order of `given`.

    A tag on the cover letter goes to all patches, or to those that its words name, as far as it counts.
    """
    tags: dict[int, list[Tag]] = {number: [] for number in (COVER, *numbers)}
    for one in given:
        if one.number == COVER:
            tags[COVER].append(one.tag)
            if not one.tag.counted:
                continue
        everywhere = numbers if one.number == COVER else (one.number,)
        for number in everywhere if one.named is None else one.named:
            if number != COVER and number in tags:
                tags[number].append(one.tag)
    return {number: tuple(found) for number, found in tags.items()}


def _objection_to(given: ReplyTag, reply: Mail) -> str:
    """Why a tag does not count, or an empty string."""
    if given.objection:
        return "objection"
    if given.command:
        return "a command to a bot"
    if is_bot(reply.author):
        return "from a bot"
    if given.person is None or not person_matches(given.person, reply.author):
        return f"sender is {reply.author.name or reply.author.email or 'unknown'}"
    if given.misspelt_as is not None:
        return f"misspelt: {given.misspelt_as}"
    return "conditional: asks for something first" if given.conditional else ""
