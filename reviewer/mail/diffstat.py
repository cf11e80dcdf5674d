"""Diffstats, as git prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewer.model import DiffStat, StatLine, TextLine

_SUMMARY = re.compile(
    r" ?(\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?\s*"
)
_CHANGE = re.compile(r"(\d{1,9})(?: [+-]*)?\s*|Bin(?: .*)?")


def read_diffstat(lines: Sequence[TextLine]) -> DiffStat | None:
    """The last diffstat among the lines, or None. A summary without lines above it counts only alone."""
    found: DiffStat | None = None
    for at, line in enumerate(lines):
        match = _SUMMARY.fullmatch(line.text)
        if match is None:
            continue
        stats: list[StatLine] = []
        above = at - 1
        while above >= 0 and (stat := _stat(lines[above])) is not None:
            stats.append(stat)
            above -= 1
        if stats or found is None:
            files, added, removed = (int(count or 0) for count in match.groups())
            found = DiffStat(
                lines=tuple(reversed(stats)),
                files=files,
                insertions=added,
                deletions=removed,
                body_line=stats[-1].body_line if stats else line.body_line,
            )
    return found


def _stat(line: TextLine) -> StatLine | None:
    """` path | 12 +++--`, ` path | 0`, ` path | Bin 0 -> 12 bytes`."""
    if not line.text.startswith(" "):
        return None
    path, bar, change = line.text.rpartition("|")
    match = _CHANGE.fullmatch(change.strip()) if bar else None
    if match is None or not path.strip():
        return None
    return StatLine(
        path=path.strip(), changed=int(match[1]) if match[1] is not None else None, body_line=line.body_line
    )
