"""The discussion of a series followed over all its versions, also those that are not reviewed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from reviewer.model import Comment, Notice, Report, Series
from reviewer.series.opening import open_series
from reviewer.talk.discussion import comments_of


def followed(report: Report, opened: Sequence[Series]) -> Report:
    """`report`, its comments those on every version of each lineage that one of `opened` belongs to.

    Versions that are not among `opened` are read, one lineage after the other, and forgotten again.
    """
    by_id = {series.outline.id: series for series in opened}
    comments: dict[str, tuple[Comment, ...]] = dict(report.comments)
    notices: list[Notice] = []
    for lineage in report.assembly.lineages:
        there = [outline.id in by_id for outline in lineage.outlines]
        if all(there) or not any(there):
            continue
        versions = [by_id.get(outline.id) or open_series(outline) for outline in lineage.outlines]
        said, failed = comments_of([lineage], versions)
        comments.update(said)
        notices += (one for one in failed if one not in report.notices)
    return replace(report, comments=comments, notices=(*report.notices, *notices))
