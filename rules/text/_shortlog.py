"""The patches that a cover letter names: in its shortlog, and in a list of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from reviewer.rule import TextLine

from ._statistics import Difference

_AUTHOR = re.compile(r"\S[^\n]{0,80}? \((\d{1,4})\):\s*")
_ITEM = re.compile(r"\s*[-*] (\d{1,3})(?:\s?-\s?(\d{1,3}))?:\s")


def shortlog_patches(lines: Sequence[TextLine], titles: Collection[str], total: int | None) -> Iterator[Difference]:
    """Where the patches that a shortlog (`Name (2):` and titles) counts are not as many as the series has.

    Only a list that names at least one of `titles` is a shortlog.
    """
    known = {title.strip() for title in titles}
    counted = 0
    first: TextLine | None = None
    named = False
    inside = False
    for line in lines:
        author = _AUTHOR.fullmatch(line.text)
        if author:
            inside = True
            first = first or line
            counted += int(author[1])
        elif not line.text.strip():
            inside = False
        elif inside:
            named = named or line.text.strip() in known
    if first and named and total and counted != total:
        told = f"the shortlog counts {counted} patch{'es' * (counted != 1)}, the series has {total}"
        yield Difference(body_line=first.body_line, told=told)


def listed_patches(lines: Sequence[TextLine], total: int | None) -> Iterator[Difference]:
    """Where a list under "Patches:" (`- 1: ...`, `- 2-3: ...`) names a patch that the series does not have."""
    inside = False
    for line in lines:
        item = _ITEM.match(line.text)
        if line.text.strip().lower() == "patches:":
            inside = True
        elif inside and item:
            last = int(item[2] or item[1])
            if total and last > total:
                yield Difference(body_line=line.body_line, told=f"the list names patch {last}, the series has {total}")
        elif not line.text.strip():
            inside = False
