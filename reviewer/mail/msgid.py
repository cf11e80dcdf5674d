"""Message-IDs, however they are written."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewer.mail.charset import decode
from reviewer.mail.sharing import shared

_BRACKETED = re.compile(r"<([^<>]*)>")
_SPACE = re.compile(r"[\x00-\x20\x7f-\x9f]+")
_COMMENT = re.compile(r"\([^()]*\)")
_LONGEST = 998
_OFTEN = 4000


def own_id(raw: bytes) -> str | None:
    """The bare Message-ID of a Message-ID header, with comments, spaces or brackets missing; None without one."""
    text = decode(raw, None)[0]
    ids = _ids(text)
    return ids[0] if ids else _loose(text)


def answered_ids(in_reply_to: bytes, references: bytes) -> tuple[str | None, tuple[str, ...]]:
    """The Message-ID that a mail answers, and those of its References, it last when it is not among them."""
    if len(in_reply_to) + len(references) > _OFTEN:
        return _answered(in_reply_to, references)
    return _answered_often(in_reply_to, references)


def _answered(in_reply_to: bytes, references: bytes) -> tuple[str | None, tuple[str, ...]]:
    parent = parent_id(in_reply_to)
    above = reference_ids(references)
    return parent, above if parent is None or parent in above else (*above, parent)


_answered_often = lru_cache(maxsize=512)(_answered)
"""The patches of a series, and the answers to one mail, have one tuple."""


def parent_id(raw: bytes) -> str | None:
    """The bare Message-ID that an In-Reply-To header names, or None.

    Older mailers put prose around it, an address among it: of several in brackets the first that looks like an id
    (holds `@` and a digit) is taken.
    """
    text = decode(raw, None)[0]
    ids = _ids(text)
    if not ids:
        return _loose(text)
    likely = [one for one in ids if "@" in one]
    return next((one for one in likely if any(char.isdigit() for char in one)), (likely or ids)[0])


def reference_ids(raw: bytes) -> tuple[str, ...]:
    """The bare Message-IDs of a References header, in order, each once."""
    text = decode(raw, None)[0]
    ids = _ids(text) if "<" in text else [shared(word) for word in text.split() if "@" in word]
    return tuple(dict.fromkeys(ids))


def _ids(text: str) -> list[str]:
    bare = (_SPACE.sub("", found) for found in _BRACKETED.findall(text))
    return [shared(one) for one in bare if one and len(one) <= _LONGEST]


def _loose(text: str) -> str | None:
    """An id without both brackets, when it is all that stands there beside comments."""
    words = _COMMENT.sub(" ", text).replace("<", " ").replace(">", " ").split()
    for word in words:
        if "@" in word or len(words) == 1:
            found = _SPACE.sub("", word)
            return shared(found) if 0 < len(found) <= _LONGEST else None
    return None


def unescaped(raw: bytes) -> str:
    """A Message-ID out of an address in an archive, percent-encoding undone."""
    plain = re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes((int(match[1], 16),)), raw[:_LONGEST])
    return shared(_SPACE.sub("", decode(plain, None)[0]).rstrip(".,;:"))
