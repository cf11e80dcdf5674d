"""Who a mail is from: mailboxes in headers and trailers, and the real author behind a list's rewriting."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewer.mail.charset import decode
from reviewer.mail.words import clean, decode_words
from reviewer.model import Address

_LONGEST = 2000
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\((?:[^()\\]|\\.)*\)|<[^<>]*>|[,;]|[^"(<,;]+|.', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_VIA = re.compile(r"^(.*\S)\s+via\s+\S.*$", re.IGNORECASE)
_SPACE = re.compile(r"\s+")

NOBODY = Address(name="", email="")


def parse_addresses(raw: bytes) -> tuple[Address, ...]:
    """The mailboxes of a header's value, names decoded; what holds no address is left out.

    Only the first 2,000 characters are read. A comma in a name that should have been quoted does not end it.
    """
    found: list[Address] = []
    names: list[str] = []
    comments: list[str] = []
    email = ""
    for token in (*_TOKEN.findall(decode(raw[:_LONGEST], None)[0]), ","):
        first = token[0]
        if first in ",;":
            box = _mailbox(names, comments, email)
            if box is None and names and first == ",":
                names.append(token)
                continue
            if box is not None:
                found.append(box)
            names, comments, email = [], [], ""
        elif first == "<" and len(token) > 1:
            email = email or token[1:-1]
        elif first == "(" and len(token) > 1:
            comments.append(token[1:-1])
        elif first == '"' and len(token) > 1:
            names.append(_ESCAPED.sub(r"\1", token[1:-1]))
        else:
            names.append(token)
    return tuple(found)


def _mailbox(names: list[str], comments: list[str], email: str) -> Address | None:
    name = _SPACE.sub(" ", " ".join(part.strip() for part in names)).strip(" ,").replace(" ,", ",")
    if not email:
        words = name.split(" ")
        email = next((word for word in words if "@" in word), "")
        if not email:
            return None
        name = " ".join(word for word in words if word != email)
    name = name or " ".join(comments)
    return Address(name=decode_words(name.encode()), email=_SPACE.sub("", clean(email)))


def parse_person(text: str) -> Address | None:
    """The mailbox at the start of a trailer's value, `Name <address>` or a bare address; None when there is none.

    What stands in brackets of any kind or behind `#` after the address is not part of it.
    """
    text = text[:_LONGEST]
    at = text.find("<")
    while at >= 0:
        end = text.find(">", at)
        email = text[at + 1 : end].strip() if end > 0 else ""
        if "@" in email and " " not in email:
            return Address(name=clean(text[:at]).strip("\"' ,"), email=email)
        at = text.find("<", at + 1)
    word = text.split(" ")[0].strip("<>,;.()")
    return Address(name="", email=word) if re.fullmatch(r"[^@\s]+@[^@\s]+", word) else None


@lru_cache(maxsize=4096)
def real_author(sender: bytes, reply_to: bytes, original: bytes) -> Address:
    """The author by the From, Reply-To and X-Original-From headers (raw; empty when absent).

    Lists rewrite From to `X via List <list@...>` and keep the address elsewhere. Where it is lost, the list's address
    stays under the author's name. A From without an address gives the name alone.
    """
    boxes = parse_addresses(sender)
    if not boxes:
        return Address(name=decode_words(sender[:_LONGEST]), email="")
    box = boxes[0]
    via = _VIA.match(box.name)
    if via is None:
        return box
    name = via[1].strip("'\" ")
    for candidate in (*parse_addresses(original), *parse_addresses(reply_to)):
        if candidate.email.lower() != box.email.lower() and (not candidate.name or _same(candidate.name, name)):
            return Address(name=name, email=candidate.email)
    return Address(name=name, email=box.email)


def _same(one: str, other: str) -> bool:
    return one.strip("'\" ").casefold() == other.casefold()


def name_key(name: str) -> str:
    """A name folded for comparing: case, accents, dots, quotes, what stands in parentheses, `Last, First` turned."""
    import unicodedata  # only where tags are matched to senders

    name = re.sub(r"\([^()]*\)", " ", name[:_LONGEST])
    if name.count(",") == 1:
        last, _, first = name.partition(",")
        name = f"{first} {last}"
    plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return " ".join(re.sub(r"[.,'\"]", " ", plain).casefold().split())


def email_key(email: str) -> str:
    """An address folded for comparing: lower case, without a `+detail`."""
    local, at, domain = email.strip().lower().rpartition("@")
    return local.partition("+")[0] + at + domain


def person_matches(person: Address, sender: Address) -> bool:
    """Tell whether a tag's person is the sender of the mail: the same address or the same name, once folded."""
    if person.email and email_key(person.email) == email_key(sender.email):
        return True
    return bool(person.name) and name_key(person.name) == name_key(sender.name) != ""
