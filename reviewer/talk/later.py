"""The later versions of a lineage, and what of their texts is needed more than once."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from reviewer.model import Cover, MessageText, Patch, TextLine
from reviewer.talk.changelog import Entry, entries_of
from reviewer.talk.document import key_of
from reviewer.talk.versions import Versions
from reviewer.talk.words import names_in


class Later(Struct):
    """The versions of a lineage with a memory."""

    versions: Versions
    _entries: dict[int, tuple[Entry, ...]] = field(default_factory=dict[int, tuple[Entry, ...]])
    _names: dict[int, dict[str, TextLine]] = field(default_factory=dict[int, dict[str, TextLine]])
    _joined: dict[int, str] = field(default_factory=dict[int, str])

    def entries(self, index: int) -> tuple[Entry, ...]:
        """What the changelogs in the version with that index say of it, and of versions skipped before it."""
        if index not in self._entries:
            series = self.versions.series
            since, upto = (series[at].outline.version for at in (max(index - 1, 0), index))
            self._entries[index] = tuple(one for one in entries_of(series[index]) if since < one.version <= upto)
        return self._entries[index]

    def names(self, patch: Patch) -> dict[str, TextLine]:
        """The identifiers in a patch's message and added lines, each with the first line that has it."""
        if id(patch) not in self._names:
            found: dict[str, TextLine] = {}
            for line in _written(patch):
                for name in names_in(line.text):
                    found.setdefault(name, line)
            self._names[id(patch)] = found
        return self._names[id(patch)]

    def joined(self, text: MessageText) -> str:
        """A message without white space."""
        if id(text) not in self._joined:
            self._joined[id(text)] = "".join(key_of(line.text) for line in text.message)
        return self._joined[id(text)]

    def next_of(self, one: Patch | Cover, index: int) -> tuple[int, Patch | Cover] | None:
        """What a patch or cover letter of the version with that index became in the next one that has it."""
        series = self.versions.series
        for newer in range(index + 1, len(series)):
            after = series[newer].cover if isinstance(one, Cover) else self.versions.became(one, index, newer)
            if after is not None:
                return newer, after
            if not series[newer].outline.missing and not isinstance(one, Cover):
                return None
        return None

    def dropped(self, one: Patch, index: int) -> int | None:
        """The index of the version that no longer has a patch, though all its patches are there; else None.

        Nor is a patch dropped of whose lines half stand in others: it was squashed or split.
        """
        now: Patch | Cover = one
        while (after := self.next_of(now, index)) is not None:
            index, now = after
        complete = (place for place in range(index + 1, len(self.versions.series)) if self._complete(place))
        newer = next(complete, None)
        return None if newer is None or not isinstance(now, Patch) or self._lives_on(now, newer) else newer

    def _lives_on(self, one: Patch, index: int) -> bool:
        wanted = {key for file in one.files for key in self.versions.added(file)}
        there = {key for patch in self.versions.series[index].patches for file in patch.files
                 for key in wanted & self.versions.key_set(file)}  # fmt: skip
        return bool(wanted) and 2 * sum(map(len, there)) >= sum(map(len, wanted))

    def _complete(self, index: int) -> bool:
        outline = self.versions.series[index].outline
        return bool(outline.patches) and not outline.missing


def _written(patch: Patch) -> Iterator[TextLine]:
    yield from patch.text.message
    for file in patch.files:
        for hunk in file.hunks:
            yield from (TextLine(text=line.text, body_line=line.body_line) for line in hunk.lines if line.mark == "+")
