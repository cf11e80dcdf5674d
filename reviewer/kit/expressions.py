"""Small questions about expressions: what is called with what, and where a value goes."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from reviewer.code.expressions import arguments, callee, identifiers, operator
from reviewer.code.scope import declared_type, enclosing, statement_of, within
from reviewer.rule import Node, Unit

__all__ = [
    "arguments",
    "assignments",
    "bare",
    "called",
    "callee",
    "calls_in",
    "declared",
    "declared_type",
    "enclosing",
    "identifiers",
    "last_values",
    "mentions",
    "operator",
    "plain",
    "statement_of",
    "target",
    "within",
]

_WRAPPERS = frozenset({"parenthesized_expression", "condition_clause", "cast_expression"})
_VALUES = frozenset({"identifier", "field_expression", "subscript_expression", "pointer_expression"})


def plain(node: Node) -> str:
    """The source of `node` without white space, so that `a -> b` and `a->b` are the same expression."""
    return "".join(node.text.split())


def bare(node: Node) -> Node:
    """`node` without brackets and casts around it."""
    while node.kind in _WRAPPERS:
        inner = node.child("value") if node.kind == "cast_expression" else next(iter(node.named_children), None)
        if inner is None:
            break
        node = inner
    return node


def called(call: Node) -> str:
    """The name of the function or macro that `call` calls; empty for a call through a pointer, and for no call."""
    return callee(call) or ""


def calls_in(node: Node, *names: str) -> Iterator[Node]:
    """The calls of `names` inside `node`, itself included, in the order of the source."""
    for inner in node.walk():
        if inner.kind == "call_expression" and callee(inner) in names:
            yield inner


def declared(declarator: Node) -> Node | None:
    """The name that a declarator declares, behind stars, brackets and an initialiser."""
    node: Node | None = declarator
    while node is not None and node.kind != "identifier":
        node = node.child("declarator")
    return node


def target(value: Node) -> Node | None:
    """What `value` is assigned to as a whole (brackets and casts aside): a declared name, or the left of a `=`."""
    inner = value
    for outer in value.ancestors():
        if outer.kind == "assignment_expression":
            return outer.child("left") if inner.field == "right" and operator(outer) == "=" else None
        if outer.kind == "init_declarator":
            return declared(outer) if inner.field == "value" else None
        if outer.kind not in _WRAPPERS:
            return None
        inner = outer
    return None


def assignments(nodes: Iterable[Node]) -> Iterator[tuple[Node, Node]]:
    """(target, value) of every plain assignment and initialiser among `nodes`."""
    for node in nodes:
        if node.kind == "assignment_expression" and operator(node) == "=":
            left, right = node.child("left"), node.child("right")
        elif node.kind == "init_declarator":
            left, right = declared(node), node.child("value")
        else:
            continue
        if left is not None and right is not None:
            yield left, right


def last_values(unit: Unit, expression: str, at: Node, most: int = 4) -> tuple[Node, ...]:
    """What the function around `at` assigned to `expression` (a plain text) above its line: at most `most`, last first.

    What stands on the line of `at` itself counts when it begins before `at`.
    """
    found = _assigned(unit).get(expression, ())
    function = unit.function_of(at)
    first = function.first_row if function is not None else 0
    end = bisect_left(found, at.start, key=lambda value: value.start)
    nearest = reversed(found[max(end - most, 0) : end])
    return tuple(value for value in nearest if value.row >= first)


@lru_cache(maxsize=16)
def _assigned(unit: Unit) -> Mapping[str, tuple[Node, ...]]:
    """The values of all assignments and initialisers by the plain text of what they are assigned to."""
    found: defaultdict[str, list[Node]] = defaultdict(list)
    for left, right in assignments(unit.find("assignment_expression", "init_declarator")):
        found[plain(left)].append(right)
    return {name: tuple(values) for name, values in found.items()}


def mentions(node: Node, expression: str) -> bool:
    """Whether `expression`, a plain text, is read or written anywhere in `node`."""
    return any(inner.kind in _VALUES and plain(inner) == expression for inner in node.walk())
