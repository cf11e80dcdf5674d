"""Findings and people's comments as notes beside the lines that they are about, and where to find each of them.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from reviewer.model import Comment, CommentKind, Cover, Location, Patch, Report, Series
from reviewer.report.naming import name_of
from reviewer.report.view import FindingView, MailView
from reviewer.verdict import ASKING


class EvidenceView(Struct, frozen=True, kw_only=True):
    """Why a comment is in its state; `anchor` is where the mail that tells it stands on the page, or empty."""

    why: str
    anchor: str


class CommentView(Struct, frozen=True, kw_only=True):
    """A comment. `state` is empty for one that asks for nothing; `answers` are (anchor, person) of those it answers.

    `place` is `file:line, function()`, or empty.
    """

    kind: CommentKind
    state: str
    person: str
    date: str
    place: str
    text: str
    answers: tuple[tuple[str, str], ...]
    evidence: tuple[EvidenceView, ...]


class Note(Struct, frozen=True, kw_only=True):
    """A finding or a comment: one of the two is there. `anchor` is its id on the page, `location` its place."""

    anchor: str
    location: Location
    finding: FindingView | None = None
    comment: CommentView | None = None


def subjects_of(series: Series) -> tuple[Cover | Patch, ...]:
    """The cover letter, when it is there, and the patches."""
    return (series.cover, *series.patches) if series.cover is not None else series.patches


class Anchors:
    """The ids of things on the page, counted, so that nothing of a mail is in them."""

    def __init__(self, report: Report) -> None:
        self.series: dict[str, str] = {}
        """By id of a series."""
        self.mails: dict[str, str] = {}
        """By Message-ID of a cover letter or patch."""
        self.comments: dict[str, str] = {}
        """By id of a comment."""
        self.findings: dict[tuple[str, str], str] = {}
        """By Message-ID and fingerprint; filled by `finding_notes`."""
        self._people: dict[str, str] = {}
        self._replies: dict[str, str] = {}
        for at, series in enumerate(report.series, 1):
            self.series[series.outline.id] = f"s{at}"
            for place, subject in enumerate(subjects_of(series), 1):
                self.mails.setdefault(subject.mail.message_id, f"s{at}-m{place}")
        for comment in (one for said in report.comments.values() for one in said):
            anchor = self.comments.setdefault(comment.id, f"c{len(self.comments) + 1}")
            self._replies.setdefault(comment.reply, anchor)
            self._people[comment.id] = name_of(comment.author)

    def of_mail(self, message_id: str) -> str:
        """The anchor of a patch, or of the first comment of a reply; empty when the page has none."""
        return self.mails.get(message_id) or self._replies.get(message_id, "")

    def answered(self, comment: Comment) -> Iterator[tuple[str, str]]:
        """The comments that one answers, each with its author."""
        for ident in comment.answers:
            if ident in self.comments:
                yield self.comments[ident], self._people[ident]


def finding_notes(mail: MailView, anchors: Anchors) -> Iterator[Note]:
    """The findings of a mail that are shown."""
    for finding in mail.findings:
        anchor = f"f{len(anchors.findings) + 1}"
        anchors.findings[mail.message_id, finding.fingerprint] = anchor
        yield Note(anchor=anchor, location=finding.location, finding=finding)


def comment_notes(comments: Iterable[Comment], anchors: Anchors) -> Iterator[Note]:
    """Comments with everything that is known of what became of them."""
    for comment in comments:
        view = CommentView(
            kind=comment.kind,
            state=comment.state if comment.kind in ASKING else "",
            person=name_of(comment.author),
            date=comment.date.date().isoformat() if comment.date else "",
            place=_place(comment.location),
            text=comment.text.strip("\n"),
            answers=tuple(anchors.answered(comment)),
            evidence=tuple(
                EvidenceView(why=one.why, anchor=anchors.of_mail(one.message_id)) for one in comment.evidence
            ),
        )
        yield Note(anchor=anchors.comments[comment.id], location=comment.location, comment=view)


def _place(location: Location) -> str:
    place = f"{location.file}{f':{location.line}' if location.line else ''}" if location.file else ""
    return f"{place}, {location.function}()" if place and location.function else place


def by_line(notes: Iterable[Note]) -> Mapping[tuple[int, int], tuple[Note, ...]]:
    """Notes by part and line of the mail's body; those about no line stand at (0, 0)."""
    found: dict[tuple[int, int], tuple[Note, ...]] = {}
    for note in notes:
        key = (note.location.part, note.location.body_line) if note.location.body_line else (0, 0)
        found[key] = (*found.get(key, ()), note)
    return found
