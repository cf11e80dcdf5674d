"""Trailers of a commit message; the tags of replies are in replytags.py and offered here too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.mail.address import parse_person, person_matches
from reviewer.mail.replytags import ReplyTag, reply_tags
from reviewer.model import TextLine, Trailer

__all__ = ["ReplyTag", "person_matches", "read_trailers", "reply_tags"]

_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]{0,60})[ \t]?:[ \t]*(?!//)(\S.*)?")
_PICKED = re.compile(r"\(cherry picked from commit [0-9a-f]+\)")
_KNOWN = frozenset(
    ("fixes", "link", "closes", "cc", "to", "bug", "buglink", "references", "message-id", "change-id", "based-on",
     "depends-on", "supersedes", "obsoletes", "patchwork", "base-commit", "prerequisite-patch-id",
     "prerequisite-change-id")
)  # fmt: skip
_FOLDS = 3
_MOST = 1000


def read_trailers(message: Sequence[TextLine]) -> tuple[Trailer, ...]:
    """The trailers of a message, in order, folded values joined.

    Read are the last paragraph by git's rules (all lines trailers, or a sign-off and a quarter of them), and any
    other that consists of well-known trailers alone: people set `Fixes:` apart, or write a changelog below.
    `[comments]` between them are passed over. A paragraph above 1,000 lines is taken for something else.
    """
    paragraphs = list(_paragraphs(message))
    found: list[Trailer] = []
    for number, lines in enumerate(paragraphs):
        if len(lines) > _MOST:
            continue
        trailers, others, signed = _read(lines)
        last = number == len(paragraphs) - 1
        known = all(_is_known(trailer) for trailer in trailers)
        if trailers and ((others == 0 and (last or known)) or (last and signed and len(trailers) * 3 >= others)):
            found += trailers
    return tuple(found)


def _paragraphs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    now: list[TextLine] = []
    for line in lines:
        if line.text.strip():
            now.append(line)
        elif now:
            yield now
            now = []
    if now:
        yield now


def _is_known(trailer: Trailer) -> bool:
    name = trailer.name.lower()
    return name in _KNOWN or (name.endswith("-by") and trailer.person is not None)


def _read(lines: list[TextLine]) -> tuple[list[Trailer], int, bool]:
    """The trailers of a paragraph, how many of its lines are none, and whether git itself wrote one of them."""
    found: list[Trailer] = []
    others, at, signed, comment = 0, 0, False, False
    while at < len(lines):
        text = lines[at].text.rstrip()
        if comment or text.startswith("["):
            comment = not text.endswith("]")
            at += 1
            continue
        match = _TRAILER.fullmatch(text)
        if match is None:
            picked = _PICKED.match(text) is not None
            signed |= picked
            others += not picked and not text.startswith("#")
            at += 1
            continue
        value, taken = _folded(lines, at, (match[2] or "").strip())
        found.append(_trailer(match[1], value, lines[at].body_line))
        signed |= match[1].lower() == "signed-off-by"
        at += taken
    return found, others, signed


def _folded(lines: list[TextLine], at: int, value: str) -> tuple[str, int]:
    """A value with the lines that continue it, and how many lines that took (the first included)."""
    taken = 1
    for line in lines[at + 1 : at + 1 + _FOLDS]:
        text = line.text
        cut = '("' in value and not value.endswith(")") and _TRAILER.fullmatch(text) is None
        if not (text[:1] in (" ", "\t") or text.startswith("<") or cut):
            break
        value = f"{value} {text.strip()}".strip()
        taken += 1
    return value, taken


def _trailer(name: str, value: str, body_line: int) -> Trailer:
    named = name.lower().endswith("-by") or name.lower() in ("cc", "to")
    return Trailer(name=name, value=value, body_line=body_line, person=parse_person(value) if named else None)
