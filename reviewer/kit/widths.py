"""The types of expressions: what an expression is, and what it becomes."""

from __future__ import annotations

from reviewer.kit.expressions import arguments, declared
from reviewer.kit.types import ctype, declared_type, member_type, returned_type
from reviewer.kit.units import operands
from reviewer.rule import Node, Unit

_ARITHMETIC = frozenset({"+", "-", "*", "&", "|", "^"})
_COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_ASSIGNMENTS = frozenset({"=", "+=", "-=", "|=", "&=", "^="})


def cast(node: Node) -> tuple[str, Node] | None:
    """The type and the value of a cast. A cast of brackets to a typedef parses as a call, and is one here, too."""
    if node.kind == "cast_expression":
        given, value = node.child("type"), node.child("value")
        return (given.text, value) if given is not None and value is not None else None
    function = node.child("function") if node.kind == "call_expression" else None
    if function is None or function.kind != "parenthesized_expression":
        return None
    named, values = function.named_children, arguments(node)
    return (named[0].text, values[0]) if len(named) == len(values) == 1 and ctype(named[0].text) else None


def written_type(unit: Unit, node: Node) -> str | None:
    """The type of a variable, a member or a cast as it is declared, as far as the unit shows it."""
    while node.kind == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    if node.kind == "identifier":
        return declared_type(unit, node.text, node)
    if node.kind == "field_expression":
        field = node.child("field")
        return member_type(unit, field.text) if field is not None else None
    given = cast(node)
    return given[0] if given is not None else None


def width(unit: Unit, node: Node) -> int | None:
    """The width in bits of an arithmetic expression, None when something in it is not known."""
    widest = 0
    pending = [node]
    while pending:
        node = pending.pop()
        left, right, operator = operands(node)
        if node.kind == "parenthesized_expression" and len(node.named_children) == 1:
            pending.append(node.named_children[0])
        elif left is not None and right is not None and operator in _ARITHMETIC:
            pending += [left, right]
        else:
            bits = _literal_width(node) if node.kind == "number_literal" else _declared_width(unit, node)
            if bits is None:
                return None
            widest = max(widest, bits)
    return widest


def converted_to(unit: Unit, node: Node) -> str | None:
    """The type that the value of `node` ends in, as written, or None when that is not visible.

    That is the type of what it is assigned to, cast to or returned as, or of a wider operand that it meets on the way.
    """
    inner = node
    for outer in node.ancestors():
        known, found = _step(unit, inner, outer)
        if known:
            return found
        inner = outer
    return None


def _step(unit: Unit, inner: Node, outer: Node) -> tuple[bool, str | None]:
    """Whether the way from `inner` to `outer` is its end, and the type there."""
    given = cast(outer)
    if given is not None or (outer.parent is not None and outer.kind == "argument_list"):
        given = given or cast(outer.parent or outer)
        return True, given[0] if given is not None else None
    if outer.kind == "binary_expression":
        return _meets(unit, inner, outer)
    if outer.kind == "init_declarator":
        name = declared(outer)
        return True, declared_type(unit, name.text, outer) if name is not None and inner.field == "value" else None
    if outer.kind == "assignment_expression":
        target, operator = outer.child("left"), outer.child("operator")
        plain = operator is None or operator.text in _ASSIGNMENTS
        return True, written_type(unit, target) if target is not None and plain and inner.field == "right" else None
    if outer.kind == "return_statement":
        return True, _returned(outer)
    passes = outer.kind == "parenthesized_expression" or (outer.kind == "unary_expression" and outer.text[0] in "~-")
    return not (passes or (outer.kind == "conditional_expression" and inner.field != "condition")), None


def _meets(unit: Unit, inner: Node, outer: Node) -> tuple[bool, str | None]:
    left, right, operator = operands(outer)
    other = right if inner is left else left
    if other is None or operator not in _ARITHMETIC | _COMPARISONS:
        return True, None
    written = written_type(unit, other)
    wide = ctype(written)
    if wide is not None and wide.bits > 32:
        return True, written
    return operator in _COMPARISONS, None


def _returned(statement: Node) -> str | None:
    function = next((holder for holder in statement.ancestors() if holder.kind == "function_definition"), None)
    return returned_type(function) if function is not None else None


def _declared_width(unit: Unit, node: Node) -> int | None:
    known = ctype(written_type(unit, node))
    return known.bits if known is not None else None


def _literal_width(node: Node) -> int:
    return 64 if "L" in node.text.upper() else 32
