"""The end of a fragment: what completes its last statement and closes what it leaves open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from reviewer.code.lexical import Brackets

Place = Literal["file", "block", "struct", "enum", "list", "call", "head", "name", "body"]
"""What a fragment begins in: the file, a function's block, a struct, an enum, an initialiser, arguments, parameters;
or behind what it needs: a function's type, a function's head."""

Kind = Place | Literal["do", "control", "for", "index"]
"""What an opening bracket opens."""

ENDINGS = 3
"""How many endings there are to try."""

_BODY = re.compile(rb"\b(struct|union|enum)\b[^;{}()=]*+$")
_CONTROL = re.compile(rb"\b(if|while|for|switch)[ \t]*+$")
_LITERAL = re.compile(rb"(?:[=,(&]|\breturn)[ \t\n]*+\([\w \t*]++\)$")
_DO = re.compile(rb"\bdo$")
_HEAD = re.compile(rb"[A-Za-z_][\w \t*]*+$")
_LACKS_OPERAND = frozenset(b"=+-*/%&|^!~<>?([.,:")
_BEFORE = 120
_STATEMENTS = ("file", "block", "do", "struct")


def opener_kind(code: bytes, at: int, outer: Kind) -> Kind:
    """What the bracket at `at`, inside of `outer`, opens."""
    before = code[max(0, at - _BEFORE) : at]
    if code[at] == ord("["):
        return "index"
    if code[at] == ord("("):
        control = _CONTROL.search(before)
        if control:
            return "for" if control.group(1) == b"for" else "control"
        return "head" if _heads_function(code, at) else "call"
    body = _BODY.search(before)
    if body:
        return "enum" if body.group(1) == b"enum" else "struct"
    before = before.rstrip()
    inside = before.endswith(b"{") and outer == "list"
    if inside or before[-1:] in (b"=", b",", b"[") or _LITERAL.search(before):
        return "list"
    return "do" if _DO.search(before) else "block"


def _heads_function(code: bytes, at: int) -> bool:
    """Whether the parenthesis at `at` opens the parameters of a function that is declared at the start of a line."""
    line = code[code.rfind(b"\n", 0, at) + 1 : at]
    match = _HEAD.match(line)
    if not match:
        return False
    return not line.isupper() or b" " in line.strip()


def tail(code: bytes, found: Brackets, kinds: Sequence[Kind], number: int) -> bytes:
    """Ending `number` of `code`: complete what stands last, then close `kinds`, the innermost of which is the last."""
    inner: Kind = kinds[-1] if kinds else "file"
    behind = _completion(code, found, inner, number)
    for index in range(len(kinds) - 1, -1, -1):
        behind += _closing(kinds[index], kinds[index - 1] if index else "file")
    return behind


def _completion(code: bytes, found: Brackets, inner: Kind, number: int) -> bytes:
    stripped = code.rstrip()
    last = stripped[-1:]
    lacks = bool(last) and last[0] in _LACKS_OPERAND
    if inner == "for":
        semicolons = code.count(b";", found.openers[-1]) if found.openers else 0
        return (b"x" if lacks and last != b"(" else b"") + b";" * max(0, 2 - semicolons)
    if inner in ("call", "control", "index", "head"):
        operand = (lacks and last != b"(") or (last == b"(" and inner not in ("call", "head"))
        return b"x" if operand != (number == 1) else b""
    if inner in ("list", "enum"):
        operand = lacks and last != b","
        return b"x" if operand != (number == 1) else b""
    return _statement_ends(code, found, stripped, inner)[number]


def _statement_ends(code: bytes, found: Brackets, stripped: bytes, inner: Kind) -> tuple[bytes, bytes, bytes]:
    last = stripped[-1:]
    ends = b";", b"x;", b"(){}"
    if last in (b"", b";", b"{", b"}"):
        ends = b"", b";", b"x;"
    elif last == b":":
        ends = b";", b"x;", b""
    elif last == b")":
        ends = b";", b"{}", b"x;"
        opener = next((a for a, b in reversed(found.pairs.items()) if b == len(stripped) - 1), None)
        if inner == "file" and opener is not None and _heads_function(code, opener):
            ends = b"{}", b";", b"x;"
    elif last[0] in _LACKS_OPERAND:
        ends = b"x;", b";", b""
    elif _DO.search(stripped[-_BEFORE:]):
        ends = b"{}while(0);", b";", b"x;"
    return ends


def _closing(kind: Kind, outer: Kind) -> bytes:
    stop = b";" if outer in _STATEMENTS else b""
    if kind in ("call", "index"):
        return (b")" if kind == "call" else b"]") + stop
    if kind == "list":
        return b"}" + stop
    if kind == "head":
        return b"){}" if outer == "file" else b")" + stop
    return _CLOSE.get(kind, b"")


_CLOSE: dict[Kind, bytes] = {
    "block": b"}",
    "do": b"}while(0);",
    "struct": b"};",
    "enum": b"};",
    "control": b");",
    "for": b");",
}
