"""A diff cut into files: for each the lines of its head, and its hunks by their extent."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from reviewer.diff.extent import Extent, read_extent, starts_file
from reviewer.model import TextLine


class Section(Struct, frozen=True, kw_only=True):
    """The part of a diff about one file. `head` are the lines before its first hunk, none when a hunk has no file."""

    head: tuple[TextLine, ...]
    hunks: tuple[Extent, ...]


def split_files(lines: tuple[TextLine, ...]) -> Iterator[Section]:
    """The files of a diff in order. Lines between them that belong to none are passed over."""
    head: list[TextLine] = []
    hunks: list[Extent] = []
    named = False
    at = 0
    while at < len(lines):
        text = lines[at].text
        starts = starts_file(lines, at)
        if starts and (hunks or not _goes_on(head, text, named)):
            if head or hunks:
                yield Section(head=tuple(head), hunks=tuple(hunks))
            head, hunks, named = [], [], False
        if text.startswith("@@"):
            extent, at = read_extent(lines, at)
            hunks.append(extent)
            continue
        if starts or (head and not hunks):
            head.append(lines[at])
            named = named or text.startswith(("+++ ", "Binary files "))
        at += 1
    if head or hunks:
        yield Section(head=tuple(head), hunks=tuple(hunks))


def _goes_on(head: list[TextLine], text: str, named: bool) -> bool:
    """Whether a line that may start a file goes on with the open head: the names below `diff` and `Index:`."""
    if not head or named:
        return False
    if text.startswith(("--- ", "Binary files ")):
        return True
    return head[0].text.startswith("Index: ") and text.startswith("diff ")
