"""The Message-IDs of earlier versions that a text names: addresses in archives, whoever keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.mail.msgid import unescaped

_SUPERSEDES = re.compile(rb"supersedes:\s*<?([^\s<>/]+@[^\s<>/]+?)>?\s*", re.IGNORECASE)
_ADDRESS = re.compile(rb"https?://[^\s<>\"'()\[\]]+")
_WORD = re.compile(rb"[a-z0-9.]+")
_VERSION = re.compile(rb"v\d[a-z0-9.]*|rfcv\d+")
_BEHIND = re.compile(rb"[\s#(\[,-]{1,6}((?:rfc )?v\d{1,3})[\])]?\s*", re.IGNORECASE)
_EARLIER = frozenset(b"rfc previous previously earlier last original first".split())
_AROUND = _EARLIER | frozenset(
    b"link links to changes change changelog in since from for the of and version versions patch series posting post "
    b"net next bpf lore history".split()
)
_MOST = 4


def earlier_versions(above: bytes) -> Iterator[str]:
    """Message-IDs in the text above a diff, on lines (or below lines) that do nothing but name an earlier version.

    An address counts when a part of its path or query is a Message-ID: public-inbox servers, patchwork, redirectors
    and other archives are written so. `Link:` counts with a version behind it.
    """
    if b"://" not in above and b"upersedes:" not in above:
        return
    before = b""
    for line in above.split(b"\n"):
        if line[:1] == b">" or not line.strip():
            continue
        if b"@" in line or b"%40" in line:
            yield from _named_on(line, before)
        before = line.strip() if line.rstrip().endswith(b":") else b""


def _named_on(line: bytes, before: bytes) -> Iterator[str]:
    if match := _SUPERSEDES.fullmatch(line):
        yield unescaped(match[1])
        return
    start = 0
    for _, match in zip(range(_MOST), _ADDRESS.finditer(line), strict=False):
        found = _id_in(match[0])
        lead = line[start : match.start()].strip(b" \t-*<(,;")
        behind = lead.lower() in (b"", b"link:") and _BEHIND.fullmatch(line, match.end())
        if found and (_names_earlier(lead or before) or (behind and not before)):
            yield unescaped(found)
        start = match.end()


def _id_in(address: bytes) -> bytes | None:
    """The last part of an address, behind its server, that is a Message-ID."""
    server = address.find(b"/", 8)
    if server < 0:
        return None
    for part in reversed(re.split(rb"[/=&?#]", address[server:])):
        local, at, domain = part.replace(b"%40", b"@").partition(b"@")
        if at and local and domain:
            return part.removeprefix(b"%3C").removesuffix(b"%3E")
    return None


def _names_earlier(lead: bytes) -> bool:
    words = _WORD.findall(lead[:200].lower())
    versions = [word for word in words if _VERSION.fullmatch(word)]
    known = all(word in _AROUND or word in versions for word in words)
    return len(lead) <= 80 and known and (bool(versions) or any(word in _EARLIER for word in words))
