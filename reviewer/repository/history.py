"""What git is asked about history, and how its answers are read. Revisions are full ids, never names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reviewer.repository.values import PathChange

_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color")
_RAW = (*_DIFF, "--raw", "--no-abbrev", "--no-renames", "--no-notes", "--no-show-signature", "--no-mailmap")
_START = re.compile(rb"From ([0-9a-f]{40}|[0-9a-f]{64}) Mon Sep 17 00:00:00 2001\n")
_QUOTED = re.compile(rb">+From ")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def changes_of(commit: str, path: str | None) -> tuple[str, ...]:
    """`git log` of all that led to `commit`, newest first, with what each did to files (to `path` only)."""
    limited = ("--full-history", commit, "--", path) if path is not None else (commit, "--")
    return ("log", "--format=>%H %ct", *_RAW, *limited)


def read_changes(lines: Iterable[bytes]) -> Iterator[PathChange]:
    """The changes in the output of `changes_of`; paths that git quotes keep their quotes."""
    commit, time = "", 0
    for line in lines:
        if line.startswith(b">"):
            name, _, seconds = line[1:].rstrip(b"\n").decode("ascii", "replace").partition(" ")
            commit, time = name, int(seconds) if seconds.isdigit() else 0
        elif line.startswith(b":") and b"\t" in line:
            facts, _, path = line.rstrip(b"\n").partition(b"\t")
            words = facts.decode("ascii", "replace").split()
            if len(words) == 5:
                old, new = (None if not word.strip("0") else word for word in words[2:4])
                yield PathChange(commit=commit, time=time, status=words[4][0], path=path, old=old, new=new)


def commits_between(include: Iterable[str], exclude: Iterable[str], limit: int | None) -> tuple[str, ...]:
    """`git rev-list` of the commits that lead to `include` and to none of `exclude`, newest first."""
    most = () if limit is None else (f"--max-count={limit}",)
    return ("rev-list", *most, *include, *(f"^{one}" for one in exclude), "--")


def patches_between(base: str, head: str, fork: str | None) -> tuple[str, ...]:
    """`git format-patch` of `base..head`, the same bytes whatever the configuration; `fork` is given as base-commit."""
    told = () if fork is None else (f"--base={fork}",)
    fixed = ("--stdout", "--pretty=mboxrd", "-M", "--full-index", "--no-signature", "--no-thread", "--no-notes")
    return ("format-patch", *_DIFF, *fixed, *told, f"{base}..{head}", "--")


def read_patches(lines: Iterable[bytes], limit: int) -> Iterator[tuple[str, bytes | None]]:
    """The commits and mails in the output of `patches_between`, oldest first; None for a mail above `limit` bytes."""
    commit, mail, size = "", list[bytes](), 0
    for line in lines:
        start = _START.fullmatch(line)
        if start is not None:
            if commit:
                yield commit, _joined(mail, size, limit)
            commit, mail, size = start[1].decode("ascii"), [], 0
            continue
        size += len(line)
        if size <= limit:
            mail.append(line[1:] if _QUOTED.match(line) else line)
    if commit:
        yield commit, _joined(mail, size, limit)


def is_id(text: str) -> bool:
    """Tell whether `text` is a full id in lower-case hex."""
    return _ID.fullmatch(text) is not None


def _joined(mail: list[bytes], size: int, limit: int) -> bytes | None:
    if size > limit:
        return None
    data = b"".join(mail)
    return data[:-1] if data.endswith(b"\n\n") else data
