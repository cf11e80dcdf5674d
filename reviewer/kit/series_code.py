"""The code of a whole series, as far as it is known, for rules about all patches."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.model import Side
from reviewer.rule import Patch, SeriesChanges, Unit


def units_of(changes: SeriesChanges, side: Side, paths: frozenset[str], *words: str) -> Iterator[tuple[Patch, Unit]]:
    """One side of each unit of the files `paths` that holds one of `words`, patch by patch in their order.

    A unit is the whole file where it is known, else a hunk.

    Each is parsed when it is looked at; the syntax tree of a whole file is given up when the next one is asked for.
    """
    for patch in sorted(changes.series.patches, key=lambda patch: patch.number):
        if not any(file.path in paths for file in patch.files):
            continue
        for change in changes.of(patch, all_functions=True):
            if change.file.path in paths:
                for pair in change.units:
                    unit = pair[side == "new"]
                    if unit.mentions(*words):
                        yield patch, unit
            if change.is_whole:
                change.forget()
