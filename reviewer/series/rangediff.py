"""Which patch of one version became which of another, as `git range-diff` matches them, and how the two differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from reviewer.diff.patchid import patch_id
from reviewer.model import FileDiff, Patch
from reviewer.series.matching_costs import best_pairs
from reviewer.series.matching_lines import edit_cost, matching_lines
from reviewer.series.titles import clean_title

CREATION_FACTOR = 60
_LARGEST_TABLE = 10_000
_WORDLESS = "0" * 40

How = Literal["same", "title", "similar", "dropped", "added"]


class PatchPair(Struct, frozen=True, kw_only=True):
    """A patch of the older version and what it became; one of them is None for a patch that was dropped or added."""

    old: Patch | None
    new: Patch | None
    how: How


class RangeLine(Struct, frozen=True, kw_only=True):
    """A line of the difference between two diffs.

    `outer` tells whether it stands in both, in the old diff alone or in the new one alone; `text` is the line of the
    diff with its own mark.
    """

    outer: Literal[" ", "-", "+"]
    text: str


def match_patches(old: Sequence[Patch], new: Sequence[Patch]) -> tuple[PatchPair, ...]:
    """Pairs in the order of the new version, dropped patches behind the one that they followed in the old version.

    Matched are, one after the other: equal patch-ids, equal titles, and the rest at the least cost as git's range-diff
    reckons it (range-diff.c: size of the diff of the diffs against 60 % of the sizes of both).
    """
    found: dict[int, tuple[int, How]] = {}
    _pair_equal(found, [_identity(patch) for patch in old], [_identity(patch) for patch in new], "same")
    titles, new_titles = ([clean_title(patch.mail.subject) for patch in patches] for patches in (old, new))
    _pair_equal(found, titles, new_titles, "title")
    _pair_similar(found, old, new)
    return tuple(_ordered(found, old, new))


def diff_of_diffs(old: Patch, new: Patch) -> tuple[RangeLine, ...]:
    """All lines of both diffs, in order, headers normalised: what `git range-diff` shows, without its contexts."""
    before, after = diff_text(old.files), diff_text(new.files)
    lines: list[RangeLine] = []
    at = there = 0
    for one, other in (*matching_lines(before, after), (len(before), len(after))):
        lines += (RangeLine(outer="-", text=text) for text in before[at:one])
        lines += (RangeLine(outer="+", text=text) for text in after[there:other])
        if one < len(before):
            lines.append(RangeLine(outer=" ", text=before[one]))
        at, there = one + 1, other + 1
    return tuple(lines)


def diff_text(files: Iterable[FileDiff]) -> list[str]:
    """A diff without what moves: ` ## path ##` for each file, `@@ path: section` for each hunk, and the lines."""
    lines: list[str] = []
    for file in files:
        name = f"{file.old_path} => {file.path}" if file.status == "renamed" else file.path
        note = {"added": " (new)", "deleted": " (deleted)"}.get(file.status, "")
        lines.append(f" ## {name}{note} ##")
        for hunk in file.hunks:
            section = f" {file.path}: {hunk.section.strip()}" if hunk.section.strip() else ""
            lines.append(f"@@{section}")
            lines += (line.mark + line.text for line in hunk.lines)
    return lines


def _identity(patch: Patch) -> str | None:
    found = patch_id(patch.files)
    return None if found == _WORDLESS else found


def _pair_equal(found: dict[int, tuple[int, How]], old: Sequence[Hashable], new: Sequence[Hashable], how: How) -> None:
    """Pair what is equal, in order; of titles that stand more than once, those numbers of both sides agree."""
    taken = {column for column, _ in found.values()}
    rows: defaultdict[Hashable, list[int]] = defaultdict(list)
    columns: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(old):
        if key and row not in found:
            rows[key].append(row)
    for column, key in enumerate(new):
        if key and column not in taken:
            columns[key].append(column)
    for key, group in rows.items():
        found.update({row: (column, how) for row, column in zip(group, columns.get(key, ()), strict=False)})


def _pair_similar(found: dict[int, tuple[int, How]], old: Sequence[Patch], new: Sequence[Patch]) -> None:
    taken = {column for column, _ in found.values()}
    before = {row: diff_text(patch.files) for row, patch in enumerate(old) if row not in found}
    after = {column: diff_text(patch.files) for column, patch in enumerate(new) if column not in taken}
    if len(before) * len(after) > _LARGEST_TABLE:
        return
    counts = {row: Counter(text) for row, text in before.items()}
    new_counts = {column: Counter(text) for column, text in after.items()}
    gains: dict[tuple[int, int], int] = {}
    for row, text in before.items():
        for column, new_text in after.items():
            alone = len(text) * CREATION_FACTOR // 100 + len(new_text) * CREATION_FACTOR // 100
            common = sum((counts[row] & new_counts[column]).values())
            if common and len(text) + len(new_text) - 2 * common <= alone:
                gains[row, column] = alone - edit_cost(text, new_text)
    finer = len(before) + 1  # where leaving both alone costs the same, git pairs
    wanted = {pair: gain * finer + 1 for pair, gain in gains.items() if gain >= 0}
    found.update({row: (column, "similar") for row, column in best_pairs(wanted).items()})


def _ordered(found: dict[int, tuple[int, How]], old: Sequence[Patch], new: Sequence[Patch]) -> Iterator[PatchPair]:
    became: dict[int, tuple[int, How]] = {column: (row, how) for row, (column, how) in found.items()}
    at = 0
    for column, patch in enumerate(new):
        while at < len(old) and (at not in found or found[at][0] < column):
            if at not in found:
                yield PatchPair(old=old[at], new=None, how="dropped")
            at += 1
        if column in became:
            row, how = became[column]
            yield PatchPair(old=old[row], new=patch, how=how)
        else:
            yield PatchPair(old=None, new=patch, how="added")
    for row in range(at, len(old)):
        if row not in found:
            yield PatchPair(old=old[row], new=None, how="dropped")
