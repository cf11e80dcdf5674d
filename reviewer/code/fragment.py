"""The cut ends of a fragment: what has to stand before and behind it to make it C again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from reviewer.code.ending import ENDINGS, Kind, Place, opener_kind, tail
from reviewer.code.lexical import Brackets
from reviewer.code.parts import Heading

_OPEN: dict[Place, bytes] = {
    "file": b"",
    "block": b"void f(void){",
    "struct": b"struct s{",
    "enum": b"enum e{",
    "list": b"int x[]={",
    "call": b"f(",
    "head": b"void f(",
    "name": b"void",
    "body": b"void f(void)",
}
_PLACES: tuple[Place, ...] = ("file", "block", "struct", "enum", "list", "call", "head", "name", "body")
_BRACED: tuple[Place, ...] = ("block", "struct", "enum", "list")
_BODY_HEADING = re.compile(r"(?:(?:typedef|static|const)\s+)*(struct|union|enum)\b[^;()=]*$")
_LIST_HEADING = re.compile(r"=\s*\{?\s*$")
_CONTINUES = re.compile(rb"&&|\|\|?|[?/%^<>,:]|[=!]=|=(?!=)|->|[-+*&] |\.(?!\w+\s*=)")
_NAMED = re.compile(rb"[*\w][\w \t*\[\]]*+[;,=]")
_NAME = re.compile(rb"\**+\w++\(")
_DESIGNATED = re.compile(rb"(?:^|[{,\s])(?:\.\w++|\[[^\]\n]*+\])\s*+=(?!=)")
_PARAMETER = re.compile(rb"\s*+(?:\w++[ \t]++)++\**+\w++\s*+[,)]")
_FIELDS = re.compile(rb"\.\w++\s*+=")
_ELSE = re.compile(rb"else\b")
_WHILE = re.compile(rb"while[ \t]*+\(")
_LINE = re.compile(rb"^([ \t]*+)(?=[^\s])", re.MULTILINE)
_LABEL = re.compile(rb"\w++:(?!:)")
_BEHIND = 120


class Frame(Struct, frozen=True, kw_only=True):
    """What stands before and behind a fragment. `place` is what the fragment's first byte stands in, brackets aside."""

    prefix: bytes
    tail: bytes
    place: Place


def lead(source: bytes) -> bytes:
    """What `source` needs before it when it begins inside of a comment or of a macro's definition, else nothing."""
    closes = source.find(b"*/")
    opens = source.find(b"/*")
    if closes >= 0 and (opens < 0 or closes < opens):
        return b"/*"
    if opens < 0 and source.strip() and all(_is_comment_line(line) for line in source.split(b"\n")):
        return b"/*"
    first = source.partition(b"\n")[0]
    if first.endswith(b"\\") and not first.lstrip().startswith(b"#"):
        return b"#define M \\\n"
    return b""


def _is_comment_line(line: bytes) -> bool:
    line = line.strip()
    return not line or line == b"*" or line.startswith((b"* ", b"*\t"))


def frames(code: bytes, found: Brackets, heading: Heading, *, in_comment: bool = False) -> Iterator[Frame]:
    """Ways to close a fragment, the likely ones first, each once.

    `code` is the fragment without comments and strings, `found` its brackets; `in_comment` says that it ends inside of
    a comment.
    """
    seen: set[tuple[bytes, bytes]] = set()
    openers: list[Kind] = []
    for at in found.openers:
        openers.append(opener_kind(code, at, openers[-1] if openers else "file"))
    for number in range(ENDINGS):
        for place in _places(code, found, heading):
            prefix, around = _prefix(code, found, place)
            behind = tail(code, found, [*around, *openers], number)
            if in_comment:
                behind = b"*/" + behind
            frame = Frame(prefix=prefix, tail=b"\n\n" + behind if behind else b"", place=place)
            if (frame.prefix, frame.tail) not in seen:
                seen.add((frame.prefix, frame.tail))
                yield frame


def _places(code: bytes, found: Brackets, heading: Heading) -> tuple[Place, ...]:
    """The places that the fragment may begin in, the likeliest first."""
    braces = [at for at in found.closers if code[at] == ord("}")]
    if braces:
        start = found.closers[-2] + 1 if len(found.closers) > 1 and found.closers[-1] == braces[-1] else 0
        guess, choice = _braced(code, start, braces[-1]), _BRACED
    else:
        guess, choice = _unbraced(code, found, heading), _PLACES
    return (guess, *(place for place in choice if place != guess))


def _unbraced(code: bytes, found: Brackets, heading: Heading) -> Place:
    if found.closers and _closes_head(code, found.closers[-1]):
        return "head"
    line = _LINE.search(code)
    if line and (line.group(1) or _LABEL.match(code, line.end())):
        return _indented_place(code, line.end(), heading)
    name = _NAME.match(code)
    if name and heading.section and "(" not in heading.section and not name.group().isupper():
        return "name"
    return "body" if line and code[line.end() : line.end() + 1] == b"{" else "file"


def _closes_head(code: bytes, at: int) -> bool:
    """Whether the parenthesis at `at`, opened before the fragment, ends the parameters of a function."""
    return code[at + 1 : at + 3] == b"\n{" or (code[at] == ord(")") and _PARAMETER.match(code) is not None)


def _indented_place(code: bytes, at: int, heading: Heading) -> Place:
    body = _BODY_HEADING.match(heading.section)
    if body:
        return "enum" if body.group(1) == "enum" else "struct"
    return "list" if _LIST_HEADING.search(heading.section) or _FIELDS.match(code, at) else "block"


def _braced(code: bytes, start: int, at: int) -> Place:
    """What the brace at `at` closes, by what stands behind it and before it, from `start` on."""
    behind = code[at + 1 : at + _BEHIND].lstrip(b" \t")
    if not (behind[:1] in (b";", b",", b")") or _NAMED.match(behind)) or _WHILE.match(behind):
        return "block"
    inside = code[start:at].strip()
    if b";" in inside and not inside.endswith(b","):
        return "struct"
    if _DESIGNATED.search(inside) or behind[:1] != b";" or b"{" in inside:
        return "list"
    return "enum"


def _prefix(code: bytes, found: Brackets, place: Place) -> tuple[bytes, list[Kind]]:
    """What stands before, and which of its brackets the fragment leaves open."""
    braces = [at for at in found.closers if code[at] == ord("}")]
    around: list[Kind] = []
    inner: Place = place
    if braces:
        closers = found.closers[: found.closers.index(braces[-1])]
        prefix = _opened(code, place, braces[-1])
        if _indented(code, braces[-1]):
            prefix, around = _within(code, place, braces[-1], prefix)
    else:
        closers = found.closers[:-1] if place in ("call", "head") and found.closers else found.closers
        prefix = _OPEN[place]
        if place not in ("file", "name", "body") and len(closers) == len(found.closers):
            around.append(place)
    for number in range(len(closers) - 1, -1, -1):
        start = closers[number - 1] + 1 if number else 0
        piece, inner = _reopened(code, start, closers[number], inner)
        prefix += piece
    first = code.lstrip()[:_BEHIND]
    if _ELSE.match(first):
        prefix += b"if(x);"
    elif _CONTINUES.match(first) or (first.startswith(b")") and prefix.endswith(b"if(")):
        prefix += b"x?x" if first.startswith(b":") else b"x"
    return prefix + b"\n" if prefix else b"", around


def _indented(code: bytes, at: int) -> bool:
    return code[code.rfind(b"\n", 0, at) + 1 : at][:1] in (b" ", b"\t")


def _within(code: bytes, place: Place, at: int, opened: bytes) -> tuple[bytes, list[Kind]]:
    """The opener for the brace at `at` when another bracket of its kind holds it."""
    behind = code[at + 1 : at + _BEHIND].lstrip()[:1]
    if place == "list" and behind == b",":
        return _OPEN["list"] + b"{", ["list"]
    if place == "block":
        return _OPEN["block"] + (b"{" if opened == _OPEN["block"] else opened), ["block"]
    if place == "struct":
        return _OPEN["struct"] + b"struct{", ["struct"]
    return opened, []


def _opened(code: bytes, place: Place, at: int) -> bytes:
    """The outermost opener, for the brace at `at`."""
    if place == "block":
        behind = code[at + 1 : at + _BEHIND].lstrip()
        if _ELSE.match(behind):
            return b"if(x){"
        if _WHILE.match(code, _same_line(code, at)):
            return b"do{"
    return _OPEN[place]


def _reopened(code: bytes, start: int, at: int, outer: Place) -> tuple[bytes, Place]:
    """The opener for the closer at `at`, inside of `outer`, and what it opens. Its inside begins at `start`."""
    if code[at] == ord("]"):
        return b"x[", "call"
    if code[at] == ord(")"):
        return _reopened_parenthesis(code, start, at, outer)
    if outer in ("list", "call"):
        return b"{", "list"
    if outer in ("struct", "enum"):
        return b"struct{", "struct"
    kind = _braced(code, start, at)
    opened = _opened(code, kind, at)
    return b"{" if opened == _OPEN["block"] else opened, kind


def _reopened_parenthesis(code: bytes, start: int, at: int, outer: Place) -> tuple[bytes, Place]:
    if outer == "struct":
        return b"int f(", "head"
    if outer != "block":
        return b"f(", "call"
    semicolons = code.count(b";", start, at)
    if semicolons in (1, 2):
        return b"for(;"[: 6 - semicolons], "call"
    first = code[at + 1 : at + _BEHIND].lstrip()[:1]
    return b"if(" if first == b"{" or first.isalpha() else b"f(", "call"


def _same_line(code: bytes, at: int) -> int:
    """The place of the first byte behind `at` that is no space, or of the end of the line."""
    at += 1
    while code[at : at + 1] in (b" ", b"\t"):
        at += 1
    return at
