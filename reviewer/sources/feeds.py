"""Atom feeds of public-inbox servers: `t.atom`, `new.atom`, search results (`?q=...&x=A`).

Entries hold author, title, date, the address of the mail and of the one it answers (RFC 4287, RFC 4685), and the
text as XHTML, written as on the pages (lib/PublicInbox/WwwAtomStream.pm). The date is that of arrival where the
archive knows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct, field

from reviewer.sources.markup import MAX_PAGE, Event, read_xml
from reviewer.sources.pieces import Anchor, mail_parts, pre_blocks
from reviewer.sources.raw import Raw, RawMail, truncated
from reviewer.sources.rebuilt import Shown, from_header, mail_date, rebuild, shown_subject
from reviewer.sources.stream import BrokenError

_FIELDS = frozenset(("name", "email", "title", "updated"))


def read_feed(data: bytes, source: str) -> Raw:
    """The mails of a feed, in its order; a Notice when it was read only in part.

    `source` is what notices call it. Only the first MAX_PAGE bytes are read. Raises BrokenError for a feed without
    a mail.
    """
    whole = data[:MAX_PAGE].rstrip().endswith(b"</feed>")
    events, damage = read_xml(data[:MAX_PAGE])
    entries = [_shown(entry) for entry in _entries(events)]
    if not whole:  # the parser closes what the end of the data left open
        entries = entries[:-1]
    found = [shown for shown in entries if shown is not None]
    for shown in found:
        yield RawMail(data=rebuild(shown), source=source)
    if not found:
        raise BrokenError("is a feed without a mail")
    if len(data) > MAX_PAGE:
        yield truncated(source, f"is larger than {MAX_PAGE >> 20} MiB")
    elif damage or not whole:
        yield truncated(source, damage or "breaks off")


class _Entry(Struct):
    """What is gathered of an entry; `content` are the events within its content element."""

    fields: dict[str, str] = field(default_factory=lambda: {})
    link: str = ""
    parent: str = ""
    content: list[Event] = field(default_factory=lambda: [])


def _entries(events: Iterable[Event]) -> Iterator[_Entry]:
    """The entries of a feed."""
    entry: _Entry | None = None
    content = False
    name = ""
    for event in events:
        if event.kind == "open" and event.value == "entry" and entry is None:
            entry, content = _Entry(), False
        elif entry is None:
            continue
        elif content:
            content = event.kind != "close" or event.value != "content"
            entry.content.append(event)
        elif event.kind == "close" and event.value == "entry":
            yield entry
            entry = None
        elif event.kind == "open":
            name = event.value
            content = name == "content"
            _address(entry, event)
        elif event.kind == "close":
            name = ""
        elif event.kind == "text" and name in _FIELDS:
            entry.fields[name] = entry.fields.get(name, "") + event.value


def _address(entry: _Entry, event: Event) -> None:
    href = event.attributes.get("href", "")
    if event.value == "link" and event.attributes.get("rel", "alternate") == "alternate":
        entry.link = entry.link or href
    elif event.value == "in-reply-to":
        entry.parent = entry.parent or href


def _shown(entry: _Entry) -> Shown | None:
    """The mail of an entry; None when it has no text or no address to take its Message-ID from."""
    block = next(pre_blocks(entry.content), None)
    message_id = _id(entry.link)
    if block is None or not message_id:
        return None
    parent = _id(entry.parent)
    name, email = entry.fields.get("name", ""), entry.fields.get("email", "")
    return Shown(
        message_id=message_id,
        # the archive shows the local part of an address that has no name
        author=from_header("" if name == email.partition("@")[0] else name, email),
        subject=shown_subject(entry.fields.get("title", "")),
        date=mail_date(_when(entry.fields.get("updated", ""))),
        parents=(parent,) if parent else (),
        parts=mail_parts(block.pieces),
    )


def _id(address: str) -> str:
    return Anchor(address, "", "").last


def _when(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return when if when.tzinfo is not None and 1900 < when.year < 9000 else None
