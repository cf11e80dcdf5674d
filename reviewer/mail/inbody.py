"""The headers that git lets a body start with: From, Subject, Date."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewer.mail.address import parse_addresses
from reviewer.model import Address

_HEADER = re.compile(r"(From|Subject|Date):[ \t]", re.IGNORECASE)
_FORMAT_PATCH = re.compile(r"From [0-9a-f]{40} ")
_SCISSORS = (">8", "8<", ">%", "%<")
_LONGEST_CUT = 200
_PGP = "-----BEGIN PGP SIGNED MESSAGE-----"


def read_inbody(lines: Sequence[str]) -> tuple[Address | None, int]:
    """The author that an in-body From gives, or None; and the line (from 0) where the message starts.

    An attached patch may start with the whole header block of `git format-patch`; it is read the same way.
    """
    at = _behind_armour(lines)
    whole = at < len(lines) and _FORMAT_PATCH.match(lines[at]) is not None
    at += whole
    author: Address | None = None
    seen = False
    while at < len(lines):
        line = lines[at]
        match = _HEADER.match(line)
        if match is not None and match[1].lower() == "from" and "@" not in _joined(lines, at):
            match = None
        if match is None and not (whole and line.strip()) and not (seen and line[:1] in (" ", "\t") and line.strip()):
            break
        if match is not None:
            seen = True
            if match[1].lower() == "from" and author is None:
                author = next(iter(parse_addresses(_joined(lines, at).encode("utf-8", "replace"))), None)
        at += 1
    return author, _blank(lines, at)


def behind_scissors(lines: Sequence[str], start: int) -> int:
    """The line (from 0) at or behind `start` where the mail proper starts; `start` without scissors.

    Lines such as `-- >8 --` (git-mailinfo(1)) cut what stands above only where headers of the body follow: in other
    places people frame a log with them. Behind the first `---` or diff nothing is looked for.
    """
    found = start
    for at in range(start, len(lines)):
        line = lines[at]
        if line.rstrip() == "---" or line.startswith("diff --git "):
            break
        if _is_scissors(line):
            below = _blank(lines, at + 1)
            if below < len(lines) and _HEADER.match(lines[below]):
                found = below
    return found


def _is_scissors(line: str) -> bool:
    """Git's own measure: dashes, blanks and scissors are most of the line."""
    text = line.strip()
    if len(text) > _LONGEST_CUT or not any(mark in text for mark in _SCISSORS):
        return False
    for mark in _SCISSORS:
        text = text.replace(mark, "\0\0")
    gaps = text.count(" ") + text.count("\t")
    marked = text.count("-") + text.count("\0") + gaps
    return 8 <= len(text) < 3 * marked and 2 * gaps < marked


def _behind_armour(lines: Sequence[str]) -> int:
    at = _blank(lines, 0)
    if at < len(lines) and lines[at].startswith(_PGP):
        while at < len(lines) and lines[at].strip():
            at += 1
    return _blank(lines, at)


def _blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _joined(lines: Sequence[str], at: int) -> str:
    """The value of the header at `at`, unfolded (three lines at most)."""
    value = lines[at].partition(":")[2]
    for line in lines[at + 1 : at + 3]:
        if line[:1] not in (" ", "\t") or not line.strip():
            break
        value += line
    return value
