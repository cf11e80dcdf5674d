"""Draft mails to the authors, as an mbox (mboxrd): what is sure enough for the list, below the lines it is about.

Only findings of high confidence are in them, and only those on the newest version of a series that was reviewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from reviewer.mail.compose import Reply, compose, derived_id, mboxrd
from reviewer.model import Address, Cover, Finding, Level, Mail, Patch, Report, Series
from reviewer.report.code_view import NOT_TRIED
from reviewer.report.defuse import defused
from reviewer.report.escape import visible
from reviewer.report.filling import Medium, Template, flat
from reviewer.report.layout import LEFT_OUT, shortened, wrapped
from reviewer.report.quoting import Remark, ordered, remarks
from reviewer.report.source import sources

SENDER = Address(name="Reviewer", email="reviewer@reviewer.invalid")
COLUMNS = 72
AIM = 10_000
"""Bytes of a body that is still read; remarks beyond are only counted."""
MANY = 3
"""With more mails to write than these, one for the whole series is written instead."""
_ASKING = ("question", "request", "nit", "objection")


class Section(Struct, frozen=True, kw_only=True):
    """The remarks on one patch or cover letter. `heading` tells which, in a mail about the whole series, else empty."""

    heading: str
    author: str
    date: str
    remarks: tuple[Remark, ...]


class RuleView(Struct, frozen=True, kw_only=True):
    """A rule that speaks in the mail, for its last lines."""

    rule: str
    name: str
    level: Level


class Draft(Struct, frozen=True, kw_only=True):
    """One mail before it is worded. `left` counts the remarks that would have made it too long.

    `accepted` counts those on the same patches that are left out because they were accepted, `said` those left out
    because somebody has remarked on the same line.
    `tree` tells that more of the code was seen than the mail shows.
    """

    version: str
    sections: tuple[Section, ...]
    rules: tuple[RuleView, ...]
    left: int
    accepted: int
    said: int
    tree: bool


Subject = Patch | Cover


def to_mbox(report: Report, *, templates: Path | None, sender: Address = SENDER) -> bytes:
    """The drafts, in the order of the series and their patches; empty when nothing is to be said."""
    template = Template("reply.j2", templates, _MEDIUM)
    return mboxrd(
        _mail(answered, draft, template, sender)
        for series in _newest(report)
        for answered, draft in drafts(series, report)
    )


def _newest(report: Report) -> Iterator[Series]:
    """The series that no newer version of theirs in the report replaces."""
    reviewed = {series.outline.id for series in report.series}
    replaced: set[str] = set()
    for lineage in report.assembly.lineages:
        replaced.update([outline.id for outline in lineage.outlines if outline.id in reviewed][:-1])
    return (series for series in report.series if series.outline.id not in replaced)


def drafts(series: Series, report: Report) -> list[tuple[Mail, Draft]]:
    """The mails to answer with what to say: one for a patch, or a single one for the series when there are many."""
    of_mail: dict[str, list[Finding]] = {}
    accepted: Counter[str] = Counter()
    said: Counter[str] = Counter()
    remarked = _remarked(series, report)
    for finding in report.findings:
        mended = finding.gone_in is not None or finding.fixed_in is not None
        if finding.confidence == "high" and finding.origin == "introduced" and not mended:
            if finding.accepted is not None:
                accepted[finding.patch] += 1
            elif (finding.patch, finding.location.part, finding.location.body_line) in remarked:
                said[finding.patch] += 1
            else:
                of_mail.setdefault(finding.patch, []).append(finding)
    subjects = [one for one in (series.cover, *series.patches) if one and one.mail.message_id in of_mail]
    groups = [[subject] for subject in subjects]
    if len(subjects) > MANY:
        groups = [subjects]
    tree = report.trials.get(series.outline.id, NOT_TRIED).reason != NOT_TRIED.reason
    return [
        (
            _answered(group, series),
            replace(
                _draft(group, of_mail, report.version),
                tree=tree,
                accepted=sum(accepted[subject.mail.message_id] for subject in group),
                said=sum(said[subject.mail.message_id] for subject in group),
            ),
        )
        for group in groups
    ]


def _remarked(series: Series, report: Report) -> set[tuple[str, int, int | None]]:
    """The lines that somebody else than their author asks something of: mail, part, line of the body."""
    authors = {one.mail.message_id: one.mail.author.email for one in (series.cover, *series.patches) if one}
    return {
        (comment.patch, comment.location.part, comment.location.body_line)
        for comment in report.comments.get(series.outline.id, ())
        if comment.kind in _ASKING and comment.location.body_line and comment.author.email != authors.get(comment.patch)
    }


def _answered(subjects: list[Subject], series: Series) -> Mail:
    """The mail that remarks on `subjects` answer."""
    return subjects[0].mail if len(subjects) == 1 else (series.cover or series.patches[0]).mail


def _draft(subjects: list[Subject], of_mail: dict[str, list[Finding]], version: str) -> Draft:
    """What to say of some mails, the remarks that fit; `left` counts the others."""
    told: set[str] = set()
    sections: list[Section] = []
    rules: dict[str, RuleView] = {}
    size = left = 0
    for subject in subjects:
        findings = ordered(of_mail[subject.mail.message_id])
        source = sources([subject], findings)[subject.mail.message_id]
        fitting: list[Remark] = []
        for finding, remark in zip(findings, remarks(findings, source, told), strict=True):
            cost = _size(remark)
            if size and size + cost > AIM:
                left += 1
                continue
            size += cost
            fitting.append(remark)
            rules.setdefault(finding.rule, RuleView(rule=finding.rule, name=finding.name, level=finding.level))
        if fitting:
            sections.append(_section(subject, tuple(fitting), whole=len(subjects) > 1))
    return Draft(
        version=version,
        sections=tuple(sections),
        rules=tuple(rules.values()),
        left=left,
        accepted=0,
        said=0,
        tree=False,
    )


def _size(remark: Remark) -> int:
    quoted = sum(len((line or LEFT_OUT).encode("utf-8", "replace")) + 3 for line in remark.quote)
    return quoted + len(remark.message) + len(remark.why)


def _section(subject: Subject, said: tuple[Remark, ...], *, whole: bool) -> Section:
    mail = subject.mail
    name = "the cover letter"
    if isinstance(subject, Patch):
        name = f"patch {subject.number}/{subject.total or '?'}, {shortened(mail.subject.title)}"
    return Section(
        heading=name if whole else "",
        author=shortened(mail.author.name or mail.author.email, 50),
        date=mail.date.date().isoformat() if mail.date else "",
        remarks=said,
    )


def _mail(answered: Mail, draft: Draft, template: Template, sender: Address) -> bytes:
    body = defused(template.fill(draft=draft))
    reply = Reply(
        sender=sender,
        to=answered.author,
        subject=answered.subject.text,
        message_id=derived_id(answered.message_id, draft.version, sender.email.rpartition("@")[2]),
        in_reply_to=answered.message_id,
        references=answered.references,
        body=body,
        headers=(
            ("Auto-Submitted", "auto-replied"),
            ("Precedence", "bulk"),
            ("X-Reviewer-Report", draft.version),
        ),
    )
    return compose(reply)


def _wrap(text: str, indent: int = 0, hang: int = 0) -> str:
    return wrapped(visible(flat(text)), width=COLUMNS, indent=indent, hang=hang)


def _quote(lines: tuple[str | None, ...]) -> str:
    return "\n".join("> " + (LEFT_OUT if line is None else line) for line in lines)


_MEDIUM = Medium(escape=visible, filters={"wrap": _wrap, "quote": _quote})
