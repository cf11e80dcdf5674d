"""The versions of a series side by side: what became of each patch, finding and comment.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from msgspec import Struct

from reviewer.compare.pairs import compared
from reviewer.compare.values import Comparison, FindingChange
from reviewer.model import CONFIDENCES, Comment, CommentKind, Confidence, Finding, Lineage, Patch, Report, Series
from reviewer.report.compare_view import ComparisonView, comparisons_view
from reviewer.report.html_notes import Anchors
from reviewer.report.html_tracks import last_of, tracks_of
from reviewer.report.layout import shortened
from reviewer.report.naming import name_of
from reviewer.report.verdict_view import first_words
from reviewer.report.view import mail_ids
from reviewer.series.drafts import places_of
from reviewer.verdict import ASKING

WORDS = 160
"""Characters of a comment in the table."""
_PATCH_WORDS = {
    "same": "same",
    "message": "message changed",
    "context": "rebased",
    "changed": "changed",
    "added": "added",
    "dropped": "dropped",
    "squashed": "squashed",
    "split": "split off",
}
_FINDING_WORDS = {"new": "new", "kept": "still there", "moved": "moved", "gone": "gone"}


class Cell(Struct, frozen=True, kw_only=True):
    """What something is in one version: a word, where it stands on the page (or empty), which kind of word it is."""

    text: str = ""
    anchor: str = ""
    word: str = ""


class TrackView(Struct, frozen=True, kw_only=True):
    """A patch or finding over all versions, a cell for each; `level` is that of a finding."""

    title: str
    cells: tuple[Cell, ...]
    level: str = ""
    rule: str = ""


class SaidView(Struct, frozen=True, kw_only=True):
    """A comment that asks for something, and what became of it; `why` is the first piece of evidence."""

    version: int
    place: str
    person: str
    kind: CommentKind
    state: str
    words: str
    why: str
    anchor: str


class VersionsView(Struct, frozen=True, kw_only=True):
    """The versions of one lineage that were reviewed, two at least: number and day, then what is known of them."""

    versions: tuple[tuple[int, str], ...]
    patches: tuple[TrackView, ...]
    findings: tuple[TrackView, ...]
    said: tuple[SaidView, ...]
    pairs: tuple[ComparisonView, ...]


def versions_view(
    lineage: Lineage, versions: Sequence[Series], report: Report, anchors: Anchors, min_confidence: Confidence
) -> VersionsView | None:
    """The view of the versions that were reviewed, lowest first; None when there is nothing to compare."""
    if len(versions) < 2:
        return None
    pairs = [compared(lineage, (old.outline, new.outline), versions, report) for old, new in pairwise(versions)]
    sure = frozenset(CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1])
    return VersionsView(
        versions=tuple(
            (one.outline.version, one.outline.date.date().isoformat() if one.outline.date else "") for one in versions
        ),
        patches=tuple(_patches(versions, pairs, anchors)),
        findings=tuple(_findings(versions, report, pairs, anchors, sure)),
        said=tuple(_said(versions, report, anchors)),
        pairs=comparisons_view(pairs, (), min_confidence).pairs,
    )


def _patches(versions: Sequence[Series], pairs: Sequence[Comparison], anchors: Anchors) -> Iterator[TrackView]:
    """The patches, those of the newest version first, in its order; then others, those that lasted longest first."""
    tracks = tracks_of(
        [series.patches for series in versions],
        [[(change.old, change.new, change.fate) for change in pair.patches] for pair in pairs],
        lambda patch: patch.mail.message_id,
    )
    ends = [(*last_of(track), track) for track in tracks]
    for _, patch, track in sorted(ends, key=lambda end: (-end[0], end[1].number)):
        yield TrackView(
            title=shortened(patch.mail.subject.title),
            cells=tuple(_patch_cell(track.get(at), anchors) for at in range(len(versions))),
        )


def _patch_cell(found: tuple[Patch | None, str] | None, anchors: Anchors) -> Cell:
    if found is None:
        return Cell()
    patch, fate = found
    word = _PATCH_WORDS.get(fate, "")
    if patch is None:
        return Cell(text=word, word=fate)
    number = f"{patch.number}/{patch.total or '?'}"
    return Cell(text=number, word=word, anchor=anchors.mails.get(patch.mail.message_id, ""))


def _findings(
    versions: Sequence[Series],
    report: Report,
    pairs: Sequence[Comparison],
    anchors: Anchors,
    sure: Set[Confidence],
) -> Iterator[TrackView]:
    """The findings in what the versions introduce, those of the newest version first."""
    of_mail: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.origin == "introduced" and finding.confidence in sure:
            of_mail.setdefault(finding.patch, []).append(finding)
    tracks = tracks_of(
        [[one for mail_id in mail_ids(series) for one in of_mail.get(mail_id, ())] for series in versions],
        [
            [(change.old, change.new, change.fate) for change in pair.findings if _is_sure(change, sure)]
            for pair in pairs
        ],
        lambda finding: (finding.patch, finding.fingerprint),
    )
    ends = [(*last_of(track), track) for track in tracks]
    for _, finding, track in sorted(ends, key=lambda end: -end[0]):
        yield TrackView(
            title=first_words(finding.message, WORDS),
            cells=tuple(_finding_cell(track.get(at), anchors) for at in range(len(versions))),
            level=finding.level,
            rule=finding.rule,
        )


def _is_sure(change: FindingChange, sure: Set[Confidence]) -> bool:
    return all(one is None or one.confidence in sure for one in (change.old, change.new))


def _finding_cell(found: tuple[Finding | None, str] | None, anchors: Anchors) -> Cell:
    if found is None:
        return Cell()
    finding, fate = found
    word = _FINDING_WORDS.get(fate, "found")
    if finding is None:
        return Cell(text=word, word=fate)
    return Cell(text=word, word=fate, anchor=anchors.findings.get((finding.patch, finding.fingerprint), ""))


def _said(versions: Sequence[Series], report: Report, anchors: Anchors) -> Iterator[SaidView]:
    for series in versions:
        places = places_of(series.outline)
        for comment in report.comments.get(series.outline.id, ()):
            if comment.kind in ASKING:
                yield SaidView(
                    version=series.outline.version,
                    place=_place(comment, places.get(comment.patch), len(series.patches)),
                    person=name_of(comment.author),
                    kind=comment.kind,
                    state=comment.state,
                    words=first_words(comment.text, WORDS),
                    why=comment.evidence[0].why if comment.evidence else "",
                    anchor=anchors.comments[comment.id],
                )


def _place(comment: Comment, number: int | None, total: int) -> str:
    if number is None:
        return "series"
    return f"{number}/{total}" if number else "cover"
