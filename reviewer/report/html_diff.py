"""The diff of one file as rows, cut into blocks where something is said of a line and where it can be folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from reviewer.model import DiffLine, FileDiff, Hunk, Side
from reviewer.report.html_marks import Spans, marks_of
from reviewer.report.html_notes import Note

AROUND = 3
"""Unchanged lines that are shown on either side of a changed one, and of one that something is said of."""
FEWEST = 8
"""Unchanged lines that are worth folding."""
_WORDS = {"added": "new file", "deleted": "deleted", "renamed": "renamed", "copied": "copied"}


class Row(Struct, frozen=True, kw_only=True):
    """A line of the diff view.

    `mark` is that of the diff, `@` for the head of a hunk, `!` for a remark of diff itself. `old` and `new` are the
    numbers of the line, `spans` its parts that differ from the line that it replaces.
    """

    mark: str
    text: str
    body_line: int = 0
    old: int | None = None
    new: int | None = None
    spans: Spans = ()


class Block(Struct, frozen=True, kw_only=True):
    """Rows that belong together, `folded` when nobody has to see them, and what is said of the last one."""

    rows: tuple[Row, ...]
    folded: bool
    notes: tuple[Note, ...]


def state_of(file: FileDiff) -> str:
    """What happens to a file beside its lines, in words, or an empty string."""
    words = [_WORDS.get(file.status, "")]
    if file.status in ("renamed", "copied"):
        words.append(f"from {file.old_path}" + (f", {file.similarity} % the same" if file.similarity else ""))
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        words.append(f"mode {file.old_mode} to {file.new_mode}")
    if file.binary:
        words.append("binary")
    return " ".join(filter(None, words))


def blocks_of(file: FileDiff, said: Mapping[int, tuple[Note, ...]]) -> tuple[Block, ...]:
    """The diff of a file; `said` is what is said of it, by line of the mail's body."""
    blocks: list[Block] = []
    for hunk in file.hunks:
        rows = tuple(_rows(hunk))
        shown = _shown(rows, said)
        start = 0
        for at, row in enumerate(rows):
            last = at + 1 == len(rows)
            notes = said.get(row.body_line, ()) if row.body_line else ()
            if notes or last or shown[at] != shown[at + 1]:
                blocks.append(Block(rows=rows[start : at + 1], folded=not shown[at], notes=notes))
                start = at + 1
    return tuple(blocks)


def digits_of(file: FileDiff) -> int:
    """How many digits the line numbers of a file have."""
    last = max(
        (max(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count) for hunk in file.hunks), default=1
    )
    return len(str(last))


def key_of(file: FileDiff) -> tuple[str, ...]:
    """What is the same in two versions of a patch that do the same to a file, wherever its lines are."""
    return (file.path, file.status, *(line.mark + line.text for hunk in file.hunks for line in hunk.lines))


def _rows(hunk: Hunk) -> Iterator[Row]:
    marks = marks_of(hunk.lines)
    section = f" {hunk.section.strip()}" if hunk.section.strip() else ""
    head = f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@{section}"
    yield Row(mark="@", text=head, body_line=hunk.body_line)
    ends = _ends(hunk)
    for at, line in enumerate(hunk.lines):
        yield Row(
            mark=line.mark,
            text=line.text,
            body_line=line.body_line,
            old=line.old,
            new=line.new,
            spans=marks.get(line.body_line, ()),
        )
        if at in ends:
            yield Row(mark="!", text="\\ No newline at end of file")


def _ends(hunk: Hunk) -> set[int]:
    """The places of lines behind which no newline stands."""

    def on(line: DiffLine, side: Side) -> bool:
        return (line.old if side == "old" else line.new) is not None

    places = (max((at for at, line in enumerate(hunk.lines) if on(line, side)), default=-1) for side in hunk.no_newline)
    return set(places)


def _shown(rows: Sequence[Row], said: Mapping[int, tuple[Note, ...]]) -> list[bool]:
    """Which rows are shown: those near to a changed one, or to one that something is said of, and short runs."""
    shown = [row.mark != " " or row.body_line in said for row in rows]
    for step in (1, -1):
        near = 0
        for at in range(len(rows))[::step]:
            if rows[at].mark in "+-!" or rows[at].body_line in said:
                near = AROUND
            elif near:
                shown[at], near = True, near - 1
    start = 0
    for at in range(len(rows) + 1):
        if at == len(rows) or shown[at]:
            if at - start < FEWEST:
                shown[start:at] = [True] * (at - start)
            start = at + 1
    return shown
