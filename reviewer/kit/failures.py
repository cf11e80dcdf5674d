"""Branches that fail: an `if` that hands a constant errno to the caller, and what its condition asks for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from reviewer.kit.errno import Given, given
from reviewer.kit.expressions import arguments, bare, called, operator
from reviewer.kit.guards import leaves
from reviewer.rule import Node, Unit

_TRUTH = ("unlikely", "likely")
_BORDERS = frozenset(
    {
        "else_clause",
        "while_statement",
        "for_statement",
        "do_statement",
        "switch_statement",
        "case_statement",
        "function_definition",
    }
)
_NOTHING = frozenset({"NULL", "0"})


class Failure(Struct, frozen=True, kw_only=True):
    """A branch that leaves with a constant errno: the errno, the `if`'s condition, and its consequence."""

    errno: Given
    condition: Node
    branch: Node

    @property
    def name(self) -> str:
        """The errno without its sign."""
        return self.errno.name

    @property
    def evidence(self) -> str:
        """What makes the failure the same one elsewhere: what is tested, and the errno."""
        return f"{self.condition.text} -{self.name}"


@lru_cache(maxsize=16)
def failures(unit: Unit) -> tuple[Failure, ...]:
    """The failing branches of `unit`, by their errnos; `err = -EX` counts when the branch leaves afterwards."""
    return tuple(_failures(unit)) if unit.mentions("-E", "- E") else ()


def _failures(unit: Unit) -> Iterator[Failure]:
    for errno in given(unit.find("unary_expression")):
        test = _test(errno.node)
        if test is None:
            continue
        condition, branch = test.child("condition"), test.child("consequence")
        if condition is not None and branch is not None and (errno.how == "return" or leaves(branch)):
            yield Failure(errno=errno, condition=condition, branch=branch)


def _test(node: Node) -> Node | None:
    """The `if` that decides on `node` and on nothing else."""
    inner = node
    for outer in node.ancestors():
        if outer.kind == "if_statement":
            return outer if inner.field == "consequence" else None
        if outer.kind in _BORDERS or outer.kind == "conditional_expression":
            return None
        inner = outer
    return None


def alternatives(condition: Node) -> tuple[Node, ...]:
    """What `condition` is true for, each on its own: the sides of its `||`s, bare and without unlikely()."""
    return _split(condition, "||")


def requirements(condition: Node) -> tuple[Node, ...]:
    """What must hold together for `condition`: the sides of its `&&`s, bare and without unlikely()."""
    return _split(condition, "&&")


def _split(condition: Node, sign: str) -> tuple[Node, ...]:
    found: list[Node] = []
    pending = [condition]
    while pending:
        node = bare(pending.pop())
        left, right = node.child("left"), node.child("right")
        if node.kind == "binary_expression" and operator(node) == sign and left is not None and right is not None:
            pending += [right, left]
        elif called(node) in _TRUTH and len(arguments(node)) == 1:
            pending += arguments(node)
        else:
            found.append(node)
    return tuple(found)


def denied(test: Node) -> Node | None:
    """The `x` of `!x`, `x == NULL` and `x == 0`, bare; None for other tests."""
    if test.kind == "unary_expression" and operator(test) == "!":
        inner = test.child("argument")
        return None if inner is None else bare(inner)
    left, right = test.child("left"), test.child("right")
    if test.kind != "binary_expression" or operator(test) != "==" or left is None or right is None:
        return None
    return bare(left) if right.text in _NOTHING else None
