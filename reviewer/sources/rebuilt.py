"""A mail put together again from what a page or a feed shows of it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct

MAX_PARENTS = 50

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_PLAIN = re.compile(r"[\w .'+/-]*")
_NOT_IN_ID = re.compile(r"[\x00-\x20<>\x7f]+")


class ShownPart(Struct, frozen=True, kw_only=True):
    """A part of a mail that holds text, decoded, its lines ended by LF."""

    text: str
    content_type: str = "text/plain"
    filename: str | None = None


class Shown(Struct, frozen=True, kw_only=True):
    """What is shown of a mail. `author` is the whole From header, `parents` are Message-IDs, the oldest first."""

    message_id: str
    author: str
    subject: str
    date: str
    parents: tuple[str, ...]
    parts: tuple[ShownPart, ...]


def rebuild(shown: Shown) -> bytes:
    """The mail: headers and body as `RawMail.data` has them, in UTF-8. What is empty gets no header."""
    parents = [bare_id(parent) for parent in shown.parents if bare_id(parent)]
    headers = (
        ("From", shown.author),
        ("Subject", encoded(shown.subject)),
        ("Date", _clean(shown.date)),
        ("Message-ID", _bracketed([bare_id(shown.message_id)])),
        ("In-Reply-To", _bracketed(parents[-1:])),
        ("References", _bracketed([*parents[:1], *parents[1:][-MAX_PARENTS + 1 :]])),
        ("MIME-Version", "1.0"),
    )
    head = "".join(f"{name}: {value}\n" for name, value in headers if value)
    return (head + "".join(_body(shown.parts))).encode("utf-8", "replace")


def _body(parts: Sequence[ShownPart]) -> Iterator[str]:
    if len(parts) <= 1:
        yield from _part(parts[0] if parts else ShownPart(text=""))
        return
    texts = "".join(part.text for part in parts).encode("utf-8", "replace")
    boundary = "=-" + hashlib.sha256(texts).hexdigest()[:40]
    yield f'Content-Type: multipart/mixed; boundary="{boundary}"\n\n'
    for part in parts:
        yield f"--{boundary}\n"
        yield from _part(part)
        yield "\n"
    yield f"--{boundary}--\n"


def _part(part: ShownPart) -> Iterator[str]:
    yield f"Content-Type: {part.content_type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
    if part.filename:
        name = re.sub(r'["\\]', "_", _clean(part.filename))
        yield f'Content-Disposition: attachment; filename="{name}"\n'
    yield "\n"
    yield part.text


def from_header(name: str, email: str) -> str:
    """A From header of a display name, perhaps with ` via List`, and an address; one of both may be empty.

    A name that could be taken for more than a name is encoded.
    """
    name, email = _clean(name), _NOT_IN_ID.sub("", email)
    if not email:
        via = name.lower().rfind(" via ")
        name = name[:via] if via > 0 else name
    phrase = name if _PLAIN.fullmatch(name) else _word(name)
    return f"{phrase} <{email}>".strip() if email else phrase


def from_text(text: str) -> str:
    """A From header as a page shows it, its encoded words decoded, made safe to be parsed again.

    Text in ASCII with one address stands as it was sent; else the last address is taken and the name encoded.
    """
    text = _clean(text)
    if text.isascii() and text.count("<") <= 1 and "=?" not in text:
        return text
    name, opening, rest = text.rpartition("<")
    if not opening:
        return _word(text)
    return from_header(name.strip("\"' "), rest.partition(">")[0])


def shown_subject(text: str) -> str:
    """A subject as public-inbox lists it: empty where it says that there is none."""
    return "" if text == "(no subject)" else text


def encoded(text: str) -> str:
    """A header's text on one line, encoded when reading it again would change it."""
    text = _clean(text)
    return _word(text) if "=?" in text else text


def bare_id(text: str) -> str:
    """A Message-ID without anything that would end it or its header."""
    return _NOT_IN_ID.sub("", text)[:998]


def mail_date(when: datetime | None) -> str:
    """A Date header in UTC; empty for None."""
    if when is None:
        return ""
    utc = when.astimezone(UTC)
    day = f"{_DAYS[utc.weekday()]}, {utc.day} {_MONTHS[utc.month - 1]} {utc.year:04}"
    return f"{day} {utc.hour:02}:{utc.minute:02}:{utc.second:02} +0000"


def _bracketed(ids: Sequence[str]) -> str:
    return " ".join(f"<{one}>" for one in ids if one)


def _clean(text: str) -> str:
    return _CONTROL.sub(" ", _mended(text)).strip()


def _mended(text: str) -> str:
    """`text` decoded once more when it is UTF-8 shown byte by byte, as public-inbox 1.x shows unencoded headers."""
    if text.isascii():
        return text
    try:
        # the parser reads the numbers 128 to 159 as browsers do, in Windows' character set
        return b"".join(bytes((ord(one),)) if ord(one) < 256 else one.encode("cp1252") for one in text).decode()
    except UnicodeError:
        return text


def _word(text: str) -> str:
    return f"=?utf-8?b?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="
