"""Objections in words: a line that says NAK, and says it of the patch."""

from __future__ import annotations

import re

_LEAD_WORDS = (
    "a absolute absolutely again am an and another are as be big but clear complete completely consider definite "
    "definitely firm firmly full go going gonna hard have hence here hereby i i'll i'm i've is it it's must my need no "
    "no-go nope really rather so soft sorry still strong strongly that that's then therefore this to total totally "
    "well we we'll we're we've will yet"
)
_LEAD = frozenset(_LEAD_WORDS.split())
"""Words that may stand between the start of a sentence, or `I`, and the NAK."""
_PERSONS = frozenset({"i", "i'll", "i'm", "i've", "we", "we'll", "we're", "we've"})
_AGAINST_WORDS = "not no never without nobody unless if or why whether did does anyone ack acks won't"
_AGAINST = frozenset(_AGAINST_WORDS.split())
_NAK = re.compile(r"(?<![\w/-])nac?k(?:ed|ing|['’]d)?(?![\w/-])", re.IGNORECASE)
_BEHIND = re.compile(
    r"[\s*_]*(?:$|[.!,:;(–—]|-\s|NAC?K\b)"
    r"|\s+(?:to|for|on|this|that|these|it|unless|until|because|as|again|the whole|all of|please)\b"
)
_BY_US = re.compile(r"\s+(?:from|by|for) (?:me|my|our|us|here)\b", re.IGNORECASE)
_WILL_BE = re.compile(
    r"\b(?:(?:will|would|should|must) be|(?:this|it|series|patch|that) (?:is|are))\s+$", re.IGNORECASE
)
_WORD = re.compile(r"[a-z'’-]*[a-z]", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:.!?(–—]|\s-\s")
_SENTENCE = re.compile(r"[;:.!?]")
_MOST = 3
_BEFORE = 160


def is_objection(text: str, *, starts: bool) -> bool:
    """Whether a line of somebody's own words objects to the patch; `starts` tells whether it may start a sentence.

    Devices NAK too: the word counts as a sentence, behind words such as `still` or `this is a`, and where somebody
    speaks of himself, but not behind a negation.
    """
    return any(
        _objects(text, match, starts=starts) for _, match in zip(range(_MOST), _NAK.finditer(text), strict=False)
    )


def _objects(text: str, match: re.Match[str], *, starts: bool) -> bool:
    before = text[max(match.start() - _BEFORE, 0) : match.start()]
    clause = _words(_CLAUSE.split(before)[-1])
    if not _AGAINST.isdisjoint(clause) or any(word.endswith("n't") for word in clause):
        return False
    if _BY_US.match(text, match.end()) or _speaks(clause):
        return True
    if match[0].lower().endswith("ed") and _WILL_BE.search(before):
        return not text.startswith(" by ", match.end())
    sentences = _SENTENCE.split(before)
    begins = starts if len(sentences) == 1 else True
    written = match[0][0].isupper() or text.strip(" \t*_.!") == match[0]
    return (
        begins and written and _LEAD.issuperset(_words(sentences[-1])) and _BEHIND.match(text, match.end()) is not None
    )


def _words(text: str) -> list[str]:
    return [word.replace("’", "'").lower() for word in _WORD.findall(text)]


def _speaks(clause: list[str]) -> bool:
    """Whether the last words announce what the writer does: `I will have to`."""
    for word in reversed(clause):
        if word in _PERSONS:
            return True
        if word not in _LEAD or word in ("a", "an"):
            return False
    return False
