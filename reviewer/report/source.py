"""The lines of a patch mail that a finding is about, as they stand in the mail."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from reviewer.model import Cover, FileDiff, Finding, Hunk, Location, Patch, TextLine

BEFORE, AFTER = 2, 2


class Shown(Struct, frozen=True, kw_only=True):
    """A line of a mail's body: its text without the newline, its number, and whether the finding stands on it."""

    text: str
    body_line: int
    at_issue: bool = False


class Place(Struct, frozen=True, kw_only=True):
    """A line of the diff: its file, and its hunk (None between hunks)."""

    file: FileDiff
    hunk: Hunk | None


class Source:
    """The body of one mail, by part and line (from 1)."""

    __slots__ = ("_diff_part", "_lines", "_message_part", "_places", "mail_id")

    def __init__(self, subject: Patch | Cover) -> None:
        text = subject.text
        self.mail_id = subject.mail.message_id
        self._diff_part = text.part
        self._message_part = text.part if text.message_part is None else text.message_part
        self._lines = {
            (part, line.body_line): line.text
            for part, lines in self._parts(text.message, text.notes, text.diff)
            for line in lines
        }
        self._places: dict[int, Place] = {}
        if isinstance(subject, Patch):
            for file in subject.files:
                self._places.update(_placed(file))

    def _parts(
        self, message: tuple[TextLine, ...], notes: tuple[TextLine, ...], diff: tuple[TextLine, ...]
    ) -> Iterable[tuple[int, tuple[TextLine, ...]]]:
        return ((self._message_part, message), (self._message_part, notes), (self._diff_part, diff))

    def line(self, part: int, number: int) -> str | None:
        """The text of a line of the body, None when it is neither message nor notes nor diff."""
        return self._lines.get((part, number))

    def place(self, location: Location) -> Place | None:
        """The file and hunk that a location stands in."""
        if location.part != self._diff_part or location.body_line is None:
            return None
        return self._places.get(location.body_line)

    def bounds(self, location: Location) -> tuple[int, int]:
        """The first and last line that belong together with `location`: of its hunk, or of its paragraph."""
        number = location.body_line or 0
        place = self.place(location)
        if place is not None:
            lines = place.hunk.lines if place.hunk is not None else ()
            return (lines[0].body_line, lines[-1].body_line) if lines else (number, number)
        first = last = number
        while first > number - 20 and (self.line(location.part, first - 1) or "").strip():
            first -= 1
        while last < number + 20 and (self.line(location.part, last + 1) or "").strip():
            last += 1
        return first, last

    def shown(self, location: Location, first: int, last: int) -> tuple[Shown, ...]:
        """The lines `first` to `last` of the body, as far as they are there."""
        return tuple(
            Shown(text=text, body_line=number, at_issue=number == location.body_line)
            for number in range(first, last + 1)
            if (text := self.line(location.part, number)) is not None
        )

    def excerpt(self, location: Location) -> tuple[Shown, ...]:
        """The line at issue with a few lines around it; what the location tells when the line is not in the mail."""
        number = location.body_line
        if number is None or self.line(location.part, number) is None:
            text = f" {location.text}" if location.kind == "code" else location.text
            return (Shown(text=text, body_line=number or 0, at_issue=True),) if text.strip() else ()
        first, last = self.bounds(location)
        return _trimmed(self.shown(location, max(first, number - BEFORE), min(last, number + AFTER)))


def _trimmed(lines: tuple[Shown, ...]) -> tuple[Shown, ...]:
    """The lines without those at either end that hold nothing but a mark of the diff."""
    full = [index for index, line in enumerate(lines) if line.at_issue or line.text.strip("+- \t")]
    return lines[full[0] : full[-1] + 1] if full else lines


def _placed(file: FileDiff) -> dict[int, Place]:
    places = {file.body_line: Place(file=file, hunk=None)}
    for hunk in file.hunks:
        place = Place(file=file, hunk=hunk)
        places.update((number, place) for number in (hunk.body_line, *(line.body_line for line in hunk.lines)))
    return places


def sources(subjects: Iterable[Patch | Cover | None], findings: Iterable[Finding]) -> dict[str, Source]:
    """The sources of the mails that findings are about, by Message-ID; the others are not looked at."""
    wanted = {finding.patch for finding in findings}
    return {one.mail.message_id: Source(one) for one in subjects if one is not None and one.mail.message_id in wanted}
