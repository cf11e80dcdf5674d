"""Mails out of an mbox, one after the other, in memory that does not grow with the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.sources.raw import MAX_MAIL
from reviewer.sources.stream import BrokenError

TOO_LARGE = None

_LOOK = 2048
_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_TIME = re.compile(rb"\d:\d\d")
_SURE = re.compile(rb"From (?:mboxrd|git)@z Thu Jan  1 00:00:00 1970\r?\n")
_MBOXRD = re.compile(rb"^>(>*From )", re.MULTILINE)
_MBOXO = re.compile(rb"^>(From )", re.MULTILINE)
_UNQUOTED = re.compile(rb"From (?:git@z |[0-9a-f]{40} )")


def split_mbox(blocks: Iterator[bytes]) -> Iterator[bytes | None]:
    """The mails of an mbox whose first bytes are `From `; TOO_LARGE for one above MAX_MAIL.

    A `From ` line starts a mail after a blank line, when it holds a time (or nothing but a sender) and a header
    stands below it: bodies in mboxo files may hold `From ` in prose. The line that public-inbox and b4 write is a
    start wherever it stands. BrokenError comes out of `blocks` after the whole mails before it; the mail that it
    cuts is left out.
    """
    buffer = bytearray()
    seen = 0
    skipping = False
    for block, last in _with_end(blocks):
        broken = block if isinstance(block, BrokenError) else None
        buffer += b"" if isinstance(block, BrokenError) else block
        while True:
            cut = _next_start(buffer, seen, last)
            if cut < 0:
                break
            if not skipping:
                yield from _whole(buffer[:cut])
            del buffer[:cut]
            seen, skipping = 1, False
        seen = max(seen, len(buffer) - _LOOK)
        if len(buffer) > MAX_MAIL + _LOOK:
            if not skipping:
                yield TOO_LARGE
            skipping = True
            del buffer[: len(buffer) - 2 * _LOOK]
            seen = _LOOK
        if broken is not None:
            raise broken
    if not skipping:
        yield from _whole(buffer)


def _with_end(blocks: Iterator[bytes]) -> Iterator[tuple[bytes | BrokenError, bool]]:
    try:
        for block in blocks:
            yield block, False
    except BrokenError as error:
        yield error, True
        return
    yield b"", True


def _next_start(buffer: bytearray, seen: int, last: bool) -> int:
    """Where the next mail starts at or behind `seen`, or -1; without `last` only what is sure to be in view."""
    limit = len(buffer) if last else len(buffer) - _LOOK
    at = buffer.find(b"\nFrom ", max(seen - 1, 0))
    while 0 <= at < limit:
        if _starts(buffer, at + 1):
            return at + 1
        at = buffer.find(b"\nFrom ", at + 1)
    return -1


def _starts(buffer: bytearray, at: int) -> bool:
    end = buffer.find(b"\n", at, at + _LOOK // 2)
    if end < 0 or not _HEADER.match(buffer, end + 1, end + 1 + _LOOK // 2):
        return False
    if _SURE.match(buffer, at):
        return True
    blank = bytes(buffer[max(at - 3, 0) : at]).endswith((b"\n\n", b"\n\r\n"))
    line = bytes(buffer[at:end])
    return blank and (_TIME.search(line) is not None or len(line.split()) == 2)


def _whole(buffer: bytearray) -> Iterator[bytes | None]:
    """The mail in `buffer`, its `From ` line cut and its quoting undone; TOO_LARGE above MAX_MAIL."""
    data = bytes(buffer)
    if len(data) > MAX_MAIL:
        yield TOO_LARGE
        return
    line, _, mail = data.partition(b"\n")
    if mail.endswith(b"\n\n"):
        mail = mail[:-1]
    elif mail.endswith(b"\n\r\n"):
        mail = mail[:-2]
    if b">From " in mail and not _UNQUOTED.match(line):
        mail = (_MBOXRD if line.startswith(b"From mboxrd@z") else _MBOXO).sub(rb"\1", mail)
    yield mail
