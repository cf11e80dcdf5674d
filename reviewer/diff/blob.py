"""The names that git gives to contents."""

from __future__ import annotations

import hashlib
from typing import Literal

Algorithm = Literal["sha1", "sha256"]

ALGORITHMS: tuple[Algorithm, ...] = ("sha1", "sha256")
SHORTEST = 7
"""Digits of an abbreviated id that are believed: git's own least."""
_DIGITS = {"sha1": 40, "sha256": 64}


def blob_id(data: bytes, algorithm: Algorithm = "sha1") -> str:
    """The id of a blob with the contents `data`, in lower-case hex: 40 digits, or 64 for SHA-256."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def is_named(data: bytes, name: str) -> bool:
    """Whether `name`, an id in full or abbreviated to at least seven digits, is that of the blob `data`."""
    wanted = name.lower()
    if len(wanted) < SHORTEST:
        return False
    return any(
        blob_id(data, algorithm).startswith(wanted) for algorithm in ALGORITHMS if len(wanted) <= _DIGITS[algorithm]
    )


def is_null(name: str | None) -> bool:
    """Whether `name` is the id that stands for no blob."""
    return name is not None and not name.strip("0")
