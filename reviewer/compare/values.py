"""What differs between two versions of a series, as values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from reviewer.model import Comment, Finding, Patch, Series
from reviewer.series.rangediff import RangeLine
from reviewer.talk.changelog import Entry

PatchFate = Literal["same", "message", "context", "changed", "added", "dropped", "squashed", "split"]
FindingFate = Literal["gone", "moved", "new", "kept"]
TagFate = Literal["kept", "carried", "new", "unseen", "dropped", "lapsed"]
ClaimFate = Literal["no-change", "not-unchanged", "unclaimed"]


class PatchChange(Struct, frozen=True, kw_only=True):
    """What became of one patch; `old` is None for one that was added or split off, `new` for dropped and squashed.

    `fate`: `same` in all; only the `message`, or besides only the `context` lines of the diff, differ; `changed` are
    lines that it adds or removes. `moved` tells that it changed places with others. `others` are the patches of the
    newer version that it was squashed into, or of the older one that it was split off. `code` and `message` are the
    lines of both diffs and both messages, empty where these are equal; `reasons` what the changelog says of it.
    """

    old: Patch | None
    new: Patch | None
    fate: PatchFate
    renamed: bool = False
    moved: bool = False
    others: tuple[Patch, ...] = ()
    code: tuple[RangeLine, ...] = ()
    message: tuple[RangeLine, ...] = ()
    reasons: tuple[Entry, ...] = ()


class FindingChange(Struct, frozen=True, kw_only=True):
    """What became of a finding: `old` is that in the older version, `new` in the newer one; known by its fingerprint.

    `moved` is one in another patch or file than before. `with_patch` tells that it went with a dropped patch.
    """

    fate: FindingFate
    old: Finding | None
    new: Finding | None
    with_patch: bool = False


class TagChange(Struct, frozen=True, kw_only=True):
    """What became of the tag `name` by `person` on some patches, or on the cover letter of a series of none.

    `kept` stood in both messages, `carried` was given by a reply and is now in the message, `new` was given by a reply
    to the newer version, `unseen` stands in the newer message and no mail here gives it, `dropped` is not on a patch
    that is still there, `lapsed` went with its patch. `patches` are those of the older version for the last two.
    """

    fate: TagFate
    name: str
    person: str
    patches: tuple[Patch, ...]


class Claim(Struct, frozen=True, kw_only=True):
    """Where changelog and change disagree for sure.

    `no-change`: the entry names what did not change; `not-unchanged`: it says that the patch is as it was, which it is
    not; `unclaimed`: the lines of a patch changed and no entry can mean it.
    """

    fate: ClaimFate
    entry: Entry | None
    patch: Patch | None
    names: tuple[str, ...] = ()


class NumberChange(Struct, frozen=True, kw_only=True):
    """A line of the cover letter whose numbers differ and whose words do not; places in the bodies from 1."""

    old: str
    new: str
    old_line: int
    new_line: int


class Comparison(Struct, frozen=True, kw_only=True):
    """Two versions of one lineage. `comments` are those on the older one, with what became of them."""

    title: str
    old: Series
    new: Series
    patches: tuple[PatchChange, ...]
    findings: tuple[FindingChange, ...]
    comments: tuple[Comment, ...]
    tags: tuple[TagChange, ...]
    claims: tuple[Claim, ...]
    numbers: tuple[NumberChange, ...]
