"""What a mail's text holds, found without decoding it to text: read for every mail of an archive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from reviewer.mail.charset import decode
from reviewer.mail.header import Headers
from reviewer.mail.htmltext import html_to_text
from reviewer.mail.mime import read_leaves
from reviewer.mail.msgid import unescaped

_FILES = re.compile(rb" ?\d{1,9} files?")
_ARCHIVES = (b"lore.kernel.org/", b"patch.msgid.link/", b"lkml.kernel.org/r/")
_URL = re.compile(
    rb"https?://(?:[a-z.]*kernel\.org/(?:[a-z0-9.-]{1,80}/)?|patch\.msgid\.link/)([^\s/<>\"'()?#]+(?:@|%40)[^\s/<>\"'()?#\]]+)"
)
_SUPERSEDES = re.compile(rb"supersedes:\s*<?([^\s<>/]+@[^\s<>/]+?)>?\s*", re.IGNORECASE)
_WORD = re.compile(rb"[a-z0-9.]+")
_VERSION = re.compile(rb"v\d[a-z0-9.]*|rfcv\d+")
_EARLIER = frozenset(b"rfc previous previously earlier last original first".split())
_AROUND = _EARLIER | frozenset(
    b"link links to changes change changelog in since from for the of and version versions patch series posting post "
    b"net next bpf lore history".split()
)
_CHANGE_ID = re.compile(rb"change-id:[ \t]*(\S{1,200})[ \t\r]*(?:\n|$)", re.IGNORECASE)
_GERRIT = re.compile(r"I[0-9a-f]{40}")
_MOST_LINKS = 64


class Facts(Struct, frozen=True, kw_only=True):
    """Whether an unquoted diff starts in the text, whether a diffstat's summary stands in it, and its lineage.

    That is its change-id, and the Message-IDs that it links as earlier versions.
    """

    has_diff: bool
    has_diffstat: bool
    change_id: str | None
    links: tuple[str, ...]


def read_facts(headers: Headers, body: bytes, *, reply: bool) -> Facts:
    """The facts of a mail's body; a reply names no lineage."""
    texts = list(_texts(headers, body))
    links: dict[str, None] = {}
    change_id: str | None = None
    if not reply:
        for text in texts:
            change_id = change_id or _change_id(text)
            links.update(dict.fromkeys(_links(text)))
    return Facts(
        has_diff=any(_has_diff(text) for text in texts),
        has_diffstat=any(_has_diffstat(text) for text in texts),
        change_id=change_id,
        links=tuple(links)[:_MOST_LINKS],
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


def _links(text: bytes) -> Iterator[str]:
    """Message-IDs above the diff, on lines (or below lines) that do nothing but name an earlier version."""
    end = text.find(b"\ndiff --git ")
    above = text if end < 0 else text[:end]
    if b"upersedes:" not in above and not any(archive in above for archive in _ARCHIVES):
        return
    before = b""
    for line in above.split(b"\n"):
        if line[:1] == b">":
            continue
        if match := _SUPERSEDES.fullmatch(line):
            yield unescaped(match[1])
        elif match := _URL.search(line) if b"://" in line else None:
            lead = line[: match.start()].strip(b" \t-*")
            if _names_earlier(lead or before):
                yield unescaped(match[1])
        if line.strip():
            before = line.strip() if line.rstrip().endswith(b":") else b""


def _names_earlier(lead: bytes) -> bool:
    words = _WORD.findall(lead[:200].lower())
    versions = [word for word in words if _VERSION.fullmatch(word)]
    known = all(word in _AROUND or word in versions for word in words)
    return len(lead) <= 80 and known and (bool(versions) or any(word in _EARLIER for word in words))
