"""Numbers in the cover letter that differ from one version to the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reviewer.compare.values import NumberChange
from reviewer.model import Cover, TextLine

_NUMBER = re.compile(r"(?<![\w.])(?<!\w-)[-+~]?(?<!\w[-+~])\d[\d,]*(?:\.\d+)?(?![\w.]*[A-Za-z_]\w*\()")
_PASSED = re.compile(
    r"https?://|[\w.+-]+@[\w-]+\.|\d+ files? changed|base-commit|change-id|prerequisite|\(\d+\):\s*$|\bv\d+\b"
    r"|\b(?:patch(?:es)?|part|step) #?\d|^\s*\[?PATCH\b|^ \S.{0,200} \| +(?:\d+ [+-]*|Bin\b)"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b|^\s*[-*•]?\s*\(?\d{1,2}[:.)]\s+[A-Za-z]",
    re.IGNORECASE,
)
_LONGEST = 300
_WORD = re.compile(r"[^\W\d_]{2}")


def number_changes(old: Cover | None, new: Cover | None) -> tuple[NumberChange, ...]:
    """Lines that stand once in both cover letters but for their numbers, in the order of the newer one.

    A row of a table that begins with a number is known by that one. Lines with versions, links, dates, addresses,
    numbers of patches or of a diffstat are passed over.
    """
    if old is None or new is None:
        return ()
    before, after = _lines(old), _lines(new)
    return tuple(
        NumberChange(old=was.text.strip(), new=now.text.strip(), old_line=was.body_line, new_line=now.body_line)
        for key, now in after.items()
        if (was := before.get(key)) is not None and _numbers(was.text) != _numbers(now.text)
    )


def _lines(cover: Cover) -> dict[tuple[str, ...], TextLine]:
    """Lines by their words, those that stand more than once left out."""
    found: dict[tuple[str, ...], TextLine | None] = {}
    for line in _candidates((*cover.text.message, *cover.text.notes)):
        key = _key(line.text)
        found[key] = None if key in found else line
    return {key: line for key, line in found.items() if line is not None}


def _candidates(lines: Sequence[TextLine]) -> Iterable[TextLine]:
    for line in lines:
        if len(line.text) <= _LONGEST and _NUMBER.search(line.text) and not _PASSED.search(line.text):
            yield line


def _key(text: str) -> tuple[str, ...]:
    """The line without its numbers and rules; the first number stays where nothing else names the row."""
    numbers = _NUMBER.findall(text)
    words = tuple(_NUMBER.sub(" # ", text).replace("|", " ").split())
    if _WORD.search(text) and words[0] != "#":
        return words
    return (numbers[0], *words)


def _numbers(text: str) -> list[str]:
    return _NUMBER.findall(text)
