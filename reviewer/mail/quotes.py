"""A reply's text in blocks: what it quotes and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from reviewer.mail.span import is_footer, is_signature
from reviewer.model import TextLine

_WROTE = re.compile(
    r"(?:.*\b(?:wrote|writes|said|schrieb|escribió|écrit|napisał\(?a?\)?|scrisse)\b.{0,80}|.{0,200}写道)\s?[:：]\s*"
)
_WHOLE = re.compile(r"On .{0,30}\d.{0,250} wrote:\s*")
_SENDER = re.compile(r"From: .{1,200}")
_OPENS = re.compile(r"(?:On|Am|Le|El|At|W dniu|Em|Op|Il|Den|在)\b|\* |[A-Z][\w.-]+ .{0,80}<[^<>]*@", re.IGNORECASE)
_ORIGINAL = re.compile(r"-{3,} ?(?:Original|Forwarded|Ursprüngliche)\b.{0,30}-{3,}\s*", re.IGNORECASE)
_HEADER = re.compile(r"\*?(From|Sent|Date|To|Cc|Subject|发件人|发送时间|收件人|主题|Von|Gesendet|An|Betreff):\*? ?.*")
_FIRST = ("From", "发件人", "Von")
_LONGEST = 2000


class Block(Struct, frozen=True, kw_only=True):
    """A run of lines of one kind: "quoted" at a depth from 1, "own" (depth 0), or the "attribution" above a quote.

    Lines stand as in the mail, quote marks and all; blank lines at both ends are cut.
    """

    kind: Literal["quoted", "own", "attribution"]
    depth: int
    lines: tuple[TextLine, ...]


def unquote(text: str) -> tuple[int, str]:
    """A line's quote depth and what stands behind its marks. Depth 0 leaves the line as it is."""
    depth, rest = 0, text
    if rest.startswith(" >"):
        rest = rest[1:]
    while rest.startswith(">") and depth < 50:
        depth += 1
        rest = rest[1:]
        if rest.startswith(" >"):
            rest = rest[1:]
    return depth, rest.removeprefix(" ") if depth else text


def blocks(lines: Sequence[TextLine]) -> tuple[Block, ...]:
    """The blocks of a reply, in order; signature, list footer and disclaimer left out.

    `lines` are those of a text part (`body.part_lines` unwraps flowed ones). Below an Outlook header (`From:`,
    `Sent:`...) or `Original Message` line everything is quoted, unless what follows carries quote marks of its own.
    """
    return tuple(_trimmed(block) for block in _runs(lines) if any(line.text.strip() for line in block.lines))


def _runs(lines: Sequence[TextLine]) -> Iterator[Block]:
    texts = [line.text[:_LONGEST] for line in lines]
    own: list[TextLine] = []
    at = 0
    while at < len(lines):
        depth = unquote(texts[at])[0]
        if depth:
            yield from _own(own, quote_below=True)
            own = []
            end = at
            while end < len(lines) and unquote(texts[end])[0] == depth:
                end += 1
            yield Block(kind="quoted", depth=depth, lines=tuple(lines[at:end]))
            at = end
        elif is_footer(texts, at):
            break
        elif is_signature(texts, at):
            at = _behind_signature(texts, at)
        elif header := _outlook(texts, at):
            yield from _own(own, quote_below=False)
            own = []
            yield Block(kind="attribution", depth=0, lines=tuple(lines[at:header]))
            at = header
            if not _next_is_quoted(texts, at):
                yield Block(kind="quoted", depth=1, lines=tuple(lines[at:]))
                at = len(lines)
        else:
            own.append(lines[at])
            at += 1
    yield from _own(own, quote_below=False)


def _own(own: list[TextLine], *, quote_below: bool) -> Iterator[Block]:
    """The own blocks that `own` makes, attributions apart: at its end, and whole ones within."""
    cut = _attribution(own) if quote_below else len(own)
    start = 0
    for at in range(cut):
        if _WHOLE.fullmatch(own[at].text[:_LONGEST]):
            if start < at:
                yield Block(kind="own", depth=0, lines=tuple(own[start:at]))
            yield Block(kind="attribution", depth=0, lines=(own[at],))
            start = at + 1
    if start < cut:
        yield Block(kind="own", depth=0, lines=tuple(own[start:cut]))
    if cut < len(own):
        yield Block(kind="attribution", depth=0, lines=tuple(own[cut:]))


def _attribution(own: list[TextLine]) -> int:
    """Where the attribution at the end of `own` starts, at most three lines above its last; else the end."""
    last = len(own) - 1
    while last >= 0 and not own[last].text.strip():
        last -= 1
    if last < 0:
        return len(own)
    text = own[last].text[:_LONGEST].strip()
    if last == len(own) - 1 and _SENDER.fullmatch(text):
        return last
    if not _WROTE.fullmatch(text):
        return len(own)
    for first in range(last, max(last - 4, -1), -1):
        text = own[first].text.strip()
        if not text:
            break
        if _OPENS.match(text[:_LONGEST]):
            return first
    return last


def _behind_signature(texts: list[str], at: int) -> int:
    """The first line behind a signature that is quoted, an attribution or a footer: top-posters go on below it."""
    for below in range(at + 1, len(texts)):
        text = texts[below]
        if unquote(text)[0] or is_footer(texts, below) or _WROTE.fullmatch(text.strip()) or _outlook(texts, below):
            return below
    return len(texts)


def _outlook(texts: list[str], at: int) -> int:
    """Where the header block of an unmarked quote that starts at `at` ends; 0 when none starts there."""
    start = at
    if _ORIGINAL.fullmatch(texts[at].strip()) or (texts[at].startswith("__________") and not texts[at].strip("_ \r")):
        start += 1
        while start < len(texts) and start - at < 3 and not texts[start].strip():
            start += 1
    if start == len(texts):
        return 0
    match = _HEADER.fullmatch(texts[start].strip())
    if match is None or match[1] not in _FIRST or (start == at and at and texts[at - 1].strip()):
        return 0
    end = start
    while end < len(texts) and end - start < 40 and texts[end].strip():
        end += 1
    named = {found[1] for text in texts[start:end] if (found := _HEADER.fullmatch(text.strip()))}
    return end if len(named) >= 3 else 0


def _next_is_quoted(texts: list[str], at: int) -> bool:
    while at < len(texts) and not texts[at].strip():
        at += 1
    return at < len(texts) and unquote(texts[at])[0] > 0


def _trimmed(block: Block) -> Block:
    first, last = 0, len(block.lines)
    while not block.lines[first].text.strip():
        first += 1
    while not block.lines[last - 1].text.strip():
        last -= 1
    return Block(kind=block.kind, depth=block.depth, lines=block.lines[first:last])
