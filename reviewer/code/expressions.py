"""Small questions that many rules ask of an expression."""

from __future__ import annotations

from reviewer.code.node import Node

_VERBATIM = ("string_content", "character")
_WRAPPERS = ("parenthesized_expression", "condition_clause")


def unparenthesised(node: Node) -> Node:
    """`node` without the parentheses around it."""
    while node.kind in _WRAPPERS:
        inner = [child for child in node.named_children if child.kind != "comment"]
        if len(inner) != 1:
            break
        node = inner[0]
    return node


def identifiers(node: Node) -> tuple[str, ...]:
    """The names in `node`, in order and with repeats: variables, macros and called functions, no fields or types."""
    return tuple(found.text for found in node.walk() if found.kind == "identifier")


def fields(node: Node) -> tuple[str, ...]:
    """The fields that `node` reads or writes (`x->length`: `length`), in order and with repeats."""
    return tuple(found.text for found in node.walk() if found.kind == "field_identifier")


def callee(call: Node) -> str | None:
    """The name of the function or macro that a `call_expression` calls; None for calls through pointers."""
    function = call.child("function")
    return function.text if function is not None and function.kind == "identifier" else None


def arguments(call: Node) -> tuple[Node, ...]:
    """The arguments of a `call_expression`, comments left out; a type that a macro takes is one of them."""
    listed = call.child("arguments")
    if listed is None:
        return ()
    return tuple(child for child in listed.named_children if child.kind != "comment")


def operator(node: Node) -> str | None:
    """The operator of a unary, binary, update or assignment expression, as written."""
    found = node.child("operator")
    return found.text if found is not None else None


def spelled(node: Node) -> str:
    """The text of `node` without comments and white space that does not matter: to compare by."""
    text = ""
    for found in node.walk():
        if found.children or found.kind == "comment":
            continue
        piece = found.text if found.kind in _VERBATIM else " ".join(found.text.split())
        if text and piece and _in_word(text[-1]) and _in_word(piece[0]):
            text += " "
        text += piece
    return text


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
