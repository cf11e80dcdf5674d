"""Subject lines, taken apart."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewer.mail.sharing import shared
from reviewer.mail.words import clean
from reviewer.model import Subject

_REPLY = re.compile(
    r"(?:re|aw|antw(?:ort)?|sv|fwd?|wg|odp|rif|ynt|回复|答复|回覆|答覆|转发|轉寄|답장|회신|전달)"
    r"\s?(?:\[\d{1,4}\]|\(\d{1,4}\)|\^\d{1,4}|\*\d{1,4})?\s?[:：]\s*",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<![\w/])(\d{1,6})\s?(?:/|\bof\b)\s?(\d{1,6})(?![\w/])", re.IGNORECASE)
_COUNTER = re.compile(r"(?:[A-Za-z]*?)(\d{1,6})/(\d{1,6})(?:v\d{1,4})?")
_VERSION = re.compile(r"-?(?:rfc|patch(?:es|set|series)?|series)?-?v\.?(\d{1,4})(\.\d{1,3})?[a-z]?", re.IGNORECASE)
_PATCH = re.compile(r"(?:^|[^a-z])patch(?:es|set)?(?![a-z])|^patchv\d", re.IGNORECASE)
_RFC = re.compile(r"(?:^|[^a-z])rfc(?![a-z])|^rfcv\d|^rfcpatch", re.IGNORECASE)
_RESEND = frozenset({"resend", "resent", "re-send", "repost", "re-post"})
_IN_TITLE = re.compile(r"\s*\((?:patch )?v(\d{1,4})\)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;:\[]+")
_LONGEST = 4000


def parse_subject(text: str) -> Subject:
    """A decoded subject, taken apart. MAIL.md, section 2, lists the shapes.

    Only the first 4,000 characters are looked at. Brackets in front of a reply prefix are a list's tags and give no
    tokens.
    """
    return _parsed(clean(text[:_LONGEST]))


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Subject:
    """One value for all answers under one subject: they are read often, and held as long as an archive is."""
    rest, reply, brackets = _leading(text)
    tokens = _tokens(tuple(brackets))
    version = _version(tokens)
    title = rest
    if version is None and (found := _IN_TITLE.search(rest)):
        version = int(found[1])
        title = clean(f"{rest[: found.start()]} {rest[found.end() :]}")
    number, total = _counter(tokens)
    return Subject(
        text=text,
        title=shared(title),
        tokens=tokens,
        version=1 if version is None else version,
        version_given=version is not None,
        number=number,
        total=total,
        reply=reply,
        patch=any(_PATCH.search(token) for token in tokens),
        rfc=any(_RFC.search(token) for token in tokens),
        resend=any(token.lower() in _RESEND for token in tokens),
    )


def _leading(text: str) -> tuple[str, bool, list[str]]:
    """What is left behind leading brackets and reply prefixes, whether there was such a prefix, and the brackets.

    Behind a patch's tag only `Re:` is a prefix: `fw:` and the like name a subsystem there.
    """
    reply = False
    brackets: list[str] = []
    at = 0
    while at < len(text):
        match = _REPLY.match(text, at)
        if match and (text[at : at + 2].lower() == "re" or not any(map(_PATCH.search, brackets))):
            reply, at = True, match.end()
            brackets.clear()
        elif text[at] == "[" and (end := text.find("]", at)) > 0:
            brackets.append(text[at + 1 : end])
            at = end + 1
            at += len(text) - at - len(text[at:].lstrip())
        else:
            break
    return text[at:].strip(), reply, brackets


@lru_cache(maxsize=1024)
def _tokens(brackets: tuple[str, ...]) -> tuple[str, ...]:
    joined = (_SPACED.sub(r" \1/\2 ", bracket) for bracket in brackets)
    return tuple(shared(token) for bracket in joined for token in _BETWEEN.split(bracket) if token)


def _version(tokens: tuple[str, ...]) -> int | None:
    """The version that the tokens give; one with a dot (`v2.5`, or a kernel's) only when no other does."""
    found = [match for token in tokens if (match := _VERSION.fullmatch(token))]
    whole = [int(match[1]) for match in found if not match[2]]
    if whole:
        return max(whole)
    return int(found[0][1]) if found else None


def _counter(tokens: tuple[str, ...]) -> tuple[int | None, int | None]:
    for token in tokens:
        if match := _COUNTER.fullmatch(token):
            return int(match[1]), int(match[2])
    return None, None
