"""Diffs read as from a mail."""

from __future__ import annotations

import difflib

from reviewer.diff.parse import parse_diff
from reviewer.model import FileDiff, TextLine


def files_in(diff: str) -> tuple[FileDiff, ...]:
    """The files of a diff; what of it could not be read fails the test."""
    lines = diff.removesuffix("\n").split("\n")
    files, notices = parse_diff(tuple(TextLine(text=line, body_line=number) for number, line in enumerate(lines, 1)))
    assert not [notice for notice in notices if notice.code == "bad-diff"], notices
    return files


def file_in(diff: str) -> FileDiff:
    """The only file of a diff."""
    (file,) = files_in(diff)
    return file


def diff_of(before: str, after: str, context: int = 3, path: str = "frob/main.c") -> str:
    """A plain diff of two texts, as git writes it but for the ids."""
    old, new = ([piece + "\n" for piece in text.split("\n")] for text in (before, after))
    for lines in (old, new):
        last = lines.pop().removesuffix("\n")
        if last:
            lines.append(last)
    pieces = (
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=context)
    )
    return f"diff --git a/{path} b/{path}\n" + "".join(pieces)
