"""All versions of one series, and which of them is the latest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from reviewer.model import Lineage, Mail, Outline
from reviewer.series.people import People
from reviewer.series.titles import NEVER, clean_title, moment

_RECENT = 8
_TELLING = 4
"""Words of a title from which on it is not one that anybody would choose."""

Rank = tuple[int, int, float, int]


def lineages_of(outlines: Sequence[Outline], people: People, above: Mapping[str, str]) -> tuple[Lineage, ...]:
    """Join `outlines` of one series into lineages, ordered by their first mails.

    They are one by, in this order: an equal change-id; a link to an earlier version; the same person and cleaned
    title; the same person and at least half of the patch titles; a higher version that answers the lower one; the same
    cover letter's title and the next version, when somebody else took the series over.
    `above` leads from an outline's id to the id of the outline that it answers.
    """
    joiner = _Joiner(outlines, people)
    joiner.by_change_id()
    joiner.by_links()
    joiner.by_title()
    joiner.by_patch_titles()
    joiner.by_answer(above)
    joiner.by_heir()
    return tuple(Lineage(title=group[-1].title, outlines=group) for group in joiner.groups())


def latest(lineage: Lineage) -> Outline:
    """The highest version; among equals the newest complete one, else the newest.

    Versions that start again at 1 when an RFC becomes a patch series are higher than those of the RFC.
    """
    ranks = _ranks(lineage.outlines)
    top = max(ranks[outline.id][:2] for outline in lineage.outlines)
    equals = [outline for outline in lineage.outlines if ranks[outline.id][:2] == top]
    complete = [outline for outline in equals if outline.patches and not outline.missing]
    return max(complete or equals, key=lambda outline: ranks[outline.id][2:])


def members(outline: Outline) -> Iterator[Mail]:
    """Cover, patches and the copies that they replaced."""
    if outline.cover is not None:
        yield outline.cover
    yield from outline.patches
    yield from outline.replaced


def _head(outline: Outline) -> Mail:
    return outline.cover or outline.patches[0]


def _time(outline: Outline) -> tuple[float, int]:
    head = _head(outline)
    return (moment(head), head.position)


def _ranks(outlines: Sequence[Outline]) -> dict[str, Rank]:
    """Sorts by version; those of a series that started again behind its RFC come behind them all."""
    ranks: dict[str, Rank] = {}
    epoch = 0
    highest = 0
    draft_stage = True
    for outline in sorted(outlines, key=_time):
        at, position = _time(outline)
        rfc = _head(outline).subject.rfc
        if draft_stage and not rfc and at != NEVER and 0 < outline.version <= highest:
            epoch += 1
            highest = 0
        draft_stage = draft_stage and rfc
        highest = max(highest, outline.version)
        ranks[outline.id] = (epoch, outline.version, at, position)
    return ranks


class _Joiner:
    """Sets of outlines that grow together."""

    def __init__(self, outlines: Sequence[Outline], people: People) -> None:
        self._outlines = sorted(outlines, key=_time)
        self._person = [people.of(outline.author) for outline in self._outlines]
        self._change_ids = [
            {mail.change_id for mail in members(outline) if mail.change_id} for outline in self._outlines
        ]
        self._titles = [{clean_title(mail.subject) for mail in outline.patches} for outline in self._outlines]
        self._title = [clean_title(_head(outline).subject) for outline in self._outlines]
        self._up = list(range(len(self._outlines)))

    def groups(self) -> Iterator[tuple[Outline, ...]]:
        """The sets, lowest version first within each."""
        for indices in self._indices():
            group = [self._outlines[index] for index in indices]
            ranks = _ranks(group)
            yield tuple(sorted(group, key=lambda outline: ranks[outline.id]))

    def by_change_id(self) -> None:
        first: dict[str, int] = {}
        for index, change_ids in enumerate(self._change_ids):
            for change_id in sorted(change_ids):
                self._join(first.setdefault(change_id, index), index)

    def by_links(self) -> None:
        """A link to mail that is not there joins all of one person that name it."""
        owners = {mail.message_id: index for index, outline in enumerate(self._outlines) for mail in members(outline)}
        absent: dict[tuple[str, str], int] = {}
        for index, outline in enumerate(self._outlines):
            for link in (link for mail in members(outline) for link in mail.links):
                target = owners.get(link)
                if target is None:
                    self._join(absent.setdefault((self._person[index], link), index), index)
                elif self._person[target] == self._person[index] or self._alike(target, index):
                    self._join(target, index)

    def by_title(self) -> None:
        recent: dict[tuple[str, str], list[int]] = {}
        for index, outline in enumerate(self._outlines):
            if outline.cover is None and 1 in outline.missing:
                continue
            same = recent.setdefault((self._person[index], self._title[index]), [])
            for other in same[-_RECENT:]:
                if not self._told_apart(other, index):
                    self._join(other, index)
            same.append(index)

    def by_patch_titles(self) -> None:
        recent: dict[tuple[str, str], list[int]] = {}
        for index in range(len(self._outlines)):
            tried: set[int] = set()
            for title in sorted(self._titles[index]):
                same = recent.setdefault((self._person[index], title), [])
                for other in same[-_RECENT:]:
                    if other not in tried and not self._told_apart(other, index) and self._half(other, index):
                        self._join(other, index)
                    tried.add(other)
                same.append(index)

    def by_answer(self, above: Mapping[str, str]) -> None:
        """A higher version in answer to a lower one whose title shares its prefix or half of its words."""
        places = {outline.id: index for index, outline in enumerate(self._outlines)}
        for index, outline in enumerate(self._outlines):
            other = places.get(above.get(outline.id, ""))
            if other is None or self._person[other] != self._person[index]:
                continue
            lower = self._outlines[other]
            grows = outline.version > lower.version and outline.total == lower.total
            if grows and _head(outline).subject.version_given and _kindred(self._title[other], self._title[index]):
                self._join(other, index)

    def by_heir(self) -> None:
        """A cover letter of some length whose title somebody else gave to the version before, with none in between."""
        ends: dict[str, list[tuple[int, int, int]]] = {}
        for group in self._indices():
            versions = [self._outlines[index].version for index in group]
            title = self._title[group[-1]]
            if self._outlines[group[-1]].cover is not None and len(title.split()) >= _TELLING:
                ends.setdefault(title, []).append((min(versions), max(versions), group[0]))
        for spans in ends.values():
            spans.sort()
            for (_, highest, one), (lowest, _, other) in pairwise(spans):
                if lowest == highest + 1:
                    self._join(one, other)

    def _indices(self) -> list[list[int]]:
        grouped: dict[int, list[int]] = {}
        for index in range(len(self._outlines)):
            grouped.setdefault(self._find(index), []).append(index)
        return list(grouped.values())

    def _alike(self, one: int, other: int) -> bool:
        return self._title[one] == self._title[other] or self._half(one, other)

    def _half(self, one: int, other: int) -> bool:
        most = max(len(self._titles[one]), len(self._titles[other]))
        return most > 0 and 2 * len(self._titles[one] & self._titles[other]) >= most

    def _told_apart(self, one: int, other: int) -> bool:
        """Whether two sends of one version have change-ids that differ."""
        same_version = self._outlines[one].version == self._outlines[other].version
        ids, others = self._change_ids[one], self._change_ids[other]
        return same_version and bool(ids) and bool(others) and not ids & others

    def _join(self, one: int, other: int) -> None:
        low, high = sorted((self._find(one), self._find(other)))
        self._up[high] = low

    def _find(self, index: int) -> int:
        while self._up[index] != index:
            self._up[index] = self._up[self._up[index]]
            index = self._up[index]
        return index


def _kindred(one: str, other: str) -> bool:
    prefix, colon, _ = one.partition(":")
    if colon and other.startswith(prefix + ":"):
        return True
    words, others = set(one.split()), set(other.split())
    return 2 * len(words & others) >= max(len(words), len(others))
