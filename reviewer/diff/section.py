"""The function that a hunk's section heading names."""

from __future__ import annotations

import re

_LONGEST = 400
_SCRIPT = re.compile(r"\s*(?:async +)?def +([A-Za-z_]\w*) *[(\[]")
_RUST = re.compile(r'\s*(?:pub(?:\([^()]*\))? +)?(?:(?:const|async|unsafe|extern|"C") +)*fn +([A-Za-z_]\w*)')
_NO_HEAD = re.compile(r"(?:struct|union|enum)(?: +\w+)* *\{|(?:typedef|return|else|goto|case|default|do)\b|[^A-Za-z_]")
_LABEL = re.compile(r"[A-Za-z_]\w* *:(?!:)")
_PIECE = re.compile(r"([A-Za-z_]\w*)\(|[()={;]")
_NAMES = re.compile(r" *([A-Za-z_]\w*) *(?:, *([A-Za-z_]\w*) *)?(?=[,)]|$)")
_DEFINING = re.compile(r"\w*DEFINE\w*|BPF_K?(?:RET)?PROBE\w*|BPF_PROG2?|TRACE_EVENT\w*|TEST")
_FIXTURES = frozenset({"TEST_F", "TEST_F_TIMEOUT", "TEST_F_SIGNAL"})
_KEYWORDS = frozenset({"if", "for", "while", "switch", "sizeof", "defined", "typeof", "asm"})
_ANNOTATION = re.compile(
    r"__(?:attribute(?:__)?|printf|scanf|aligned|section|acquires|releases|must_hold|alloc_size|declspec)"
    r"|_Alignas|_?[Ss]tatic_assert|SEC"
)
_SHELL = (".sh", ".bash")
_C = (".c", ".h", ".cc", ".cpp", ".hpp", ".y", ".l")


def function_named(section: str, path: str) -> str | None:
    """The function that `section` (the text behind the second `@@`) is the head of; None when that is unclear.

    `path` tells the language: C, Python, Rust and shell are known. A head that ends on its own line (a prototype, a
    function on one line) is not what the hunk stands in.
    """
    text = section[:_LONGEST].rstrip()
    if path.endswith(".py"):
        match = _SCRIPT.match(text)
    elif path.endswith(".rs"):
        match = _RUST.match(text)
    elif path.endswith(_C + _SHELL):
        return _in_c(text)
    else:
        return None
    return match[1] if match else None


def _in_c(text: str) -> str | None:
    if _NO_HEAD.match(text) or _LABEL.match(text) or text.endswith((";", "}")):
        return None
    depth = 0
    for piece in _PIECE.finditer(text):
        name, mark = piece[1], piece[0][-1]
        if mark in "={;" and depth == 0:
            return None
        if name is not None and depth == 0 and not _ANNOTATION.fullmatch(name):
            return _judged(name, text[piece.end() :])
        depth += {"(": 1, ")": -1}.get(mark, 0)
    return None


def _judged(name: str, arguments: str) -> str | None:
    """`name` when it is a function's; that of the function which it defines when it is a macro; else None."""
    if name in _KEYWORDS:
        return None
    if not name.isupper():
        return name
    names = _NAMES.match(arguments)
    if names is None:
        return None
    if name in _FIXTURES:
        return names[2]
    return names[1] if _DEFINING.fullmatch(name) else None
