"""The versions of a lineage, and what is worked out of them once."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from reviewer.model import DiffLine, FileDiff, Patch, Series
from reviewer.series.matching_lines import matching_lines
from reviewer.series.rangediff import PatchPair, match_patches
from reviewer.talk.document import key_of

_TELLING = 10


class Sheet(Struct, frozen=True, kw_only=True):
    """The lines of one file in one patch: those of all its hunks, and their keys.

    A key says whether the line stands before or after the patch, not whether it was added: a line that another patch
    adds is the same line.
    """

    lines: tuple[DiffLine, ...]
    keys: tuple[str, ...]

    def at(self, body_line: int) -> int:
        """The place of the line of the mail, or of the next one in the file."""
        return bisect_left(self.lines, body_line, key=lambda line: line.body_line)


def sheet_of(file: FileDiff) -> Sheet:
    """The sheet of a file."""
    lines = tuple(line for hunk in file.hunks for line in hunk.lines)
    return Sheet(lines=lines, keys=tuple(("-" if line.mark == "-" else "+") + key_of(line.text) for line in lines))


class Versions(Struct):
    """The versions of a lineage, with what is worked out of them once: pairs of patches, sheets, matches of lines."""

    series: Sequence[Series]
    _pairs: dict[int, tuple[PatchPair, ...]] = field(default_factory=dict[int, tuple[PatchPair, ...]])
    _sheets: dict[int, Sheet] = field(default_factory=dict[int, Sheet])
    _key_sets: dict[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    _holders: dict[int, tuple[dict[str, list[int]], list[tuple[Patch, FileDiff]]]] = field(
        default_factory=dict[int, tuple[dict[str, list[int]], list[tuple[Patch, FileDiff]]]]
    )
    _matches: dict[tuple[int, int], dict[int, int]] = field(default_factory=dict[tuple[int, int], dict[int, int]])

    def became(self, patch: Patch, older: int, newer: int) -> Patch | None:
        """What `patch` of the version with index `older` became in `newer`; None when it is not there."""
        key = older * len(self.series) + newer
        if key not in self._pairs:
            self._pairs[key] = match_patches(self.series[older].patches, self.series[newer].patches)
        return next((pair.new for pair in self._pairs[key] if pair.old is patch), None)

    def sheet(self, file: FileDiff) -> Sheet:
        """The sheet of a file."""
        if id(file) not in self._sheets:
            self._sheets[id(file)] = sheet_of(file)
        return self._sheets[id(file)]

    def key_set(self, file: FileDiff) -> frozenset[str]:
        """The keys of a file's sheet."""
        if id(file) not in self._key_sets:
            self._key_sets[id(file)] = frozenset(self.sheet(file).keys)
        return self._key_sets[id(file)]

    def added(self, file: FileDiff) -> frozenset[str]:
        """The keys of the lines that a file's diff adds, those that tell nothing left out."""
        sheet = self.sheet(file)
        pairs = zip(sheet.lines, sheet.keys, strict=True)
        return frozenset(key for line, key in pairs if line.mark == "+" and len(key) >= _TELLING)

    def holding(self, index: int, keys: Iterable[str]) -> tuple[int, tuple[Patch, FileDiff]] | None:
        """The file of a version that has most of `keys`, and how many characters those are; the first among equals."""
        if index not in self._holders:
            holders: defaultdict[str, list[int]] = defaultdict(list)
            files = [(patch, file) for patch in self.series[index].patches for file in patch.files]
            for number, (_, file) in enumerate(files):
                for key in self.key_set(file):
                    if len(key) >= _TELLING:
                        holders[key].append(number)
            self._holders[index] = dict(holders), files
        found, files = self._holders[index]
        weights: Counter[int] = Counter()
        for key in sorted(keys):
            for number in found.get(key, ()):
                weights[number] += len(key)
        best = max(weights, key=lambda number: (weights[number], -number), default=None)
        return None if best is None else (weights[best], files[best])

    def matches(self, old: FileDiff, new: FileDiff) -> dict[int, int]:
        """Which place of the old file's sheet became which of the new one's."""
        key = id(old), id(new)
        if key not in self._matches:
            self._matches[key] = dict(matching_lines(self.sheet(old).keys, self.sheet(new).keys))
        return self._matches[key]
