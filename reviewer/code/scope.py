"""Where a node stands: its statement, what goes before it, and how a name that it uses is declared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.code.node import Node
from reviewer.code.unit import Unit

_BLOCKS = (
    "compound_statement",
    "translation_unit",
    "case_statement",
    "labeled_statement",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "preproc_elifdef",
    "ERROR",
)
_TRANSPARENT = ("labeled_statement", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "case_statement")
_HEADS = ("label", "value", "name", "condition")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """How a variable, parameter or member is declared. `type` is without qualifiers of storage, stars and name."""

    type: str
    stars: int
    array: bool
    node: Node

    @property
    def text(self) -> str:
        """The type with its stars: `struct frob *`."""
        return f"{self.type} {'*' * self.stars}" if self.stars else self.type


def enclosing(node: Node, *kinds: str) -> Node | None:
    """The nearest node above `node` that is of one of these kinds."""
    for above in node.ancestors():
        if above.kind in kinds:
            return above
    return None


def statement_of(node: Node) -> Node:
    """The statement or declaration that `node` stands in: the nearest whose parent is a block, `node` perhaps."""
    while node.parent is not None and node.parent.kind not in _BLOCKS:
        node = node.parent
    return node


def preceding(node: Node) -> Iterator[Node]:
    """The statements before that of `node`, in the same block and the enclosing ones, nearest first.

    It ends with the function. A label and a case count as their statements do, so do the branches of a conditional of
    the preprocessor; other statements are not looked into.
    """
    current = node
    while current.parent is not None and current.kind != "function_definition":
        parent = current.parent
        if parent.kind in _BLOCKS:
            yield from _before(parent.children, current)
        current = parent


def _before(children: Sequence[Node], current: Node) -> Iterator[Node]:
    place = next((number for number, child in enumerate(children) if child is current), 0)
    for child in reversed(children[:place]):
        if child.named and child.kind != "comment" and child.field not in _HEADS:
            yield from _opened(child)


def _opened(statement: Node) -> Iterator[Node]:
    """`statement`, or what a label, a case or a conditional holds, last first."""
    pending = [statement]
    while pending:
        node = pending.pop()
        if node.kind in _TRANSPARENT:
            pending.extend(child for child in node.named_children if child.field not in _HEADS)
        else:
            yield node


def declared(unit: Unit, name: str | Node, at: Node) -> Declared | None:
    """How the variable or parameter `name`, as used at `at`, is declared, when its declaration is visible in `unit`."""
    wanted = name if isinstance(name, str) else name.text
    for candidates in (_locals(at), _parameters(at), _globals(unit, at)):
        for node in candidates:
            found = declaration(node, wanted)
            if found is not None:
                return found
    return None


def declared_type(unit: Unit, name: str | Node, at: Node) -> str | None:
    """The type of `name` as used at `at`, with its stars (`struct frob *`), when its declaration is visible."""
    found = declared(unit, name, at)
    return None if found is None else found.text


def _locals(at: Node) -> Iterator[Node]:
    statement = statement_of(at)
    if statement.kind == "declaration":
        yield statement
    current: Node | None = at
    for before in preceding(at):
        while current is not None and current.start > before.start:
            if current.kind == "for_statement":
                initializer = current.child("initializer")
                if initializer is not None and initializer.kind == "declaration":
                    yield initializer
            current = current.parent
        if before.kind == "declaration":
            yield before
    while current is not None and current.kind != "function_definition":
        initializer = current.child("initializer") if current.kind == "for_statement" else None
        if initializer is not None and initializer.kind == "declaration":
            yield initializer
        current = current.parent


def _parameters(at: Node) -> Iterator[Node]:
    function = enclosing(at, "function_definition")
    declarator = function.child("declarator") if function is not None else None
    while declarator is not None and declarator.kind != "function_declarator":
        declarator = declarator.child("declarator")
    parameters = declarator.child("parameters") if declarator is not None else None
    if parameters is not None:
        yield from (child for child in parameters.named_children if child.kind == "parameter_declaration")


def _globals(unit: Unit, at: Node) -> Iterator[Node]:
    for node in unit.find("declaration"):
        if node.order >= at.order:
            break
        if node.parent is not None and node.parent.kind not in (
            "compound_statement",
            "case_statement",
            "for_statement",
        ):
            yield node


def declaration(node: Node, name: str) -> Declared | None:
    """How `node`, a declaration of variables, of a parameter or of members, declares `name`."""
    for child in node.children:
        if child.field != "declarator":
            continue
        stars, array = 0, False
        current: Node | None = child
        while current is not None and current.kind not in ("identifier", "field_identifier"):
            if current.kind == "function_declarator":
                current = None
                break
            stars += current.kind == "pointer_declarator"
            array = array or current.kind == "array_declarator"
            current = current.child("declarator")
        if current is not None and current.text == name:
            return Declared(type=_type(node), stars=stars, array=array, node=node)
    return None


def _type(node: Node) -> str:
    words: list[str] = []
    for child in node.children:
        if child.field == "declarator":
            break
        if child.kind == "type_qualifier":
            words.append(child.text)
        elif child.field == "type":
            body = child.child("body")
            words.append(" ".join((child.text if body is None else _before_body(child, body)).split()))
    return " ".join(words)


def _before_body(child: Node, body: Node) -> str:
    return child.text.encode("utf-8", "surrogatepass")[: body.start - child.start].decode("utf-8", "surrogatepass")
