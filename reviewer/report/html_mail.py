"""One patch, or the cover letter, as the HTML page shows it: message, files, and what is said beside their lines.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct

from reviewer.model import Cover, FileDiff, Patch, Tag, TextLine
from reviewer.opinions import giver, is_opinion
from reviewer.report.html_chart import Chart, drawings_of
from reviewer.report.html_diff import Block, blocks_of, digits_of, key_of, state_of
from reviewer.report.html_notes import Note, by_line
from reviewer.report.layout import shortened
from reviewer.report.naming import day_of, name_of

MOST_ROWS = 600
"""Lines of a diff; a longer one of a file is folded unless something is said of it."""


class TextBlock(Struct, frozen=True, kw_only=True):
    """Lines of a message, what is said of the last one, and the tables among them that can be drawn."""

    lines: tuple[TextLine, ...]
    notes: tuple[Note, ...]
    charts: tuple[Chart, ...]


class FilePage(Struct, frozen=True, kw_only=True):
    """A file of a patch. `head` is what is said of the lines above its first hunk, `as_before` tells that an earlier
    version did the same to it; `digits` is the width of its line numbers.
    """

    anchor: str
    path: str
    state: str
    added: int
    removed: int
    digits: int
    as_before: bool
    folded: bool
    head: tuple[Note, ...]
    blocks: tuple[Block, ...]


class MailPage(Struct, frozen=True, kw_only=True):
    """A mail. `loose` is what is said of no line of it; `open` counts the comments that are open.

    `author` is empty when it is that of the series; `notes` are the lines below `---`, folded unless something is said
    of them. `worst` is the highest level of its findings, or empty.
    """

    anchor: str
    number: int
    total: int | None
    title: str
    message_id: str
    author: str
    date: str
    tags: tuple[str, ...]
    message: tuple[TextBlock, ...]
    notes: tuple[TextBlock, ...]
    notes_folded: bool
    loose: tuple[Note, ...]
    files: tuple[FilePage, ...]
    findings: int
    worst: str
    open: int


def mail_page(
    subject: Patch | Cover,
    anchor: str,
    notes: Sequence[Note],
    *,
    author: str,
    total: int | None,
    known: Set[tuple[str, ...]],
) -> MailPage:
    """The page of a mail of which `notes` are said; `known` are the keys of files of the version before it.

    `author` and `total` are those of the series.
    """
    text = subject.text
    said = dict(by_line(notes))
    message_part = text.part if text.message_part is None else text.message_part
    of_message = {line.body_line for line in (*text.message, *text.notes)}
    of_text = {line: said.pop((part, line)) for part, line in [*said] if part == message_part and line in of_message}
    files: list[FilePage] = []
    in_diff = {line: some for (part, line), some in said.items() if part == text.part and line}
    for at, file in enumerate(subject.files if isinstance(subject, Patch) else (), 1):
        files.append(_file(file, f"{anchor}-f{at}", in_diff, known))
    below = _text_blocks(text.notes, of_text)
    writer = text.author or subject.mail.author
    levels = [note.finding.level for note in notes if note.finding]
    return MailPage(
        anchor=anchor,
        number=subject.number if isinstance(subject, Patch) else 0,
        total=total,
        title=shortened(subject.mail.subject.title),
        message_id=subject.mail.message_id,
        author="" if name_of(writer) == author else name_of(writer),
        date=day_of(subject.mail),
        tags=tuple(_tags(subject.tags)),
        message=_text_blocks(text.message, of_text),
        notes=below,
        notes_folded=isinstance(subject, Patch) and not any(block.notes for block in below),
        loose=(*said.get((0, 0), ()), *_left(said, files)),
        files=tuple(files),
        findings=len(levels),
        worst=next((level for level in ("error", "warning", "note") if level in levels), ""),
        open=sum(note.comment is not None and note.comment.state == "open" for note in notes),
    )


def _file(file: FileDiff, anchor: str, said: Mapping[int, tuple[Note, ...]], known: Set[tuple[str, ...]]) -> FilePage:
    first = file.hunks[0].body_line if file.hunks else file.body_line + 1
    head = tuple(note for line in range(file.body_line, first) for note in said.get(line, ()))
    blocks = blocks_of(file, said)
    as_before = bool(known) and key_of(file) in known
    quiet = not head and not any(block.notes for block in blocks)
    rows = sum(len(block.rows) for block in blocks)
    return FilePage(
        anchor=anchor,
        path=file.path,
        state=state_of(file),
        added=file.added,
        removed=file.removed,
        digits=digits_of(file),
        as_before=as_before,
        folded=quiet and (as_before or rows > MOST_ROWS),
        head=head,
        blocks=blocks,
    )


def _left(said: Mapping[tuple[int, int], tuple[Note, ...]], files: Sequence[FilePage]) -> Iterator[Note]:
    """What is said of lines that are not shown, such as those between two files."""
    placed = {note.anchor for file in files for note in file.head}
    placed |= {note.anchor for file in files for block in file.blocks for note in block.notes}
    for (_, line), notes in said.items():
        if line:
            yield from (note for note in notes if note.anchor not in placed)


def _text_blocks(lines: tuple[TextLine, ...], said: Mapping[int, tuple[Note, ...]]) -> tuple[TextBlock, ...]:
    """The lines, cut below each of which something is said, and below the paragraph of each table that can be drawn."""
    drawn = drawings_of(lines)
    charts = {one.last: one.charts for one in drawn}
    tops = {one.first for one in drawn}
    blocks: list[TextBlock] = []
    start, end = 0, len(lines)
    while end and not lines[end - 1].text.strip() and lines[end - 1].body_line not in said:
        end -= 1
    for at, line in enumerate(lines[:end]):
        notes, own = said.get(line.body_line, ()), charts.get(line.body_line, ())
        if notes or own or at + 1 == end or lines[at + 1].body_line in tops:
            blocks.append(TextBlock(lines=lines[start : at + 1], notes=notes, charts=own))
            start = at + 1
    return tuple(blocks)


def _tags(tags: Sequence[Tag]) -> Iterator[str]:
    for tag in tags:
        if is_opinion(tag.name):
            yield f"{tag.name} {giver(tag)}" + (f", not counted: {tag.why}" if not tag.counted else "")
