"""The words by which a comment, a changelog and a patch are known to speak of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewer.mail.address import name_key
from reviewer.model import Address

_LONGEST = 20_000
_NAME = re.compile(r"\b[A-Za-z_]\w{2,60}(?:\(\))?")
_TYPE = re.compile(
    r"_*[us](?:8|16|32|64)|_*(?:le|be)(?:16|32|64)|u?int\d{0,2}_t|s?size_t|NULL|off_t|x86|arm64|[248]M|\d\w*"
)
_WORD = re.compile(r"(?<!\w)[A-Za-z][a-z]{3,30}(?!\w)")
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{2,80})[)\]]")
_STEM = 5
_COMMON_WORDS = (
    "this that with from have been will would should could there their they them then than what when where which while "
    "your here just like also only some more most need needs make makes made does doing done into onto over such very "
    "well same other about after before because please think thanks thank maybe patch patches series version code "
    "change changes changed changing added adds adding remove removed removes removing update updated updates fixed "
    "fixes fixing moved instead using used uses line lines still since even want sure good really seems know being "
    "right above below these those each both between without case look looks again back first something anything "
    "nothing going come comes might must cant dont doesnt isnt wont actually probably better following commit message "
    "comment comments review reviews feedback issue issues minor link version address addressed"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_TOKEN = re.compile(r"\w{4,60}")
_KEYWORDS = frozenset(
    {"return", "struct", "static", "const", "void", "unsigned", "else", "goto", "sizeof", "break", "while", "inline"}
)
_STEMS_APART = frozenset(word[:_STEM] for word in _COMMON)


@lru_cache(maxsize=4096)
def names_in(text: str) -> frozenset[str]:
    """The identifiers in a text: words with an underscore, a digit or `()`, and errnos; common types left out."""
    words = {word for word in _NAME.findall(text[:_LONGEST]) if "_" in word or word.endswith("()") or _is_coded(word)}
    return frozenset(name for word in words if not _TYPE.fullmatch(name := word.removesuffix("()")))


def tokens_in(code: str) -> frozenset[str]:
    """The words of a line of code that are not of the language itself."""
    return frozenset(_TOKEN.findall(code[:_LONGEST])) - _KEYWORDS


def _is_coded(word: str) -> bool:
    if word.isupper() and word.startswith("E") and len(word) > 4:
        return True  # EINVAL and its like
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word)) and not word.lower().startswith("v")


@lru_cache(maxsize=4096)
def stems_in(text: str) -> frozenset[str]:
    """The first letters of the words that tell what a text is about."""
    stems = {word[:_STEM].lower() for word in _WORD.findall(text[:_LONGEST]) if word.lower() not in _COMMON}
    return frozenset(stems - _STEMS_APART)


def names_person(text: str, person: Address) -> bool:
    """Whether an entry of a changelog names somebody: `(Name)`, `per Name`, `as suggested by Name`, the address.

    In brackets a first or last name, or the start of one, is enough; elsewhere a word must lead to it.
    """
    if person.email and person.email.lower() in text.lower():
        return True
    known = [word for word in name_key(person.name).split() if len(word) > 2]
    local = person.email.lower().partition("@")[0].partition("+")[0]
    for match in _BRACKETED.finditer(text):
        words = re.split(r"[^\w.'-]+", name_key(match[1]))
        if any(_is_of(word, known, local) for word in words):
            return True
    folded = f" {name_key(text)} "
    return any(
        f" {lead} {word} " in folded for word in known for lead in ("by", "per", "from", "to", "thanks", "with", "@")
    ) or (len(known) > 1 and f" {' '.join(known)} " in folded)


def _is_of(word: str, known: list[str], local: str) -> bool:
    return len(word) > 2 and (
        word == local or word in known or (len(word) > 3 and known[:1] != [] and known[0].startswith(word))
    )
