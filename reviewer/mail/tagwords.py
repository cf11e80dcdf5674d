"""The words around a tag: conditions, limits to some patches, objections."""

from __future__ import annotations

import re

from reviewer.mail.tagnames import OBJECTIONS, tag_name

_CONDITION = re.compile(
    r"\bwith (?:that|this|these|those|the|above|all|my|your|a|comments?|nits?)\b.{0,80}?"
    r"\b(?:fixed|addressed|changed|resolved|removed|updated|corrected|cleaned|dropped|renamed|sorted)\b"
    r"|\bonce\b(?! again| more)|\b(?:assuming|provided|modulo|unless|conditional|conditionally|contingent|pending)\b"
    r"|\b(?:if|when) (?:you|that|this|it|the|these|those)\b(?! helps| like| want| wish| care| need)"
    r"|\bafter (?:fixing|addressing|that|this|the|you|changing)\b"
    r"|\bas long as\b",
    re.IGNORECASE,
)
_NUMBERS = (
    r"#?(?P<{name}>\d{{1,5}}(?:/\d{{1,5}})?"
    r"(?: ?(?:-|–|\.\.|to|through|thru|,|and|&|, and) ?(?:patch )?#?\d{{1,5}}(?:/\d{{1,5}})?){{0,50}})(?![\w%.])"
)
_LIMIT = re.compile(
    r"\b(?:for|on|to) (?:only )?(?:the )?(?:patch(?:es)?|parts?) ?" + _NUMBERS.format(name="named")
    + r"|\bfor (?:only )?(?=#?\d{1,5} ?[-–/])" + _NUMBERS.format(name="bare")
    + r"|\bpatch(?:es)? " + _NUMBERS.format(name="listed") + r"(?: only)? ?:",
    re.IGNORECASE,
)  # fmt: skip
_RANGE = re.compile(r"(\d{1,5})(?:/\d{1,5})?(?: ?(?:-|–|\.\.|to|through|thru) ?#?(\d{1,5})(?:/\d{1,5})?)?")
_WITHDRAWN = re.compile(
    r"\b(?:drop|remove|withdraw|retract|revoke|rescind|take back)(?:ing)? (?:my|the) ([A-Za-z]{3,12}-(?:by|off-by))\b",
    re.IGNORECASE,
)
_PATCHWORK = re.compile(r"pw-bot:[ \t]*([a-z][a-z-]{0,40})\s*", re.IGNORECASE)
_SYZBOT = re.compile(r"#syz[ \t:]+(\S.{0,400})", re.IGNORECASE)
_STATES = {"cr": "changes-requested", "defer": "deferred", "ur": "under-review", "au": "awaiting-upstream"}


def may_hold_tag(text: str) -> bool:
    """Tell, at little cost, whether a tag, an objection or a command to a bot could stand in `text`."""
    folded = text.lower()
    words = ("by", "changes-requested", "nak", "nack", "pw-bot", "#syz")
    return any(word in folded for word in words)


def is_conditional(words: str) -> bool:
    """Tell whether the words around a tag ask for something first."""
    return _CONDITION.search(words) is not None


def limited_to(words: str) -> tuple[int, ...] | None:
    """The numbers of the patches that the words around a tag limit it to, ascending; None without a limit."""
    numbers: set[int] = set()
    for match in _LIMIT.finditer(words):
        for first, last in _RANGE.findall(match[match.lastgroup or 0]):
            numbers.update(range(int(first), min(int(last or first), int(first) + 1000) + 1))
    return tuple(sorted(numbers)) or None


def objection(text: str, *, starts: bool) -> str | None:
    """The objection that a line is: "NAK", or the name of the tag that it takes back or leaves unsigned; else None.

    `starts` tells whether a sentence may start with the line.
    """
    withdrawn = _WITHDRAWN.search(text)
    named = tag_name(withdrawn[1]) if withdrawn else None
    if named is not None:
        return named[0]
    unsigned = tag_name(text.partition(":")[0].strip(" \t*_.!"))
    if unsigned is not None and unsigned[0] in OBJECTIONS and unsigned[1] is None:
        return unsigned[0]
    folded = text.lower()
    if "nak" not in folded and "nack" not in folded:
        return None
    from reviewer.mail.objecting import is_objection  # few threads have one

    return "NAK" if is_objection(text, starts=starts) else None


def bot_command(text: str) -> tuple[str, str] | None:
    """What a line tells patchwork's bot ("pw-bot" and the state, written out) or syzbot ("#syz" and its words)."""
    match = _PATCHWORK.fullmatch(text)
    if match is not None:
        return "pw-bot", _STATES.get(match[1].lower(), match[1].lower())
    match = _SYZBOT.fullmatch(text)
    return ("#syz", match[1].strip()) if match is not None else None
