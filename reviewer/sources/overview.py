"""The thread overview of a public-inbox page: which mail answers which."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from reviewer.sources.pieces import Anchor, Piece
from reviewer.sources.rebuilt import MAX_PARENTS

_DATED = re.compile(r"\d{4,}-\d\d-\d\d [ \d]\d:\d\d .*|     \[not found\] .*", re.DOTALL)
_BASES = (17, 21)


class Node(Struct, frozen=True, kw_only=True):
    """A line of the overview: how deep it stands, from 0, and its link."""

    level: int
    link: Anchor


def overview(pieces: Sequence[Piece]) -> tuple[Node, ...]:
    """The lines of an overview, whose levels are told by their indentation, two spaces each behind the date.

    In search results a percentage of four characters stands between the date and the tree.
    """
    lines = [(before.removesuffix("<"), link) for before, link in _lines(pieces) if _DATED.fullmatch(before)]
    if not lines:
        return ()
    base = _BASES[1] if all(len(before) >= _BASES[1] for before, _ in lines) else _BASES[0]
    return tuple(Node(level=_level(before[base:]), link=link) for before, link in lines)


def _lines(pieces: Sequence[Piece]) -> Iterator[tuple[str, Anchor]]:
    """Each line that holds a link: what stands before the first, and the link."""
    before = ""
    linked = False
    for piece in pieces:
        if isinstance(piece, Anchor):
            if not linked:
                yield before, piece
            linked = True
            continue
        _, newline, rest = piece.rpartition("\n")
        if newline:
            before, linked = rest, False
        elif not linked:
            before += piece


def _level(tree: str) -> int:
    return len(tree) // 2 if tree.endswith("` ") else 0


def parents_of(nodes: Sequence[Node], id_of: Callable[[Anchor], str]) -> dict[str, tuple[str, ...]]:
    """The Message-IDs above each mail of an overview, the oldest first, at most MAX_PARENTS of them.

    `id_of` gives the Message-ID behind a line's link, or an empty string for one that is not to be known.
    """
    found: dict[str, tuple[str, ...]] = {}
    path: list[str] = []
    for node in nodes:
        del path[node.level :]
        message_id = id_of(node.link)
        above = path if len(path) <= MAX_PARENTS else path[:1] + path[1 - MAX_PARENTS :]
        if message_id:
            found.setdefault(message_id, tuple(one for one in above if one))
        path.append(message_id)
    return found
