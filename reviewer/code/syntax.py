"""tree-sitter, kept here: C in, our own nodes out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reviewer.code.node import Node, Source
from reviewer.code.pieces import pieces

if TYPE_CHECKING:
    import tree_sitter

_CHUNK = 1 << 16
# The parser calls back every hundred operations: that is every 140 bytes of kernel C, and 17 of the densest.
_CALLS_AT_LEAST = 256
_BYTES_A_CALL = 8
# What no grammar fits costs the parser quadratic time, and may cost us all that follows: long texts go in pieces.
_PIECE = 1 << 13
_LONGEST_PIECE = 1 << 15
_CLEAN = 1 << 10
# Of a text this short even the square is little: it is parsed without calling back.
_SMALL = 1 << 11
_COMMENT = re.compile(rb"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/")
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


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a text, from byte `start` on, and its tree; None when the parser gave up on it."""

    start: int
    size: int
    tree: tree_sitter.Tree | None
    errors: int


class Parsed(Struct, frozen=True, kw_only=True):
    """What tree-sitter made of a text. `errors` weighs what it could not read: about the bytes of it."""

    pieces: tuple[Piece, ...]
    errors: int

    @property
    def hopeless(self) -> bool:
        """Whether the parser gave up on a part of the text."""
        return any(piece.tree is None for piece in self.pieces)


def parse(text: bytes) -> Parsed:
    """Parse `text`, giving up on what is hardly C at all. The same text gives the same result."""
    text = text.replace(b"\0", b" ")
    parts = pieces(text, _PIECE) if len(text) > _PIECE else [text]
    if len(parts) == 1:
        return _parsed([_parse(text, 0)])
    found: list[Piece] = []
    start = 0
    for part in parts:
        found.append(_parse(part, start))
        start += len(part)
    errors = sum(piece.errors for piece in found)
    if errors <= _CLEAN and b"".join(parts) != text:
        whole = _parse(text, 0, checked=True)
        if whole.errors <= errors:
            return _parsed([whole])
    return _parsed(found)


def unparsed(text: bytes) -> Parsed:
    """What stands for a text that is not worth parsing."""
    return _parsed([_given_up(text, 0)])


def joined(parts: Sequence[tuple[int, Parsed]]) -> Parsed:
    """One of parts of a text, each with the byte that it begins at."""
    return _parsed([replace(piece, start=piece.start + start) for start, part in parts for piece in part.pieces])


def _parsed(found: list[Piece]) -> Parsed:
    return Parsed(pieces=tuple(found), errors=sum(piece.errors for piece in found))


def _given_up(text: bytes, start: int) -> Piece:
    return Piece(start=start, size=len(text), tree=None, errors=len(text) + _MISSING)


def _parse(text: bytes, start: int, *, checked: bool = False) -> Piece:
    if not checked and len(text) > _LONGEST_PIECE and len(_COMMENT.sub(b"", text)) > _LONGEST_PIECE:
        return _given_up(text, start)
    parser = _parser()
    if len(text) < _SMALL:
        tree = parser.parse(text)
        return Piece(start=start, size=len(text), tree=tree, errors=_errors(tree.root_node))
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
        return _given_up(text, start)
    return Piece(start=start, size=len(text), tree=tree, errors=_errors(tree.root_node))


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
    size = len(source.data)
    root = Node("translation_unit", 0, size, source)
    top: list[Node] = []
    order = 0
    for piece in parsed.pieces:
        offset = lead - piece.start
        if piece.tree is None:
            error = Node("ERROR", min(max(-offset, 0), size), min(max(piece.size - offset, 0), size), source)
            order += 1
            error.parent, error.broken, error.order = root, True, order
            top.append(error)
        else:
            window = _Window(lead=offset, size=size, closed=closed, holders=_HOLDERS | also)
            order = _grow(root, top, piece.tree.walk(), source, window, order)
        root.broken = root.broken or piece.errors > 0
    root.children = tuple(top)
    return root


class _Window(Struct, frozen=True, kw_only=True):
    lead: int
    size: int
    closed: bool
    holders: frozenset[str]


def _grow(
    root: Node, top: list[Node], cursor: tree_sitter.TreeCursor, source: Source, window: _Window, order: int
) -> int:
    """Grow the nodes below `root` into `top`, numbered from `order` on; returns the last number given."""
    size, lead = window.size, window.lead
    limit = len(source.data)
    # A level is a node and its children so far; a node left out stands here as its nearest ancestor that is not.
    stack: list[tuple[Node, list[Node], bool]] = [(root, top, False)]
    going = cursor.goto_first_child()
    while going:
        theirs = cursor.node
        assert theirs is not None
        start, end = theirs.start_byte - lead, theirs.end_byte - lead
        parent, siblings, _ = stack[-1]
        descend = False
        if start < 0 and (end <= 0 or theirs.type not in window.holders):
            descend = end > 0 and cursor.goto_first_child()
            if descend:
                stack.append((parent, siblings, False))
        elif start < size or not window.closed:
            node = Node(theirs.type, start, end, source)
            order += 1
            node.order = order
            node.parent = parent
            if not theirs.is_named:
                node.named = False
            if start >= 0:
                node.field = cursor.field_name
            if start < 0 or end > limit or theirs.has_error or node.kind == "while":
                _mark(node, theirs, source)
            siblings.append(node)
            descend = len(stack) < _DEEPEST and cursor.goto_first_child()
            if descend:
                stack.append((node, [], True))
        while not descend and not cursor.goto_next_sibling():
            node, children, own = stack.pop()
            if own:
                _finish(node, children, size)
            if not stack:
                return order
            cursor.goto_parent()
    return order


def _mark(node: Node, theirs: tree_sitter.Node, source: Source) -> None:
    """What only few nodes are: cut, broken, or a `while` that is an iteration macro."""
    start, size = node.start, len(source.data)
    if start < 0 or node.end > size:
        node.cut = True
        node.start, node.end = max(start, 0), min(node.end, size)
    if theirs.has_error:
        node.broken = True
        node.missing = theirs.is_missing
    if node.kind == "while" and start >= 0 and not source.data.startswith(b"while", start):
        node.end = source.word_end(start)


def _finish(node: Node, children: list[Node], size: int) -> None:
    node.children = tuple(children)
    if node.cut and node.end >= size and children:
        node.end = children[-1].end
