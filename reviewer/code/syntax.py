"""tree-sitter, kept here: C in, our own nodes out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from reviewer.code.node import Node, Source

if TYPE_CHECKING:
    import tree_sitter

_CHUNK = 1 << 16
# The parser calls back every hundred operations: that is every 140 bytes of kernel C, and 17 of the densest. On rubbish
# it needs quadratic time and calls back as often, so counting the calls bounds it without a clock.
_CALLS_AT_LEAST = 256
_BYTES_A_CALL = 8
_MISSING = 8
_DEEPEST = 1000
"""Levels of nodes that are kept: rules climb from node to root, so the height of a tree is what a step costs them."""
_HOLDERS = frozenset(
    (
        "translation_unit",
        "compound_statement",
        "field_declaration_list",
        "enumerator_list",
        "initializer_list",
        "argument_list",
        "parameter_list",
        "parenthesized_expression",
        "comment",
        "ERROR",
    )
)
"""Kinds that are worth showing although they begin before the text does."""
NAMED_LATE = frozenset(("function_definition", "declaration"))
"""Those that are, too, when only the type stands before the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What tree-sitter made of a text. `tree` is None when it gave up; `errors` weighs what it could not read."""

    tree: tree_sitter.Tree | None
    errors: int


def parse(text: bytes) -> Parsed:
    """Parse `text`, giving up on what is hardly C at all. The same text gives the same result."""
    text = text.replace(b"\0", b" ")
    parser = _parser()
    calls = 0

    def read(at: int, _point: object) -> bytes:
        return text[at : at + _CHUNK]

    def enough(at: int, _has_error: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls > _CALLS_AT_LEAST + at // _BYTES_A_CALL

    try:
        tree = parser.parse(read, progress_callback=enough)
    except ValueError:
        parser.reset()
        return unparsed(text)
    return Parsed(tree=tree, errors=_errors(tree.root_node))


def unparsed(text: bytes) -> Parsed:
    """What stands for a text that is not worth parsing."""
    return Parsed(tree=None, errors=len(text) + _MISSING)


@cache
def _parser() -> tree_sitter.Parser:
    import tree_sitter
    import tree_sitter_c

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))


def _errors(root: tree_sitter.Node) -> int:
    """Bytes in ERROR nodes, and a few for each node that is missing or wrong."""
    weight = 0
    pending = [root] if root.has_error else []
    while pending:
        node = pending.pop()
        if node.is_error:
            weight += node.end_byte - node.start_byte + _MISSING
        elif node.is_missing:
            weight += _MISSING
        else:
            pending.extend(child for child in node.children if child.has_error or child.is_missing)
    return weight


def tree_of(
    parsed: Parsed, source: Source, *, lead: int = 0, closed: bool = False, also: frozenset[str] = frozenset()
) -> Node:
    """Our own tree of `source`, which was parsed with `lead` bytes before it, and when `closed` with more behind it.

    Nodes wholly outside of `source` are left out; those that begin before it are, too, unless they are brackets or
    lists or of a kind in `also`: these begin at 0 and are `cut`. Those that end behind `source` end with their last
    child and are `cut`.
    """
    root = Node("translation_unit", 0, len(source.data), source)
    if parsed.tree is None:
        error = Node("ERROR", 0, len(source.data), source)
        error.parent, error.broken = root, True
        root.children, root.broken = (error,), True
        return root
    root.broken = parsed.tree.root_node.has_error
    _grow(root, parsed.tree.walk(), source, _Window(lead=lead, closed=closed, holders=_HOLDERS | also))
    return root


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    lead: int
    closed: bool
    holders: frozenset[str]


def _grow(root: Node, cursor: tree_sitter.TreeCursor, source: Source, window: _Window) -> None:
    size, lead = len(source.data), window.lead
    # A level is a node and its children so far; a node left out stands here as its nearest ancestor that is not.
    stack: list[tuple[Node, list[Node], bool]] = [(root, [], True)]
    order = 0
    going = cursor.goto_first_child()
    while going:
        theirs = cursor.node
        assert theirs is not None
        start, end = theirs.start_byte - lead, theirs.end_byte - lead
        parent, siblings, _ = stack[-1]
        if (start < 0 and end <= 0) or (window.closed and start >= size):
            descend = False
        elif start < 0 and theirs.type not in window.holders:
            descend = cursor.goto_first_child()
            if descend:
                stack.append((parent, siblings, False))
        else:
            order += 1
            node = _node(theirs, start, end, source)
            node.order, node.parent = order, parent
            node.field = cursor.field_name if start >= 0 else None
            siblings.append(node)
            descend = len(stack) < _DEEPEST and cursor.goto_first_child()
            if descend:
                stack.append((node, [], True))
        while not descend and not cursor.goto_next_sibling():
            node, children, own = stack.pop()
            if own:
                _finish(node, children, size)
            if not stack:
                return
            cursor.goto_parent()


def _node(theirs: tree_sitter.Node, start: int, end: int, source: Source) -> Node:
    size = len(source.data)
    node = Node(theirs.type, max(start, 0), min(end, size), source)
    node.named = theirs.is_named
    node.missing = theirs.is_missing
    node.broken = theirs.has_error or node.missing
    node.cut = start < 0 or end > size
    if node.kind == "while" and not source.data.startswith(b"while", start) and start >= 0:
        node.end = source.word_end(start)
    return node


def _finish(node: Node, children: list[Node], size: int) -> None:
    node.children = tuple(children)
    if node.cut and node.end >= size and children:
        node.end = children[-1].end
