"""Our own syntax nodes: what the parser saw, with the text of the original source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

_WORD = re.compile(rb"\w+")


class Source:
    """The bytes that nodes point into, and where their lines start."""

    __slots__ = ("_starts", "data")

    def __init__(self, data: bytes) -> None:
        """`data` is UTF-8, lone surrogates passed through."""
        self.data = data
        self._starts: list[int] | None = None

    def row(self, at: int) -> int:
        """The line, from 0, that holds byte `at`."""
        if self._starts is None:
            lengths = [len(row) + 1 for row in self.data.split(b"\n")]
            self._starts = list(accumulate(lengths[:-1], initial=0))
        return bisect_right(self._starts, at) - 1

    def word_end(self, start: int) -> int:
        """Where the identifier that begins at `start` ends."""
        match = _WORD.match(self.data, start)
        return match.end() if match else start

    def text(self, start: int, end: int) -> str:
        """The text of a span; a character cut by it is replaced."""
        piece = self.data[start:end]
        try:
            return piece.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return piece.decode("utf-8", "replace")


class Node:
    """A node of the syntax of one unit.

    `kind` is tree-sitter-c's node type; `start` and `end` are bytes of the unit's source, encoded as UTF-8. `field` is
    the name of the parent's field that the node stands in, or None. `missing` marks what the parser had to make up,
    `broken` a node with an error or something missing inside, `cut` one that begins before or ends behind the visible
    lines. `order` counts the nodes of a unit in document order. An iteration macro is a `while_statement`, and the
    text of its `while` is the macro's name.
    """

    __slots__ = (
        "_source",
        "broken",
        "children",
        "cut",
        "end",
        "field",
        "kind",
        "missing",
        "named",
        "order",
        "parent",
        "start",
    )

    def __init__(self, kind: str, start: int, end: int, source: Source) -> None:
        """A node without parent, field and children; the parser's side sets these."""
        self.kind = kind
        self.start = start
        self.end = end
        self._source = source
        self.named = True
        self.missing = False
        self.broken = False
        self.cut = False
        self.order = 0
        self.field: str | None = None
        self.parent: Node | None = None
        self.children: tuple[Node, ...] = ()

    def __repr__(self) -> str:
        text = self.text
        return f"<{self.kind} {self.start}-{self.end} {text[:40]!r}>"

    @property
    def text(self) -> str:
        """The original source, not the normalised one."""
        return self._source.text(self.start, self.end)

    @property
    def row(self) -> int:
        """The line of the unit, from 0, on which the node begins."""
        return self._source.row(self.start)

    @property
    def end_row(self) -> int:
        """The line of the unit, from 0, that holds the node's last byte."""
        return self._source.row(max(self.end - 1, self.start))

    @property
    def named_children(self) -> tuple[Node, ...]:
        """The children without punctuation and keywords; comments are among them."""
        return tuple(child for child in self.children if child.named)

    def text_to(self, last: Node) -> str:
        """The original source from the begin of this node to the end of `last`."""
        return self._source.text(self.start, last.end)

    def child(self, field: str) -> Node | None:
        """The first child that stands in `field`."""
        for child in self.children:
            if child.field == field:
                return child
        return None

    def ancestors(self) -> Iterator[Node]:
        """Parent, its parent, and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def walk(self) -> Iterator[Node]:
        """The node and all below it, in document order."""
        pending: list[Node] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(node.children[::-1])
