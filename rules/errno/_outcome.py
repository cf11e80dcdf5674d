"""How the result of a call is tested: the first `if` behind the call that asks for it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from reviewer.kit.expressions import arguments, bare, calls_in, mentions, operator, plain, statement_of, target
from reviewer.rule import Node, Struct

_ERROR_TESTS = ("IS_ERR", "IS_ERR_OR_NULL", "IS_ERR_VALUE", "PTR_ERR_OR_ZERO")
_NEAR = 24
_LONG = 60
"""How many statements behind the call are looked at, and how many lines one may have."""
_TRUTH = ("unlikely", "likely", "WARN_ON", "WARN_ON_ONCE")


class Outcome(Struct, frozen=True, kw_only=True):
    """The test of a result: `condition`, in which it is `result` (plain text; of `target`, if it is stored).

    `later` are the statements behind the test in the same block.
    """

    condition: Node
    result: str
    target: Node | None
    later: tuple[Node, ...]

    def asked_again(self, macro: str) -> bool:
        """Whether a later `if` of the block hands the result to `macro`."""
        conditions = (one.child("condition") for one in self.later if one.kind == "if_statement")
        return any(_hands(condition, self.result, macro) for condition in conditions if condition is not None)


def outcome_of(call: Node) -> Outcome | None:
    """The first test of what `call` gave, when nothing else uses it before; None when it is not visible."""
    stored = target(call)
    inside = _condition_around(call)
    if inside is not None:
        result = plain(stored) if stored is not None else plain(call)
        return Outcome(condition=inside, result=result, target=stored, later=())
    if stored is None:
        return None
    result = plain(stored)
    following = tuple(behind(statement_of(call)))
    for place, statement in enumerate(following):
        condition = statement.child("condition") if statement.kind == "if_statement" else None
        if condition is not None and mentions(condition, result):
            return Outcome(condition=condition, result=result, target=stored, later=following[place + 1 :])
        if statement.end_row - statement.row > _LONG or mentions(statement, result):
            return None
    return None


def asks_for_null(condition: Node, result: str) -> bool:
    """Whether `condition` depends on the result being NULL (or zero): `!x`, `x == NULL`, `x`."""
    return any(_same(side, result) for side in _truths(condition))


def asks_for_error(condition: Node, result: str, *macros: str) -> bool:
    """Whether `condition` hands the result to one of `macros`, by default to IS_ERR() or one of its kin."""
    return any(_hands(condition, result, macro) for macro in macros or _ERROR_TESTS)


def true_when_positive(condition: Node, result: str) -> bool:
    """Whether `condition` is `x` or `x != 0` alone, which a positive number fulfils as a negative one does."""
    node = bare(condition)
    while node.kind == "call_expression" and _name(node) in _TRUTH and arguments(node):
        node = bare(arguments(node)[0])
    if node.kind == "binary_expression" and operator(node) == "!=":
        left, right = node.child("left"), node.child("right")
        return left is not None and right is not None and right.text == "0" and _same(left, result)
    return _same(node, result)


def _condition_around(call: Node) -> Node | None:
    inner = call
    for outer in call.ancestors():
        if outer.kind == "if_statement":
            return outer.child("condition") if inner.field == "condition" else None
        if outer.kind in ("compound_statement", "function_definition", "while_statement", "for_statement"):
            return None
        inner = outer
    return None


def behind(statement: Node) -> Iterator[Node]:
    """The next statements of the block behind `statement`, comments left out."""
    if statement.parent is None:
        return
    siblings = statement.parent.children
    place = bisect_left(siblings, statement.end, key=lambda node: node.start)
    for sibling in siblings[place : place + _NEAR]:
        if sibling.named and sibling.kind != "comment":
            yield sibling


def _hands(condition: Node, result: str, macro: str) -> bool:
    given = [arguments(call) for call in calls_in(condition, macro)]
    return any(len(one) == 1 and _same(one[0], result) for one in given)


def _truths(condition: Node) -> Iterator[Node]:
    """The values whose truth `condition` asks for, through `!`, `&&`, `||`, comparisons with NULL, and unlikely()."""
    pending = [condition]
    while pending:
        node = bare(pending.pop())
        if node.kind == "call_expression" and _name(node) in _TRUTH:
            pending += arguments(node)
        elif node.kind == "unary_expression" and operator(node) == "!":
            pending += [child for child in (node.child("argument"),) if child is not None]
        elif node.kind == "binary_expression":
            left, right = node.child("left"), node.child("right")
            if left is None or right is None:
                continue
            if operator(node) in ("&&", "||"):
                pending += [left, right]
            elif operator(node) in ("==", "!=") and "NULL" in (left.text, right.text):
                yield right if left.text == "NULL" else left
        else:
            yield node


def _same(node: Node, result: str) -> bool:
    """Whether `node` is the result, or the assignment of it."""
    node = bare(node)
    if node.kind == "assignment_expression":
        left = node.child("left")
        return left is not None and plain(left) == result
    return plain(node) == result


def _name(call: Node) -> str:
    function = call.child("function")
    return function.text if function is not None else ""
