"""The text of a patch or cover letter as replies quote it: its lines by what stands on them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from msgspec import Struct

from reviewer.model import DiffLine, FileDiff, Hunk, Location, Mail, MessageText, TextLine

_Part = TypeVar("_Part", FileDiff, Hunk)

_INVISIBLE = {ord(char): None for char in "\u200b\u200c\u200d\u2060\ufeff\u00ad"}
_LONGEST = 300
_FUNCTION = re.compile(r"(?:[A-Za-z_][^;=(]{0,200}?[\s*])?(\w+)\s?\(")


class Document(Struct, frozen=True, kw_only=True):
    """A cover letter or patch to which replies refer.

    `number` is the patch's, 0 for the cover letter. `lines` are those of message, notes and diff that are not blank;
    `keys` the same without white space; `places` leads from a key to where it stands in both. `joined` are all keys
    in one, each at its place in `starts`. The lines from `diff_from` on are the diff.
    """

    mail: Mail
    number: int
    text: MessageText
    files: tuple[FileDiff, ...]
    lines: tuple[TextLine, ...]
    keys: tuple[str, ...]
    places: Mapping[str, tuple[int, ...]]
    joined: str
    starts: tuple[int, ...]
    diff_from: int

    def containing(self, key: str, most: int) -> list[int]:
        """Places of the lines in which `key`, perhaps a piece of a line or several lines as one, ends; `most` of it."""
        found: list[int] = []
        at = self.joined.find(key)
        while at >= 0 and len(found) < most:
            found.append(bisect_right(self.starts, at + len(key) - 1) - 1)
            at = self.joined.find(key, at + 1)
        return found


def document(mail: Mail, number: int, text: MessageText, files: tuple[FileDiff, ...]) -> Document:
    """The document of a mail that was read."""
    lines: list[TextLine] = []
    keys: list[str] = []
    places: dict[str, list[int]] = {}
    starts: list[int] = []
    length = 0
    above = (*text.message, *text.notes)
    diff_from = sum(bool(key_of(line.text)) for line in above)
    for line in (*above, *text.diff):
        key = key_of(line.text)
        if key:
            places.setdefault(key, []).append(len(keys))
            lines.append(line)
            keys.append(key)
            starts.append(length)
            length += len(key)
    return Document(
        mail=mail,
        number=number,
        text=text,
        files=files,
        lines=tuple(lines),
        keys=tuple(keys),
        places={key: tuple(found) for key, found in places.items()},
        joined="".join(keys),
        starts=tuple(starts),
        diff_from=diff_from,
    )


def key_of(text: str) -> str:
    """A line without white space of any kind, for comparing what mailers wrap, indent and pad."""
    key = "".join(text.split())
    return key if key.isascii() else key.translate(_INVISIBLE)


def whole(document: Document) -> Location:
    """The location of a comment on all of it."""
    part, title = _message_part(document), document.mail.subject.text
    return Location(kind="message" if document.number else "series", part=part, text=title)


def location(document: Document, place: int) -> Location:
    """The location of the line at `place`: in the code, or in the message for all that is not."""
    line = document.lines[place]
    if place < document.diff_from:
        return Location(kind="message", part=_message_part(document), body_line=line.body_line, text=line.text)
    file, hunk, at = around(document, line.body_line)
    part = document.text.part
    if file is None:
        return Location(kind="message", part=part, body_line=line.body_line, text=line.text)
    if hunk is None or at is None:
        start = hunk.new_start or None if hunk else None
        function = hunk.function if hunk else None
        return Location(
            kind="code", file=file.path, line=start, side="new" if start else None, function=function, part=part,
            body_line=line.body_line, text=line.text,
        )  # fmt: skip
    shown = hunk.lines[at]
    return Location(
        kind="code",
        file=file.path,
        line=shown.old if shown.mark == "-" else shown.new,
        side="old" if shown.mark == "-" else "new",
        function=function_of(file, hunk, at),
        part=part,
        body_line=line.body_line,
        text=shown.text,
    )


def around(document: Document, body_line: int) -> tuple[FileDiff | None, Hunk | None, int | None]:
    """The file, the hunk and the place among the hunk's lines of a line of the mail, as far as it is in them."""
    file = _last_before(document.files, body_line)
    hunk = _last_before(file.hunks, body_line) if file else None
    if hunk is None:
        return file, None, None
    at = bisect_right(hunk.lines, body_line, key=_body_line) - 1
    inside = at >= 0 and hunk.lines[at].body_line == body_line
    return file, hunk, at if inside else None


def function_of(file: FileDiff, hunk: Hunk, at: int) -> str | None:
    """The function around a line of a hunk: the head of one above it in the hunk, else what the `@@` line names."""
    if not file.path.endswith((".c", ".h")):
        return hunk.function
    old = hunk.lines[at].mark == "-"
    for line in reversed(hunk.lines[max(at - 400, 0) : at + 1]):
        if line.mark == ("+" if old else "-"):
            continue
        if line.text.startswith("}") and line is not hunk.lines[at]:
            return None
        name = _named(line.text[:_LONGEST])
        if name:
            return name
    return hunk.function


@lru_cache(maxsize=4096)
def _named(text: str) -> str | None:
    if not text or not (text[0].isalpha() or text[0] == "_") or text.rstrip().endswith((";", ":")):
        return None
    match = _FUNCTION.match(text)
    return match[1] if match else None


def _last_before(those: Sequence[_Part], body_line: int) -> _Part | None:
    at = bisect_right(those, body_line, key=_body_line)
    return those[at - 1] if at else None


def _body_line(one: FileDiff | Hunk | DiffLine) -> int:
    return one.body_line


def _message_part(document: Document) -> int:
    return document.text.part if document.text.message_part is None else document.text.message_part
