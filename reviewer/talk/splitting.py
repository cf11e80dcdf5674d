"""A reply in pieces: the words of its author, each with what is quoted above them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from reviewer.mail.quotes import Block, blocks, unquote
from reviewer.model import TextLine
from reviewer.talk.document import key_of

_TRIMMED = re.compile(r"\W*(?:\.{2,}|…|snip(?:ped)?|cut|trimmed|skip(?:ped)?|snap)?\W*", re.IGNORECASE)
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|day|evening|afternoon)|greetings)\b[\w .,'’+/&-]{0,60}[,.!:]*"
    r"|\(?(?:adding|cc['’: ]?(?:ing)?|\+cc|\+)\b.{0,120}"
    r"|(?:on|at) .{0,300}\bwrote:",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:(?:many|with|kind|best|warm|kindest|thx|best wishes) )*"
    r"(?:regards|thanks|thanks again|thank you|thx|cheers|best|br|rgds|wishes|sincerely|take care|bye|ciao|tia"
    r"|thanks in advance))(?: and regards| for .{0,20}| again| in advance| a lot| so much)?[,.!: ]*|[-–—/~ ]*",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"(?:thanks|thank you|regards|cheers),? [A-Z][\w'’-]{1,20}[.!]*|[-~/] ?\w{1,20}", re.IGNORECASE)
_NAME = re.compile(r"[-–—/~ ]*[\w.'’-]{1,25}(?: [\w.'’-]{1,25}){0,2}[,. ]*")
_HEADER = re.compile(r"(?:From|Sent|Date|To|Cc|Subject): |-{3,} ?Original")
_INDENT = " \t|:%#\xa0"
_LEAST = 12
_LONGEST = 2000


class Quoted(Struct, frozen=True, kw_only=True):
    """A line that a reply quotes: how deep, and what stands on it without white space."""

    depth: int
    key: str
    body_line: int


class Piece(Struct, frozen=True, kw_only=True):
    """Words of the reply's author, from the first to the last line that says something, and the quote above them."""

    own: tuple[TextLine, ...]
    above: tuple[Quoted, ...]


def pieces(
    lines: Sequence[TextLine],
    known: Callable[[str], bool],
    name: str = "",
    passed: Collection[int] = (),
) -> tuple[Piece, ...]:
    """The pieces of a reply, in order; greetings, sign-offs, signatures and marks of trimming are no words.

    `lines` are those of its text part, `name` is the display name of its author. `known` tells whether a key is a line
    of what the reply answers: that is how quotes without marks are seen (Outlook's, or indented ones), in replies that
    mark none. `passed` are the places in the body of lines that are for machines.
    """
    found = blocks(lines)
    if not any(block.kind == "quoted" and unquote(block.lines[0].text)[0] for block in found):
        found = tuple(_unmarked(found, known))
    done: list[Piece] = []
    above: list[Quoted] = []
    for block in found:
        if block.kind == "quoted":
            above += _quoted(block)
        elif block.kind == "own":
            own = _said([line for line in block.lines if line.body_line not in passed], name)
            if own:
                done.append(Piece(own=own, above=tuple(above)))
                above = []
    return tuple(done)


def _quoted(block: Block) -> Iterator[Quoted]:
    for line in block.lines:
        depth, text = unquote(line.text)
        key = key_of(text[:_LONGEST])
        if key:
            yield Quoted(depth=depth or block.depth, key=key, body_line=line.body_line)


def _said(lines: Sequence[TextLine], name: str) -> tuple[TextLine, ...]:
    """`lines` without greeting, closing and trimming at their ends; empty when that is all."""
    start, end = 0, len(lines)
    while start < end and (_TRIMMED.fullmatch(_head(lines[start])) or _GREETING.fullmatch(_head(lines[start]))):
        start += 1
    while end > start and _TRIMMED.fullmatch(_head(lines[end - 1])):
        end -= 1
    end = min((at for at in range(max(end - 6, start), end) if _is_closing(lines, at, end, name)), default=end)
    while end > start and _TRIMMED.fullmatch(_head(lines[end - 1])):
        end -= 1
    return tuple(lines[start:end])


def _is_closing(lines: Sequence[TextLine], at: int, end: int, name: str) -> bool:
    """Whether a closing formula, or the author's name alone, stands at `at` with nothing but names behind it."""
    text = _head(lines[at])
    below = [_head(line) for line in lines[at + 1 : end] if line.text.strip()]
    if not text or not all(_NAME.fullmatch(line) for line in below):
        return False
    if _CLOSING.fullmatch(text) or _SIGNED.fullmatch(text):
        return True
    return not below and len(text.split()) <= 3 and all(word in name.split() for word in text.strip(" .,-~").split())


def _head(line: TextLine) -> str:
    return line.text[:400].strip()


def _unmarked(found: Iterable[Block], known: Callable[[str], bool]) -> Iterator[Block]:
    """The blocks of a reply that marks no quotes, told apart by what is known of the mail that it answers."""
    for block in found:
        marks = [_is_known(line, known, bare=block.kind == "quoted") for line in block.lines]
        said = sum(bool(line.text.strip()) for line in block.lines)
        seen = sum(len(key_of(line.text)) for line, mark in zip(block.lines, marks, strict=True) if mark)
        mostly = block.kind != "quoted" or 2 * sum(map(bool, marks)) >= said
        if block.kind == "attribution" or seen < _LEAST or not mostly:
            yield block
        else:
            yield from _told_apart([_plain(line, known) for line in block.lines], marks)


def _is_known(line: TextLine, known: Callable[[str], bool], *, bare: bool) -> bool | None:
    """Whether a line is quoted; None for a blank one. Without an attribution above, only indented lines are."""
    text = line.text[:_LONGEST].strip()
    if not text:
        return None
    if not bare and line.text[0] not in _INDENT:
        return False
    return known(key_of(text)) or known(key_of(text.lstrip(_INDENT))) or _HEADER.match(text) is not None


def _plain(line: TextLine, known: Callable[[str], bool]) -> TextLine:
    """A line without the bar or colon that it is indented by."""
    bare = line.text.lstrip(_INDENT)
    if bare != line.text.lstrip() and not known(key_of(line.text[:_LONGEST])) and known(key_of(bare[:_LONGEST])):
        return TextLine(text=bare, body_line=line.body_line)
    return line


def _told_apart(lines: Sequence[TextLine], marks: Sequence[bool | None]) -> Iterator[Block]:
    """Runs of lines that are quoted or not; blank lines belong to the run before them."""
    run: list[TextLine] = []
    quoted = False
    for line, mark in zip(lines, marks, strict=True):
        if mark is not None and mark != quoted:
            if run:
                yield _block(run, quoted=quoted)
            run, quoted = [], mark
        run.append(line)
    if run:
        yield _block(run, quoted=quoted)


def _block(run: Iterable[TextLine], *, quoted: bool) -> Block:
    return Block(kind="quoted" if quoted else "own", depth=int(quoted), lines=tuple(run))
