"""The tags that a reply gives, also inside prose, with their conditions and limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from reviewer.mail.address import parse_person
from reviewer.mail.quotes import Block, blocks
from reviewer.mail.span import diff_span
from reviewer.mail.tagnames import OBJECTIONS, tag_name
from reviewer.mail.tagwords import bot_command, is_conditional, limited_to, may_hold_tag, objection
from reviewer.model import Address, TextLine

_LONGEST = 2000
_COLONS = 20
_WORD = re.compile(r"(?:(?<![A-Za-z-])[A-Za-z]{4,20} )?(?<![A-Za-z_-])[A-Za-z][A-Za-z_-]*$")
_SHORT_WORD = re.compile(r"(?<![A-Za-z_-])[A-Za-z][A-Za-z_-]*$")
_NAMED = re.compile(r"(?:[A-Z][\w.'-]*)(?: [A-Z][\w.'-]*){1,4}")
_COMMENT = re.compile(r"\s*(?:#.*|\[[^\]]*\]|\([^)]*\))")


class ReplyTag(Struct, frozen=True, kw_only=True):
    """A tag that a reply gives, or an objection in words (`name` "NAK", or the tag that is taken back).

    `conditional`: something is asked for first. `patches`: the numbers it is limited to in words, or None.
    `misspelt_as`: how it was written when `name` is only the likely one. `person` is None for objections in words.
    `command`: not a tag but what patchwork's bot (`name` "pw-bot", `value` the state) or syzbot ("#syz") is told.
    """

    name: str
    value: str
    person: Address | None
    body_line: int
    conditional: bool = False
    patches: tuple[int, ...] | None = None
    objection: bool = False
    misspelt_as: str | None = None
    command: bool = False


def reply_tags(text: str) -> tuple[ReplyTag, ...]:
    """The tags of a reply's decoded text, in order: from its unquoted lines above signature and diff.

    `body_line` counts from 1 in `text`. Only real tag names count, a name misspelt by a letter or two is given with
    `misspelt_as`. A tag needs an address; alone on its line, a name is enough. The trailers of a patch proposed in
    the reply (the paragraph above its `---`) are that patch's, not tags.
    """
    if not may_hold_tag(text):
        return ()
    lines = _above_diff(text.split("\n"))
    found: list[ReplyTag] = []
    intro: Sequence[TextLine] = ()
    for block in blocks([TextLine(text=line[:_LONGEST], body_line=number) for number, line in enumerate(lines, 1)]):
        intro = intro if block.kind == "own" else ()
        for paragraph in _paragraphs(block):
            found += _paragraph_tags(paragraph, intro)
            intro = paragraph
    return tuple(found)


def _above_diff(lines: list[str]) -> list[str]:
    span = diff_span(lines)
    if span is None:
        return lines
    end = span.start
    cut = next((at for at in range(end) if lines[at].rstrip() == "---"), None)
    if cut is None:
        return lines[:end]
    while cut and lines[cut - 1].strip():
        cut -= 1
    return lines[:cut]


def _paragraphs(block: Block) -> Iterator[list[TextLine]]:
    if block.kind != "own":
        return
    now: list[TextLine] = []
    for line in block.lines:
        if line.text.strip():
            now.append(line)
        elif now:
            yield now
            now = []
    if now:
        yield now


def _paragraph_tags(lines: list[TextLine], intro: Sequence[TextLine]) -> Iterator[ReplyTag]:
    before = _intro(intro)
    start = 0
    for at, line in enumerate(lines):
        tagged = False
        for tag, said in _line_tags(lines, at):
            tagged = True
            words = " ".join((before, *(one.text.strip() for one in lines[max(start, at - 4) : at]), said))
            yield _qualified(tag, words)
        if tagged:
            start = at + 1
        else:
            yield from _objections(
                line, starts=not at or lines[at - 1].text.rstrip().endswith((".", "!", "?", ":", ";"))
            )
            yield from _commands(line)


def _intro(lines: Sequence[TextLine]) -> str:
    """The last words of the paragraph above, when they lead to what follows."""
    if not lines or not lines[-1].text.rstrip().endswith((":", ",", "...")) or list(_line_tags(lines, len(lines) - 1)):
        return ""
    return " ".join(line.text.strip() for line in lines[-3:])


def _line_tags(lines: Sequence[TextLine], at: int) -> Iterator[tuple[ReplyTag, str]]:
    """The tags on a line, each with the words around it."""
    text = lines[at].text
    if ":" not in text or not may_hold_tag(text):
        return
    colon, behind = text.find(":"), 0
    for _ in range(_COLONS):
        if colon < 0:
            return
        left = text[max(behind, colon - 45) : colon].rstrip()
        named = _named(left)
        tag = _tag(lines, at, colon, named, left) if named else None
        if tag is not None and named is not None:
            before = text[behind : text.find(named[2], behind)]
            rest = text[colon + 1 :]
            yield tag, f"{before} {rest.rpartition('>')[2] if '>' in rest else ''}"
            behind = colon + 1
        colon = text.find(":", colon + 1)


def _named(left: str) -> tuple[str, str | None, str] | None:
    """The tag name at the end of `left`, the misspelling, and the words it was read from."""
    for pattern in (_SHORT_WORD, _WORD):
        match = pattern.search(left)
        name = tag_name(match[0]) if match else None
        if match and name:
            return name[0], name[1], match[0]
    return None


def _tag(
    lines: Sequence[TextLine], at: int, colon: int, named: tuple[str, str | None, str], left: str
) -> ReplyTag | None:
    name, misspelt, word = named
    value = lines[at].text[colon + 1 :].strip()
    alone = not lines[at].text[: colon - len(word)].strip(" \t*-") and left.endswith(word)
    if "@" not in value:
        value = _folded(lines, at, value)
    person = parse_person(value)
    if person is not None and len(person.name.split()) <= 8:
        value = _cut(value, person)
    elif alone and not misspelt and _NAMED.fullmatch(value):
        person = Address(name=value, email="")
    else:
        return None
    return ReplyTag(
        name=name,
        value=value,
        person=person,
        body_line=lines[at].body_line,
        objection=name in OBJECTIONS,
        misspelt_as=misspelt,
    )


def _folded(lines: Sequence[TextLine], at: int, value: str) -> str:
    """A value whose address stands on one of the next two lines, put together; else as it is."""
    joined = value
    for line in lines[at + 1 : at + 3]:
        text = line.text.strip()
        if _named(text.partition(":")[0]) and ":" in text:
            break
        joined = f"{joined} {text}".strip()
        if "@" in text:
            return joined if text.startswith("<") or line.text[:1] in (" ", "\t") or len(joined) < 120 else value
    return value


def _cut(value: str, person: Address) -> str:
    """`value` up to its address, with the comment behind it."""
    end = value.find(person.email) + len(person.email)
    end += value[end : end + 1] == ">"
    comment = _COMMENT.match(value, end)
    return value[: comment.end() if comment else end].strip()


def _qualified(tag: ReplyTag, words: str) -> ReplyTag:
    return ReplyTag(
        name=tag.name,
        value=tag.value,
        person=tag.person,
        body_line=tag.body_line,
        conditional=not tag.objection and is_conditional(words),
        patches=limited_to(words),
        objection=tag.objection,
        misspelt_as=tag.misspelt_as,
    )


def _objections(line: TextLine, *, starts: bool) -> Iterator[ReplyTag]:
    name = objection(line.text.strip(), starts=starts) if may_hold_tag(line.text) else None
    if name is not None:
        yield ReplyTag(name=name, value=line.text.strip(), person=None, body_line=line.body_line, objection=True)


def _commands(line: TextLine) -> Iterator[ReplyTag]:
    told = bot_command(line.text)
    if told is not None:
        yield ReplyTag(name=told[0], value=told[1], person=None, body_line=line.body_line, command=True)
