"""Whether a later version goes to those whom a comment wants in Cc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.mail.address import email_key, name_key
from reviewer.mail.recipients import recipients
from reviewer.model import Address, Cover, Evidence, Mail, Patch
from reviewer.talk.changed import shown
from reviewer.talk.comments import Remark
from reviewer.talk.later import Later

_CC = re.compile(r"\bcc(?:['’]?(?:d|ed|ing))?\b|\bget_maintainer", re.IGNORECASE)
_ME = re.compile(r"\bcc['’]? ?(?:to )?me\b", re.IGNORECASE)
_ALL = re.compile(r"\bget_maintainer|\b(?:all|the|respective|other|relevant) maintainers\b", re.IGNORECASE)
_WORD = re.compile(r"[\w.+-]{2,60}@?[\w.-]{0,60}")
_BEFORE, _BEHIND = 120, 240
_SHORTEST = 3
_MOST = 5
_NO_NAMES = frozenset(
    ("please", "could", "you", "and", "the", "list", "also", "this", "next", "time", "resend", "repost")
)

Sent = tuple[str, Sequence[Mail]]
"""What to call a version, and the mails of it that tell to whom it goes."""


def copied(remark: Remark, subject: Patch | Cover, index: int, later: Later) -> Iterator[tuple[bool, Evidence]]:
    """What the To and Cc of later versions, or of the same one sent again, make of a request to Cc somebody.

    Each comes with whether it is a change. Nothing when the comment asks for no such thing, or when it cannot be told:
    pages of archives do not have those headers, and `the mm people` is no address.
    """
    near = _near(remark.comment.text)
    if not near:
        return
    asked = _Asked(near, remark.comment.author)
    before = {email_key(box.email) for box in recipients(remark.document.mail.load())}
    for version, mails in _sent(remark, subject, index, later):
        there = {email_key(box.email): box for mail in mails for box in recipients(mail.load())}
        if not there:
            continue
        new = [box.email for key, box in there.items() if key not in before and asked.means(box)]
        if new:
            named = ", ".join(new[:_MOST])
            why = f"{version} goes to {shown(named)}"
            yield True, Evidence(message_id=mails[0].message_id, line=None, why=why)
            return
        if asked.address and not any(asked.means(box) for box in there.values()):
            why = f"{version} does not go to {shown(asked.address)}"
            yield False, Evidence(message_id=mails[0].message_id, line=None, why=why)


def _near(text: str) -> str:
    """The words around those that speak of Cc."""
    found = (text[max(match.start() - _BEFORE, 0) : match.end() + _BEHIND] for match in _CC.finditer(text))
    return "\n".join(one for one, _ in zip(found, range(_MOST), strict=False))


class _Asked:
    """Whom the words of a comment name."""

    def __init__(self, near: str, author: Address) -> None:
        words = [word.strip(".@-+").lower() for word in _WORD.findall(near)]
        self._words = {word for word in words if len(word) >= _SHORTEST} - _NO_NAMES
        self._text = f" {name_key(near)} "
        self._me = author if _ME.search(near) else None
        self._anybody = _ALL.search(near) is not None
        self.address = next((word for word in words if "@" in word), "")

    def means(self, box: Address) -> bool:
        """Whether the words mean a recipient."""
        email = box.email.lower()
        if self._anybody or email in self._words or email.partition("@")[0] in self._words:
            return True
        if self._me is not None and email_key(box.email) == email_key(self._me.email):
            return True
        name = name_key(box.name)
        return " " in name and f" {name} " in self._text


def _sent(remark: Remark, subject: Patch | Cover, index: int, later: Later) -> Iterator[Sent]:
    """The later versions that have what the comment is about, this one first when it was sent again."""
    series = later.versions.series
    if subject.mail.message_id != remark.document.mail.message_id:
        yield f"v{series[index].outline.version}, sent again,", _heads(subject.mail, series[index].outline.cover)
    now: tuple[int, Patch | Cover] | None = later.next_of(subject, index)
    while now is not None:
        newer, one = now
        outline = series[newer].outline
        yield f"v{outline.version}", _heads(one.mail, outline.cover)
        now = later.next_of(one, newer)


def _heads(mail: Mail, cover: Mail | None) -> Sequence[Mail]:
    return (mail,) if cover is None or cover is mail else (mail, cover)
