"""The diff of a mail, read: files, hunks, lines; and what of it could not be read."""

from __future__ import annotations

from reviewer.diff.header import Header, read_header
from reviewer.diff.hunks import read_hunk
from reviewer.diff.names import is_odd, shown
from reviewer.diff.split import Section, split_files
from reviewer.model import FileDiff, Hunk, Notice, TextLine

_MOST_NOTICES = 20


def parse_diff(lines: tuple[TextLine, ...]) -> tuple[tuple[FileDiff, ...], tuple[Notice, ...]]:
    """The files that a diff changes, in its order, and a notice for each file that could not be read whole.

    `lines` are those of a mail from the first line of the diff on; text behind the diff is passed over. Paths are
    text, without prefixes; nothing of that name is opened. Notices are `bad-diff` (damaged hunks: what can be read
    of them is given) and `odd-path`; they name file, hunk and the line of the mail. Raises nothing.
    """
    files: list[FileDiff] = []
    notices: list[Notice] = []
    for section in split_files(lines):
        header = read_header(section)
        if header is None:
            notices.append(_bad(f"line {_first_line(section)} of the mail: a diff that names no file"))
            continue
        hunks, problems = _read_hunks(section, header)
        files.append(_file(section, header, hunks))
        if problems:
            more = f" (and {len(problems) - 1} more of its hunks)" if len(problems) > 1 else ""
            notices.append(_bad(f"{shown(header.path)}: {problems[0]}{more}"))
        notices += (
            Notice(code="odd-path", message=f"{shown(path)}: not a path inside a source tree")
            for path in sorted({header.path, header.old_path})
            if is_odd(path)
        )
    if lines and not files and not notices:
        notices.append(_bad(f"line {lines[0].body_line} of the mail: no file of the diff can be read"))
    if len(notices) > _MOST_NOTICES:
        left_out = len(notices) - _MOST_NOTICES
        notices[_MOST_NOTICES:] = [_bad(f"{left_out} more remarks on files of this diff are left out")]
    return tuple(files), tuple(notices)


def _read_hunks(section: Section, header: Header) -> tuple[tuple[Hunk, ...], list[str]]:
    """The hunks of a file as far as they can be read, and what is wrong, hunk by hunk."""
    hunks: list[Hunk] = []
    problems: list[str] = []
    for number, extent in enumerate(section.hunks, 1):
        hunk, damage = read_hunk(extent, header.path)
        if hunk is not None:
            hunks.append(hunk)
        if damage:
            problems.append(f"hunk {number}, line {extent.header.body_line} of the mail: {damage}")
    if header.empty and not section.hunks:
        problems.append(f"line {_first_line(section)} of the mail: its hunks are missing")
    return tuple(hunks), problems


def _file(section: Section, header: Header, hunks: tuple[Hunk, ...]) -> FileDiff:
    return FileDiff(
        path=header.path,
        old_path=header.old_path,
        status=header.status,
        binary=header.binary,
        old_mode=header.old_mode,
        new_mode=header.new_mode,
        old_blob=header.old_blob,
        new_blob=header.new_blob,
        similarity=header.similarity,
        hunks=hunks,
        body_line=_first_line(section),
    )


def _first_line(section: Section) -> int:
    return section.head[0].body_line if section.head else section.hunks[0].header.body_line


def _bad(message: str) -> Notice:
    return Notice(code="bad-diff", message=message)
