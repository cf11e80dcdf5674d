"""Where a node stands: its statement, what goes before it, and how a name that it uses is declared."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from reviewer.code.declarators import Declared, declaration
from reviewer.code.node import Node
from reviewer.code.unit import Unit

__all__ = ["Declared", "declaration", "declared", "declared_type", "enclosing", "preceding", "statement_of", "within"]

_CONDITIONALS = ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef")
_TRANSPARENT = ("labeled_statement", "case_statement", *_CONDITIONALS)
_BLOCKS = ("compound_statement", "translation_unit", "ERROR", *_TRANSPARENT)
_HEADS = ("label", "value", "name", "condition")
# Rules ask for each of a function's statements: what one answer may cost must not grow with the function.
_STATEMENTS = 1000
_CANDIDATES = 64


def within(nodes: Sequence[Node], first: int, last: int) -> Sequence[Node]:
    """Those of `nodes`, which are in document order, that begin on the rows from `first` to `last`."""
    return nodes[bisect_left(nodes, first, key=_row) : bisect_right(nodes, last, key=_row)]


def _row(node: Node) -> int:
    return node.row


def enclosing(node: Node, *kinds: str) -> Node | None:
    """The nearest node above `node` that is of one of these kinds."""
    for above in node.ancestors():
        if above.kind in kinds:
            return above
    return None


def statement_of(node: Node) -> Node:
    """The statement or declaration that `node` stands in: the nearest whose parent is a block, `node` perhaps."""
    while node.parent is not None and node.parent.kind not in _BLOCKS:
        node = node.parent
    return node


def preceding(node: Node) -> Iterator[Node]:
    """The statements before that of `node`, in the same block and the enclosing ones, nearest first.

    It ends with the function, or after the thousand nearest. A label and a case count as their statements do, so do
    the branches of a conditional of the preprocessor; other statements are not looked into.
    """
    given = 0
    current = node
    while current.parent is not None and current.kind != "function_definition":
        parent = current.parent
        if parent.kind in _BLOCKS:
            for statement in _before(parent, current):
                yield statement
                given += 1
                if given == _STATEMENTS:
                    return
        current = parent


def _before(parent: Node, current: Node) -> Iterator[Node]:
    children = parent.children
    for place in range(bisect_left(children, current.order, key=_order) - 1, -1, -1):
        child = children[place]
        if child.named and child.kind != "comment" and child.field not in _HEADS:
            yield from _opened(child)


def _order(node: Node) -> int:
    return node.order


def _opened(statement: Node) -> Iterator[Node]:
    """`statement`, or what a label, a case or a conditional holds, last first."""
    pending = [statement]
    while pending:
        node = pending.pop()
        if node.kind in _TRANSPARENT:
            pending.extend(child for child in node.named_children if child.field not in _HEADS)
        else:
            yield node


def declared(unit: Unit, name: str | Node, at: Node) -> Declared | None:
    """How the variable or parameter `name`, as used at `at`, is declared, when its declaration is visible in `unit`."""
    wanted = name if isinstance(name, str) else name.text
    candidates = unit.declarations.get(wanted, ())
    if not candidates:
        return None
    above = {at, *at.ancestors()}
    before = bisect_right(candidates, at.order, key=_order)
    for place in range(before - 1, max(before - _CANDIDATES, 0) - 1, -1):
        if _holds(candidates[place], above):
            return declaration(candidates[place], wanted)
    return None


def declared_type(unit: Unit, name: str | Node, at: Node) -> str | None:
    """The type of `name` as used at `at`, with its stars (`struct frob *`), when its declaration is visible."""
    found = declared(unit, name, at)
    return None if found is None else found.text


def _holds(candidate: Node, above: set[Node]) -> bool:
    """Whether what `candidate` declares is known where the nodes `above` are those from there to the root."""
    scope = candidate.parent
    if candidate.kind == "parameter_declaration":
        while scope is not None and (scope.kind == "parameter_list" or scope.kind.endswith("_declarator")):
            scope = scope.parent
        return scope is not None and scope.kind == "function_definition" and scope in above
    while scope is not None and scope.kind in _TRANSPARENT and scope not in above:
        scope = scope.parent
    return scope in above
