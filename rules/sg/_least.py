"""What a loop over a table keeps of all entries: the variable that takes a value, and how it is limited."""

from __future__ import annotations

from reviewer.kit.expressions import bare, called, calls_in, declared, enclosing, mentions, operator, plain
from reviewer.kit.guards import LEAVING
from reviewer.kit.sg import SgLoop
from reviewer.rule import Node, Unit

_LIMITS = ("clamp", "clamp_t", "clamp_val", "min", "min_t", "min3", "umin", "min_not_zero")
_WAYS = frozenset(
    {
        *("parenthesized_expression", "cast_expression", "binary_expression", "argument_list", "call_expression"),
        *("conditional_expression", "unary_expression"),
    }
)
_ORDERS = frozenset({"<", "<=", ">", ">="})


def kept_in(unit: Unit, loop: SgLoop, body: Node, call: Node) -> tuple[Node, Node] | None:
    """What outlives the loop and takes the value of `call`, and the assignment that does it."""
    step = _assignment(call)
    target = _target(step)
    if step is None or target is None:
        return None
    if step.kind == "init_declarator":
        users = (
            node
            for node in body.walk()
            if node.kind == "assignment_expression" and (value := node.child("right")) and mentions(value, target.text)
        )
        step = next(users, None)
        target = _target(step)
        if step is None or target is None:
            return None
    if target.kind == "identifier" and not (is_least(step, target) or _used_later(unit, loop, target)):
        return None
    return (target, step) if target.kind in ("identifier", "field_expression") else None


def _assignment(call: Node) -> Node | None:
    """The assignment or initialiser that the value of `call` goes into."""
    for outer in call.ancestors():
        if outer.kind in ("assignment_expression", "init_declarator"):
            return outer
        if outer.kind not in _WAYS or (outer.kind == "call_expression" and called(outer) not in _LIMITS):
            return None
    return None


def _target(step: Node | None) -> Node | None:
    if step is None:
        return None
    return declared(step) if step.kind == "init_declarator" else step.child("left")


def _used_later(unit: Unit, loop: SgLoop, target: Node) -> bool:
    """Whether the variable is read after the loop, as far as that is visible."""
    function = unit.function_of(target)
    last = function.last_row if function is not None else len(unit.lines)
    end = loop.loop.node.end
    return any(node.text == target.text and node.start >= end and node.row <= last for node in unit.find("identifier"))


def is_least(step: Node, target: Node) -> bool:
    """Whether the assignment keeps the least: by min(), by `?:`, or below a comparison with the old value."""
    value = step.child("right")
    name = plain(target)
    if value is not None and any(mentions(call, name) for call in calls_in(value, *_LIMITS)):
        return True
    if value is not None and bare(value).kind == "conditional_expression" and mentions(value, name):
        return True
    branch = enclosing(step, "if_statement")
    condition = branch.child("condition") if branch is not None else None
    return condition is not None and mentions(condition, name)


def stops(body: Node, step: Node) -> bool:
    """Whether the body of the loop leaves behind `step` without any condition."""
    return any(child.kind in LEAVING and child.start > step.start for child in body.children)


def limits(function: Node, name: str, after: int) -> tuple[bool, bool]:
    """Whether behind `after` something caps `name`, and whether something compares it with the least that is right."""
    capped = floored = False
    for node in function.walk():
        if node.start < after:
            continue
        if node.kind == "binary_expression" and operator(node) in _ORDERS and mentions(node, name):
            capped = capped or operator(node) in (">", ">=")
            floored = True
        elif node.kind == "call_expression" and called(node) in _LIMITS and mentions(node, name):
            capped = True
            floored = floored or called(node).startswith("clamp")
    return capped, floored
