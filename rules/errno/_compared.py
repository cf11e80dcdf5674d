"""What the test above an error message compares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.kit.expressions import arguments, assignments, bare, callee, called, calls_in, identifiers, operator, plain
from reviewer.rule import Node, Unit

_ORDER = frozenset({"<", ">", "<=", ">="})
_EQUALITY = frozenset({"==", "!="})
_SIZES = frozenset({"+", "-", "*", "/", "%", "<<", ">>"})
_COUNTED = re.compile(r"num|nr|count|idx|index|id")
_MOST = 3
_READERS = ("nla_get_u8", "nla_get_u16", "nla_get_u32", "nla_get_u64", "nla_get_uint", "nla_get_s32", "nla_get_s64")

_Pair = tuple[Node, Node | None]


def values_compared(unit: Unit, node: Node) -> tuple[str, ...]:
    """The run-time values that the nearest `if` around `node` compares: at most three, as written, in order.

    Empty unless both sides of a comparison are only known at run time, or one came from user space and the other is
    the page size. A test for alignment or for a power of two is a comparison; one for equality is only when it
    calculates. Indices and counts are left out.
    """
    condition = _condition(node)
    if condition is None:
        return ()
    tests = list(_tests(condition))
    wanted = any(_run_time(left) and right is not None and _run_time(right) for left, right in tests)
    wanted = wanted or any(_against_page(unit, left, right) for left, right in tests)
    if not wanted or any(_counted(side) for test in tests for side in test if side is not None):
        return ()
    sides = [side for left, right in tests for side in (left, right) if side is not None and _run_time(side)]
    names = tuple(dict.fromkeys(plain(_unsigned(side)) for side in sides))
    return names[:_MOST]


def _condition(node: Node) -> Node | None:
    """The condition of the nearest `if` when `node` stands in what it guards, not behind its else."""
    inner = node
    for outer in node.ancestors():
        if outer.kind == "if_statement":
            return outer.child("condition") if inner.field == "consequence" else None
        if outer.kind in ("function_definition", "case_statement", "while_statement", "for_statement"):
            return None
        inner = outer
    return None


def _tests(condition: Node) -> Iterator[_Pair]:
    """The comparisons of `condition`, as (left, right); right is None where a value is tested alone."""
    node = bare(condition)
    if node.kind == "unary_expression" and operator(node) == "!":
        inner = node.child("argument")
        if inner is not None:
            yield from _tests(inner)
    elif node.kind == "binary_expression":
        yield from _compared(node)
    elif called(node) in ("unlikely", "likely") and arguments(node):
        yield from _tests(arguments(node)[0])
    elif called(node) == "IS_ALIGNED" and len(arguments(node)) == 2:
        yield arguments(node)[0], arguments(node)[1]
    elif called(node) == "is_power_of_2" and arguments(node):
        yield arguments(node)[0], None


def _compared(node: Node) -> Iterator[_Pair]:
    left, right, sign = node.child("left"), node.child("right"), operator(node)
    if left is None or right is None:
        return
    if sign in ("&&", "||"):
        yield from _tests(left)
        yield from _tests(right)
    elif sign in _ORDER or sign == "%":
        yield left, right
    elif sign == "&" and operator(bare(right)) == "-":
        yield left, right
    elif sign in _EQUALITY and any(operator(bare(side)) in _SIZES for side in (left, right)):
        yield left, right


def _run_time(node: Node) -> bool:
    """Whether the value of `node` is known at run time only: some name in it is not that of a constant."""
    names = (inner for inner in node.walk() if inner.kind in ("identifier", "field_identifier"))
    return not any(calls_in(node, "sizeof")) and any(not name.text.isupper() for name in names)


def _against_page(unit: Unit, left: Node, right: Node | None) -> bool:
    if right is None or "PAGE_SIZE" not in identifiers(right):
        return False
    wanted = plain(bare(left))
    if any(calls_in(left, *_READERS)):
        return True
    function = unit.function_of(left)
    rows = range(function.first_row, left.row + 1) if function else range(left.row + 1)
    found = assignments(unit.find("assignment_expression", "init_declarator"))
    return any(
        callee(value) in _READERS
        for name, value in ((plain(target), bare(value)) for target, value in found if target.row in rows)
        if name == wanted and value.kind == "call_expression"
    )


def _counted(side: Node) -> bool:
    last = re.findall(r"\w+", plain(side))[-1:]
    return any(_COUNTED.fullmatch(word) for name in last for word in name.lower().split("_"))


def _unsigned(node: Node) -> Node:
    """`x` for the `x - 1` of a test by mask, else the node itself."""
    node = bare(node)
    left, right = node.child("left"), node.child("right")
    if operator(node) == "-" and left is not None and right is not None and right.text == "1":
        return left
    return node
