"""The text of a patch or cover letter, taken apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from reviewer.mail.diffstat import read_diffstat
from reviewer.mail.inbody import behind_scissors, read_inbody
from reviewer.mail.span import diff_span, text_end, trimmed
from reviewer.mail.trailers import read_trailers
from reviewer.model import Address, Mail, MessageText, TextLine, TextPart

_BASE = re.compile(r"base-commit:[ \t]*([0-9a-f]{12,64})\s*", re.IGNORECASE)
_PREREQUISITE = re.compile(r"prerequisite-patch-id:[ \t]*([0-9a-f]{40})\s*", re.IGNORECASE)
_CHANGE_ID = re.compile(r"change-id:[ \t]*(?!I[0-9a-f]{40}\s*$)(\S{1,200})\s*", re.IGNORECASE)

_EMPTY = TextPart(number=0, text="")


def message_text(mail: Mail, parts: tuple[TextPart, ...]) -> MessageText:
    """The first patch of a mail, or its first text when it has none: what `patch_texts` gives first."""
    return patch_texts(mail, parts)[0]


def patch_texts(mail: Mail, parts: tuple[TextPart, ...]) -> tuple[MessageText, ...]:
    """One MessageText for each part that holds an unquoted diff; without any, one for the first text part.

    A diff attached without a message of its own has that of the first part (`message_part` tells). A mail without
    text gives one that is empty.
    """
    texts = [_read(part) for part in parts or (_EMPTY,)]
    patches = [text for text in texts if text.diff]
    if not patches:
        return (texts[0],)
    cover = texts[0]
    return tuple(patch if patch is cover or patch.message else _with_message(patch, cover) for patch in patches)


def _with_message(patch: MessageText, cover: MessageText) -> MessageText:
    if cover.diff:
        return patch
    return replace(
        cover,
        part=patch.part,
        diff=patch.diff,
        message_part=cover.part,
        author=patch.author or cover.author,
        diffstat=patch.diffstat or cover.diffstat,
        base_commit=patch.base_commit or cover.base_commit,
        change_id=patch.change_id or cover.change_id,
        prerequisites=patch.prerequisites or cover.prerequisites,
    )


def _read(part: TextPart) -> MessageText:
    lines = part.text.removesuffix("\n").split("\n")
    above, (author, start) = _opening(lines)
    span = diff_span(lines, start)
    end = trimmed(lines, start, span.start) if span else text_end(lines, start, len(lines))
    cut = next((at for at in range(start, end) if lines[at].rstrip() == "---"), end)
    message = _numbered(lines, start, trimmed(lines, start, cut))
    notes = (*above, *_numbered(lines, cut + 1, end))
    behind = _numbered(lines, span.end, len(lines)) if span else ()
    return MessageText(
        part=part.number,
        author=author,
        message=message,
        trailers=read_trailers(message),
        notes=notes,
        diffstat=read_diffstat(notes) or read_diffstat(message),
        diff=_numbered(lines, span.start, span.end) if span else (),
        base_commit=_named(_BASE, (*notes, *message, *behind), lower=True),
        change_id=_named(_CHANGE_ID, (*notes, *message, *behind)),
        prerequisites=tuple(
            match[1].lower()
            for line in (*message, *notes, *behind)
            if (match := _PREREQUISITE.fullmatch(line.text)) is not None
        ),
    )


def _opening(lines: Sequence[str]) -> tuple[tuple[TextLine, ...], tuple[Address | None, int]]:
    """What stands above a scissors line, and below it the author and where the message starts."""
    author, start = read_inbody(lines)
    cut = behind_scissors(lines, start)
    if cut == start:
        return (), (author, start)
    inner, below = read_inbody(lines[cut:])
    return _numbered(lines, start, cut), (inner or author, cut + below)


def _numbered(lines: Sequence[str], start: int, end: int) -> tuple[TextLine, ...]:
    return tuple(TextLine(text=lines[at], body_line=at + 1) for at in range(start, end))


def _named(pattern: re.Pattern[str], lines: Sequence[TextLine], *, lower: bool = False) -> str | None:
    for line in lines:
        if match := pattern.fullmatch(line.text):
            return match[1].lower() if lower else match[1]
    return None
