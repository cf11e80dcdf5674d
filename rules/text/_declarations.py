"""Blocks of local declarations: their lines, their lengths, and what needs what."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from reviewer.rule import Node, Struct, Unit

_COMMENT = re.compile(r"/[*/]")


class Line(Struct, frozen=True, kw_only=True):
    """A declaration: its row in the unit, its text without the comment behind it, and what it declares and needs.

    `single` when it stands on one line, alone, and may stand elsewhere (clean-ups run in the order of declarations);
    one that shares its line has no text.
    `needs` are the names in its initialisers and array sizes, called
    functions and constants left out.
    """

    row: int
    text: str
    single: bool
    names: frozenset[str]
    needs: frozenset[str]


class Block(Struct, frozen=True, kw_only=True):
    """Declarations on lines without a gap. `opened` when the start of the block is visible."""

    lines: tuple[Line, ...]
    opened: bool

    def misplaced(self) -> Iterator[tuple[Line, Line]]:
        """(shorter, longer) for each two neighbours where the longer stands below and could stand above."""
        known: set[str] = set()
        bound: list[bool] = []
        for line in self.lines:
            bound.append(self._bound(line, known))
            known |= line.names
        for place, (upper, lower) in enumerate(pairwise(self.lines)):
            free = upper.single and lower.single and not bound[place] and not bound[place + 1]
            if free and len(lower.text) > len(upper.text):
                yield upper, lower

    def _bound(self, line: Line, known: set[str]) -> bool:
        """Whether `line` may need a line above it."""
        return not line.needs.isdisjoint(known) or (bool(line.needs) and not self.opened)


def blocks(unit: Unit) -> Iterator[Block]:
    """The blocks of local declarations in `unit`, in order."""
    run: list[Node] = []
    for node in unit.find("declaration"):
        if not _is_local(unit, node):
            continue
        if run and not (node.parent is run[-1].parent and node.row in (run[-1].end_row, run[-1].end_row + 1)):
            yield from _block(unit, run)
            run = []
        run.append(node)
    yield from _block(unit, run)


def _is_local(unit: Unit, node: Node) -> bool:
    text = unit.lines[node.row].text
    return text[:1] in ("\t", " ") and unit.function_of(node) is not None and not node.cut


def _block(unit: Unit, nodes: Sequence[Node]) -> Iterator[Block]:
    """The block, when what is visible around it shows that it is one: its brace or case, or a statement below."""
    if len(nodes) < 2:
        return
    parent = nodes[0].parent
    before, after = _neighbours(nodes[0], nodes[-1])
    brace = parent is not None and parent.children[:1] != () and parent.children[0].text == "{"
    opened = before is None and (brace or (parent is not None and parent.kind == "case_statement"))
    ended = after is not None and (after.kind.endswith("_statement") or after.text == "}")
    if opened or ended:
        on_row = Counter(row for node in nodes for row in range(node.row, node.end_row + 1))
        lines = tuple(_line(unit, node, alone=on_row[node.row] == 1) for node in nodes)
        yield Block(lines=lines, opened=opened)


def _neighbours(first: Node, last: Node) -> tuple[Node | None, Node | None]:
    """What stands before the first and behind the last declaration in their block, comments and the brace aside."""
    siblings = first.parent.children if first.parent is not None else ()
    above = range(bisect_left(siblings, first.start, key=_start) - 1, -1, -1)
    below = range(bisect_left(siblings, last.end, key=_start), len(siblings))
    before = (siblings[at] for at in above if siblings[at].field != "value" and _counts(siblings[at]))
    after = (siblings[at] for at in below if _counts(siblings[at]))
    return next(before, None), next(after, None)


def _start(node: Node) -> int:
    return node.start


def _counts(sibling: Node) -> bool:
    short = sibling.end - sibling.start <= len("default")  # to cut the text of a long one costs its length
    return sibling.kind != "comment" and not (short and sibling.text in ("{", "case", "default", ":"))


def _line(unit: Unit, node: Node, *, alone: bool) -> Line:
    declared: set[str] = set()
    needed: set[str] = set()
    for child in node.children:
        if child.field == "declarator":
            _sort(child, declared, needed)
    return Line(
        row=node.row,
        text=_COMMENT.split(unit.lines[node.row].text, 1)[0].rstrip() if alone else "",
        single=alone and node.row == node.end_row and not node.broken and "__free(" not in node.text,
        names=frozenset(declared),
        needs=frozenset(name for name in needed if not name.isupper()),
    )


def _sort(declarator: Node, declared: set[str], needed: set[str]) -> None:
    """Names that `declarator` declares, and those that its initialiser and its sizes use."""
    for child in (declarator, *declarator.children):
        if child.field in ("value", "size"):
            needed.update(name for name in _used(child))
    current: Node | None = declarator
    while current is not None and current.kind != "identifier":
        size = current.child("size")
        if size is not None:
            needed.update(_used(size))
        current = current.child("declarator")
    if current is not None:
        declared.add(current.text)


def _used(value: Node) -> Iterator[str]:
    for node in value.walk():
        called = node.field == "function" and node.parent is not None and node.parent.kind == "call_expression"
        if node.kind == "identifier" and not called:
            yield node.text
