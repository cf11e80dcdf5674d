"""The parts of a mail, split without recursion limits to run into and in time linear in its size."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from msgspec import Struct

from reviewer.mail.charset import decode
from reviewer.mail.header import Headers, scan_headers
from reviewer.mail.words import clean, decode_words

MAX_DEPTH = 50
MAX_PARTS = 10_000

_PARAMETER = re.compile(rb';\s*([^\s=;"]{1,80})\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')
_TYPE = re.compile(rb"[a-z0-9.+_-]+/[a-z0-9.+_-]+")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_LONGEST = 4000
_LONGEST_TAIL = 200
_PATCH_NAMES = (".patch", ".diff")
_TEXT_TYPES = ("text/plain", "text/x-patch", "text/x-diff")


class Leaf(Struct, frozen=True, kw_only=True):
    """A part that has no parts of its own: what its headers say, and its body still encoded."""

    content_type: str
    charset: str | None
    filename: str | None
    flowed: bool
    delsp: bool
    encoding: bytes
    body: bytes

    @property
    def is_text(self) -> bool:
        """Whether this is a part that holds a text or a patch, HTML apart."""
        return self.content_type in _TEXT_TYPES or (self.filename or "").lower().endswith(_PATCH_NAMES)

    def content(self) -> tuple[bytes, str]:
        """The body with its transfer encoding taken off, and what was lost on the way (empty when nothing was)."""
        if self.encoding == b"quoted-printable":
            return binascii.a2b_qp(self.body), ""
        if self.encoding == b"base64":
            return _base64(self.body)
        return self.body, ""


def read_leaves(headers: Headers, body: bytes) -> tuple[tuple[Leaf, ...], str]:
    """The leaves of a mail in order, and which limit was hit (empty when none was).

    A multipart without its boundary is read as text; one that breaks off is read as far as it goes.
    """
    found: list[Leaf] = []
    limits: list[str] = []
    for leaf in _walk(headers, body, 0, limits):
        if len(found) == MAX_PARTS:
            limits.append(f"more than {MAX_PARTS} parts")
            break
        found.append(leaf)
    return tuple(found), "; ".join(dict.fromkeys(limits))


def _walk(headers: Headers, body: bytes, depth: int, limits: list[str]) -> Iterator[Leaf]:
    raw = headers.get(b"content-type", b"text/plain")[:_LONGEST]
    kind = raw.partition(b";")[0].strip().lower()
    parameters = _parameters(raw)
    boundary = parameters.get(b"boundary", b"").rstrip()
    if kind.startswith(b"multipart/") and boundary and _delimiter(body, boundary, 0) is not None:
        if depth == MAX_DEPTH:
            limits.append(f"parts nested more than {MAX_DEPTH} deep")
            return
        for part in _split(body, boundary):
            inner, start = scan_headers(part)
            yield from _walk(inner, part[start:], depth + 1, limits)
        return
    if kind.startswith(b"multipart/") or not _TYPE.fullmatch(kind):
        kind = b"text/plain"
    disposition = _parameters(headers.get(b"content-disposition", b"")[:_LONGEST])
    charset = parameters.get(b"charset")
    yield Leaf(
        content_type=kind.decode("latin-1"),
        charset=charset.decode("latin-1") if charset else None,
        filename=_filename(disposition, b"filename") or _filename(parameters, b"name"),
        flowed=parameters.get(b"format", b"").lower() == b"flowed",
        delsp=parameters.get(b"delsp", b"").lower() == b"yes",
        encoding=headers.get(b"content-transfer-encoding", b"").partition(b";")[0].strip().lower(),
        body=body,
    )


def _parameters(raw: bytes) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for name, value in _PARAMETER.findall(raw):
        if value.startswith(b'"') and len(value) > 1:
            value = re.sub(rb"\\(.)", rb"\1", value[1:-1])  # noqa: PLW2901 - the same value, unquoted
        found.setdefault(name.lower(), value.strip())
    return found


def _filename(parameters: dict[bytes, bytes], name: bytes) -> str | None:
    """A file name, also when cut in pieces or percent-encoded (RFC 2231). Only ever shown, never opened."""
    if name in parameters:
        return decode_words(parameters[name])
    pieces: list[bytes] = []
    for number in range(100):
        stem = name + b"*%d" % number
        piece = parameters.get(stem, parameters.get(stem + b"*"))
        if piece is None:
            break
        pieces.append(piece)
    joined = parameters.get(name + b"*", b"".join(pieces))
    charset, quote, rest = joined.partition(b"'")
    value = re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes((int(match[1], 16),)), rest.partition(b"'")[2] or joined)
    return clean(decode(value, charset.decode("latin-1") if quote else None)[0]) or None


def _delimiter(body: bytes, boundary: bytes, start: int) -> tuple[int, int, bool] | None:
    """The next delimiter line from `start`: where it starts and ends, and whether it closes the multipart."""
    mark = b"--" + boundary
    at = body.find(mark, start)
    while at >= 0:
        behind = at + len(mark)
        if at == 0 or body[at - 1 : at] == b"\n":
            end = body.find(b"\n", behind, behind + _LONGEST_TAIL) + 1
            end = end or min(len(body), behind + _LONGEST_TAIL)
            tail = body[behind:end].strip()
            if tail in (b"", b"--"):
                return at, end, tail == b"--"
        at = body.find(mark, behind)
    return None


def _split(body: bytes, boundary: bytes) -> Iterator[bytes]:
    delimiter = _delimiter(body, boundary, 0)
    while delimiter is not None and not delimiter[2]:
        start = delimiter[1]
        delimiter = _delimiter(body, boundary, start)
        part = body[start : delimiter[0] if delimiter else len(body)]
        yield part.removesuffix(b"\n").removesuffix(b"\r") if delimiter else part


def _base64(body: bytes) -> tuple[bytes, str]:
    try:
        return binascii.a2b_base64(body), ""
    except binascii.Error:
        kept = _NOT_BASE64.sub(b"", body)
        kept = kept[: len(kept) - (len(kept) % 4 == 1)]
        return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4)), "base64 broken off"
