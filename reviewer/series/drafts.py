"""One version of a series while it is put together."""

from __future__ import annotations

from msgspec import Struct, field

from reviewer.model import Mail, Outline
from reviewer.series.titles import HOUR, NEVER, clean_title, moment, near


class Draft(Struct, kw_only=True, eq=False):
    """The mails found so far. `total` is that of the counters, `other_total` one that contradicts the cover's.

    `person` is whose it is, `above` the draft that the first mail of this one answers, `below_absent` whether one that
    is not there stands between. `cover` and `patches` are
    those that count; `replaced` what a resend or a partial reroll put out of use, `strays` what stands under a number
    already taken, `rerolled` the patches that came with a higher version.
    """

    serial: int
    person: str
    version: int
    version_given: bool
    total: int | None
    above: Draft | None = None
    below_absent: bool = False
    cover: Mail | None = None
    patches: dict[int, Mail] = field(default_factory=dict[int, Mail])
    replaced: list[Mail] = field(default_factory=list[Mail])
    other_total: int | None = None
    rerolled: list[Mail] = field(default_factory=list[Mail])
    strays: list[Mail] = field(default_factory=list[Mail])
    largest: int = 1
    resent: bool = False
    first: float = NEVER
    last: float = NEVER
    _titles: dict[str, int] | None = None

    @property
    def head(self) -> Mail:
        """The cover, or the patch with the lowest number."""
        return self.cover or self.patches[min(self.patches)]

    @property
    def title(self) -> str:
        """The cleaned title of the head."""
        return clean_title(self.head.subject)

    @property
    def size(self) -> int:
        """How many patches there should be: the total, or more when a number above it was seen."""
        return max(self.other_total or self.total or 1, self.largest)

    @property
    def holes(self) -> int:
        """How many patches are not there."""
        return self.size - len(self.patches)

    def members(self) -> list[Mail]:
        """All mails of the draft, replaced ones included."""
        return [*([self.cover] if self.cover else []), *self.patches.values(), *self.replaced, *self.strays]

    def numbers_by_title(self) -> dict[str, int]:
        """The number of each patch by its cleaned title, made at the first call."""
        if self._titles is None:
            self._titles = {clean_title(mail.subject): number for number, mail in self.patches.items()}
        return self._titles

    def sent_near(self, mail: Mail, within: float = HOUR) -> bool:
        """Whether `mail` was sent within that many seconds of one of the first and the last mail."""
        at = moment(mail)
        return near(self.first, at, within) or near(self.last, at, within)

    def add(self, mail: Mail) -> None:
        """Take `mail` in; what has its number already is replaced."""
        number = number_of(mail)
        before = self.cover if number == 0 else self.patches.get(number)
        if before is not None:
            self.replaced.append(before)
        if number == 0:
            self.cover = mail
        else:
            self.patches[number] = mail
            self.largest = max(self.largest, number)
        self.resent = self.resent or mail.subject.resend
        at = moment(mail)
        if at != NEVER:
            self.first = at if self.first == NEVER else min(self.first, at)
            self.last = at if self.last == NEVER else max(self.last, at)


def number_of(mail: Mail) -> int:
    """The number in the series; 1 without a counter."""
    subject = mail.subject
    return 1 if subject.number is None or subject.total is None else subject.number


def numbers_of(outline: Outline) -> dict[str, int]:
    """The numbers of an outline's patches by Message-ID, replaced ones too.

    A reroll without a counter has the number of the patch whose place it took: that of its place in the order.
    """
    absent = frozenset(outline.missing)
    there = [number for number in range(1, (outline.total or 0) + 1) if number not in absent]
    if len(there) != len(outline.patches):
        there = [number_of(mail) for mail in outline.patches]
    titled = {clean_title(mail.subject): number for mail, number in zip(outline.patches, there, strict=True)}
    numbers = {mail.message_id: number for mail, number in zip(outline.patches, there, strict=True)}
    for mail in outline.replaced:
        own = number_of(mail)
        numbers[mail.message_id] = own if mail.subject.total is not None else titled.get(clean_title(mail.subject), own)
    return numbers


def places_of(outline: Outline) -> dict[str, int]:
    """The same with the cover letter, whose number is 0."""
    numbers = numbers_of(outline)
    if outline.cover is not None:
        numbers[outline.cover.message_id] = 0
    return numbers
