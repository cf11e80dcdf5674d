"""What b4 shows as the result of a check command (`b4.review-perpatch-check-cmd`): a JSON array, see FORMATS.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.model import LEVELS, Confidence, Finding, Level, Notice, Report
from reviewer.report.escape import visible, visible_code
from reviewer.report.json_report import Json, dumped
from reviewer.report.layout import LEFT_OUT, adds, shortened, wrapped
from reviewer.report.standing import TROUBLE, standing
from reviewer.report.summary import by_level

COLUMNS = 76
STATUSES: dict[Level, str] = {"error": "fail", "warning": "warn", "note": "pass"}
_MOST = 50
_LONGEST = 2000


def to_b4check(report: Report, *, min_confidence: Confidence) -> str:
    """The array on one line: empty when there is nothing to say, else one entry, since b4 keeps one a tool and mail.

    The status is that of the worst finding of this series; a review that is not complete is `warn` at least.
    """
    findings = standing(report, min_confidence)
    notices = [notice for notice in report.notices if notice.code in TROUBLE]
    if not findings and not notices:
        return dumped([], indent=None)
    own = [finding for finding in findings if finding.origin == "introduced"]
    entry: Json = {
        "tool": "reviewer",
        "status": _status(own, notices),
        "summary": summary(own, len(findings) - len(own), notices, complete=report.complete),
        "url": "",
        "details": "\n".join(_details(findings, notices, report)),
    }
    return dumped([entry], indent=None)


def _status(findings: Sequence[Finding], notices: Sequence[Notice]) -> str:
    worst = min((LEVELS.index(finding.level) for finding in findings), default=len(LEVELS) - 1)
    return STATUSES[LEVELS[min(worst, LEVELS.index("warning")) if notices else worst]]


def summary(findings: Sequence[Finding], older: int, notices: Sequence[Notice], *, complete: bool) -> str:
    """How many findings of each level there are, how many are `older` than the series, and what went wrong."""
    parts = [f"{one.number} {one.word}{'s' * (one.number > 1)}" for one in by_level(findings)]
    if older:
        parts.append(f"{older} older than the series")
    if not complete:
        parts.append("a rule crashed")
    elif notices:
        parts.append(f"{len(notices)} problem{'s' * (len(notices) > 1)} with the input")
    return ", ".join(parts)


def _details(findings: Sequence[Finding], notices: Sequence[Notice], report: Report) -> Iterator[str]:
    names = _mail_names(report)
    told: set[str] = set()
    for number, finding in enumerate(findings[:_MOST]):
        if number:
            yield ""
        new = finding.rule not in told and adds(finding.why, finding.message)
        told.add(finding.rule)
        yield heading(finding, names.get(finding.patch, ""))
        if finding.location.text.strip():
            yield f"    {visible_code(shortened(finding.location.text.strip(), COLUMNS))}"
        yield _wrapped(f"{finding.message} {finding.why}" if new else finding.message)
    if len(findings) > _MOST:
        yield f"{LEFT_OUT} {len(findings) - _MOST} more"
    for notice in notices[:_MOST]:
        yield _wrapped(f"{notice.code}: {notice.message}")
    unchecked = sorted({notice.message for notice in report.notices if notice.code == "not-checked"})
    if unchecked:
        yield ""
        yield _wrapped(f"not checked: {'; '.join(unchecked)}")


def heading(finding: Finding, mail: str) -> str:
    """A line that tells level, rule and place of a finding; `mail` tells mails apart, or is empty."""
    at = finding.location
    place = f"{at.file}:{at.line}" if at.kind == "code" and at.line else at.file or ""
    where = ", ".join(filter(None, (mail, place, f"{at.function}()" if at.function else "")))
    sure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
    older = " (older than the series)" if finding.origin == "preexisting" else ""
    return visible(f"{finding.level}{sure}{older}: {finding.rule} {finding.name}{', ' if where else ''}{where}")


def _mail_names(report: Report) -> dict[str, str]:
    """What tells the mails apart when there is more than one, by Message-ID."""
    names: dict[str, str] = {}
    for series in report.series:
        if series.cover:
            names[series.cover.mail.message_id] = "cover letter"
        for patch in series.patches:
            names[patch.mail.message_id] = f"patch {patch.number}"
    return names if len(names) > 1 else {}


def _wrapped(text: str) -> str:
    return wrapped(visible(shortened(text, _LONGEST)), width=COLUMNS, indent=2)
