"""The findings in code as rdjsonl, one Diagnostic of reviewdog's format a line (proto/rdf of reviewdog)."""

from __future__ import annotations

import re
from typing import Any

from reviewer.diff.names import is_odd
from reviewer.model import Confidence, Finding, Level, Report
from reviewer.report.escape import visible
from reviewer.report.json_report import dumped
from reviewer.report.layout import adds, shortened
from reviewer.report.standing import Followed, standing

SEVERITIES: dict[Level, str] = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
LONGEST = 3000
"""Characters of a message or path: reviewdog reads no line of 64 KiB, and nothing behind one."""
_ACTIVE = re.compile(r"[@#](?=\w)|\](?=[(\[:])|<(?=[A-Za-z!/?])|:(?=//)|www(?=\.)", re.IGNORECASE)


def to_rdjsonl(report: Report, *, min_confidence: Confidence) -> str:
    """The lines, empty when nothing is found in code.

    Paths and lines are those once the whole series is applied, which is what a CI job has checked out; a line that a
    later patch removed, or that the patch itself removes, is told of the file as a whole.
    """
    followed = Followed(report)
    told: set[str] = set()
    return "".join(
        dumped(_diagnostic(finding, followed, told), indent=None)
        for finding in standing(report, min_confidence)
        if _in_a_file(finding)
    )


def left_out(report: Report, min_confidence: Confidence) -> int:
    """How many findings are about no file of the tree, so that there is no Diagnostic for them."""
    return sum(not _in_a_file(finding) for finding in standing(report, min_confidence))


def _in_a_file(finding: Finding) -> bool:
    path = finding.location.file or ""
    return finding.location.kind == "code" and not is_odd(path) and len(path) <= LONGEST


def _diagnostic(finding: Finding, followed: Followed, told: set[str]) -> dict[str, Any]:
    path, line = followed.end(finding.location, finding.patch)
    message = finding.message
    if finding.rule not in told and adds(finding.why, message):
        message = f"{message} {finding.why}"
    told.add(finding.rule)
    older = finding.origin == "preexisting"
    notes = [f"{finding.confidence} confidence"] * (finding.confidence != "high") + ["older than the series"] * older
    said = f"{shortened(message, LONGEST)} ({', '.join((finding.name, *notes))})"
    region = {"range": _range(line, finding.location.text)} if line else {}
    return {
        "message": _ACTIVE.sub("\\g<0>\u200b", visible(said)),
        "location": {"path": path, **region},
        "severity": "INFO" if older else SEVERITIES[finding.level],
        "source": {"name": "reviewer"},
        "code": {"value": finding.rule},
    }


def _range(line: int, text: str) -> dict[str, Any]:
    """From the first character of the line that is no white space to behind the last, in bytes of UTF-8 from 1."""
    shown = text.rstrip()
    if not shown:
        return {"start": {"line": line}}
    length = len(shown.encode("utf-8", "replace"))
    indent = length - len(shown.lstrip().encode("utf-8", "replace"))
    return {"start": {"line": line, "column": indent + 1}, "end": {"line": line, "column": length + 1}}
