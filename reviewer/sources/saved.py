"""Pages and feeds among the sources: told by their first bytes, read by what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from reviewer.sources.raw import Raw, RawMail, truncated
from reviewer.sources.stream import BrokenError

SavedKind = Literal["page", "feed"]

_SKIPPED = re.compile(rb"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ELEMENT = re.compile(rb"<(?:\w+:)?(\w+)")
_FEEDS = frozenset((b"feed", b"entry"))
_PAGES = frozenset((b"html", b"head", b"body", b"title", b"meta", b"pre", b"form", b"div", b"link", b"style"))


def saved_kind(head: bytes) -> SavedKind | None:
    """What a file is whose first bytes are `head`: a page, an Atom feed, or neither (None).

    Comments, instructions and a document type in front are passed over; where they fill all of `head`, it is a page.
    """
    head = head.lstrip()
    if not head.startswith(b"<"):
        return None
    at = 0
    while (skipped := _SKIPPED.match(head, at)) is not None:
        at = skipped.end()
    element = _ELEMENT.match(head, at)
    name = element[1].lower() if element else b""
    if name in _FEEDS:
        return "feed"
    return "page" if name in _PAGES or (at and at == len(head)) or head.startswith(b"<!--", at) else None


def read_saved(kind: SavedKind, blocks: Iterator[bytes], name: str, shown: str) -> Raw:
    """The mails of a page or feed that comes in `blocks`; a Notice when it was read only in part.

    `name` is the name the user gave, `shown` what notices call it. Raises BrokenError when it holds no mail.
    """
    from reviewer.sources.feeds import read_feed
    from reviewer.sources.markup import MAX_PAGE
    from reviewer.sources.pages import read_page

    data = bytearray()
    broken = ""
    try:
        for block in blocks:
            data += block
            if len(data) > MAX_PAGE:
                break
    except BrokenError as error:
        broken = str(error)
    mails = read_page(bytes(data), shown) if kind == "page" else read_feed(bytes(data), shown)
    for one in mails:
        if isinstance(one, RawMail):
            yield RawMail(data=one.data, source=name)
        elif not broken:
            yield one
    if broken:
        yield truncated(shown, broken)
