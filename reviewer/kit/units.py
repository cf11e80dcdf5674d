"""The unit that an expression counts in: pages, or the net_iov (niov) of a binding (RULES.md 0.1, unit expression).

`1UL << niov_shift`, `niov_size` and `binding->niov_shift` are one measure, NIOV; `PAGE_SIZE`, `PAGE_SHIFT` and
`PAGE_MASK` are the other, PAGE. Simple assignments are followed: a local that only ever holds `PAGE_SIZE` is PAGE, one
that is computed from a niov shift, or stored in one, is NIOV.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from reviewer.kit.assigned import members_of, values_of
from reviewer.kit.expressions import arguments, bare, called
from reviewer.rule import Node, Unit

Measure = Literal["page", "niov"]

PAGE_NAMES = frozenset({"PAGE_SIZE", "PAGE_SHIFT", "PAGE_MASK"})
PAGE_CALLS = frozenset({"PAGE_ALIGN", "PAGE_ALIGN_DOWN", "PAGE_ALIGNED", "offset_in_page"})
_NIOV_WORDS = frozenset({"niov", "iov", "slot", "chunk", "buf", "buffer", "block", "unit", "granule"})
_REST_TESTS = frozenset({"PAGE_ALIGNED", "offset_in_page"})


class Division(Struct, frozen=True):
    """`value >> by`, `value / by`: how many units of `by` fit into `value`. `node` is the whole."""

    node: Node
    value: Node
    by: Node


class AlignmentTest(Struct, frozen=True):
    """A test of `value` against a unit; `measure` is None when the unit is neither pages nor niovs."""

    node: Node
    value: Node
    measure: Measure | None


def is_niov_name(name: str) -> bool:
    """Whether `name` says by itself that it is the shift or the size of a niov."""
    if not name.endswith("_shift"):
        return name in ("niov_size", "niov_len")
    words = name.split("_")[:-1]
    if words[-1] in ("size", "len"):
        words.pop()
    return bool(words) and words[-1] in _NIOV_WORDS


def measure(unit: Unit, node: Node) -> Measure | None:
    """The measure of a size, shift or mask; None when it is neither, or cannot be told."""
    found: set[Measure | None] = set()
    named = False
    seen: set[str] = set()
    pending = [node]
    while pending:
        node = bare(pending.pop())
        if node.kind == "identifier" and node.text not in PAGE_NAMES:
            if node.text not in seen:
                seen.add(node.text)
                values = values_of(unit, node)
                pending += values
                found |= set() if values else {None}
                named |= is_niov_name(node.text) or any(map(is_niov_name, members_of(unit, node)))
        elif node.kind == "conditional_expression":
            pending += [branch for branch in map(node.child, ("consequence", "alternative")) if branch is not None]
        else:
            inner = node.child("argument") if node.kind == "unary_expression" else power(node) or _less_one(node)
            if inner is not None:
                pending.append(inner)
            else:
                found.add(_of_leaf(node))
    if "niov" in found:
        return "niov"
    return "page" if found == {"page"} else "niov" if named else None


def page_names(node: Node) -> Iterator[Node]:
    """Identifiers in `node` that stand for pages: `PAGE_SIZE` and its like, and the names of the calls."""
    for each in node.walk():
        if each.kind == "identifier" and (each.text in PAGE_NAMES or each.text in PAGE_CALLS):
            yield each


def division(node: Node) -> Division | None:
    """`node` as a division into units, if it is one."""
    left, right, operator = operands(node)
    if left is None or right is None or operator not in (">>", "/"):
        return None
    return Division(node, left, right)


def alignment_tests(unit: Unit, condition: Node) -> Iterator[AlignmentTest]:
    """Every test in `condition` whether a value is a multiple of a unit."""
    for node in condition.walk():
        if node.kind == "call_expression":
            name, given = called(node), arguments(node)
            if name == "IS_ALIGNED" and len(given) == 2:
                yield AlignmentTest(node, given[0], measure(unit, given[1]))
            elif name in _REST_TESTS and len(given) == 1:
                yield AlignmentTest(node, given[0], "page")
        elif node.kind == "binary_expression":
            left, right, operator = operands(node)
            if left is None or right is None:
                continue
            if operator == "%" or (operator == "&" and is_mask(unit, right)):
                yield AlignmentTest(node, left, measure(unit, right))


def operands(node: Node) -> tuple[Node | None, Node | None, str]:
    """Left, right and operator of a binary expression; nothing for other nodes."""
    if node.kind != "binary_expression":
        return None, None, ""
    operator = node.child("operator")
    return node.child("left"), node.child("right"), operator.text if operator is not None else ""


def power(node: Node) -> Node | None:
    """The shift of `1 << shift`, `BIT(shift)` and their like."""
    if node.kind == "call_expression":
        given = arguments(node)
        return given[0] if called(node) in ("BIT", "BIT_ULL") and len(given) == 1 else None
    left, right, operator = operands(node)
    return right if operator == "<<" and left is not None and _is_one(left) else None


def is_mask(unit: Unit, node: Node) -> bool:
    """Whether `node` is `U - 1`, `~PAGE_MASK`, or a variable that holds one: what picks the rest of a division."""
    node = bare(node)
    if node.kind == "identifier":
        return any(_masks(bare(value)) for value in values_of(unit, node))
    return _masks(node)


def _masks(node: Node) -> bool:
    if node.kind == "unary_expression" and node.text.startswith("~"):
        return any(name.text == "PAGE_MASK" for name in page_names(node))
    return _less_one(node) is not None


def _less_one(node: Node) -> Node | None:
    """The `U` of `U - 1`."""
    left, right, operator = operands(node)
    return left if operator == "-" and right is not None and _is_one(right) else None


def _is_one(node: Node) -> bool:
    node = bare(node)
    return node.kind == "number_literal" and node.text.upper().rstrip("UL") == "1"


def _of_leaf(node: Node) -> Measure | None:
    if node.kind == "identifier":
        return "page"
    member = node.child("field") if node.kind == "field_expression" else None
    return "niov" if member is not None and is_niov_name(member.text) else None
