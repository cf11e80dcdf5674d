"""Writes mail: one reply as bytes, and several as an mbox.

Drafts bear no Date, since the same review must give the same bytes and a draft is dated by whatever sends it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from email.charset import SHORTEST, Charset
from email.header import Header
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy

from msgspec import Struct

from reviewer.model import Address

_UNSAFE = re.compile(
    "[\x00-\x20\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]+"
)
_REPLY = re.compile(r"\s*re\s*:", re.IGNORECASE)
_ID = re.compile(r"[!-;=?-~]{1,900}")
_EMAIL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,190}")
_FROM = re.compile(rb"^(>*From )", re.MULTILINE)
_MBOXRD_LINE = b"From mboxrd@z Thu Jan  1 00:00:00 1970\n"

LONGEST_SUBJECT = 400
MOST_REFERENCES = 50
_LONGEST_LINE = 998
_COLUMNS = 76


class _Line:
    """A header of ASCII words, folded by us.

    The library's folding encodes long words, may leave the first line empty, decodes what looks encoded, so that a line
    break in it starts a new header, and takes the quotes off names, so that an address in one becomes a recipient.
    """

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, object]) -> None:
        kwds["parse_tree"] = None
        kwds["decoded"] = value

    def fold(self, *, policy: EmailPolicy[EmailMessage]) -> str:
        name = str(getattr(self, "name", ""))
        lines = [f"{name}:"]
        for word in str(self).split():
            if len(lines[-1]) + 1 + len(word) > _COLUMNS and lines[-1] != f"{name}:":
                lines.append("")
            lines[-1] += f" {word}"
        return policy.linesep.join(lines) + policy.linesep


def _utf8() -> Charset:
    """UTF-8 as headers want it, whatever other packages of the process made of the library's table of charsets."""
    charset = Charset("utf-8")
    charset.header_encoding = SHORTEST
    return charset


def _policy() -> EmailPolicy[EmailMessage]:
    registry = HeaderRegistry(default_class=_Line)  # type: ignore[arg-type]  # the stubs want a class of the library
    for name in ("from", "to", "subject", "message-id"):
        registry.map_to_type(name, _Line)  # type: ignore[arg-type]  # as above
    return SMTP.clone(linesep="\n", header_factory=registry)


class Reply(Struct, frozen=True, kw_only=True):
    """An answer to one mail, before it is bytes.

    `subject`, `in_reply_to` and `references` are those of the mail answered, its id bare; `headers` are more headers,
    in order. `to` is None when nobody can be addressed.
    """

    sender: Address
    to: Address | None
    subject: str
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    body: str
    headers: tuple[tuple[str, str], ...] = ()


def compose(reply: Reply) -> bytes:
    """A mail of plain UTF-8 text, lines ended by LF, headers in ASCII.

    The subject gets its `Re: `, the references the id of the mail answered. Line breaks and control characters in what
    becomes a header turn to spaces; an address or id that is none is left out. The body is 7bit or 8bit when its lines
    allow it, else quoted-printable.
    """
    mail = EmailMessage(policy=_policy())
    mail["From"] = _mailbox(reply.sender)
    if reply.to is not None and (box := _mailbox(reply.to)):
        mail["To"] = box
    mail["Subject"] = _encoded(reply_subject(reply.subject))
    mail["Message-ID"] = f"<{reply.message_id}>"
    if _ID.fullmatch(reply.in_reply_to):
        mail["In-Reply-To"] = f"<{reply.in_reply_to}>"
    if chain := _chain(reply.references, reply.in_reply_to):
        mail["References"] = " ".join(f"<{one}>" for one in chain)
    for name, value in reply.headers:
        mail[name] = _encoded(header_text(value))
    text = reply.body.encode("utf-8", "replace").decode("utf-8")
    mail.set_content(text, charset="utf-8", cte=_encoding(text))
    return mail.as_bytes()


def _encoding(text: str) -> str:
    if any(len(line) > _LONGEST_LINE for line in text.encode().split(b"\n")) or "\r" in text:
        return "quoted-printable"
    return "7bit" if text.isascii() else "8bit"


def _encoded(text: str) -> str:
    """`text` as ASCII, in encoded words (RFC 2047) where it is not or looks as if."""
    if text.isascii() and "=?" not in text:
        return text
    return " ".join(Header(text, _utf8(), header_name="Subject", maxlinelen=_COLUMNS).encode().split())


def header_text(value: str) -> str:
    """A value on one line: runs of white space, control characters and hidden ones become one space."""
    return _UNSAFE.sub(" ", value).strip()


def reply_subject(subject: str) -> str:
    """`Re: ` and the subject on one line, cut where no subject is that long."""
    text = header_text(subject)[:LONGEST_SUBJECT]
    return text if _REPLY.match(text) else f"Re: {text}"


def _mailbox(person: Address) -> str:
    """A person for a header, empty when the address is none."""
    email = person.email.strip()
    if not _EMAIL.fullmatch(email):
        return ""
    name = header_text(person.name)[:LONGEST_SUBJECT].replace("\\", "").replace('"', "'")
    shown = f'"{name}"' if name.isascii() and "=?" not in name else _encoded(name)
    return f"{shown} <{email}>" if name else email


def _chain(references: tuple[str, ...], parent: str) -> tuple[str, ...]:
    """The ids of the References header; of a long chain the first and the newest (RFC 5537, 3.4.4)."""
    chain = [
        one for one in dict.fromkeys((*(one for one in references if one != parent), parent)) if _ID.fullmatch(one)
    ]
    return tuple(chain if len(chain) <= MOST_REFERENCES else (chain[0], *chain[1 - MOST_REFERENCES :]))


def derived_id(parent: str, version: str, domain: str) -> str:
    """The bare id of our mail about `parent` by rules of `version`: a second run cannot make a second mail."""
    hashed = hashlib.sha256(f"{parent}\0{version}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"reviewer-{hashed[:32]}@{domain}"


def mboxrd(mails: Iterable[bytes]) -> bytes:
    """An mbox of mails whose lines end in LF; `From ` lines are quoted, and quoted ones once more."""
    return b"".join(_MBOXRD_LINE + _FROM.sub(rb">\1", mail.rstrip(b"\n") + b"\n") + b"\n" for mail in mails)
