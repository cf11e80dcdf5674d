"""The mails of one file or stream: what packs them is taken off, what breaks them is told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from reviewer.model import Notice
from reviewer.sources.detect import HEAD, Kind, detect, skip_blank, starts_as_mail
from reviewer.sources.mbox import split_mbox
from reviewer.sources.raw import BYTES_OF_A_MAIL, FEW_MAILS, MAX_MAIL, Raw, RawMail, bad_mail, bad_mails, truncated
from reviewer.sources.saved import read_saved
from reviewer.sources.stream import BrokenError, Counted, blocks, unpack

_MOST_NOTICES = 100


class UnreadableError(Exception):
    """A source that holds no mail that can be read. Its text says why, fit to stand behind the source's name."""


def read_stream(stream: BinaryIO, name: str, shown: str, max_bytes: int) -> Raw:
    """The mails of a stream that the user calls `name` and notices call `shown`.

    Raises UnreadableError when there is none that can be read, also at the end of the stream.
    """
    counted = Counted(blocks(stream))
    try:
        kind, data = _unpacked(counted, max_bytes)
        if kind in ("page", "feed"):
            yield from read_saved(kind, data, name, shown)
            return
    except BrokenError as error:
        raise UnreadableError(str(error)) from None
    yield from _checked(_few(_mails(kind, data), counted), name, shown)


def _unpacked(data: Iterator[bytes], max_bytes: int) -> tuple[Kind, Iterator[bytes]]:
    """The kind of what is left when a compression is taken off, and its blocks, blank lines in front cut."""
    head, data = _peek(data)
    kind = detect(head)
    if kind in ("gzip", "xz"):
        head, data = _peek(unpack(data, kind, max_bytes))
        kind = detect(head)
    if kind == "empty":
        raise UnreadableError("is empty")
    if kind not in ("mbox", "mail", "page", "feed"):
        raise UnreadableError("holds no mail")
    return kind, data


def _peek(data: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first HEAD bytes behind blank lines, and all blocks from there on, the first at least that long if it can be.

    What breaks off before that raises BrokenError, unless something came before it. More blank lines than a mail may
    have bytes are a file without mail.
    """
    head, blank = b"", 0
    broken: BrokenError | None = None
    try:
        while len(head) < HEAD and blank <= MAX_MAIL:
            block = next(data, b"")
            if not block:
                break
            before = len(head) + len(block)
            head = skip_blank(head + block)
            blank += before - len(head)
    except BrokenError as error:
        if not head and not blank:
            raise
        broken = error
    return head[:HEAD], chain((head,), _rest(data, broken))


def _rest(data: Iterator[bytes], broken: BrokenError | None) -> Iterator[bytes]:
    if broken is not None:
        raise broken
    yield from data


def _mails(kind: Kind, data: Iterator[bytes]) -> Iterator[bytes | None]:
    """The raw mails of a file of that kind, one after the other; None for one that is too large."""
    if kind == "mbox":
        yield from split_mbox(data)
        return
    mail = bytearray()
    for block in data:
        mail += block
        if len(mail) > MAX_MAIL:
            yield None
            return
    yield bytes(mail)


def _few(mails: Iterator[bytes | None], packed: Counted) -> Iterator[bytes | None]:
    """`mails`, as long as there are no more of them than the bytes of their file are good for; else BrokenError."""
    for number, data in enumerate(mails, 1):
        if number > FEW_MAILS and (number - FEW_MAILS) * BYTES_OF_A_MAIL > packed.taken:
            raise BrokenError(f"holds more than {number - 1} mails in {packed.taken} bytes")
        yield data


def _checked(mails: Iterator[bytes | None], name: str, shown: str) -> Raw:
    """The mails that can be read, notices for the others; those before the first good one are held back for it."""
    good, bad, first = False, 0, ""
    held: list[Notice] = []
    try:
        for number, data in enumerate(mails, 1):
            reason = _fault(data)
            if data is not None and not reason:
                good = True
                yield from held
                held.clear()
                yield RawMail(data=data, source=name)
                if b"\0" in data:
                    yield bad_mail(shown, number, "holds NUL bytes", "read as it stands")
                continue
            bad += 1
            first = first or f"mail {number} {reason}".replace("mail 1 ", "the first mail ")
            if bad <= _MOST_NOTICES:
                held.append(bad_mail(shown, number, reason))
            if good:
                yield from held
                held.clear()
    except BrokenError as error:
        if not good:
            raise UnreadableError(f"{error} before its first mail ends") from None
        yield truncated(shown, str(error))
    if not good:
        raise UnreadableError(f"holds no mail that can be read ({first})")
    if bad > _MOST_NOTICES:
        yield bad_mails(shown, bad - _MOST_NOTICES)


def _fault(data: bytes | None) -> str:
    """Why a mail cannot be read, or an empty string."""
    if data is None:
        return f"is larger than {MAX_MAIL >> 20} MiB"
    return "" if starts_as_mail(data) else "has no headers"
