"""The loops of a unit, iteration macros among them."""

from __future__ import annotations

from reviewer.code.node import Node
from reviewer.code.parts import Loop

KINDS = ("for_statement", "while_statement", "do_statement")
_GUARDS = ("scoped_guard", "scoped_cond_guard")


def loop(node: Node) -> Loop | None:
    """The loop at `node`, a node of one of `KINDS`; None for a scoped guard, which only looks like one."""
    first = next(iter(node.children), None)
    if first is None:
        return None
    head = first.text
    if head in _GUARDS:
        return None
    if node.kind == "for_statement":
        parts = (node.child("initializer"), node.child("condition"), node.child("update"))
        arguments = tuple(part for part in parts if part is not None)
    else:
        arguments = _listed(node.child("condition"))
    body = node.child("body")
    visible = body if body is not None and (body.end > body.start) else None
    return Loop(head=head, node=node, arguments=arguments, body=visible)


def _listed(condition: Node | None) -> tuple[Node, ...]:
    """What stands between the parentheses, one by one."""
    if condition is None:
        return ()
    found: list[Node] = []
    pending = list(reversed(condition.named_children))
    while pending:
        node = pending.pop()
        if node.kind == "comma_expression":
            pending.extend(reversed(node.named_children))
        elif node.kind != "comment":
            found.append(node)
    return tuple(found)
