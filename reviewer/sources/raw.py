"""What every kind of source gives, and the limits that all of them keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.model import Notice

MAX_MAIL = 32 << 20
MAX_UNPACKED = 4 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMail:
    """One mail as it stands in its source: headers first, without the `From ` line, mbox quoting undone.

    `source` is the name the user gave.
    """

    data: bytes
    source: str


Raw = Iterator[RawMail | Notice]


def bad_mail(source: str, number: int, reason: str) -> Notice:
    """The notice for a mail that is left out. `number` is its place in the source, from 1."""
    return Notice(code="bad-mail", message=f"{source}: mail {number} {reason}; left out", source=source)


def truncated(source: str, reason: str) -> Notice:
    """The notice for a source that is read only in part."""
    return Notice(code="truncated", message=f"{source} {reason}; read as far as it goes", source=source)
