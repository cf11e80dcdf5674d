"""How far a hunk reaches: by the counts of its header, or by its marks where the counts are wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from reviewer.model import TextLine

_HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@", re.ASCII)
_LOOSE = re.compile(r"@@[ \t]*-(\d{1,9})(?:,(\d{1,9}))?,?[ \t]*\+(\d{1,9})(?:,(\d{1,9}))?[ \t]*@*", re.ASCII)
_COMMANDS = re.compile(r"diff (?:--git |--cc |--combined |-\w)")
_NARROW = 70  # columns at which mailers wrap, or more
_OLD = frozenset(" -\t\xa0")
_NEW = frozenset(" +\t\xa0")
_SOUND = frozenset(" +-\\")


class Extent(Struct, frozen=True, kw_only=True):
    """A hunk whose lines were found, not yet read.

    `range` is (old start, old count, new start, new count) as the header says, None when that cannot be read.
    `damage` says why the lines and the header do not fit, or is empty.
    """

    header: TextLine
    range: tuple[int, int, int, int] | None
    section: str
    body: tuple[TextLine, ...]
    damage: str = ""


def starts_file(lines: Sequence[TextLine], at: int) -> bool:
    """Whether the part of a diff about one file starts at `lines[at]`: git's, svn's, quilt's or plain diff's."""
    text = lines[at].text
    if text.startswith("diff -"):
        return _COMMANDS.match(text) is not None
    if text.startswith("--- "):
        return _names_follow(lines, at)
    if text.startswith("Index: "):
        return at + 1 < len(lines) and lines[at + 1].text.startswith("=====")
    return text.startswith("Binary files ") and text.rstrip().endswith(" differ")


def _names_follow(lines: Sequence[TextLine], at: int) -> bool:
    return (
        at + 2 < len(lines)
        and lines[at + 1].text.startswith("+++ ")
        and lines[at + 2].text.startswith("@@ -")
        and lines[at].text.startswith("--- ")
    )


def read_extent(lines: Sequence[TextLine], at: int) -> tuple[Extent, int]:
    """The hunk whose header is `lines[at]`, and the index of the first line behind it.

    Reads to the counts of the header. Where the lines do not come out at them, reads as far as lines have marks; a
    line without one ends the hunk and costs the line above it too, which it may be the wrapped end of.
    """
    header = lines[at]
    counts, section = _read_header(header.text)
    start = at + 1
    if counts is None:
        end = _run(lines, start)
        damage = "the header cannot be read"
        return Extent(header=header, range=None, section="", body=tuple(lines[start:end]), damage=damage), end
    damage = "" if _HEADER.match(header.text) else "the header is malformed"
    end, whole = _counted(lines, start, counts[1], counts[3])
    if end == start and _may_end_heading(lines, start):
        below, whole = _counted(lines, start + 1, counts[1], counts[3])
        if whole or len(f"{header.text} {lines[start].text.partition(' ')[0]}") > _NARROW:
            section, damage = f"{section} {lines[start].text}".strip(), "the header is wrapped"
            start, end = start + 1, below
    if whole:
        longer = _surplus(lines, end)
        if longer > end:
            end, damage = longer, "it has more lines than its header says"
    else:
        end = _run(lines, start)
        damage = "; ".join(filter(None, (damage, _reason(lines, start, end, counts))))
    body = lines[start:end] if whole else lines[start : _trimmed(lines, start, end)]
    return Extent(header=header, range=counts, section=section, body=tuple(body), damage=damage), end


def _read_header(text: str) -> tuple[tuple[int, int, int, int] | None, str]:
    match = _HEADER.match(text) or _LOOSE.match(text)
    if match is None:
        return None, ""
    old, old_count, new, new_count = match.groups()
    counts = int(old), int(old_count or 1), int(new), int(new_count or 1)
    return counts, text[match.end() :].removeprefix(" ").rstrip()


def _may_end_heading(lines: Sequence[TextLine], at: int) -> bool:
    """Whether `lines[at]`, the first below a header, may be the wrapped end of its section heading."""
    if at + 1 >= len(lines) or lines[at].text[:1] in _SOUND or lines[at].text[:1] in ("", "\r", "\t", "\xa0", "@"):
        return False
    return lines[at + 1].text[:1] in _SOUND and not starts_file(lines, at)


def _counted(lines: Sequence[TextLine], at: int, old: int, new: int) -> tuple[int, bool]:
    """Where the lines end that `old` and `new` count, and whether they are all there, with sound marks."""
    while (old or new) and at < len(lines):
        mark = lines[at].text[:1]
        if mark == "+":
            new -= 1
        elif mark == "-":
            if (old, new) != (1, 1) and _names_follow(lines, at):
                return at, False
            old -= 1
        elif mark in (" ", "", "\r"):
            old -= 1
            new -= 1
        elif mark != "\\":
            return at, False
        if old < 0 or new < 0:
            return at, False
        at += 1
    while at < len(lines) and lines[at].text.startswith("\\ "):
        at += 1
    return at, not (old or new)


def _run(lines: Sequence[TextLine], at: int) -> int:
    """Where the lines with a mark end that start at `lines[at]`: before a signature, another file, or a line without.

    A tab or a no-break space stands for the space that a mailer cut or turned.
    """
    while at < len(lines):
        text = lines[at].text
        if text[:1] not in _SOUND and text[:1] not in ("", "\r", "\t", "\xa0"):
            break
        if text in ("-- ", "--", "---") or _names_follow(lines, at):
            break
        at += 1
    return at


def _surplus(lines: Sequence[TextLine], at: int) -> int:
    """Where the lines end that belong to a hunk beyond its counts; `at` itself when there are none.

    Such lines change something, or stand before more of the diff; text with a mark by chance ends in other text.
    """
    if at >= len(lines) or lines[at].text[:1] not in _SOUND or starts_file(lines, at):
        return at
    end = _run(lines, at)
    more = end < len(lines) and (lines[end].text.startswith("@@ -") or starts_file(lines, end))
    changes = any(line.text[:1] in ("+", "-") for line in lines[at:end])
    if more or (changes and end == len(lines)):
        return _blank_end(lines, at, end)
    return at


def _reason(lines: Sequence[TextLine], start: int, end: int, counts: tuple[int, int, int, int]) -> str:
    if any(line.text[:1] in ("\t", "\xa0") for line in lines[start:end]):
        return "white space is damaged"
    if _is_text(lines, end):
        return f"line {lines[end].body_line} of the mail has no mark (wrapped or damaged)"
    old = sum(line.text[:1] in _OLD or not line.text.strip() for line in lines[start:end])
    new = sum(line.text[:1] in _NEW or not line.text.strip() for line in lines[start:end])
    return f"it has {old} old and {new} new lines where its header says {counts[1]} and {counts[3]}"


def _is_text(lines: Sequence[TextLine], at: int) -> bool:
    """Whether a line without a mark stands there that starts nothing."""
    if at >= len(lines) or lines[at].text.startswith("@@"):
        return False
    return lines[at].text not in ("-- ", "--", "---") and not starts_file(lines, at)


def _trimmed(lines: Sequence[TextLine], start: int, end: int) -> int:
    """The end of a hunk that broke off at `end`, without what may not be its own: blank lines, a line cut in two."""
    last = _blank_end(lines, start, end)
    return max(last - 1, start) if last == end and _is_text(lines, end) else last


def _blank_end(lines: Sequence[TextLine], start: int, end: int) -> int:
    while end > start and not lines[end - 1].text:
        end -= 1
    return end
