"""What a stream holds, told by its first bytes and never by its name."""

from __future__ import annotations

import re
from typing import Literal

from reviewer.sources.saved import saved_kind

Kind = Literal["empty", "gzip", "xz", "mbox", "mail", "page", "feed", "unknown"]

HEAD = 8192

_MAGIC: tuple[tuple[bytes, Kind], ...] = ((b"\x1f\x8b", "gzip"), (b"\xfd7zXZ\x00", "xz"))
_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_MAIL_HEADERS = frozenset(
    b"from sender to cc subject date message-id received return-path delivered-to mime-version content-type".split()
    + b"reply-to in-reply-to references list-id x-mailer".split()
)


def detect(head: bytes) -> Kind:
    """The kind of stream that starts with `head`, its first HEAD bytes (fewer only when the stream is shorter).

    Blank lines and a byte order mark in front of a mail are passed over.
    """
    if not head:
        return "empty"
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    text = skip_blank(head)
    if not text:
        return "empty"
    if text.startswith(b"From "):
        return "mbox" if b"\0" not in text.partition(b"\n")[0] else "unknown"
    return "mail" if starts_as_mail(text) else saved_kind(text) or "unknown"


def skip_blank(head: bytes) -> bytes:
    """`head` without a byte order mark and blank lines in front."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")


def starts_as_mail(data: bytes) -> bool:
    """Tell whether `data` opens with a header block in which a header that mails have stands, free of NUL bytes.

    Only the first HEAD bytes are looked at; where the block is longer, a few headers of any name are enough.
    """
    lines = data[:HEAD].split(b"\n")
    headers = 0
    for line in lines:
        if not line.strip() or b"\0" in line:
            return False
        match = _HEADER.match(line)
        if match is not None and match[0][:-1].strip().lower() in _MAIL_HEADERS:
            return True
        headers += match is not None
        if match is None and (line[:1] not in (b" ", b"\t") or not headers) and line is not lines[-1]:
            return False
    return len(data) >= HEAD and headers >= 3
