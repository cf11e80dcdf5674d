"""From the text of a unit to its tree: normalise, close the cut ends, parse, and take what errs least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from reviewer.code.conditional import flattened
from reviewer.code.ending import Place
from reviewer.code.fragment import Frame, frames, lead
from reviewer.code.lexical import Brackets, brackets
from reviewer.code.node import Node, Source
from reviewer.code.normalise import normalised
from reviewer.code.parts import Heading
from reviewer.code.syntax import NAMED_LATE, Parsed, joined, parse, tree_of, unparsed

if TYPE_CHECKING:
    from reviewer.code.cache import Trees

_ATTEMPTS = 16
_BYTES = 1 << 15
"""How much text all attempts at one fragment may parse, but for the first two."""
_UNMATCHED = 64
"""Brackets without a partner: more of them, and the parser needs quadratic time."""

_UNSURE = ("file", "struct", "enum", "call", "name")


class Reading(Struct, frozen=True, kw_only=True):
    """A parsed unit: its tree, what its first line stands in, and what its errors weigh (0: none)."""

    root: Node
    place: Place
    errors: int


def read_file(source: bytes, spans: Sequence[tuple[int, int]] | None = None, trees: Trees | None = None) -> Reading:
    """Parse a whole file, or parts of it that stand alone: spans of bytes, in order. The tree has nothing of others.

    Trees are looked for in `trees` first, and kept there.
    """
    kept = trees.get(source, spans) if trees is not None else None
    if kept is not None:
        return Reading(root=kept[0], place="file", errors=kept[1])
    whole = [(0, len(source))] if spans is None else spans
    parsed = joined([(start, _whole(source[start:end])) for start, end in whole])
    root = tree_of(parsed, Source(source))
    if trees is not None:
        trees.put(source, spans, root, parsed.errors)
    return Reading(root=root, place="file", errors=parsed.errors)


@lru_cache(maxsize=64)
def _whole(source: bytes) -> Parsed:
    given = flattened(normalised(source))
    return unparsed(source) if _hopeless(brackets(given.code)) else parse(given.text)


def read_fragment(source: bytes, heading: Heading) -> Reading:
    """Parse lines cut out of a file at any place. `heading` is what the hunk says about where they stand."""
    before = lead(source)
    given = flattened(normalised(before + source))
    found = brackets(given.code)
    if _hopeless(found):
        return Reading(root=tree_of(unparsed(source), Source(source)), place=_by_margin(source), errors=len(source))
    in_comment = _ends_in_comment(before + source, given.code)
    parsed, frame = _best(given.text, frames(given.code, found, heading, in_comment=in_comment))
    root = tree_of(
        parsed,
        Source(source),
        lead=len(frame.prefix) + len(before),
        closed=bool(frame.tail),
        also=NAMED_LATE if frame.place == "name" else frozenset(),
    )
    # A place that was found among errors is worth less than the margin of the first line.
    place = _by_margin(source) if parsed.errors and frame.place in _UNSURE else frame.place
    return Reading(root=root, place=place, errors=parsed.errors)


def _by_margin(source: bytes) -> Place:
    return "block" if source.lstrip(b"\n")[:1] in (b" ", b"\t") else "file"


def _best(text: bytes, candidates: Iterator[Frame]) -> tuple[Parsed, Frame]:
    """The first of the frames with which `text` parses with the fewest errors."""
    best: tuple[Parsed, Frame] | None = None
    spent = 0
    for number, frame in enumerate(candidates):
        if number >= _ATTEMPTS or (number >= 2 and spent > _BYTES):
            break
        parsed = parse(frame.prefix + text + frame.tail)
        spent += len(text)
        if best is None or parsed.errors < best[0].errors:
            best = parsed, frame
        if not parsed.errors or parsed.hopeless:
            break
    assert best is not None, "there is always a first frame"
    return best


def _hopeless(found: Brackets) -> bool:
    return len(found.openers) + len(found.closers) > _UNMATCHED


def _ends_in_comment(source: bytes, code: bytes) -> bool:
    start = source.rfind(b"/*")
    return start >= 0 and source.find(b"*/", start + 2) < 0 and code[start : start + 2] == b"  "
