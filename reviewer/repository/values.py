"""What a repository gives."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal["blob", "tree", "commit", "tag"]
Why = Literal["missing", "ambiguous", "too-large", "damaged"]

MAX_OBJECT = 64 << 20


class GitObject(Struct, frozen=True, kw_only=True):
    """An object: its full id in lower-case hex (40 digits, or 64 in a SHA-256 repository), kind and contents."""

    id: str
    kind: Kind
    data: bytes


class MissingObject(Struct, frozen=True, kw_only=True):
    """An object that was asked for by `name` and is not given.

    `missing`: not there, or not fetched in a partial clone; `ambiguous`: an abbreviated id that fits several objects;
    `too-large`: above the limit; `damaged`: git cannot read it.
    """

    name: str
    why: Why


class PathChange(Struct, frozen=True, kw_only=True):
    """What a commit did to one path. `time` is its committer's, in seconds since the epoch.

    `status` is git's letter (A, D, M, T); `old` and `new` are full ids, None where the file is not there.
    """

    commit: str
    time: int
    status: str
    path: bytes
    old: str | None
    new: str | None
