"""The head of a file's part of a diff: names, modes, blobs, and what happens to the file."""

from __future__ import annotations

import re

from msgspec import Struct, field

from reviewer.diff.extent import Extent
from reviewer.diff.names import NULL, have_prefixes, read_name, split_pair, unquote, without_prefix
from reviewer.diff.split import Section
from reviewer.model import FileStatus

_INDEX = re.compile(r"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_FACT = re.compile(
    r"((?:new|deleted) file mode|(?:old|new) mode|similarity index|(?:rename|copy) (?:from|to)) (.+)", re.DOTALL
)
_MODE = re.compile(r"[0-7]{4,7}")
_SIMILAR = re.compile(r"(\d{1,3})%", re.ASCII)
_EPOCH = re.compile(r"1970-01-01|1969-12-31|Jan  1 [\d:]+ 1970|Dec 31 [\d:]+ 1969")


class Header(Struct, frozen=True, kw_only=True):
    """What the head of a file's part says. `empty` tells that nothing of a change follows from it alone."""

    path: str
    old_path: str
    status: FileStatus
    binary: bool
    old_mode: str | None
    new_mode: str | None
    old_blob: str | None
    new_blob: str | None
    similarity: int | None
    empty: bool


class _Said(Struct, kw_only=True):
    """The lines of a head, taken apart. Names are as written: unquoted, prefixes kept."""

    git: bool = False
    pair: tuple[str, str] | None = None
    index_name: str | None = None
    old: str | None = None
    new: str | None = None
    old_rest: str = ""
    new_rest: str = ""
    binary: bool = False
    blobs: tuple[str, str] | None = None
    mode: str | None = None
    facts: dict[str, str] = field(default_factory=dict[str, str])


def read_header(section: Section) -> Header | None:
    """The head of `section`; None when it names no file."""
    said = _read_lines(section)
    names = _names(said)
    if names is None:
        return None
    status = _status(said, section.hunks, names)
    old_path, path = names if status in ("renamed", "copied") else _one_name(names, status)
    facts = said.facts
    similar = _SIMILAR.fullmatch(facts.get("similarity index", ""))
    plain = status == "modified" and not said.binary
    return Header(
        path=path,
        old_path=old_path,
        status=status,
        binary=said.binary,
        old_mode=None if status == "added" else _mode(facts, "deleted file mode", "old mode") or said.mode,
        new_mode=None if status == "deleted" else _mode(facts, "new file mode", "new mode") or said.mode,
        old_blob=said.blobs[0] if said.blobs else None,
        new_blob=said.blobs[1] if said.blobs else None,
        similarity=int(similar[1]) if similar else None,
        empty=plain or (said.new is not None and not said.binary),
    )


def _read_lines(section: Section) -> _Said:
    said = _Said()
    for line in section.head:
        text = line.text.removesuffix("\r")
        if text.startswith("diff --git "):
            said.git, said.pair = True, split_pair(text[11:])
        elif text.startswith(("diff --cc ", "diff --combined ")):
            name = unquote(text.split(" ", 2)[2])
            said.git, said.pair = True, (f"a/{name}", f"b/{name}")
        elif text.startswith("Index: "):
            said.index_name = text[7:].strip()
        elif text.startswith("--- "):
            said.old, said.old_rest = read_name(text[4:], git=said.git)
        elif text.startswith("+++ "):
            said.new, said.new_rest = read_name(text[4:], git=said.git)
        elif text.startswith("Binary files ") and text.endswith(" differ"):
            said.binary = True
            said.pair = said.pair or split_pair(text[13:-7], " and ")
        elif text == "GIT binary patch":
            said.binary = True
            break
        elif text.startswith("Cannot display: file marked as a binary type"):
            said.binary = True
        elif match := _INDEX.fullmatch(text):
            said.blobs, said.mode = (match[1], match[2]), match[3]
        elif match := _FACT.fullmatch(text):
            said.facts.setdefault(match[1], match[2])
    return said


def _names(said: _Said) -> tuple[str, str] | None:
    """(old, new) without prefixes, NULL for a side that is not there; None when nothing names the file."""
    for kind in ("rename", "copy"):
        old, new = said.facts.get(f"{kind} from"), said.facts.get(f"{kind} to")
        if old and new:
            return unquote(old), unquote(new)
    written = (said.old, said.new) if said.old is not None and said.new is not None else said.pair
    if written is None:
        return (said.index_name, said.index_name) if said.index_name else None
    old, new = written
    both = said.pair if said.git and said.pair else (old, new)
    return (without_prefix(old), without_prefix(new)) if have_prefixes(*both) else written


def _one_name(names: tuple[str, str], status: FileStatus) -> tuple[str, str]:
    """One name on both sides: plain diffs may have `x.c.orig` on one, and the null file is no name."""
    old, new = names
    name = old if new == NULL or (status == "deleted" and old != NULL) else new
    return name, name


def _status(said: _Said, hunks: tuple[Extent, ...], names: tuple[str, str]) -> FileStatus:
    facts = said.facts
    only = hunks[0].range if len(hunks) == 1 and not said.git else None
    tests: tuple[tuple[FileStatus, bool], ...] = (
        ("added", "new file mode" in facts or names[0] == NULL),
        ("deleted", "deleted file mode" in facts or names[1] == NULL),
        ("renamed", "rename to" in facts),
        ("copied", "copy to" in facts),
        ("added", only is not None and _is_absent(only[0], only[1], said.old_rest)),
        ("deleted", only is not None and _is_absent(only[2], only[3], said.new_rest)),
        ("mode", "new mode" in facts and not hunks and not said.binary),
    )
    for status, holds in tests:
        if holds:
            return status
    return "modified"


def _is_absent(start: int, count: int, stamp: str) -> bool:
    """Whether a side of a plain diff is no file: its one hunk stands at line 0, or its time is the epoch."""
    return count == 0 and (start == 0 or _EPOCH.search(stamp[:80]) is not None)


def _mode(facts: dict[str, str], *names: str) -> str | None:
    found = next((facts[name] for name in names if name in facts), None)
    return found if found is not None and _MODE.fullmatch(found) else None
