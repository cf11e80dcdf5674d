"""The findings that somebody has to act upon now, for forms that tools put before people."""

from __future__ import annotations

from reviewer.fixes import line_after
from reviewer.model import CONFIDENCES, Confidence, FileDiff, Finding, Location, Report, Series

TROUBLE = frozenset({"rule-crashed", "bad-mail", "bad-diff", "odd-path", "truncated", "unreadable-tree", "talk-failed"})
"""The codes of notices that something went wrong; the others only tell what was done or could not be."""


def standing(report: Report, min_confidence: Confidence) -> tuple[Finding, ...]:
    """The findings on the newest version of each series, without those that a later patch of it mends, or accepted."""
    sure = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    mails = {
        mail.message_id
        for series in newest(report)
        for mail in (series.outline.cover, *series.outline.patches)
        if mail is not None
    }
    return tuple(
        finding
        for finding in report.findings
        if finding.patch in mails
        and finding.confidence in sure
        and finding.gone_in is None
        and finding.fixed_in is None
        and finding.accepted is None
    )


def newest(report: Report) -> tuple[Series, ...]:
    """The series that were reviewed, of each lineage the newest version among them."""
    reviewed = {series.outline.id for series in report.series}
    replaced: set[str] = set()
    for lineage in report.assembly.lineages:
        replaced.update([outline.id for outline in lineage.outlines if outline.id in reviewed][:-1])
    return tuple(series for series in report.series if series.outline.id not in replaced)


class Followed:
    """Where lines are once all patches of their series are applied, for those who have that checked out."""

    def __init__(self, report: Report) -> None:
        self._later: dict[str, tuple[dict[str, FileDiff], ...]] = {}
        for series in report.series:
            files = [{file.old_path: file for file in patch.files} for patch in series.patches]
            for at, patch in enumerate(series.patches, 1):
                self._later[patch.mail.message_id] = tuple(files[at:])

    def end(self, location: Location, patch: str) -> tuple[str, int | None]:
        """The path and line at the end of the series of a place in the code of `patch`, None when the line is gone."""
        path = location.file or ""
        line = location.line if location.side != "old" else None
        for files in self._later.get(patch, ()):
            file = files.get(path)
            if file is not None and file.status != "copied":
                path = file.path
                line = None if line is None else line_after(line, file)
        return path, line
