"""Tags that stay with a patch that its next version left as it was."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from reviewer.diff.patchid import patch_id
from reviewer.mail.address import email_key, parse_person
from reviewer.model import Patch, Series, Tag

_Key = tuple[str, str]


def with_carried(series: Series, earlier: Iterable[Series]) -> Series:
    """`series` with the tags that its patches were given as patches of `earlier` versions, oldest version first.

    A tag is carried when it counted, came by a reply, and the diff is the same by its patch-id (MAIL.md, section 4),
    unless the patch has it already. `why` names the version that it was given to.
    """
    given: dict[str, dict[_Key, Tag]] = {}
    for one in earlier:
        why = f"given on v{one.outline.version} of this patch, whose diff is the same"
        for patch in one.patches:
            tags = [tag for tag in patch.tags if tag.counted and tag.source is not None]
            if tags and patch.files:
                known = given.setdefault(patch_id(patch.files), {})
                for tag in tags:
                    known.setdefault(_key(tag), replace(tag, why=why))
    if not given:
        return series
    return replace(series, patches=tuple(_carried(patch, given) for patch in series.patches))


def _carried(patch: Patch, given: dict[str, dict[_Key, Tag]]) -> Patch:
    tags = given.get(patch_id(patch.files), {}) if patch.files else {}
    own = {_key(tag) for tag in patch.tags}
    more = tuple(tag for key, tag in tags.items() if key not in own)
    return replace(patch, tags=patch.tags + more) if more else patch


def _key(tag: Tag) -> _Key:
    person = parse_person(tag.value)
    return tag.name.lower(), email_key(person.email) if person else tag.value
