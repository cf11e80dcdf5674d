"""Marks the findings of a report that were accepted."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from reviewer.acceptance.context import Context
from reviewer.acceptance.entries import Baseline, listed
from reviewer.acceptance.steered import steered
from reviewer.acceptance.steering import Steering
from reviewer.model import Finding, Notice, Report


def accepted(
    report: Report,
    lines: Sequence[Steering] = (),
    baseline: Baseline | None = None,
    said: Sequence[Notice] = (),
) -> Report:
    """`report` with what was accepted marked, and notices: `said`, and those of what was of no use.

    A baseline goes before the discussion. The author of a series may lower warnings and notes, not errors: notice
    `steering-refused`. Lines and entries that match nothing are told of where their rule was checked
    (`steering-unused`, `baseline-unused`), entries that have expired where they match (`baseline-expired`). The day is
    that of the mail that the finding is about, so that the same mail always gives the same report.
    """
    context = Context(report)
    by_line, by_entry = steered(lines), listed(baseline)

    def judged(finding: Finding) -> Finding:
        said_so = by_line.acceptance(finding, context)  # asked in any case, to know what was of use
        acceptance = by_entry.acceptance(finding, context) or said_so
        return replace(finding, accepted=acceptance) if acceptance else finding

    findings = tuple(map(judged, report.findings))
    notices = (*report.notices, *said, *by_line.notices(context), *by_entry.notices(context))
    return replace(report, findings=findings, notices=notices)
