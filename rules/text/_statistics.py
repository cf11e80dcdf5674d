"""Diffstats against what is there: which printed line stands for which file, and where they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from reviewer.rule import DiffStat, FileDiff, StatLine, Struct

_RENAME = re.compile(r"\{(.*?) => (.*?)\}")


class Counted(Struct, frozen=True, kw_only=True):
    """What is known of a file: its added and removed lines, or None where only the file is known."""

    path: str
    added: int | None
    removed: int | None

    @property
    def changed(self) -> int | None:
        """Added and removed lines together."""
        return None if self.added is None or self.removed is None else self.added + self.removed


class Difference(Struct, frozen=True, kw_only=True):
    """Where a diffstat and the diff differ: the body line of the diffstat, and both in words."""

    body_line: int
    told: str


def counted(file: FileDiff) -> Counted:
    """The lines of one file's diff; unknown for a binary file and for a deletion whose lines were left out."""
    if file.binary or (file.status == "deleted" and not file.hunks):
        return Counted(path=file.path, added=None, removed=None)
    return Counted(path=file.path, added=file.added, removed=file.removed)


def file_differences(stat: DiffStat, files: Iterable[Counted], what: str) -> Iterator[Difference]:
    """Lines of `stat` whose file is not among `files` or changes another number of lines, in the order of `stat`.

    `what` tells where the files are from: "diff" or "series".
    """
    for line, file in _matched(stat, {file.path: file for file in files}):
        if file is None:
            told = f"the diffstat lists {new_path(line.path)}, which the {what} does not touch"
            yield Difference(body_line=line.body_line, told=told)
        elif None not in (line.changed, file.changed) and line.changed != file.changed:
            told = (
                f"the diffstat gives {file.path} {_lines(line.changed or 0)}, the {what} has {file.changed} "
                f"({file.added} added, {file.removed} removed)"
            )
            yield Difference(body_line=line.body_line, told=told)


def unlisted(stat: DiffStat, files: Iterable[Counted]) -> list[str]:
    """The paths of `files` for which `stat`, when it lists as many files as it says, has no line."""
    if len(stat.lines) < max(stat.files, 1):
        return []
    given = {file.path: file for file in files}
    found = {file.path for _, file in _matched(stat, given) if file}
    return [path for path in given if path not in found]


def new_path(printed: str) -> str:
    """The path behind a rename as printed: `a/{b => c}/d`, `a => b`, `{ => b}/c`."""
    resolved = _RENAME.sub(lambda found: found[2], printed)
    if resolved == printed and " => " in printed:
        return printed.rpartition(" => ")[2]
    return resolved.replace("//", "/").removeprefix("/")


def _matched(stat: DiffStat, files: Mapping[str, Counted]) -> Iterator[tuple[StatLine, Counted | None]]:
    """The file of each line: by its exact path first, and by its end only where the name is printed shortened."""
    exact = {line: files[new_path(line.path)] for line in stat.lines if new_path(line.path) in files}
    taken = {file.path for file in exact.values()}
    ends = _by_end(path for path in files if path not in taken)
    for line in stat.lines:
        if line in exact or "..." not in line.path:
            yield line, exact.get(line)
            continue
        paths = [path for path in ends[line.path.rpartition("/")[2].rstrip("}")] if _ends(path, line.path)]
        same = [path for path in paths if line.changed == files[path].changed]
        chosen = next(iter([*same, *paths]), None)
        if chosen:
            ends[chosen.rpartition("/")[2]].remove(chosen)
        yield line, files[chosen] if chosen else None


def _by_end(paths: Iterable[str]) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        found[path.rpartition("/")[2]].append(path)
    return found


def _ends(path: str, printed: str) -> bool:
    """Whether a shortened name may stand for `path`: a shortened rename may for any file of its base name."""
    return " => " in printed or path.endswith(printed.partition("...")[2])


def _lines(count: int) -> str:
    return f"{count} changed line{'s' * (count != 1)}"
