"""A mail's headers, and what must be known of its body before it is opened."""

from __future__ import annotations

from collections.abc import Callable

from reviewer.mail.address import real_author
from reviewer.mail.dates import parse_date
from reviewer.mail.facts import read_facts
from reviewer.mail.header import Headers, scan_headers
from reviewer.mail.msgid import answered_ids, own_id
from reviewer.mail.subject import parse_subject
from reviewer.mail.words import decode_words
from reviewer.model import Mail, Notice

_NEEDED = (b"from", b"subject", b"message-id")


def parse_mail(data: bytes, source: str, position: int, load: Callable[[], bytes]) -> Mail | Notice:
    """The mail in `data` (headers first, no `From ` line), or a Notice when it has no header that a mail must have.

    `source` and `position` (from 0) tell where it stood; `load` reads `data` again. Never raises. A mail without a
    Message-ID gets one made of its hash.
    """
    headers, start = scan_headers(data)
    if not any(name in headers for name in _NEEDED):
        text = f"{source}: mail {position + 1} has neither From nor Subject nor Message-ID; left out"
        return Notice(code="bad-mail", message=text, source=source)
    subject = parse_subject(decode_words(headers.get(b"subject", b"")))
    facts = read_facts(headers, data[start:], reply=subject.reply)
    parent, references = answered_ids(headers.get(b"in-reply-to", b""), headers.get(b"references", b""))
    message_id = own_id(headers.get(b"message-id", b"")) or _made_id(data)
    return Mail(
        message_id=message_id,
        subject=subject,
        author=real_author(
            headers.get(b"from", b""), headers.get(b"reply-to", b""), headers.get(b"x-original-from", b"")
        ),
        date=parse_date(headers.get(b"date", b"")[:200].decode("latin-1")),
        in_reply_to=parent,
        references=references,
        has_diff=facts.has_diff,
        has_diffstat=facts.has_diffstat,
        source=source,
        position=position,
        load=load,
        change_id=_header_change_id(headers) or facts.change_id,
        links=tuple(link for link in facts.links if link != message_id),
        steers=facts.steers,
    )


def _header_change_id(headers: Headers) -> str | None:
    return decode_words(headers.get(b"x-change-id", b"")) or None


def _made_id(data: bytes) -> str:
    import hashlib  # hardly any mail lacks its Message-ID

    return f"sha256:{hashlib.sha256(data).hexdigest()[:16]}@reviewer.invalid"
