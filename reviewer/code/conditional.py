"""Preprocessor conditionals that cut through statements: one branch of them is kept, the others are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from reviewer.code.lexical import blank
from reviewer.code.normalise import Normalised

_NAME = re.compile(rb"[ \t]*#[ \t]*(if(?:n?def)?|el(?:se|if(?:n?def)?)|endif)\b([^\n]*)")
_DEPTH = {ord("("): 1, ord("{"): 1, ord("["): 1, ord(")"): -1, ord("}"): -1, ord("]"): -1}
_CONTINUES = re.compile(rb"else\b|[&|+/%^?<>=,.)\]-]")
_BRACKET = re.compile(rb"[(){}\[\]]")

_DEEPEST = 32
"""Conditionals in conditionals that are looked into: each level reads its text once more."""

Span = tuple[int, int]


class _Group(Struct):
    """A conditional under construction: the spans of its directives, the first of them that of `#if`."""

    directives: list[Span] = field(default_factory=list[Span])
    whole: bool = True
    never: bool = False


def flattened(given: Normalised) -> Normalised:
    """Take out the conditionals that the grammar cannot hold.

    A conditional whose branches are whole statements, members or declarations stays. Of one that cuts through a
    statement the first branch is kept (the second of `#if 0`); one among the entries of a list loses its directives
    only, and so does one that the fragment cuts. Lengths and newlines stay; what is blanked may be a string.
    """
    blanked = [span for group in _groups(given) for span in _blanked(given, group)]
    if not blanked:
        return given
    text, code = bytearray(given.text), bytearray(given.code)
    for start, end in blanked:
        spaces = blank(given.text[start:end])
        text[start:end] = spaces
        code[start:end] = spaces
    return Normalised(text=bytes(text), code=bytes(code), directives=given.directives)


def _groups(given: Normalised) -> Iterator[_Group]:
    stack: list[_Group] = []
    for span in given.directives:
        match = _NAME.match(given.text, *span)
        if not match:
            continue
        name = match.group(1)
        if name.startswith(b"if"):
            never = name == b"if" and match.group(2).strip() == b"0"
            stack.append(_Group(directives=[span], whole=len(stack) < _DEEPEST, never=never))
            continue
        if not stack:
            stack.append(_Group(whole=False))
        stack[-1].directives.append(span)
        if name == b"endif":
            yield stack.pop()
    for group in stack:
        group.whole = False
        yield group


def _blanked(given: Normalised, group: _Group) -> list[Span]:
    if not group.whole:
        return group.directives
    branches = [(a[1], b[0]) for a, b in zip(group.directives, group.directives[1:], strict=False)]
    codes = [given.code[start:end].strip() for start, end in branches]
    before = _last(given.code, group.directives[0][0])
    if all(_balanced(code) for code in codes):
        if before in b",=({;}" and all(not code or code.endswith(b",") for code in codes):
            return group.directives
        if before in b";{}:)\n" and all(_whole(code) for code in codes):
            return []
    kept = 1 if group.never and len(branches) > 1 else 0
    return [*group.directives, *(branch for number, branch in enumerate(branches) if number != kept)]


def _last(code: bytes, at: int) -> bytes:
    """The last byte of code before `at`; a newline when there is none."""
    while at > 0 and code[at - 1] in b" \t\n":
        at -= 1
    return code[at - 1 : at] or b"\n"


def _whole(code: bytes) -> bool:
    """Whether a balanced branch may be whole statements or declarations."""
    return not code or (code[-1:] in b";})" and not _CONTINUES.match(code))


def _balanced(code: bytes) -> bool:
    depth = 0
    for match in _BRACKET.finditer(code):
        depth += _DEPTH[code[match.start()]]
        if depth < 0:
            return False
    return depth == 0
