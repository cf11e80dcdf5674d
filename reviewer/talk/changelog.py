"""What an author says has changed with a version: the entries of the changelog in cover letter and patches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from reviewer.model import Series, TextLine
from reviewer.talk.words import names_in, stems_in

_VERSION = re.compile(r"(?:rfc)?v(\d{1,4})[a-z]?")
_WORD = re.compile(r"[a-z0-9]+")
_BULLET = re.compile(r"\s*(?:[-*+o•–]|\(?\d{1,2}[.):])\s+")
_ENDS = re.compile(
    r" .{1,110}\|\s+(?:\d+|Bin)\b|\s*\d+ files? changed|---$|base-commit:|change-id:|[^:]{1,80} \(\d+\):$"
    r"|(?:[A-Z][a-z]+-)+by: |Fixes: |Cc: "
)
_LINK = re.compile(r"https?://\S*")
_LONG_LINE = 60
_KNOWN_WORDS = (
    "change changes changed changelog log major minor detailed full in since from for of to vs over compared with the "
    "and new version versions rfc patch patchset series history resend update updates updated delta revision"
)
_KNOWN = frozenset(_KNOWN_WORDS.split())
_SINCE = frozenset({"since", "from", "over", "vs", "compared"})
_LONGEST = 120


class Entry(Struct, frozen=True, kw_only=True):
    """One entry: the version that it is of, its text on one line, and where it starts.

    `number` is the patch's, 0 for the cover letter. `names` and `stems` are the identifiers and words of the text, but
    for links.
    """

    version: int
    text: str
    message_id: str
    number: int
    body_line: int
    names: frozenset[str]
    stems: frozenset[str]


def entries_of(series: Series) -> tuple[Entry, ...]:
    """The entries about this and earlier versions, the cover letter's first.

    Known forms: `Changes in v2:`, `v1 -> v2:`, `Changes since v1`, `v2:` with the entry behind it; entries are bullets,
    else single lines.
    """
    found: list[Entry] = []
    if series.cover is not None:
        text = series.cover.text
        found += _entries((*text.message, *text.notes), series.cover.mail.message_id, 0)
    for patch in series.patches:
        lines = (*patch.text.message, *patch.text.notes)
        found += _entries(lines, patch.mail.message_id, patch.number)
    return tuple(found)


def _entries(lines: Sequence[TextLine], message_id: str, number: int) -> Iterator[Entry]:
    version = start = 0
    words: list[str] = []
    for line in (*lines, TextLine(text="---", body_line=0)):
        head = _headline(line.text)
        ends = _ENDS.match(line.text[:_LONGEST]) is not None
        bullet = _BULLET.match(line.text)
        if words and (head or ends or bullet or not _goes_on(line.text, words[-1])):
            text = " ".join(words)
            said = _LINK.sub("", text)
            names, stems = names_in(said), stems_in(said)
            yield Entry(
                version=version,
                text=text,
                message_id=message_id,
                number=number,
                body_line=start,
                names=names,
                stems=stems,
            )
            words = []
        text = line.text[bullet.end() :] if bullet else line.text
        if head is not None:
            version, text = head
        elif ends:
            version = 0
        if version and any(map(str.isalnum, text)):
            start = start if words else line.body_line
            words.append(text.strip())


def _goes_on(text: str, before: str) -> bool:
    """Whether a line that opens nothing belongs to the entry before it."""
    if not text.strip():
        return False
    return text[0] in " \t" or (len(before) >= _LONG_LINE and not before.endswith((".", ":")))


def _headline(text: str) -> tuple[int, str] | None:
    """The version that a line opens, and what stands behind its colon; None for any other line."""
    head, colon, rest = text[:_LONGEST].partition(":")
    if "->" in head or "=>" in head or "v" in head.lower():
        words = _WORD.findall(head.lower())
        versions = [int(match[1]) for word in words if (match := _VERSION.fullmatch(word))]
        others = [word for word in words if not _VERSION.fullmatch(word)]
        if versions and len(versions) <= 2 and all(word in _KNOWN for word in others) and (colon or not rest):
            if not colon and len(words) == len(versions) and head[:1].isspace():
                return None
            since = len(versions) == 1 and not _SINCE.isdisjoint(others)
            return max(versions) + since, text[len(head) + 1 :]
    return None
