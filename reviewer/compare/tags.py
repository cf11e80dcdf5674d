"""What became of each tag from one version to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reviewer.compare.values import PatchChange, TagChange, TagFate
from reviewer.model import Patch, Series, Tag
from reviewer.opinions import giver, giver_key, is_opinion

_Key = tuple[str, str]
_ORDER: tuple[TagFate, ...] = ("dropped", "lapsed", "unseen", "new", "carried", "kept")


def tag_changes(patches: Sequence[PatchChange], versions: Iterable[Series]) -> tuple[TagChange, ...]:
    """The tags that say what people think, lost ones first; one entry for a tag, a person and what became of it.

    `versions` are all that are here: a tag that a reply to any of them gave is not `unseen`.
    """
    given = {_key(tag) for series in versions for tag in _all(series) if tag.source is not None and tag.counted}
    found: dict[tuple[TagFate, _Key], tuple[Tag, list[Patch]]] = {}
    for change in patches:
        for fate, tag, patch in _fates(change, given):
            found.setdefault((fate, _key(tag)), (tag, []))[1].append(patch)
    changes = [
        TagChange(fate=fate, name=tag.name, person=giver(tag), patches=tuple(on))
        for (fate, _), (tag, on) in found.items()
    ]
    return tuple(sorted(changes, key=lambda change: _ORDER.index(change.fate)))


def _all(series: Series) -> Iterator[Tag]:
    for subject in (series.cover, *series.patches):
        yield from subject.tags if subject else ()


def _key(tag: Tag) -> _Key:
    return tag.name.lower(), giver_key(tag)


def _opinions(patch: Patch | None) -> dict[_Key, Tag]:
    """The tags of a patch, those in its message before those of replies."""
    tags = [tag for tag in patch.tags if tag.counted and is_opinion(tag.name)] if patch else []
    found: dict[_Key, Tag] = {}
    for tag in sorted(tags, key=lambda tag: tag.source is not None):
        found.setdefault(_key(tag), tag)
    return found


def _fates(change: PatchChange, given: set[_Key]) -> Iterator[tuple[TagFate, Tag, Patch]]:
    before, after = _opinions(change.old), _opinions(change.new)
    for key, tag in after.items():
        assert change.new is not None
        yield _kept(tag, before.get(key), seen=key in given), tag, change.new
    for key, tag in before.items():
        assert change.old is not None
        if key not in after:
            yield "dropped" if change.new else "lapsed", tag, change.old


def _kept(tag: Tag, before: Tag | None, *, seen: bool) -> TagFate:
    if before is not None:
        return "carried" if before.source is not None else "kept"
    if tag.source is not None or seen:
        return "new"
    return "unseen"
