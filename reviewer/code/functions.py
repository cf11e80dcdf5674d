"""Which function each line of a unit belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reviewer.code.node import Node
from reviewer.code.parts import Function, UnitLine

if TYPE_CHECKING:
    from reviewer.code.ending import Place

_NO_HEAD = frozenset(";{}=")
_WORD = re.compile(r"\w+")
_HEAD_ROWS = 12
_INSIDE: frozenset[Place] = frozenset(("block", "call", "head", "list", "body"))


def functions_of(
    definitions: Sequence[Node],
    lines: Sequence[UnitLine],
    place: Place,
    section: str | None,
    parsed: Sequence[tuple[int, int]],
) -> tuple[Function, ...]:
    """The functions of a unit, by their first line.

    `definitions` are its function definitions, `place` is what its first line stands in, `section` the function that
    the hunk's heading names, `parsed` the rows that were parsed, each up to the second.
    """
    found = [function for node in definitions if (function := _visible(node, len(lines))) is not None]
    found += _unparsed(lines, found, parsed)
    found.sort(key=lambda function: (function.first_row, -function.last_row))
    # C has no functions in functions: one that reaches into the next lost its closing brace.
    for number, (one, following) in enumerate(pairwise(tuple(found))):
        if one.last_row >= following.first_row:
            end = max(one.first_row, following.first_row - 1)
            found[number] = replace(one, last_row=end, complete=False)
    if section and _begins_inside(lines, place):
        end = found[0].first_row if found else len(lines)
        end = next((row + 1 for row in range(end) if _ends_function(lines, row, place)), end)
        if end:
            found.insert(0, Function(name=section, node=None, first_row=0, last_row=end - 1, complete=False))
    return tuple(found)


def _ends_function(lines: Sequence[UnitLine], row: int, place: Place) -> bool:
    """Whether the function that the lines begin in ends here: with its brace, or a prototype with its semicolon."""
    text = lines[row].text
    if text.startswith("}"):
        return True
    return (
        place == "head" and text.rstrip().endswith(");") and not any(line.text.startswith("{") for line in lines[:row])
    )


def _begins_inside(lines: Sequence[UnitLine], place: Place) -> bool:
    if place != "file":
        return place in _INSIDE
    first = next((line.text for line in lines if line.text.strip()), "")
    return first[:1] in ("\t", " ") and first.strip()[:1] in ("/", "*") and not first.startswith(" *")


def _visible(node: Node, rows: int) -> Function | None:
    declarator = node.child("declarator")
    name = _name(node, declarator)
    if not name:
        return None
    body = node.child("body")
    ends = body is not None and not body.cut
    last = node.end_row if ends else rows - 1
    return Function(name=name, node=node, first_row=node.row, last_row=last, complete=ends)


def _name(node: Node, declarator: Node | None) -> str | None:
    function = declarator
    while function is not None and function.kind != "function_declarator":
        function = function.child("declarator") or next(
            (child for child in function.named_children if child.kind.endswith("declarator")), None
        )
    if function is None:
        return None
    inner = function.child("declarator")
    if inner is None:
        return None
    kind = node.child("type")
    # A macro such as SYSCALL_DEFINE1(frob, ...), which the normaliser made look like a type and a name.
    if kind is not None and _WORD.fullmatch(macro := kind.text_to(inner)):
        parameters = function.child("parameters")
        return next((child.text for child in parameters.named_children), macro) if parameters is not None else macro
    for found in inner.walk():
        if found.kind == "identifier":
            return found.text
    return None


def _unparsed(
    lines: Sequence[UnitLine], found: Sequence[Function], parsed: Sequence[tuple[int, int]]
) -> list[Function]:
    """Functions that the parser did not see: a brace at the start of a line, below something like a head."""
    ends = {function.first_row: function.last_row for function in found}
    more: list[Function] = []
    covered = -1
    for row in chain.from_iterable(range(*rows) for rows in parsed):
        covered = max(covered, ends.get(row, -1))
        if row <= covered or lines[row].text.rstrip() != "{":
            continue
        head = _head_above(lines, row)
        if head is None:
            continue
        first, name = head
        last = next((later for later in range(row, len(lines)) if lines[later].text.startswith("}")), len(lines) - 1)
        more.append(Function(name=name, node=None, first_row=first, last_row=last, complete=False))
        covered = last
    return more


def _head_above(lines: Sequence[UnitLine], row: int) -> tuple[int, str] | None:
    for above in range(row - 1, max(-1, row - _HEAD_ROWS), -1):
        text = lines[above].text
        if not text.strip() or text.startswith(("}", "#")):
            return None
        name = _named(text)
        if name:
            return above, name
    return None


def _named(text: str) -> str:
    """The word before the first parenthesis of a line that begins like a function's head, or nothing."""
    before, parenthesis, _ = text.partition("(")
    if not parenthesis or not before[:1].isidentifier() or not _NO_HEAD.isdisjoint(before):
        return ""
    words = before.replace("*", " ").split()
    return words[-1] if words and words[-1].isidentifier() else ""
