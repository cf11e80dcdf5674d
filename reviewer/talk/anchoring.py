"""Where in a patch or cover letter the lines stand that a reply quotes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from reviewer.talk.document import Document
from reviewer.talk.splitting import Piece, Quoted

_TELLING = 10
_PIECE = 8
_MOST_PLACES = 64
_MOST_SEARCHED = 30_000_000


class Anchor(Struct, frozen=True, kw_only=True):
    """The lines of a document that a piece of a reply is about.

    `place` is that of the last quoted line, `first` that of the first one that was quoted without a gap above it.
    `weight` counts the characters that tell it; `at` is the index among the piece's quoted lines.
    """

    place: int
    first: int
    weight: int
    at: int


class _Walk(Struct):
    """What was matched so far in a reply: `runs` lead from a place to the weight and first place of the run there."""

    document: Document
    depth: int
    runs: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    floor: int = -1
    searched: int = 0

    def take(self, quoted: Quoted, *, loosely: bool) -> bool:
        """Match one line; false when it stands nowhere."""
        exact = self.document.places.get(quoted.key)
        if exact is None:
            found = self._pieces(quoted.key) if loosely else ()
        else:
            found = exact if len(exact) <= _MOST_PLACES else self._near(exact)
        if not found:
            return False
        runs: dict[int, tuple[int, int]] = {}
        for place in found:
            before = self.runs.get(place - 1) or (self.runs.get(place) if exact is None else None)
            weight, first = before or (0, place)
            runs[place] = (weight + len(quoted.key), first)
        self.runs = runs if len(runs) <= _MOST_PLACES else _heaviest(runs)
        if len(found) == 1 and len(quoted.key) >= _TELLING:
            self.floor = found[0]
        return True

    def best(self) -> int:
        """The place with the longest run; among equals the next one behind what was matched last, else the nearest."""
        heaviest = max(weight for weight, _ in self.runs.values())
        places = [place for place, (weight, _) in self.runs.items() if weight == heaviest]
        behind = [place for place in places if place >= self.floor]
        return min(behind) if behind else max(places)

    def _near(self, places: Sequence[int]) -> tuple[int, ...]:
        """Those of many places that go on with a run, and the next ones behind what was matched last."""
        going_on = {place for place in (before + 1 for before in self.runs) if self._holds(place, places)}
        next_one = bisect_left(places, self.floor)
        return tuple(sorted({*going_on, *places[next_one : next_one + 4]})) or (places[-1],)

    def _holds(self, place: int, places: Sequence[int]) -> bool:
        keys = self.document.keys
        return place < len(keys) and keys[place] == keys[places[0]]

    def _pieces(self, key: str) -> Sequence[int]:
        """Places of lines that `key` is a piece of, or ends: what a mailer wrapped, unwrapped or cut."""
        joined = self.document.joined
        if len(key) < _PIECE or self.searched > _MOST_SEARCHED:
            return ()
        self.searched += len(joined)
        return self.document.containing(key, 16)


def _heaviest(runs: dict[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """The runs that tell most, the first of equals: where one line stands everywhere, each would grow four more."""
    kept = sorted(runs, key=lambda place: (-runs[place][0], place))[:_MOST_PLACES]
    return {place: runs[place] for place in sorted(kept)}


def anchors(document: Document, pieces: Sequence[Piece]) -> tuple[Anchor | None, ...]:
    """The anchor in `document` of each piece of a reply, in order; None where its quote shows nothing of it.

    A run of lines goes on over the reply's own words, so a comment amid a quote has the whole quote to tell its place.
    Lines of other depths than the document's own are others' words, and pass.
    """
    walk = _Walk(document=document, depth=_depth(document, (quoted for piece in pieces for quoted in piece.above)))
    return tuple(_anchor(walk, piece.above) for piece in pieces)


def _anchor(walk: _Walk, above: Sequence[Quoted]) -> Anchor | None:
    found: Anchor | None = None
    start: int | None = None
    for at, quoted in enumerate(above):
        right = quoted.depth == walk.depth
        if not right and len(quoted.key) < _TELLING:
            continue
        if walk.take(quoted, loosely=right):
            place = walk.best()
            start = place if start is None or found is None or not found.place <= place <= found.place + 1 else start
            found = Anchor(place=place, first=start, weight=walk.runs[place][0], at=at)
        elif right:
            walk.runs = {}
    if found is not None:
        walk.floor = found.place + 1
    return found


def _depth(document: Document, quoted: Iterable[Quoted]) -> int:
    """At which depth the reply quotes the document: where most of it is recognised, the deeper of equals."""
    weights: Counter[int] = Counter()
    deepest = 0
    for line in quoted:
        deepest = max(deepest, line.depth)
        if len(line.key) >= _TELLING and line.key in document.places:
            weights[line.depth] += len(line.key)
    return max(weights, key=lambda depth: (weights[depth], depth)) if weights else deepest
