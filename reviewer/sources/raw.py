"""What every kind of source gives, and the limits that all of them keep."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from reviewer.model import Notice

MAX_MAIL = 32 << 20
MAX_UNPACKED = 4 << 30
FEW_MAILS = 10_000
BYTES_OF_A_MAIL = 32
"""Of a file, FEW_MAILS are read and one more for so many of its bytes, packed ones where it is packed: real mail takes
several hundred, and each mail that is read takes a kilobyte of memory."""


class RawMail(Struct, frozen=True, kw_only=True):
    """One mail as it stands in its source: headers first, without the `From ` line, mbox quoting undone.

    `source` is the name the user gave.
    """

    data: bytes
    source: str


Raw = Iterator[RawMail | Notice]


def bad_mail(source: str, number: int, reason: str, outcome: str = "left out") -> Notice:
    """The notice for a mail that is left out, or read with a loss. `number` is its place in the source, from 1."""
    return Notice(code="bad-mail", message=f"{source}: mail {number} {reason}; {outcome}", source=source)


def bad_mails(source: str, count: int) -> Notice:
    """The notice for the mails that are left out beyond those which have a notice of their own."""
    return Notice(code="bad-mail", message=f"{source}: {count} more mails cannot be read; left out", source=source)


def passed_over(source: str, count: int, reasons: str) -> Notice:
    """The notice for the files of a folder that hold no mail."""
    files = "1 file is" if count == 1 else f"{count} files are"
    return Notice(code="no-mail", message=f"{source}: {files} passed over: {reasons}", source=source)


def truncated(source: str, reason: str) -> Notice:
    """The notice for a source that is read only in part."""
    return Notice(code="truncated", message=f"{source} {reason}; read as far as it goes", source=source)
