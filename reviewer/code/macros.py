"""Macros that a C grammar cannot read, rewritten byte for byte to something of the same length that it can."""

from __future__ import annotations

import re

from reviewer.code.lexical import blank

ITERATION = re.compile(
    rb"(?:\w+_)?for_each(?:_\w+)?|skb_queue(?:_reverse)?_walk\w*|skb_walk_frags|nla_for_each_\w+|scoped_guard"
    rb"|scoped_cond_guard|\w+_foreach(?:_\w+)?"
)
"""What names an iteration macro whatever stands around it (RULES.md 0.1)."""

_CALL = re.compile(rb"\b([A-Za-z_]\w*+)[ \t]*+\(")
_KEYWORDS = frozenset(b"if while for switch return sizeof else do case goto typeof defined".split())
_BEFORE_STATEMENT = frozenset(b"{};):")
_TYPE_ARGUMENT = re.compile(
    rb"(?<=[(,])([ \t\n]*+)((?:(?:const|volatile|unsigned|signed|long|short|int|char|bool|void)\b[ \t]*+)*+"
    rb"((?:struct|union|enum)\b[ \t]*+)?+(\w++[ \t]*+)?+(\*[ \t]*+(?:\*[ \t]*+|const\b[ \t]*+)*+)?+)(?=[,)])"
)
_SEVERAL = re.compile(rb"\w[ \t]++\w|\*")
_TAKE_TYPE = frozenset(b"alignof _Alignof __alignof__ __typeof__".split()) | _KEYWORDS
_TYPEOF = re.compile(rb"\b(?:__)?typeof(?:_unqual|_member|__)?(?=[ \t]*+\()")
_NOT_WORD = re.compile(rb"[^\w\n]")
_RANGE = re.compile(rb"(\bcase\b[^:;{}?\n.]{0,200}+)\.\.\.")
_NO_ARGUMENT = re.compile(rb",(?=[ \t\n]*+\))")
_OFFSETOF = re.compile(rb"(\boffsetof[ \t]*+\([^(),]++,\s*+\w++)([.\[\]\w>-]++)(?=[ \t]*+\))")


def with_loops(code: bytes, pairs: dict[int, int]) -> bytes:
    """Iteration macros, and whatever else heads a block inside a function, become `while`, padded with spaces."""
    whole: bytearray | None = None
    for match in _CALL.finditer(code):
        start, end = match.span(1)
        if end - start < len(b"while") or not _heads_statement(code, match, pairs):
            continue
        if whole is None:
            whole = bytearray(code)
        whole[start:end] = b"while".ljust(end - start)
    return code if whole is None else bytes(whole)


def _heads_statement(code: bytes, match: re.Match[bytes], pairs: dict[int, int]) -> bool:
    start, end = match.span(1)
    known = ITERATION.fullmatch(code, start, end) is not None
    margin = _margin(code, start)
    first = margin < start and (margin == 0 or code[margin - 1] == ord("\n"))
    if not known and (not first or match.group(1) in _KEYWORDS):
        return False
    if known and not first and not _statement_position(code, start):
        return False
    closer = pairs.get(match.end() - 1)
    if closer is None:
        return known
    after = _next(code, closer + 1)
    if not known:
        return after == ord("{")
    return after is None or after == ord("{") or after == ord("_") or chr(after).isalnum() or after in b"*+-("


def _margin(code: bytes, at: int) -> int:
    """Where the spaces before `at` begin."""
    while at > 0 and code[at - 1] in b" \t":
        at -= 1
    return at


def _statement_position(code: bytes, start: int) -> bool:
    at = start - 1
    while at >= 0 and code[at] in b" \t\n":
        at -= 1
    return at < 0 or code[at] in _BEFORE_STATEMENT or code[max(0, at - 3) : at + 1] == b"else"


def _next(code: bytes, at: int) -> int | None:
    while at < len(code) and code[at] in b" \t\n":
        at += 1
    return code[at] if at < len(code) else None


def with_type_arguments(code: bytes) -> bytes:
    """Types that stand as arguments of macros become one word: `(struct frob *, n)` turns into `(struct_frob__, n)`."""

    def rewritten(match: re.Match[bytes]) -> bytes:
        margin, kind, tag, name, stars = match.groups()
        # Without a star, a word behind `int` and the like is no type but what is declared.
        if (name and not tag and not stars) or not _SEVERAL.search(kind) or kind == stars:
            return match.group()
        if not _is_argument(code, match):
            return match.group()
        bare = kind.rstrip(b" \t")
        return margin + _NOT_WORD.sub(b"_", bare) + kind[len(bare) :]

    return _TYPE_ARGUMENT.sub(rewritten, code)


def _is_argument(code: bytes, match: re.Match[bytes]) -> bool:
    """Whether the type is an argument of a macro: a cast is none, and some operators take types."""
    start = match.start()
    if code[start - 1] == ord(","):
        return True
    name = _word_before(code, start - 1)
    if code[match.end()] == ord(","):
        return name != b"offsetof"
    return bool(name) and name not in _TAKE_TYPE


def _word_before(code: bytes, at: int) -> bytes:
    while at > 0 and code[at - 1] in b" \t":
        at -= 1
    end = at
    while at > 0 and (code[at - 1 : at].isalnum() or code[at - 1] == ord("_")):
        at -= 1
    return code[at:end]


def with_typeof(code: bytes, pairs: dict[int, int]) -> bytes:
    """`typeof(x)` becomes one word where it stands on one line, else loses its argument."""
    whole: bytearray | None = None
    done = 0
    for match in _TYPEOF.finditer(code):
        closer = pairs.get(code.index(b"(", match.end()))
        if closer is None or match.start() < done:
            continue
        done = closer
        if whole is None:
            whole = bytearray(code)
        text = code[match.end() : closer + 1]
        whole[match.end() : closer + 1] = blank(text) if b"\n" in text else _NOT_WORD.sub(b"_", text)
    return code if whole is None else bytes(whole)


def with_plain_expressions(code: bytes) -> bytes:
    """`case A ... B` becomes a sum, the member of `offsetof(struct frob, a.b[0])` a word."""
    if b"..." in code:
        code = _RANGE.sub(rb"\1 | ", code)
    if b"offsetof" in code:
        code = _OFFSETOF.sub(lambda match: match.group(1) + _NOT_WORD.sub(b"_", match.group(2)), code)
    return _NO_ARGUMENT.sub(b" ", code)
