"""The code of a whole series as its hunks show it, for rules about all patches."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.code.change import changes_of
from reviewer.model import Side
from reviewer.rule import Patch, Series, Unit


def hunks_of(series: Series, side: Side, paths: frozenset[str], *words: str) -> Iterator[tuple[Patch, Unit]]:
    """One side of each hunk on the files `paths` that holds one of `words`, patch by patch in their order.

    Each is parsed when it is looked at; its syntax tree is given up when the next patch is asked for.
    """
    for patch in sorted(series.patches, key=lambda patch: patch.number):
        if not any(file.path in paths for file in patch.files):
            continue
        for change in changes_of(patch, series):
            if change.file.path in paths:
                for pair in change.units:
                    unit = pair[side == "new"]
                    if unit.mentions(*words):
                        yield patch, unit
            change.forget()
