"""Which versions are compared, and the comparison of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from reviewer.compare.claims import claims_of
from reviewer.compare.findings import finding_changes
from reviewer.compare.numbers import number_changes
from reviewer.compare.patches import patch_changes
from reviewer.compare.tags import tag_changes
from reviewer.compare.values import Comparison
from reviewer.model import Lineage, Outline, Report, Series
from reviewer.talk.changelog import Entry, entries_of


def pairs_of(lineage: Lineage, revision: str | int) -> tuple[tuple[Outline, Outline], ...]:
    """The versions to compare, each with the one before it that is here; empty when there is none before.

    `latest` gives the last pair, `all` every one, a number the pairs whose newer version has it.
    """
    pairs = tuple(pairwise(lineage.outlines))
    if revision == "latest":
        return pairs[-1:]
    return pairs if revision == "all" else tuple(pair for pair in pairs if pair[1].version == revision)


def compared(lineage: Lineage, pair: tuple[Outline, Outline], versions: Sequence[Series], report: Report) -> Comparison:
    """One version against another; `versions` are all of the lineage that were read, `report` their review."""
    by_id = {series.outline.id: series for series in versions}
    old, new = by_id[pair[0].id], by_id[pair[1].id]
    entries = tuple(_entries(old, new))
    patches = patch_changes(old, new, entries)
    return Comparison(
        title=lineage.title,
        old=old,
        new=new,
        patches=patches,
        findings=finding_changes(old, new, report.findings, patches),
        comments=tuple(one for one in report.comments.get(old.outline.id, ()) if one.kind != "answer"),
        tags=tag_changes(patches, versions),
        claims=claims_of(old, new, patches, entries),
        numbers=number_changes(old.cover, new.cover),
    )


def _entries(old: Series, new: Series) -> Iterable[Entry]:
    """What the changelog of the newer version says of it, and of versions between the two."""
    low, high = old.outline.version, new.outline.version
    return (entry for entry in entries_of(new) if low < entry.version <= high)
