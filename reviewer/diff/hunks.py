"""The lines of a hunk: read by unidiff where it takes them, by their marks where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from reviewer.diff.extent import Extent
from reviewer.diff.section import function_named
from reviewer.model import DiffLine, Hunk, Side, TextLine

Mark = Literal[" ", "+", "-"]

_ENDS: dict[str, tuple[Side, ...]] = {"-": ("old",), "+": ("new",), " ": ("old", "new")}
_MARKS: dict[str, Mark] = {" ": " ", "+": "+", "-": "-", "\xa0": " "}


def read_hunk(extent: Extent, path: str) -> tuple[Hunk | None, str]:
    """The hunk in `extent`, and what is wrong with it (empty when nothing is).

    None when its place in the file is not known or none of its lines can be read. The counts of a damaged hunk are
    those of the lines that were read. `path` tells the language of the section heading.
    """
    if extent.range is None:
        return None, extent.damage
    body = _without_cr(extent)
    if extent.damage:
        return _hunk(extent, path, body, tuple(_by_marks(body, extent.range))), extent.damage
    problem, lines = _by_unidiff(body, extent.range)
    if problem:
        lines = tuple(_by_marks(body, extent.range))
    return _hunk(extent, path, body, lines), problem


def _without_cr(extent: Extent) -> tuple[TextLine, ...]:
    """The body without the CR that transport put behind each line, the header's too; a CR of the file stays."""
    if not extent.header.text.endswith("\r"):
        return extent.body
    return tuple(TextLine(text=line.text.removesuffix("\r"), body_line=line.body_line) for line in extent.body)


def _hunk(extent: Extent, path: str, body: tuple[TextLine, ...], lines: tuple[DiffLine, ...]) -> Hunk | None:
    if extent.range is None or not lines:
        return None
    old_start, _, new_start, _ = extent.range
    return Hunk(
        old_start=old_start,
        old_count=sum(line.old is not None for line in lines),
        new_start=new_start,
        new_count=sum(line.new is not None for line in lines),
        section=extent.section,
        function=function_named(extent.section, path),
        lines=lines,
        body_line=extent.header.body_line,
        no_newline=_no_newline(body),
    )


def _no_newline(body: tuple[TextLine, ...]) -> tuple[Side, ...]:
    sides: set[Side] = set()
    for above, line in pairwise(body):
        if line.text.startswith("\\"):
            sides.update(_ENDS.get(above.text[:1], ()))
    return tuple(sorted(sides, reverse=True))


def _by_unidiff(body: tuple[TextLine, ...], counts: tuple[int, int, int, int]) -> tuple[str, tuple[DiffLine, ...]]:
    """What unidiff says against these lines (empty when it takes them), and the lines as it reads them."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    old, old_count, new, new_count = counts
    header = f"@@ -{old},{old_count} +{new},{new_count} @@\n"
    places = [line.body_line for line in body if not line.text.startswith("\\")]
    text = (f"{line.text}\n" for line in body if not line.text.startswith("\\"))
    try:
        hunk = PatchSet(("--- a\n", "+++ b\n", header, *text))[0][0]
    except UnidiffParseError as error:
        return f"unidiff does not take it: {str(error).splitlines()[0][:80]}", ()
    return "", tuple(
        DiffLine(
            mark=_MARKS[line.line_type],
            text=line.value[:-1],
            old=line.source_line_no,
            new=line.target_line_no,
            body_line=place,
        )
        for line, place in zip(hunk, places, strict=True)
    )


def _by_marks(body: tuple[TextLine, ...], counts: tuple[int, int, int, int]) -> Iterator[DiffLine]:
    old, _, new, _ = counts
    for line in body:
        if line.text.startswith("\\"):
            continue
        mark = _MARKS.get(line.text[:1], " ")
        text = line.text[1:] if line.text[:1] in _MARKS else line.text
        yield DiffLine(
            mark=mark,
            text=text,
            old=None if mark == "+" else old,
            new=None if mark == "-" else new,
            body_line=line.body_line,
        )
        old += mark != "+"
        new += mark != "-"
