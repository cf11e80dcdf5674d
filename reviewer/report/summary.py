"""What a maintainer asks first: the tags so far, the findings by level, what was not checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from msgspec import Struct

from reviewer.mail.address import parse_person
from reviewer.model import CONFIDENCES, LEVELS, Confidence, Finding, Level, Notice, Series, Tag
from reviewer.opinions import PROVENANCE, giver, is_opinion
from reviewer.report.layout import ranges, shortened
from reviewer.report.naming import name_of

OBJECTION = "objection"
"""Why a tag such as Nacked-by does not count."""
_QUOTED = 60


class Credit(Struct, frozen=True, kw_only=True):
    """A tag of the discussion: `name` such as Reviewed-by, who gave it, to which patches, and why it does not count."""

    name: str
    person: str
    patches: str
    why: str


class Count(Struct, frozen=True, kw_only=True):
    """How many findings of one level, or of one confidence."""

    word: Level | Confidence
    number: int


class Unchecked(Struct, frozen=True, kw_only=True):
    """Rules that lacked the same context: `groups` are rule ids with the patches they did not check."""

    needs: str
    groups: tuple[tuple[str, str], ...]


def patches_named(ids: Collection[str], series: Series) -> str:
    """Mails of a series as people name them: `patches 1-3`, `cover letter and patch 2`, `all patches`.

    Empty when only one mail of the series is there, since then there is nothing to tell apart.
    """
    numbers = tuple(patch.number for patch in series.patches if patch.mail.message_id in ids)
    cover = series.cover is not None and series.cover.mail.message_id in ids
    if len(series.patches) + (series.cover is not None) == 1:
        return ""
    if len(numbers) > 1 and len(numbers) == len(series.patches):
        shown = "all patches"
    else:
        shown = f"patch{'es' if len(numbers) > 1 else ''} {ranges(numbers)}" if numbers else ""
    return " and ".join(filter(None, ("cover letter" if cover else "", shown)))


def credits_of(series: Series, *, counted: bool) -> tuple[Credit, ...]:
    """The tags that people gave (`counted`), or tried to give, with the patches; in the order of the series.

    Objections are neither.
    """
    given: dict[tuple[str, str, str], set[str]] = {}
    for subject in (series.cover, *series.patches):
        for tag in subject.tags if subject else ():
            if tag.counted == counted and _is_opinion(tag) and (counted or tag.why != OBJECTION):
                key = (tag.name, giver(tag), "" if counted else tag.why)
                given.setdefault(key, set()).add(subject.mail.message_id if subject else "")
    covers = {series.cover.mail.message_id} if series.cover else set[str]()
    return tuple(
        Credit(name=name, person=person, patches=patches_named(ids - covers or ids, series), why=why)
        for (name, person, why), ids in given.items()
    )


def objections_of(series: Series) -> tuple[Credit, ...]:
    """Who objected to what by a tag, with the words as `why` when it was in words."""
    authors = {mail.message_id: mail.author for mail in series.outline.replies}
    given: dict[tuple[str, str, str], set[str]] = {}
    for subject in (series.cover, *series.patches):
        for tag in subject.tags if subject else ():
            if tag.counted or tag.why != OBJECTION:
                continue
            author = authors.get(tag.source or "")
            words = "" if parse_person(tag.value) else f'"{shortened(tag.value, _QUOTED)}"'
            key = (tag.name, name_of(author) if author else giver(tag), words)
            given.setdefault(key, set()).add(subject.mail.message_id if subject else "")
    return tuple(
        Credit(name=name, person=person, patches=patches_named(ids, series), why=words)
        for (name, person, words), ids in given.items()
    )


def _is_opinion(tag: Tag) -> bool:
    return is_opinion(tag.name) or (not tag.counted and tag.source is not None and tag.name.lower() not in PROVENANCE)


def by_level(findings: Iterable[Finding]) -> tuple[Count, ...]:
    """How many findings of each level there are, the worst first; levels without any are left out."""
    counted = Counter(finding.level for finding in findings)
    return tuple(Count(word=level, number=counted[level]) for level in LEVELS if counted[level])


def by_confidence(findings: Iterable[Finding]) -> tuple[Count, ...]:
    """How many findings of each confidence there are, the surest first; those without any are left out."""
    counted = Counter(finding.confidence for finding in findings)
    return tuple(Count(word=word, number=counted[word]) for word in CONFIDENCES if counted[word])


def unchecked(notices: Iterable[Notice], series: Series) -> tuple[Unchecked, ...]:
    """What was not checked in a series, an entry for each context that was lacking.

    The words for the context are those of the notice, behind `<rule> needs`.
    """
    ids = {mail.message_id for mail in (series.outline.cover, *series.outline.patches) if mail}
    lacking: dict[str, dict[str, list[str]]] = {}
    for notice in notices:
        if notice.code == "not-checked" and not ids.isdisjoint(notice.patches):
            rule = notice.rule or ""
            groups = lacking.setdefault(notice.message.removeprefix(f"{rule} needs "), {})
            groups.setdefault(patches_named(notice.patches, series), []).append(rule)
    return tuple(
        Unchecked(needs=needs, groups=tuple((", ".join(sorted(set(rules))), named) for named, rules in groups.items()))
        for needs, groups in lacking.items()
    )
