"""A review arranged as one HTML page: lineages, their versions, the mails of each with what is said of them.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from reviewer.model import LEVELS, Comment, Confidence, Cover, Lineage, Outline, Patch, Report, Series
from reviewer.report.html_diff import key_of
from reviewer.report.html_mail import MailPage, mail_page
from reviewer.report.html_notes import Anchors, Note, comment_notes, finding_notes, subjects_of
from reviewer.report.html_versions import VersionsView, versions_view
from reviewer.report.layout import shortened
from reviewer.report.view import ReportView, SeriesView, view
from reviewer.verdict import mails_of

STATES = ("open", "answered", "changed", "resolved", "withdrawn")


class EarlierTalk(Struct, frozen=True, kw_only=True):
    """What was said of one mail that is not on the page: of which version it was, its place and title."""

    version: int
    title: str
    notes: tuple[Note, ...]


class Entry(Struct, frozen=True, kw_only=True):
    """A note in the list of what to look at: `place` is its patch such as `2/4`, or `cover`."""

    place: str
    note: Note


class SeriesPage(Struct, frozen=True, kw_only=True):
    """A version. `standing` are the anchors of the remarks that its verdict quotes, in their order, some empty.

    `index` are its findings and what people asked for and is open, in the order of the page. `loose` is what was said
    of mails that are not shown; `earlier` of versions before it that are not on the page.
    """

    anchor: str
    view: SeriesView
    standing: tuple[str, ...]
    index: tuple[Entry, ...]
    mails: tuple[MailPage, ...]
    loose: tuple[Note, ...]
    earlier: tuple[EarlierTalk, ...]


class LineagePage(Struct, frozen=True, kw_only=True):
    """A series: its newest version that was reviewed, those before it (the newest first), and all of them compared."""

    title: str
    newest: SeriesPage
    older: tuple[SeriesPage, ...]
    versions: VersionsView | None


class Filters(Struct, frozen=True, kw_only=True):
    """How many findings and comments there are of what can be filtered; `others` are comments that ask for nothing."""

    levels: tuple[tuple[str, int], ...]
    rules: tuple[tuple[str, str, int], ...]
    states: tuple[tuple[str, int], ...]
    others: int


class Page(Struct, frozen=True, kw_only=True):
    """All of it."""

    report: ReportView
    title: str
    lineages: tuple[LineagePage, ...]
    filters: Filters


def page(report: Report, min_confidence: Confidence, *, show_accepted: bool) -> Page:
    """The page; findings as in `view`."""
    shown = view(report, min_confidence, show_accepted=show_accepted)
    anchors = Anchors(report)
    notes: list[Note] = []
    lineages: list[LineagePage] = []
    opened = {series.outline.id: (series, one) for series, one in zip(report.series, shown.series, strict=True)}
    for lineage in report.assembly.lineages:
        versions = [opened[outline.id] for outline in lineage.outlines if outline.id in opened]
        if versions:
            lineages.append(_lineage(lineage, versions, report, anchors, notes, min_confidence))
    title = lineages[0].title if len(lineages) == 1 else f"Review of {len(lineages)} series"
    return Page(report=shown, title=title, lineages=tuple(lineages), filters=_filters(notes))


def _filters(notes: Sequence[Note]) -> Filters:
    findings = [note.finding for note in notes if note.finding]
    comments = [note.comment for note in notes if note.comment]
    levels = Counter(one.level for one in findings)
    rules = Counter((one.rule, one.name) for one in findings)
    states = Counter(one.state for one in comments)
    return Filters(
        levels=tuple((level, levels[level]) for level in LEVELS if levels[level]),
        rules=tuple((rule, name, number) for (rule, name), number in sorted(rules.items())),
        states=tuple((state, states[state]) for state in STATES if states[state]),
        others=states[""],
    )


def _lineage(
    lineage: Lineage,
    versions: Sequence[tuple[Series, SeriesView]],
    report: Report,
    anchors: Anchors,
    notes: list[Note],
    min_confidence: Confidence,
) -> LineagePage:
    """The page of a lineage; its notes are added to `notes`."""
    pages: list[SeriesPage] = []
    known: frozenset[tuple[str, ...]] = frozenset()
    unseen: list[Outline] = []
    shown = {series.outline.id: (series, one) for series, one in versions}
    for outline in lineage.outlines:
        if outline.id not in shown:
            unseen.append(outline)
            continue
        series, one = shown[outline.id]
        pages.append(_series(series, one, report, anchors, known=known, unseen=unseen))
        notes += _notes_of(pages[-1])
        known, unseen = frozenset(key_of(file) for patch in series.patches for file in patch.files), []
    opened = [series for series, _ in versions]
    return LineagePage(
        title=shortened(opened[-1].outline.title),
        newest=pages[-1],
        older=tuple(pages[-2::-1]),
        versions=versions_view(lineage, opened, report, anchors, min_confidence),
    )


def _series(
    series: Series,
    shown: SeriesView,
    report: Report,
    anchors: Anchors,
    *,
    known: frozenset[tuple[str, ...]],
    unseen: Sequence[Outline],
) -> SeriesPage:
    notes: dict[str, list[Note]] = {}
    for mail in shown.mails:
        notes.setdefault(mail.message_id, []).extend(finding_notes(mail, anchors))
    said: dict[str, list[Comment]] = {}
    for comment in report.comments.get(series.outline.id, ()):
        said.setdefault(comment.patch, []).append(comment)
    subjects = subjects_of(series)
    for mail_id in {subject.mail.message_id for subject in subjects}:
        notes.setdefault(mail_id, []).extend(comment_notes(said.pop(mail_id, ()), anchors))
    anchor = anchors.series[series.outline.id]
    owned = _owned(subjects, notes)
    mails = [
        mail_page(subject, f"{anchor}-m{at}", own, author=shown.author, total=shown.total, known=known)
        for at, (subject, own) in enumerate(zip(subjects, owned, strict=True), 1)
    ]
    return SeriesPage(
        anchor=anchor,
        view=shown,
        standing=tuple(anchors.comments.get(one.comment, "") for one in shown.verdict.standing),
        index=tuple(_index(mails)),
        mails=tuple(mails),
        loose=tuple(note for left in said.values() for note in comment_notes(left, anchors)),
        earlier=tuple(_earlier(unseen, report, anchors)),
    )


def _owned(subjects: Sequence[Cover | Patch], notes: Mapping[str, Sequence[Note]]) -> list[list[Note]]:
    """The notes of each patch; where one mail holds several, each gets those from its first line on."""
    first: dict[str, list[int]] = {}
    owned: list[list[Note]] = [[] for _ in subjects]
    for at, subject in enumerate(subjects):
        first.setdefault(subject.mail.message_id, []).append(at)
    for mail_id, places in first.items():
        starts = [_start(subjects[at]) for at in places]
        for note in notes[mail_id]:
            key = (note.location.part, note.location.body_line or 0)
            owned[places[max(0, bisect_right(starts, key) - 1)]].append(note)
    return owned


def _start(subject: Cover | Patch) -> tuple[int, int]:
    """The part and the line that a patch starts with."""
    text = subject.text
    lines = (*text.message[:1], *text.notes[:1], *text.diff[:1])
    return text.part, min((line.body_line for line in lines), default=0)


def _earlier(outlines: Sequence[Outline], report: Report, anchors: Anchors) -> Iterator[EarlierTalk]:
    """What was said of versions that are not on the page, mail by mail."""
    for outline in outlines:
        said: dict[str, list[Comment]] = {}
        for comment in report.comments.get(outline.id, ()):
            said.setdefault(comment.patch, []).append(comment)
        titles = {mail.message_id: mail.subject.title for mail in mails_of(outline)}
        for mail_id in dict.fromkeys((*titles, *said)):
            notes = tuple(comment_notes(said.get(mail_id, ()), anchors))
            title = shortened(titles.get(mail_id, outline.title))
            if notes:
                yield EarlierTalk(version=outline.version, title=title, notes=notes)


def _index(mails: Sequence[MailPage]) -> Iterator[Entry]:
    for mail in mails:
        place = f"{mail.number}/{mail.total or '?'}" if mail.number else "cover"
        for note in _notes_in(mail):
            if note.finding or (note.comment and note.comment.state == "open"):
                yield Entry(place=place, note=note)


def _notes_in(mail: MailPage) -> Iterator[Note]:
    yield from mail.loose
    for text in (*mail.message, *mail.notes):
        yield from text.notes
    for file in mail.files:
        yield from file.head
        for block in file.blocks:
            yield from block.notes


def _notes_of(series: SeriesPage) -> Iterator[Note]:
    for mail in series.mails:
        yield from _notes_in(mail)
    yield from series.loose
    for talk in series.earlier:
        yield from talk.notes
