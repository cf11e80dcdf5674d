"""To whom a mail goes."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.mail.address import parse_addresses
from reviewer.mail.header import scan_headers
from reviewer.model import Address

_FIELDS = frozenset((b"to", b"cc"))
_MOST = 32_000
_AT_ONCE = 1500


def recipients(data: bytes) -> tuple[Address, ...]:
    """The mailboxes of the To and Cc headers of a raw mail, in order; the first 32,000 bytes of each count."""
    headers, _ = scan_headers(data, _FIELDS)
    return tuple(
        box
        for name in (b"to", b"cc")
        for some in _pieces(headers.get(name, b"")[:_MOST])
        for box in parse_addresses(some)
    )


def _pieces(value: bytes) -> Iterator[bytes]:
    """A header in pieces that end behind a mailbox: there may be more of them than are read at once."""
    start = 0
    while len(value) - start > _AT_ONCE:
        end = value.rfind(b">,", start, start + _AT_ONCE)
        end = end + 1 if end > 0 else start + _AT_ONCE
        yield value[start:end]
        start = end + 1
    yield value[start:]
