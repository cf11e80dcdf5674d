"""Copies of one mail that came over several lists: whether they are one, and which was changed less on its way."""

from __future__ import annotations

import re

from reviewer.mail.body import parts_of
from reviewer.mail.charset import decode
from reviewer.mail.header import scan_headers
from reviewer.mail.mime import read_leaves
from reviewer.mail.span import is_footer
from reviewer.mail.words import decode_words

_LIST_TAG = re.compile(r"(?:re: ?)?\[(?![^\]]*(?:patch|rfc|pull|\bv\d|\d/\d))[^\]]*\]", re.IGNORECASE)
_VIA = re.compile(r"\bvia\b", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]+")
_TAIL = 4000


def list_changes(data: bytes) -> int:
    """How many marks of list software a raw mail bears, 0 to 4.

    They are a list's tag in the subject, a From rewritten to `X via List`, a text in base64, a footer.
    """
    headers, start = scan_headers(data)
    leaves = read_leaves(headers, data[start:])[0]
    texts = [leaf for leaf in leaves if leaf.is_text]
    subject = decode_words(headers.get(b"subject", b"")[:_TAIL])
    sender = decode_words(headers.get(b"from", b"")[:_TAIL])
    return sum(
        (
            _LIST_TAG.match(subject) is not None,
            b"x-original-from" in headers or _VIA.search(sender) is not None,
            any(leaf.encoding == b"base64" for leaf in texts),
            any(_has_footer(leaf.content()[0]) for leaf in texts),
        )
    )


def _has_footer(raw: bytes) -> bool:
    lines = decode(raw[-_TAIL:], None)[0].split("\n")
    return any(is_footer(lines, at) for at in range(len(lines)))


def same_text(one: bytes, other: bytes) -> bool:
    """Whether two raw mails say the same, but for what list software does to white space, special letters and the end.

    Only letters and digits of the first text part are compared, as far as the shorter one goes.
    """
    first, second = _essence(one), _essence(other)
    return first.startswith(second) or second.startswith(first)


def _essence(data: bytes) -> str:
    parts = parts_of(data)
    return _NOT_PLAIN.sub("", parts[0].text) if parts else ""
