"""Jumps to error labels: what is returned behind the label, and what the variable holds before the jump."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from reviewer.kit.expressions import arguments, bare, called, declared, enclosing, identifiers, operator, plain
from reviewer.kit.guards import enclosing_conditions, leaves
from reviewer.kit.taint import scope
from reviewer.rule import Node, Struct, Unit

_MOST = 60
"""Statements looked at, behind a label and before a jump."""
_LONG = 200
"""Lines of a statement that is not looked into."""
_COMPLAINT = re.compile(r"(?:\w+_)?(?:err|warn|WARN|ERROR)(?:_\w+)?|NL_SET_\w+|WARN_ON(?:_ONCE)?")
_BLOCKS = frozenset({"compound_statement"})


class Jump(Struct, frozen=True, kw_only=True):
    """An `if` whose consequence goes to a label: `test` is the `if`, `branch` its consequence."""

    goto: Node
    label: str
    test: Node
    branch: Node

    @property
    def condition(self) -> str:
        """What is tested, as written."""
        condition = self.test.child("condition")
        return condition.text if condition is not None else ""


def jumps(unit: Unit) -> Iterator[Jump]:
    """The conditional jumps of `unit`: those that end the consequence of an `if`."""
    for goto in unit.find("goto_statement"):
        label = goto.child("label")
        branch = goto.parent if goto.parent is not None and goto.parent.kind == "compound_statement" else goto
        test = branch.parent
        if label is not None and test is not None and test.kind == "if_statement" and branch.field == "consequence":
            yield Jump(goto=goto, label=label.text, test=test, branch=branch)


class _Labels(Struct, frozen=True):
    """By (first row of the function, name): the labelled statements, and the labels that some goto always goes to."""

    places: Mapping[tuple[int, str], Node]
    unconditional: frozenset[tuple[int, str]]


@lru_cache(maxsize=16)
def _labels(unit: Unit) -> _Labels:
    places: dict[tuple[int, str], Node] = {}
    always: set[tuple[int, str]] = set()
    for node in unit.find("labeled_statement"):
        name = node.child("label")
        if name is not None:
            places[scope(unit, node)[0], name.text] = node
    for goto in unit.find("goto_statement"):
        name = goto.child("label")
        holder = enclosing(goto, "if_statement", "case_statement", "labeled_statement", "function_definition")
        if name is not None and (holder is None or holder.kind == "function_definition"):
            always.add((scope(unit, goto)[0], name.text))
    return _Labels(places=places, unconditional=frozenset(always))


def label_of(unit: Unit, jump: Jump) -> Node | None:
    """The labelled statement that `jump` goes to, when it is in sight in the same function."""
    return _labels(unit).places.get((scope(unit, jump.goto)[0], jump.label))


def returned_at(unit: Unit, jump: Jump) -> str | None:
    """The variable that is returned behind the label, as it is at the jump; None when nothing is sure.

    The label must be one for errors alone: nothing falls into it, and every goto to it is conditional.
    """
    if (scope(unit, jump.goto)[0], jump.label) in _labels(unit).unconditional:
        return None
    label = label_of(unit, jump)
    return _returned(label) if label is not None else None


@lru_cache(maxsize=256)
def _returned(label: Node) -> str | None:
    if _falls_into(label):
        return None
    passed: list[Node] = []
    for statement in _onwards(label):
        if statement.kind == "return_statement":
            variable = _variable(statement)
            changed = variable is None or any(_writes(one, variable) for one in passed)
            return None if changed else variable
        if statement.kind in ("goto_statement", "preproc_if", "preproc_ifdef"):
            return None
        passed.append(statement)
    return None


def explained(jump: Jump) -> bool:
    """Whether a comment stands in the branch or right above the `if`: the author says why this is no failure."""
    if any(node.kind == "comment" for node in jump.branch.walk()) or jump.test.parent is None:
        return True
    earlier = [one for one in jump.test.parent.named_children if one.end <= jump.test.start]
    return bool(earlier) and earlier[-1].kind == "comment"


def complains(jump: Jump) -> bool:
    """Whether the code takes the jump for a failure: it logs or sets an extack, or the test calls something."""
    condition = jump.test.child("condition")
    calls = condition is not None and any(node.kind == "call_expression" for node in condition.walk())
    return calls or any(_COMPLAINT.fullmatch(called(node)) for node in jump.branch.walk())


def _onwards(label: Node) -> Iterator[Node]:
    """The statements from `label` on, labels opened."""
    node: Node | None = label
    while node is not None and node.kind == "labeled_statement":
        node = next((child for child in node.named_children if child.field != "label"), None)
        if node is not None and node.kind != "labeled_statement":
            yield node
    if label.parent is None:
        return
    siblings = label.parent.named_children
    place = next((index for index, one in enumerate(siblings) if one is label), len(siblings))
    for sibling in siblings[place + 1 : place + 1 + _MOST]:
        if sibling.kind == "labeled_statement":
            yield from _onwards(sibling)
            return
        yield sibling


def _variable(statement: Node) -> str | None:
    """The `err` of `return err;` and `return ERR_PTR(err);`."""
    value = next(iter(statement.named_children), None)
    if value is None:
        return None
    value = bare(value)
    if called(value) == "ERR_PTR" and len(arguments(value)) == 1:
        value = bare(arguments(value)[0])
    return value.text if value.kind == "identifier" and not value.text.isupper() else None


def _falls_into(label: Node) -> bool:
    """Whether control may come to `label` without a goto: no statement above leaves, back to the first label's."""
    if label.parent is None or label.parent.kind != "compound_statement":
        return True
    earlier = [one for one in label.parent.named_children if one.end <= label.start and one.kind != "comment"]
    first = next((index for index, one in enumerate(earlier) if one.kind == "labeled_statement"), len(earlier))
    return not any(leaves(one) for one in earlier[max(first - 1, 0) :])


def surely_zero(unit: Unit, jump: Jump, variable: str) -> bool:
    """Whether `variable` holds 0 when `jump` is taken: the last that happened to it let only success pass."""
    if _writes(jump.branch, variable) or _mentions(jump.test.child("condition"), variable):
        return False
    if any(_mentions(condition, variable) for condition in enclosing_conditions(jump.test)):
        return False
    node, seen = jump.test, 0
    while node.parent is not None and node.parent.kind in _BLOCKS:
        for sibling in reversed([one for one in node.parent.named_children if one.end <= node.start]):
            seen += 1
            verdict = _verdict(sibling, variable)
            if verdict is not None or seen > _MOST:
                return verdict is True
        holder = node.parent.parent
        if holder is None or holder.kind != "if_statement":
            return False
        node = holder
    return False


def _verdict(statement: Node, variable: str) -> bool | None:
    """True when `variable` is 0 behind `statement`, False when nobody knows, None when it does not touch it."""
    if statement.kind in ("labeled_statement", "case_statement", "preproc_if", "preproc_ifdef"):
        return False
    if statement.kind == "if_statement" and _lets_zero_pass(statement, variable):
        return True
    if statement.end_row - statement.row > _LONG:
        return False
    if not _writes(statement, variable):
        return None
    return _sets_zero(statement, variable)


def _lets_zero_pass(statement: Node, variable: str) -> bool:
    """Whether `statement` is `if (err) leave`, so that what comes behind it has err == 0."""
    condition, then = statement.child("condition"), statement.child("consequence")
    if condition is None or statement.child("alternative") is not None or not leaves(then):
        return False
    node = bare(condition)
    while called(node) in ("unlikely", "likely") and arguments(node):
        node = bare(arguments(node)[0])
    if node.kind == "binary_expression" and operator(node) in ("<", "!="):
        left, right = node.child("left"), node.child("right")
        return left is not None and right is not None and right.text == "0" and _is(left, variable)
    return _is(node, variable)


def _is(node: Node, variable: str) -> bool:
    node = bare(node)
    if node.kind == "assignment_expression":
        left = node.child("left")
        return left is not None and plain(left) == variable
    return node.kind == "identifier" and node.text == variable


def _sets_zero(statement: Node, variable: str) -> bool:
    """Whether `statement` is `err = 0;` or declares `int err = 0`."""
    for node in statement.walk():
        if node.kind == "assignment_expression" and node.parent is statement and operator(node) == "=":
            left, right = node.child("left"), node.child("right")
            return left is not None and plain(left) == variable and right is not None and right.text == "0"
        if node.kind == "init_declarator" and (name := declared(node)) is not None and name.text == variable:
            value = node.child("value")
            return value is not None and value.text == "0"
    return False


def _writes(node: Node, variable: str) -> bool:
    """Whether `node` may change `variable`: an assignment, an initialiser, its address, or a macro's argument."""
    for inner in node.walk():
        if inner.kind != "identifier" or inner.text != variable or inner.parent is None:
            continue
        outer = inner.parent
        if outer.kind in ("assignment_expression", "update_expression") and inner.field in ("left", "argument"):
            return True
        if outer.kind in ("init_declarator", "pointer_expression") and inner.field in ("declarator", "argument"):
            return True
    return False


def _mentions(node: Node | None, variable: str) -> bool:
    return node is not None and variable in identifiers(node)
