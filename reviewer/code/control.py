"""A small view of how control goes through a function: statements, branches, loops, labels, jumps and returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from reviewer.code.node import Node
from reviewer.code.parts import Function, Loop
from reviewer.code.unit import Unit

_BLOCKS = frozenset(
    {"compound_statement", "labeled_statement", "case_statement", "preproc_if", "preproc_ifdef", "preproc_else"}
)
_HEADS = frozenset({"label", "value", "name", "condition"})
_ENDS = frozenset({"return_statement", "goto_statement"})
_LONGEST = 1000
"""Statements on one way out: more are not followed."""


class Flow(Struct, frozen=True, kw_only=True):
    """A function whose body is all visible. All nodes are in document order.

    `statements` are those with no statements inside, declarations among them; `branches` the `if`s and `switch`es.
    `labels` are the labelled statements by name, `gotos` the jumps, `returns` the places that it returns at.
    """

    function: Function
    body: Node
    statements: tuple[Node, ...]
    branches: tuple[Node, ...]
    loops: tuple[Loop, ...]
    labels: Mapping[str, Node]
    gotos: tuple[Node, ...]
    returns: tuple[Node, ...]


def flow_of(unit: Unit, function: Function) -> Flow | None:
    """The flow of a function; None when not all of it is visible or some of it could not be parsed."""
    body = function.node.child("body") if function.node is not None else None
    if body is None or not function.complete or body.broken or body.cut:
        return None
    found = [node for node in body.walk() if node.named]
    return Flow(
        function=function,
        body=body,
        statements=tuple(node for node in found if _is_simple(node)),
        branches=tuple(node for node in found if node.kind in ("if_statement", "switch_statement")),
        loops=tuple(loop for loop in unit.loops if body.start <= loop.node.start < body.end),
        labels={label: node for node in found if node.kind == "labeled_statement" and (label := label_of(node))},
        gotos=tuple(node for node in found if node.kind == "goto_statement"),
        returns=tuple(node for node in found if node.kind == "return_statement"),
    )


def label_of(node: Node) -> str:
    """The label of a `goto` or of a labelled statement; empty for a computed one and for other nodes."""
    label = node.child("label")
    return label.text if label is not None and node.kind in ("goto_statement", "labeled_statement") else ""


def way_out(flow: Flow, start: Node) -> tuple[Node, ...]:
    """What runs from `start`, a `goto` or `return`, to the end of the function, `start` first.

    Jumps are followed, each label once. An `if` or a loop on the way is given as one statement: what is in it may run.
    """
    found: list[Node] = [start]
    seen: set[str] = set()
    while len(found) < _LONGEST:
        last = found[-1]
        if last.kind != "goto_statement":
            break
        label = label_of(last)
        target = flow.labels.get(label)
        if target is None or label in seen:
            break
        seen.add(label)
        for statement in _from(target, flow.body):
            found.append(statement)
            if statement.kind in _ENDS or len(found) == _LONGEST:
                break
        else:
            break
    return tuple(found)


def _from(labelled: Node, body: Node) -> Iterator[Node]:
    """The statements from a labelled one on: its own, then those behind it in its block and the enclosing ones."""
    yield from _opened(labelled)
    current = labelled
    while current is not body and current.parent is not None:
        parent = current.parent
        if parent.kind in _BLOCKS:
            for sibling in parent.children:
                if sibling.order > current.order and _is_statement(sibling):
                    yield from _opened(sibling)
        current = parent


def _opened(statement: Node) -> Iterator[Node]:
    """`statement`, or what a label, a block or a conditional of the preprocessor holds."""
    pending = [statement]
    while pending:
        node = pending.pop()
        if node.kind in _BLOCKS:
            pending.extend(child for child in reversed(node.children) if _is_statement(child))
        else:
            yield node


def _is_statement(node: Node) -> bool:
    return node.named and node.kind != "comment" and node.field not in _HEADS


def _is_simple(node: Node) -> bool:
    return node.kind in ("expression_statement", "declaration", "break_statement", "continue_statement") or (
        node.kind in _ENDS
    )
