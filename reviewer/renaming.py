"""Other names and another order for the same code: what a rule says must not hang on either.

Names keep their length and their case, so that columns and the lengths of lines stay as they were.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Mapping
from pathlib import Path

TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
C_WORDS = frozenset(
    """
    auto bool break case char const continue default defined do double else endif enum error extern false float for
    goto if ifdef ifndef include inline int long pragma register restrict return short signed sizeof static struct
    switch true typedef typeof undef union unsigned void volatile while NULL
    size_t ssize_t loff_t ptrdiff_t dma_addr_t phys_addr_t gfp_t pgoff_t pid_t uintptr_t intptr_t
    u8 u16 u32 u64 s8 s16 s32 s64 __u8 __u16 __u32 __u64 __s8 __s16 __s32 __s64 __le16 __le32 __le64 __be16 __be32
    __be64 uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uint
    """.split()  # noqa: SIM905 - a list of eighty quoted words is harder to read
)


def vocabulary(sources: Iterable[Path]) -> frozenset[str]:
    """The words that Python modules name in their strings, docstrings and examples left out."""
    words: set[str] = set()
    for source in sources:
        tree = ast.parse(source.read_bytes())
        skipped = {id(node) for function in ast.walk(tree) if _is_examples(function) for node in ast.walk(function)}
        skipped |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                words.update(TOKEN.findall(node.value))
                words.update(word for token in TOKEN.findall(node.value) for word in token.split("_"))
    return frozenset(words)


def _is_examples(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "examples"


def new_names(texts: Iterable[str], keep: frozenset[str]) -> dict[str, str]:
    """A name of the same length for every identifier of the C code in `texts` that `keep` does not hold.

    Of a name with underscores the words that `keep` holds stay: `slot_shift` becomes `fybg_shift` where a rule speaks
    of shifts. No two names become one.
    """
    seen = sorted({token for text in texts for token in TOKEN.findall(NOT_CODE.sub(" ", text))})
    fixed = {token for token in seen if _stays(token, keep)}
    names: dict[str, str] = {}
    for token in seen:
        if token in fixed:
            continue
        for turn in (13, 7, 5, 11, 3, 9, 17):
            name = "_".join(word if _stays(word, keep) else _turned(word, turn) for word in token.split("_"))
            if name not in fixed and name not in names.values() and name not in C_WORDS | keep:
                names[token] = name
                break
    return names


def _stays(token: str, keep: frozenset[str]) -> bool:
    return token in keep or token in C_WORDS or re.fullmatch(r"E[A-Z0-9]{3,}", token) is not None


def _turned(word: str, turn: int) -> str:
    lower = string.ascii_lowercase
    upper = string.ascii_uppercase
    table = str.maketrans(lower + upper, lower[turn:] + lower[:turn] + upper[turn:] + upper[:turn])
    return word.translate(table)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """`text` with `names` replaced as whole words; not behind `%` or a backslash, where a string holds no names."""
    return re.sub(r"(?<![%\\A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*", lambda found: names.get(found[0], found[0]), text)


DECLARATION = re.compile(r"(\t+)(?:(?:const|static|unsigned|signed|struct|enum)\s+)*[A-Za-z_]\w*\s[\s*]*[^;(){}]*;")


def reordered(code: str) -> str:
    """`code` with runs of local declarations turned round where none needs an earlier one."""
    lines = code.split("\n")
    first = 0
    while first < len(lines):
        last = first
        while last < len(lines) and _is_declaration(lines[last], lines[first]):
            last += 1
        if last - first > 1 and _independent(lines[first:last]):
            lines[first:last] = lines[first:last][::-1]
        first = max(last, first + 1)
    return "\n".join(lines)


def _is_declaration(line: str, first: str) -> bool:
    found = DECLARATION.fullmatch(line)
    indent = len(line) - len(line.lstrip("\t"))
    words = TOKEN.findall(line)
    return (
        found is not None
        and indent == len(first) - len(first.lstrip("\t"))
        and len(words) > 1
        and words[0] not in ("return", "goto", "break", "continue", "case", "else", "delete", "typedef")
    )


def _independent(lines: list[str]) -> bool:
    declared: set[str] = set()
    for line in lines:
        left, _, right = line.partition("=")
        if declared.intersection(TOKEN.findall(right)):
            return False
        declared.update(TOKEN.findall(left))
    return True
