"""What the test above an error message compares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.kit.expressions import arguments, bare, called, calls_in, identifiers, last_values, operator, plain
from reviewer.rule import Node, Struct, Unit

_ORDER = frozenset({"<", ">", "<=", ">="})
_FRAMING = ("sizeof", "offsetof", "nla_len", "nlmsg_len", "nlmsg_msg_size", "nlmsg_attrlen")
_COUNTED = re.compile(r"num|nr|count|idx|index|id")
_MOST = 3
_READERS = ("nla_get_u8", "nla_get_u16", "nla_get_u32", "nla_get_u64", "nla_get_uint", "nla_get_s32", "nla_get_s64")


class Compared(Struct, frozen=True, kw_only=True):
    """Values that a test compares: as written, in order, at most three.

    `aligned` when one is tested to be a multiple of another, or comes from user space and is held against the page
    size; else one is only larger than the other.
    """

    values: tuple[str, ...]
    aligned: bool


class _Test(Struct, frozen=True, kw_only=True):
    """A comparison; `right` is None where a value is tested alone, `aligned` when it asks for a multiple."""

    left: Node
    right: Node | None
    aligned: bool


def values_compared(unit: Unit, node: Node) -> Compared | None:
    """The run-time values that the nearest `if` around `node` compares.

    None unless both sides of a comparison are only known at run time, or one came from user space and the other is
    the page size. A test for a power of two is a comparison, one for equality is none. Indices, counts and the
    lengths of messages and attributes are left out.
    """
    condition = _condition(node)
    if condition is None:
        return None
    tests = list(_tests(condition))
    sides = [side for test in tests for side in (test.left, test.right) if side is not None]
    if any(_counted(side) or _framing(side) for side in sides):
        return None
    known_late = [test for test in tests if test.right is not None and _run_time(test.left) and _run_time(test.right)]
    aligned = any(test.aligned for test in known_late) or any(_against_page(unit, test) for test in tests)
    if not known_late and not aligned:
        return None
    names = tuple(dict.fromkeys(plain(_unmasked(side)) for side in sides if _run_time(side)))
    return Compared(values=names[:_MOST], aligned=aligned)


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


def _tests(condition: Node) -> Iterator[_Test]:
    """The comparisons of `condition`, in order."""
    pending = [condition]
    while pending:
        node = bare(pending.pop())
        if node.kind == "unary_expression" and operator(node) == "!":
            pending += [child for child in (node.child("argument"),) if child is not None]
        elif node.kind == "binary_expression" and operator(node) in ("&&", "||"):
            pending += [child for child in (node.child("right"), node.child("left")) if child is not None]
        elif called(node) in ("unlikely", "likely"):
            pending += arguments(node)[:1]
        else:
            test = _test(node)
            if test is not None:
                yield test


def _test(node: Node) -> _Test | None:
    """The comparison that `node` is, without brackets around it."""
    given = arguments(node) if node.kind == "call_expression" else ()
    if called(node) == "IS_ALIGNED" and len(given) == 2:
        return _Test(left=given[0], right=given[1], aligned=True)
    if called(node) == "is_power_of_2" and len(given) == 1:
        return _Test(left=given[0], right=None, aligned=True)
    left, right, sign = node.child("left"), node.child("right"), operator(node)
    if node.kind != "binary_expression" or left is None or right is None:
        return None
    if sign in _ORDER:
        return _Test(left=left, right=right, aligned=False)
    if sign == "%" or (sign == "&" and operator(bare(right)) == "-"):
        return _Test(left=left, right=right, aligned=True)
    return None


def _run_time(node: Node) -> bool:
    """Whether the value of `node` is known at run time only: some name in it is not that of a constant."""
    names = (inner for inner in node.walk() if inner.kind in ("identifier", "field_identifier"))
    return any(not name.text.isupper() for name in names)


def _against_page(unit: Unit, test: _Test) -> bool:
    """Whether a value that user space sent is held against the page size."""
    if test.right is None or "PAGE_SIZE" not in identifiers(test.right):
        return False
    if any(calls_in(test.left, *_READERS)):
        return True
    values = last_values(unit, plain(bare(test.left)), test.left)
    return any(called(bare(value)) in _READERS for value in values)


def _counted(side: Node) -> bool:
    last = re.findall(r"\w+", plain(side))[-1:]
    return any(_COUNTED.fullmatch(word) for name in last for word in name.lower().split("_"))


def _framing(side: Node) -> bool:
    text = plain(side)
    return any(word in text for word in _FRAMING)


def _unmasked(node: Node) -> Node:
    """`x` for the `x - 1` of a test by mask, else the node itself."""
    node = bare(node)
    left, right = node.child("left"), node.child("right")
    if operator(node) == "-" and left is not None and right is not None and right.text == "1":
        return left
    return node
