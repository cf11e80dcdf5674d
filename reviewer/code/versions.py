"""The contents of a file before and after a patch, as values."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from reviewer.model import FileContext, Rung, Trial

LARGEST = 16 << 20
"""Bytes of a file that is still looked at."""


class Version(Struct, frozen=True, kw_only=True):
    """A file at one point of a series, and the rung that it was found on; `data` is None when there is none then."""

    data: bytes | None
    rung: Rung


class FileCode(Struct, frozen=True, kw_only=True):
    """The whole file before and after a patch, None for a side on which there is none.

    `shifts` tell of each hunk how many lines below its numbers it stands.
    """

    rung: Rung
    before: bytes | None
    after: bytes | None
    shifts: tuple[int, ...]


class Seen(Struct, frozen=True, kw_only=True):
    """How much of each file of a patch was seen, in their order, with the code of those that were seen whole."""

    contexts: tuple[FileContext, ...] = ()
    codes: tuple[FileCode | None, ...] = ()


class SeriesCode(Struct, frozen=True, kw_only=True):
    """The code behind a series: what was seen of its patches, in their order, and whether it applies."""

    patches: tuple[Seen, ...]
    trial: Trial


class Start(Struct, frozen=True, kw_only=True):
    """The commit that a series is laid on: its full id, how it was named, and the rung that its files reach."""

    commit: str
    revision: str
    rung: Rung


class Tree(Struct, frozen=True, kw_only=True):
    """What the user says about the tree: branches by tag of the subject, and revisions to start from and to try."""

    branches: Mapping[str, str]
    base: str | None = None
    apply_to: str | None = None
