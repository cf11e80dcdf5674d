"""Macros that declare: members, variables, functions, made readable at the same length."""

from __future__ import annotations

import re

from reviewer.code.lexical import blank

_MACRO = re.compile(rb"\b([A-Z_][A-Z0-9_]*+|__struct_group|struct_group\w*+|module_\w++)[ \t]*+\(")
_TYPED = re.compile(rb"(?:DEFINE|DECLARE)_PER_CPU\w*+|DECLARE_FLEX_ARRAY|DEFINE_RAW_FLEX")
_OPAQUE_BODY = re.compile(rb"DEFINE_(?:FREE|GUARD\w*|CLASS|LOCK_GUARD\w*|COND_GUARD\w*)|EXTEND_CLASS\w*")
_NEAR = 240
"""How far behind the parenthesis of a macro its first commas may stand, in bytes."""
_STATIC = re.compile(rb"\b(?:static|extern)[ \t]++$")


def with_declarations(code: bytes, pairs: dict[int, int]) -> bytes:
    """Rewrite the macros that declare something. `pairs` are the brackets of `code`."""
    whole: bytearray | None = None
    done = 0
    for match in _MACRO.finditer(code):
        opener = match.end() - 1
        closer = pairs.get(opener)
        if closer is None or match.start() < done:
            continue
        edits = _edits(code, match.start(), match.group(1), opener, closer)
        if edits and whole is None:
            whole = bytearray(code)
        for start, text in edits:
            assert whole is not None
            whole[start : start + len(text)] = text
            done = start + len(text) if start < closer else done
    return code if whole is None else bytes(whole)


def _edits(code: bytes, start: int, name: bytes, opener: int, closer: int) -> list[tuple[int, bytes]]:
    edits: list[tuple[int, bytes]] = []
    if name == b"DECLARE_BITMAP":
        comma = code.find(b",", opener, min(closer, opener + _NEAR))
        edits = [] if comma < 0 else [(opener, b" "), (comma, b"["), (closer, b"]")]
    elif _TYPED.fullmatch(name):
        edits = _typed(code, start, opener, closer)
    elif b"struct_group" in name:
        edits = _group(code, start, name, opener, closer)
    elif name == b"INDIRECT_CALLABLE_DECLARE":
        edits = [(start, blank(code[start : opener + 1])), (closer, b" ")]
    elif _OPAQUE_BODY.fullmatch(name):
        edits = [(opener + 1, blank(code[opener + 1 : closer]))]
    elif len(name) > 2 and _heads_function(code, start, closer):
        edits = [(start + max(name.find(b"_", 1), 1), b" ")]
    elif code[closer + 1 : closer + 2] == b";":
        static = _STATIC.search(code, max(0, start - 16), start)
        edits = [(static.start(), blank(static.group()))] if static else []
    return edits


def _typed(code: bytes, start: int, opener: int, closer: int) -> list[tuple[int, bytes]]:
    """`DEFINE_PER_CPU(type, name)` becomes `type  name`."""
    comma = code.find(b",", opener, min(closer, opener + _NEAR))
    if comma < 0:
        return []
    return [(start, blank(code[start : opener + 1])), (comma, b" "), (closer, b" ")]


def _group(code: bytes, start: int, name: bytes, opener: int, closer: int) -> list[tuple[int, bytes]]:
    """`struct_group(name, members);` becomes its members."""
    end = opener
    for _ in range({b"struct_group": 1, b"struct_group_attr": 2, b"struct_group_tagged": 2}.get(name, 3)):
        end = code.find(b",", end + 1, min(closer, opener + _NEAR))
        if end < 0:
            return []
    semicolon = [(closer + 1, b" ")] if code[closer + 1 : closer + 2] == b";" else []
    return [(start, blank(code[start : end + 1])), (closer, b" "), *semicolon]


def _heads_function(code: bytes, start: int, closer: int) -> bool:
    """Whether a macro at the start of a line heads a body, as `SYSCALL_DEFINE1(...)` does."""
    return (start == 0 or code[start - 1] == ord("\n")) and code[closer + 1 : closer + 3] == b"\n{"
