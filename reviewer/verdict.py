"""What stands in the way of applying a version of a series, and what is in favour: facts, never advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from reviewer.mail.address import email_key, parse_person
from reviewer.model import (
    LEVELS,
    Comment,
    CommentKind,
    CommentState,
    Finding,
    Level,
    Lineage,
    Mail,
    Outline,
    Patch,
    Report,
    Series,
    Trial,
)
from reviewer.opinions import is_opinion
from reviewer.series.applied import Applied, applied_of
from reviewer.series.drafts import places_of
from reviewer.series.known import left_out
from reviewer.series.titles import DAY, NEVER, moment
from reviewer.talk.fate import lapsed
from reviewer.talk.kinds import objects_formally

ASKING: frozenset[CommentKind] = frozenset({"question", "request", "nit", "objection"})
"""The kinds of comments that want something."""
_LASTING: frozenset[CommentState] = frozenset({"open", "answered"})
_AREAS = (
    ("drivers/dma-buf/", "drivers/dma-buf"),
    ("include/linux/dma-buf", "drivers/dma-buf"),
    ("drivers/gpu/drm/", "drm"),
    ("include/drm/", "drm"),
    ("include/uapi/drm/", "drm"),
    ("mm/", "mm"),
)
"""Subsystems that series for other trees often touch, by the start of a path."""


class Standing(Struct, frozen=True, kw_only=True):
    """A remark that still stands.

    `version` is that of the series it was made on, `number` of the patch there (0: the cover letter, None: unknown).
    `days` count from it to the newest mail of all versions, None when a date is not known; `versions` from its version
    to the one that is judged.
    """

    comment: Comment
    version: int
    number: int | None
    total: int | None
    days: int | None
    versions: int


class Untagged(Struct, frozen=True, kw_only=True):
    """A subsystem that patches touch beside code of others, without a tag by anybody but their author."""

    area: str
    patches: tuple[Patch, ...]


class Verdict(Struct, frozen=True, kw_only=True):
    """The facts about one version.

    `later` is the newest version when there is a newer one. `objections`, `remarks` (requests and nits) and
    `questions` stand, oldest first: of remarks and questions those that are open, of objections also those that were
    only answered, and tags of objection that nobody took back. `asked` counts what people asked for, on this version
    and those before it, `settled` what of that does not stand. `tagged` are the patches with a tag by somebody else.
    `unseen` are runs of earlier versions, first and last, that are not here, so that nothing is known of their
    remarks. `levels` count the findings in what the series introduces, `accepted` those of them that nobody has to act
    upon and `levels` leave out. `trial` is None when none was made.
    """

    later: int | None
    missing: tuple[int, ...]
    trial: Trial | None
    objections: tuple[Standing, ...]
    remarks: tuple[Standing, ...]
    questions: tuple[Standing, ...]
    untagged: tuple[Untagged, ...]
    levels: tuple[tuple[Level, int], ...]
    asked: int
    settled: int
    tagged: tuple[Patch, ...]
    unseen: tuple[tuple[int, int], ...]
    applied: Applied | None
    accepted: int = 0


def verdicts_of(report: Report) -> Mapping[str, Verdict]:
    """The verdict on each series of a report, by its id; a pure function of the report.

    Comments on versions that were not reviewed count as far as `report.comments` has them.
    """
    reviewed = {series.outline.id for series in report.series}
    places: dict[str, tuple[_Past, int]] = {}
    for lineage in report.assembly.lineages:
        if not reviewed.isdisjoint(outline.id for outline in lineage.outlines):
            past = _past(lineage, report)
            places.update((outline.id, (past, index)) for index, outline in enumerate(lineage.outlines))
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.patch, []).append(finding)
    return {
        series.outline.id: _verdict(series, *places[series.outline.id], findings, report) for series in report.series
    }


class _Past(Struct, frozen=True, kw_only=True):
    """What the versions of a lineage have in common, worked out once.

    `asked` are what people asked for, by version, each with the index of that.
    """

    lineage: Lineage
    asked: tuple[tuple[int, Standing], ...]
    applied: Mapping[str, Applied]


def _past(lineage: Lineage, report: Report) -> _Past:
    newest = _newest(lineage)
    return _Past(
        lineage=lineage,
        asked=tuple(
            (index, one)
            for index, outline in enumerate(lineage.outlines)
            for one in _asked(outline, report.comments.get(outline.id, ()), newest)
        ),
        applied={one.outline.id: one for one in applied_of(lineage, report.assembly.roles)},
    )


def _verdict(
    series: Series, past: _Past, index: int, findings: Mapping[str, Sequence[Finding]], report: Report
) -> Verdict:
    outline = series.outline
    asked = [replace(one, versions=index - at) for at, one in past.asked if at <= index]
    standing = [one for one in asked if _stands(one.comment)]
    standing.sort(key=lambda one: (_seconds(one.comment.date), one.comment.reply, one.comment.line))
    trial = report.trials.get(outline.id)
    newest = past.lineage.outlines[-1]
    own = _introduced(series, findings)
    return Verdict(
        later=newest.version if newest.id != outline.id else None,
        missing=outline.missing,
        trial=trial if trial and trial.state != "not-tried" else None,
        objections=tuple(one for one in standing if one.comment.kind == "objection"),
        remarks=tuple(one for one in standing if one.comment.kind in ("request", "nit")),
        questions=tuple(one for one in standing if one.comment.kind == "question"),
        untagged=tuple(_untagged(series)),
        levels=_levels(one for one in own if one.accepted is None),
        asked=len(asked),
        settled=len(asked) - len(standing),
        tagged=tuple(patch for patch in series.patches if _is_tagged(patch)),
        unseen=left_out(one.version for one in past.lineage.outlines[: index + 1]),
        applied=past.applied.get(outline.id),
        accepted=sum(one.accepted is not None for one in own),
    )


def _asked(outline: Outline, comments: Sequence[Comment], newest: float) -> Iterator[Standing]:
    """What people asked for on a version."""
    numbers = places_of(outline) if comments else {}
    for comment in comments:
        if comment.kind not in ASKING:
            continue
        at = _seconds(comment.date)
        yield Standing(
            comment=comment,
            version=outline.version,
            number=numbers.get(comment.patch),
            total=outline.total or len(outline.patches),
            days=None if NEVER in (at, newest) else max(0, int((newest - at) // DAY)),
            versions=0,
        )


def mails_of(outline: Outline) -> Iterator[Mail]:
    """Cover letter and patches, also those that were sent again since."""
    yield from outline.replaced
    yield from filter(None, (outline.cover, *outline.patches))


def _stands(comment: Comment) -> bool:
    """Whether a remark stands: an answer is enough for a question, for an objection it is not."""
    if comment.kind != "objection":
        return comment.state == "open"
    return comment.state in _LASTING or outlasts(comment)


def outlasts(comment: Comment) -> bool:
    """Whether an objection stands though lines were changed: a tag is only taken back, or lapses with its patch."""
    return comment.state == "changed" and objects_formally(comment.text) and not lapsed(comment)


def _newest(lineage: Lineage) -> float:
    """The moment of the newest mail with a date, in seconds."""
    mails = (mail for outline in lineage.outlines for mail in (*mails_of(outline), *outline.replies))
    return max((at for mail in mails if (at := moment(mail)) != NEVER), default=NEVER)


def _seconds(date: datetime | None) -> float:
    if date is None:
        return NEVER
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def _introduced(series: Series, findings: Mapping[str, Sequence[Finding]]) -> list[Finding]:
    """The findings in what a series introduces."""
    outline = series.outline
    mails = filter(None, (outline.cover, *outline.patches))
    own = (one for mail in mails for one in findings.get(mail.message_id, ()))
    return [one for one in own if one.origin == "introduced"]


def _levels(findings: Iterable[Finding]) -> tuple[tuple[Level, int], ...]:
    counted = Counter(one.level for one in findings)
    return tuple((level, counted[level]) for level in LEVELS if counted[level])


def _is_tagged(patch: Patch) -> bool:
    """Whether somebody who is not its author gave the patch a tag that counts."""
    author = email_key((patch.text.author or patch.mail.author).email)
    for tag in patch.tags:
        person = parse_person(tag.value)
        if tag.counted and is_opinion(tag.name) and (person is None or email_key(person.email) != author):
            return True
    return False


def _untagged(series: Series) -> Iterator[Untagged]:
    """Only where the series is for another subsystem: one that is all its own needs no word of others."""
    touched: dict[str, list[Patch]] = {}
    elsewhere: set[str] = set()
    for patch in series.patches:
        areas = {_area(file.path) for file in patch.files}
        elsewhere |= areas
        for area in sorted(areas - {""}):
            touched.setdefault(area, []).append(patch)
    for area, patches in touched.items():
        if elsewhere != {area} and not any(map(_is_tagged, patches)):
            yield Untagged(area=area, patches=tuple(patches))


def _area(path: str) -> str:
    return next((area for start, area in _AREAS if path.startswith(start)), "")


def oldest_first(verdict: Verdict) -> tuple[Standing, ...]:
    """All that stands: objections, then remarks and questions by their age."""

    def age(one: Standing) -> tuple[int, float]:
        return -one.versions, _seconds(one.comment.date)

    rest: Iterable[Standing] = sorted((*verdict.remarks, *verdict.questions), key=age)
    return (*verdict.objections, *rest)
