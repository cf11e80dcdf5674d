"""What a mail's text holds, found without decoding it to text: read for every mail of an archive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from reviewer.mail.charset import decode
from reviewer.mail.header import Headers
from reviewer.mail.htmltext import html_to_text
from reviewer.mail.links import earlier_versions
from reviewer.mail.mime import read_leaves

_FILES = re.compile(rb" ?\d{1,9} files?")
_CHANGE_ID = re.compile(rb"change-id:[ \t]*(\S{1,200})[ \t\r]*(?:\n|$)", re.IGNORECASE)
_GERRIT = re.compile(r"I[0-9a-f]{40}")
_MOST_LINKS = 64


class Facts(Struct, frozen=True, kw_only=True):
    """Whether an unquoted diff starts in the text, whether a diffstat's summary stands in it, and its lineage.

    That is its change-id, and the Message-IDs that it links as earlier versions. `steers` tells whether `reviewer:`
    stands anywhere in the text.
    """

    has_diff: bool
    has_diffstat: bool
    change_id: str | None
    links: tuple[str, ...]
    steers: bool = False


def read_facts(headers: Headers, body: bytes, *, reply: bool) -> Facts:
    """The facts of a mail's body; a reply names no lineage."""
    texts = list(_texts(headers, body))
    links: dict[str, None] = {}
    change_id: str | None = None
    if not reply:
        for text in texts:
            change_id = change_id or _change_id(text)
            links.update(dict.fromkeys(earlier_versions(text[: _end(text)])))
    return Facts(
        has_diff=any(_has_diff(text) for text in texts),
        has_diffstat=any(_has_diffstat(text) for text in texts),
        change_id=change_id,
        links=tuple(links)[:_MOST_LINKS],
        steers=any(b"eviewer:" in text for text in texts),
    )


def _texts(headers: Headers, body: bytes) -> Iterator[bytes]:
    """The text parts as bytes, each behind a newline; in UTF-8 where their charset is no superset of ASCII."""
    leaves = read_leaves(headers, body)[0]
    texts = [leaf for leaf in leaves if leaf.is_text]
    for leaf in texts:
        raw = leaf.content()[0]
        if (leaf.charset or "").lower().startswith(("utf-16", "utf-32", "utf-7", "utf16", "utf32", "utf7")):
            raw = decode(raw, leaf.charset)[0].encode()
        yield b"\n" + raw
    if not texts:
        for leaf in leaves:
            if leaf.content_type == "text/html":
                yield b"\n" + html_to_text(decode(leaf.content()[0], leaf.charset)[0]).encode()


def _has_diff(text: bytes) -> bool:
    if b"\ndiff --git " in text:
        return True
    at = text.find(b"\n--- ")
    while at >= 0:
        below = text.find(b"\n", at + 1)
        if below >= 0 and text.startswith(b"+++ ", below + 1):
            hunk = text.find(b"\n", below + 1)
            if hunk >= 0 and text.startswith(b"@@ -", hunk + 1):
                return True
        at = text.find(b"\n--- ", at + 1)
    return False


def _end(text: bytes) -> int:
    """Where the diff starts, or the text ends."""
    end = text.find(b"\ndiff --git ")
    return len(text) if end < 0 else end


def _has_diffstat(text: bytes) -> bool:
    at = text.find(b" changed")
    while at >= 0:
        start = text.rfind(b"\n", max(at - 40, 0), at)
        if start >= 0 and text[at + 8 : at + 9] in (b",", b"\n", b"\r", b"") and _FILES.fullmatch(text, start + 1, at):
            return True
        at = text.find(b" changed", at + 1)
    return False


def _change_id(text: bytes) -> str | None:
    """The value of the first `change-id:` line; Gerrit's, which name single patches, are passed over."""
    at = text.find(b"hange-")
    while at >= 0:
        match = _CHANGE_ID.match(text, at - 1) if text[at - 2 : at - 1] == b"\n" else None
        if match is not None and not _GERRIT.fullmatch(found := match[1].decode("latin-1")):
            return found
        at = text.find(b"hange-", at + 1)
    return None
