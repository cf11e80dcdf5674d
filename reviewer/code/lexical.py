"""What in a C source is code: everything but comments, strings, character constants and preprocessor lines."""

from __future__ import annotations

import re

from msgspec import Struct

# Possessive throughout: one pass, no way back. An unterminated string or constant ends with its line.
_OPAQUE = re.compile(
    rb"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+"
    rb"|//[^\n\\]*+(?:\\.[^\n\\]*+)*+"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?+'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?+",
    re.DOTALL,
)
_DIRECTIVE = re.compile(rb"^[ \t]*+#[^\n\\]*+(?:\\.[^\n\\]*+)*+", re.DOTALL | re.MULTILINE)
_VISIBLE = re.compile(rb"[^\n]+")
_BRACKET = re.compile(rb"[(){}\[\]]")
_BRACE = ord("{")
_OPENER = {ord(")"): ord("("), ord("}"): ord("{"), ord("]"): ord("[")}


class Lexed(Struct, frozen=True, kw_only=True):
    """A source and its code.

    `code` is as long as `source` and has its newlines: comments and preprocessor lines are blank, strings and
    constants are filled with double quotes, everything else stands as in `source`. `opaque` are the spans that were
    masked, `directives` those of them that are preprocessor lines (a comment in one is a span of its own).
    """

    source: bytes
    code: bytes
    opaque: tuple[tuple[int, int], ...]
    directives: tuple[tuple[int, int], ...]

    def restored(self, code: bytes) -> bytes:
        """`code`, rewritten to the same length, with the original bytes in every opaque span."""
        if code == self.code:
            return self.source
        whole = bytearray(code)
        for start, end in self.opaque:
            whole[start:end] = self.source[start:end]
        return bytes(whole)


class Brackets(Struct, frozen=True, kw_only=True):
    """The brackets of a code: `pairs` from opener to closer, and the places of those without a partner, in order."""

    pairs: dict[int, int]
    openers: tuple[int, ...]
    closers: tuple[int, ...]


def lex(source: bytes) -> Lexed:
    """Find what is code in `source`, which may begin and end anywhere outside of a comment."""
    code = bytearray(source)
    opaque: list[tuple[int, int]] = []
    for match in _OPAQUE.finditer(source):
        start, end = match.span()
        fill = b" " if source[start] == ord("/") else b'"'
        code[start:end] = _filled(match.group(), fill)
        opaque.append((start, end))
    directives: list[tuple[int, int]] = []
    if b"#" in source:
        for match in _DIRECTIVE.finditer(bytes(code)):
            start, end = match.span()
            code[start:end] = _filled(match.group(), b" ")
            directives.append((start, end))
    spans = sorted((*opaque, *directives)) if directives else opaque
    return Lexed(source=source, code=bytes(code), opaque=tuple(spans), directives=tuple(directives))


def brackets(code: bytes) -> Brackets:
    """Pair the brackets of `code`; a brace that closes gives up what was opened and not closed since its partner."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    closers: list[int] = []
    braces = 0
    for match in _BRACKET.finditer(code):
        at = match.start()
        opener = _OPENER.get(code[at])
        if opener is None:
            stack.append(at)
            braces += code[at] == _BRACE
            continue
        while opener == _BRACE and braces and code[stack[-1]] != _BRACE:
            stack.pop()
        if stack and code[stack[-1]] == opener:
            pairs[stack.pop()] = at
            braces -= opener == _BRACE
        else:
            closers.append(at)
    return Brackets(pairs=pairs, openers=tuple(stack), closers=tuple(closers))


def blank(text: bytes) -> bytes:
    """Spaces, with the newlines of `text`."""
    return _filled(text, b" ")


def _filled(text: bytes, fill: bytes) -> bytes:
    if b"\n" not in text:
        return fill * len(text)
    return _VISIBLE.sub(lambda match: fill * len(match.group()), text)
