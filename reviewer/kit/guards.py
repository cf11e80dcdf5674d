"""What was decided before a node is reached: approximated dominance, without a control flow graph (RULES.md 0.1).

A *guard* of a node is the condition of an earlier `if` in the same or an enclosing block that leaves (return, goto,
continue, break), or a condition that the node stands under: an enclosing `if`, `while`, `for`, `?:`, or the left of
`&&` and `||`. Whether it must hold or fail there is left to the caller, who looks for what the condition names.
"""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.rule import Node

LEAVING = frozenset({"return_statement", "goto_statement", "continue_statement", "break_statement"})
_NESTING = frozenset({"compound_statement", "else_clause", "labeled_statement", "case_statement"})
_PREPROCESSOR = frozenset({"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef"})
_BRANCHES = frozenset({"consequence", "alternative"})


def guards(node: Node) -> tuple[Node, ...]:
    """All guards of `node`: conditions as they stand (with their brackets), innermost block first."""
    return (*enclosing_conditions(node), *earlier_exits(node))


def earlier_exits(node: Node) -> tuple[Node, ...]:
    """Conditions of earlier `if`s of the same or an enclosing block, one of whose branches leaves; nearest first."""
    found: list[Node] = []
    for inner, outer in _upwards(node):
        if outer.kind in LEAVING:
            continue
        for sibling in reversed(outer.children):
            if sibling.end <= inner.start:
                found += _exits(sibling)
    return tuple(found)


def enclosing_conditions(node: Node) -> tuple[Node, ...]:
    """Conditions that were evaluated on the way down to `node`, innermost first."""
    found: list[Node] = []
    for inner, outer in _upwards(node):
        condition = _condition_over(inner, outer)
        if condition is not None:
            found.append(condition)
    return tuple(found)


def leaves(statement: Node | None) -> bool:
    """Whether control never goes on behind `statement`: it is, or ends in, return, goto, continue or break."""
    pending = [statement]
    while pending:
        last = pending.pop()
        if last is None:
            return False
        if last.kind == "if_statement":
            pending += [last.child("consequence"), last.child("alternative")]
        elif last.kind in _NESTING:
            pending.append(next((child for child in reversed(last.named_children) if child.kind != "comment"), None))
        elif last.kind not in LEAVING:
            return False
    return True


def _upwards(node: Node) -> Iterator[tuple[Node, Node]]:
    """(node, parent) up to the function that holds `node`."""
    inner = node
    for outer in node.ancestors():
        yield inner, outer
        if outer.kind == "function_definition":
            return
        inner = outer


def _exits(statement: Node) -> Iterator[Node]:
    """The conditions of `statement` that let control leave, along its `else if`s."""
    if statement.kind in _PREPROCESSOR:
        for child in statement.named_children:
            yield from _exits(child)
        return
    current: Node | None = statement
    while current is not None and current.kind == "if_statement":
        alternative = current.child("alternative")
        condition = current.child("condition")
        if condition is not None and (leaves(current.child("consequence")) or leaves(alternative)):
            yield condition
        current = next(iter(alternative.named_children), None) if alternative is not None else None


def _condition_over(inner: Node, outer: Node) -> Node | None:
    if outer.kind in ("if_statement", "conditional_expression"):
        return outer.child("condition") if inner.field in _BRANCHES else None
    if outer.kind in ("while_statement", "for_statement"):
        # An iteration macro parses as `while`; its first token's own text tells it apart.
        real = inner.field == "body" and outer.children[0].text in ("while", "for")
        return outer.child("condition") if real else None
    if outer.kind == "binary_expression" and inner.field == "right":
        operator = outer.child("operator")
        return outer.child("left") if operator is not None and operator.text in ("&&", "||") else None
    return None
