"""What a mail is by its headers alone, before it is known which series it belongs to."""

from __future__ import annotations

from typing import Literal

from reviewer.model import Mail
from reviewer.series.people import is_bot

Kind = Literal["cover", "patch", "bare", "fix-up", "reply", "bot", "applied", "pull-request", "other"]

_APPLIED_STARTS = ('applied "', "[merged", "[tip: ", "+ ")
_PULL_STARTS = ("pull-request:", "pull request:", "git pull")


def kind_of(mail: Mail) -> Kind:
    """What `mail` could be.

    `cover`: counter 0. `patch`: no reply, with a diff or tagged with a counter; `bare` the same without diff and
    counter, a patch only when it is nothing else. `fix-up`: a reply with a diff, a version and a counter of its own,
    which may be a partial reroll. The rest are roles.
    """
    if _is_applied(mail):
        return "applied"
    return _kind_of_reply(mail) if mail.subject.reply else _kind_of_new(mail)


def _kind_of_new(mail: Mail) -> Kind:
    subject = mail.subject
    tagged = subject.patch or subject.rfc
    if subject.number == 0:
        return "cover"
    if not mail.has_diff and is_pull(mail):
        return "pull-request"
    if not tagged and is_bot(mail.author):
        return "bot"
    if mail.has_diff or (subject.number is not None and (tagged or subject.version_given)):
        return "patch"
    if mail.references:
        return "reply"
    return "bare" if subject.patch else "other"


def _kind_of_reply(mail: Mail) -> Kind:
    if is_bot(mail.author):
        return "bot"
    subject = mail.subject
    return "fix-up" if mail.has_diff and subject.version_given and subject.number else "reply"


def is_pull(mail: Mail) -> bool:
    """Whether the subject asks to pull, be it with a counter."""
    tokens = {token.lower() for token in mail.subject.tokens}
    return "pull" in tokens or mail.subject.title.casefold().startswith(_PULL_STARTS)


def _is_applied(mail: Mail) -> bool:
    """Whether the mail says that patches went in: by patchwork-bot, b4 ty, tip-bot2, -mm and stable robots."""
    local = mail.author.email.lower().partition("@")[0]
    if "git-patchwork-" in mail.message_id or "b4-ty@" in mail.message_id or local == "tip-bot2":
        return True
    text = mail.subject.text.casefold().removeprefix("re: ")
    if text.startswith(_APPLIED_STARTS):
        return not text.startswith("+ ") or " added to " in text
    return text.startswith('patch "') and " has been added to the " in text
