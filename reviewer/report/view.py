"""What templates are given: a report arranged for reading, its text as it stands in the mails.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from reviewer.model import (
    CONFIDENCES,
    Acceptance,
    Confidence,
    Cover,
    Finding,
    Level,
    Lineage,
    Location,
    Notice,
    Outline,
    Patch,
    Report,
    Series,
)
from reviewer.report.code_view import CodeView, code_view
from reviewer.report.layout import adds, ranges, shortened
from reviewer.report.source import Shown, Source, sources
from reviewer.report.summary import (
    Count,
    Credit,
    Unchecked,
    by_confidence,
    by_level,
    credits_of,
    objections_of,
    unchecked,
)
from reviewer.report.verdict_talk import TalkView, talks_of
from reviewer.report.verdict_view import VerdictView, verdict_view
from reviewer.verdict import Verdict, verdicts_of

MANY = 5
"""How many notices of one kind are shown before the others are only counted."""
NEIGHBOURS = 3
"""How many related places are named."""


class FindingView(Struct, frozen=True, kw_only=True):
    """A finding. `excerpt` are the lines around it; `why` is empty where the same reason was given before.

    `also` are other places that matter, as `file:line`, outside of the excerpt. `since` is the version of the series
    that had it first, None when that is this one; `gone_in` the version that has it no longer, or None. `old` tells
    that the code was so before the series, `fixed_in` is the number of the patch that mends it, or None. `accepted`
    tells by whom it was accepted, and why; empty for one that was not. `location` is its place in the mail.
    """

    rule: str
    name: str
    level: Level
    confidence: Confidence
    kind: str
    file: str
    line: int | None
    function: str
    excerpt: tuple[Shown, ...]
    message: str
    why: str
    also: tuple[str, ...]
    location: Location
    fingerprint: str
    since: int | None
    gone_in: int | None
    old: bool
    fixed_in: int | None
    accepted: str


class MailView(Struct, frozen=True, kw_only=True):
    """A patch, or the cover letter (`number` 0), with its findings in the order of its lines."""

    number: int
    total: int | None
    title: str
    message_id: str
    findings: tuple[FindingView, ...]


class NoticeView(Struct, frozen=True, kw_only=True):
    """A problem, and how many more of its kind there are that are not shown."""

    message: str
    more: int


class SeriesView(Struct, frozen=True, kw_only=True):
    """One version of a series. `missing` names the numbers of absent patches; `hidden` counts findings not shown.

    `accepted` counts findings that nobody has to act upon, which neither `found` nor `hidden` count; they are among
    those of `mails` only when `accepted_shown`.
    """

    title: str
    version: int
    rfc: bool
    author: str
    date: str
    cover: bool
    present: int
    total: int | None
    missing: str
    tags: tuple[Credit, ...]
    uncounted: tuple[Credit, ...]
    objections: tuple[Credit, ...]
    found: tuple[Count, ...]
    hidden: tuple[Count, ...]
    unchecked: tuple[Unchecked, ...]
    notices: tuple[NoticeView, ...]
    mails: tuple[MailView, ...]
    code: CodeView | None
    old: int
    verdict: VerdictView
    talks: tuple[TalkView, ...]
    accepted: int
    accepted_shown: bool


class ReportView(Struct, frozen=True, kw_only=True):
    """A review. `notices` are those about no series in particular; `crashes` say why it is not `complete`."""

    version: str
    complete: bool
    min_confidence: Confidence
    series: tuple[SeriesView, ...]
    notices: tuple[NoticeView, ...]
    crashes: tuple[NoticeView, ...]


def view(report: Report, min_confidence: Confidence, *, show_accepted: bool = False) -> ReportView:
    """The report as templates see it, findings below `min_confidence` counted instead of shown.

    So are those that were accepted, unless `show_accepted`.
    """
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.patch, []).append(finding)
    of_mail: dict[str, list[Notice]] = {}
    rest: list[Notice] = []
    of_series = {notice for series in report.series for notice in series.notices}
    reviewed = {mail_id for series in report.series for mail_id in mail_ids(series)}
    for notice in report.notices:
        if notice.code == "rule-crashed" or notice in of_series:
            continue
        if (mail_id := next((one for one in notice.patches if one in reviewed), None)) is not None:
            of_mail.setdefault(mail_id, []).append(notice)
        elif notice.code != "not-checked":
            rest.append(notice)
    verdicts = verdicts_of(report)
    spoken = _versions(report)
    return ReportView(
        version=report.version,
        complete=report.complete,
        min_confidence=min_confidence,
        series=tuple(
            _series(
                *(series, report, findings, of_mail, min_confidence),
                verdict=verdicts[series.outline.id],
                spoken=spoken[series.outline.id],
                show_accepted=show_accepted,
            )
            for series in report.series
        ),
        notices=notice_views(rest),
        crashes=notice_views(notice for notice in report.notices if notice.code == "rule-crashed"),
    )


def mail_ids(series: Series) -> tuple[str, ...]:
    """The Message-IDs of cover letter and patches."""
    return tuple(mail.message_id for mail in (series.outline.cover, *series.outline.patches) if mail)


def _series(
    series: Series,
    report: Report,
    by_mail: dict[str, list[Finding]],
    of_mail: dict[str, list[Notice]],
    min_confidence: Confidence,
    *,
    verdict: Verdict,
    spoken: tuple[list[Outline], Lineage],
    show_accepted: bool,
) -> SeriesView:
    outline = series.outline
    sure = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    findings = [finding for mail_id in mail_ids(series) for finding in by_mail.get(mail_id, ())]
    standing, accepted = parted(findings)
    certain = [finding for finding in standing if finding.confidence in sure]
    shown = [finding for finding in findings if finding.confidence in sure] if show_accepted else certain
    notices = [notice for mail_id in mail_ids(series) for notice in of_mail.get(mail_id, ())]
    found = by_level(finding for finding in certain if finding.origin == "introduced")
    return SeriesView(
        title=shortened(outline.title),
        version=outline.version,
        rfc=any(mail.subject.rfc for mail in (outline.cover, *outline.patches[:1]) if mail),
        author=shortened(outline.author.name or outline.author.email),
        date=outline.date.date().isoformat() if outline.date else "",
        cover=outline.cover is not None,
        present=len(outline.patches),
        total=outline.total,
        missing=ranges(outline.missing),
        tags=credits_of(series, counted=True),
        uncounted=credits_of(series, counted=False),
        objections=tuple(replace(one, why="") for one in objections_of(series)),
        found=found,
        hidden=by_confidence(finding for finding in standing if finding.confidence not in sure),
        unchecked=unchecked(notices, series),
        notices=notice_views((*series.notices, *(notice for notice in notices if notice.code != "not-checked"))),
        mails=_mails(series, shown),
        code=code_view(series, report),
        old=sum(finding.origin == "preexisting" for finding in certain),
        verdict=verdict_view(verdict, series, found),
        talks=talks_of(series, *spoken, report),
        accepted=sum(finding.confidence in sure for finding in accepted),
        accepted_shown=show_accepted,
    )


def parted(findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Findings that somebody has to act upon, and those that were accepted."""
    both = list(findings)
    return [one for one in both if one.accepted is None], [one for one in both if one.accepted is not None]


def _versions(report: Report) -> dict[str, tuple[list[Outline], Lineage]]:
    """For each series the versions whose discussion is shown with it, and its lineage.

    Shown is that of its own version and of those before it that are not shown themselves.
    """
    shown = {series.outline.id for series in report.series}
    versions: dict[str, tuple[list[Outline], Lineage]] = {}
    for lineage in report.assembly.lineages:
        waiting: list[Outline] = []
        for outline in lineage.outlines:
            waiting.append(outline)
            if outline.id in shown:
                versions[outline.id] = waiting, lineage
                waiting = []
    return versions


def _mails(series: Series, findings: list[Finding]) -> tuple[MailView, ...]:
    read = sources((series.cover, *series.patches), findings)
    told: set[str] = set()
    views: list[MailView] = []
    by_mail: dict[str, list[Finding]] = {}
    for finding in findings:
        by_mail.setdefault(finding.patch, []).append(finding)
    for subject in (series.cover, *series.patches):
        mail_id = subject.mail.message_id if subject else ""
        if subject and mail_id in by_mail:
            own = tuple(_finding(one, read[mail_id], told, series) for one in by_mail[mail_id])
            views.append(_mail(subject, series, own))
    return tuple(views)


def _mail(subject: Patch | Cover, series: Series, findings: tuple[FindingView, ...]) -> MailView:
    return MailView(
        number=subject.number if isinstance(subject, Patch) else 0,
        total=series.outline.total,
        title=shortened(subject.mail.subject.title),
        message_id=subject.mail.message_id,
        findings=findings,
    )


def _finding(finding: Finding, source: Source, told: set[str], series: Series) -> FindingView:
    location = finding.location
    excerpt = source.excerpt(location)
    new = finding.rule not in told and adds(finding.why, finding.message)
    told.add(finding.rule)
    return FindingView(
        rule=finding.rule,
        name=finding.name,
        level=finding.level,
        confidence=finding.confidence,
        kind=location.kind,
        file=location.file or "",
        line=location.line,
        function=location.function or "",
        excerpt=excerpt,
        message=finding.message,
        why=finding.why if new else "",
        also=_also(finding.related, {line.body_line for line in excerpt}),
        location=location,
        fingerprint=finding.fingerprint,
        since=finding.since[0] if finding.since[0] < series.outline.version else None,
        gone_in=finding.gone_in[0] if finding.gone_in else None,
        old=finding.origin == "preexisting",
        fixed_in=next((one.number for one in series.patches if one.mail.message_id == finding.fixed_in), None),
        accepted=accepted_by(finding.accepted) if finding.accepted else "",
    )


def accepted_by(one: Acceptance) -> str:
    """By whom and why a finding was accepted, and until when."""
    until = f" until {one.expires.isoformat()}" if one.expires else ""
    return f"{shortened(one.by)}{until}{': ' + shortened(one.why) if one.why else ''}"


def _also(related: tuple[Location, ...], seen: set[int]) -> tuple[str, ...]:
    places = [f"{one.file}:{one.line}" for one in related if one.file and one.line and one.body_line not in seen]
    return tuple(dict.fromkeys(places))[:NEIGHBOURS]


def notice_views(notices: Iterable[Notice]) -> tuple[NoticeView, ...]:
    """Notices by their kind, the first few of each, the last of these with the number of those left out."""
    kinds: dict[str, list[str]] = {}
    for notice in notices:
        kinds.setdefault(notice.code, []).append(notice.message)
    return tuple(
        NoticeView(message=message, more=len(messages) - MANY if index == MANY - 1 else 0)
        for messages in kinds.values()
        for index, message in enumerate(messages[:MANY])
    )
