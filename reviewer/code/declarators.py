"""What declarations declare."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from reviewer.code.node import Node

KINDS = ("declaration", "parameter_declaration")
_NAMES = ("identifier", "field_identifier")


class Declared(Struct, frozen=True, kw_only=True):
    """How a variable, parameter or member is declared. `type` is without qualifiers of storage, stars and name."""

    name: str
    type: str
    stars: int
    array: bool
    node: Node

    @property
    def text(self) -> str:
        """The type with its stars: `struct frob *`."""
        return f"{self.type} {'*' * self.stars}" if self.stars else self.type


def names(node: Node) -> Iterator[str]:
    """The names that `node`, a declaration of variables, members or a parameter, declares; functions are left out."""
    for child in node.children:
        if child.field == "declarator":
            found = _declared(child)
            if found is not None:
                yield found[0].text


def declaration(node: Node, name: str) -> Declared | None:
    """How `node`, a declaration of variables, members or a parameter, declares `name`; None when it does not."""
    for child in node.children:
        found = _declared(child) if child.field == "declarator" else None
        if found is not None and found[0].text == name:
            return Declared(name=name, type=_type(node), stars=found[1], array=found[2], node=node)
    return None


def _declared(declarator: Node) -> tuple[Node, int, bool] | None:
    stars, array = 0, False
    current: Node | None = declarator
    while current is not None and current.kind not in _NAMES:
        if current.kind == "function_declarator":
            return None
        stars += current.kind == "pointer_declarator"
        array = array or current.kind == "array_declarator"
        current = current.child("declarator")
    return None if current is None else (current, stars, array)


def _type(node: Node) -> str:
    words: list[str] = []
    for child in node.children:
        if child.field == "declarator":
            break
        if child.kind == "type_qualifier":
            words.append(child.text)
        elif child.field == "type":
            words.append(_head(child))
    return " ".join(" ".join(words).split())


def _head(kind: Node) -> str:
    """A type without its body: `struct frob`."""
    if kind.child("body") is None:
        return kind.text
    name = kind.child("name")
    return f"{kind.children[0].text} {name.text}" if name is not None else kind.children[0].text
