"""Header values to text: encoded words (RFC 2047), raw UTF-8, control characters."""

from __future__ import annotations

import binascii
import re

from reviewer.mail.charset import decode

_WORD = re.compile(rb"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*)\?=")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")


def decode_words(raw: bytes) -> str:
    """A header's value as text: encoded words decoded, white space and control characters folded to single spaces.

    White space between two encoded words is dropped; words of one charset are joined before they are decoded, since
    mailers cut characters in two. Broken words are kept as they stand.
    """
    if b"=?" not in raw:
        return clean(decode(raw, None)[0])
    out: list[str] = []
    pending, charset = bytearray(), ""
    at = 0
    for match in _WORD.finditer(raw):
        word = _bytes(match[2], match[3])
        between = raw[at : match.start()]
        if word is None:
            continue
        name = match[1].partition(b"*")[0].decode("latin-1")
        if pending and not between.strip() and name.lower() == charset.lower():
            pending += word
        else:
            out.append(decode(bytes(pending), charset)[0])
            if between.strip() or not at:
                out.append(decode(between, None)[0])
            pending, charset = bytearray(word), name
        at = match.end()
    out += (decode(bytes(pending), charset)[0], decode(raw[at:], None)[0])
    return clean("".join(out))


def clean(text: str) -> str:
    """`text` with runs of white space and control characters folded to one space, stripped."""
    return _CONTROL.sub(" ", text).strip()


def _bytes(kind: bytes, coded: bytes) -> bytes | None:
    """What an encoded word holds; None when its base64 is broken beyond reading."""
    if kind in b"qQ":
        return binascii.a2b_qp(coded.replace(b"\n", b""), header=True)
    try:
        return binascii.a2b_base64(coded + b"==")
    except binascii.Error:
        return None
