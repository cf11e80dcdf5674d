"""What a patch brought in, what it found, and what it took away: hits of a rule before and after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reviewer.code.unit import Unit
from reviewer.findings import evidence
from reviewer.rule import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One piece of code before and after, and the path of its file."""

    path: str
    before: Unit
    after: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Hits by path: those that came in and those that were there before; `gone` counts evidence that went."""

    introduced: tuple[tuple[str, Hit], ...] = ()
    preexisting: tuple[tuple[str, Hit], ...] = ()
    gone: Counter[str]


def difference(
    pairs: Sequence[Pair],
    check: Callable[[Unit], Iterable[Hit]],
    recheck: Callable[[Unit], Iterable[Hit]],
    *,
    gone: bool,
) -> Difference:
    """What the post-images have and the pre-images had not, counted over the whole patch, since code moves.

    `check` gives the hits on a post-image, `recheck` those on a pre-image, which is looked at only when there are any
    or when somebody asks what is `gone`.
    """
    new = [(pair, hit) for pair in pairs for hit in check(pair.after)]
    if not new and not gone:
        return Difference(gone=Counter())
    old = Counter(evidence(hit) for pair in pairs for hit in recheck(pair.before))
    introduced: list[tuple[str, Hit]] = []
    preexisting: list[tuple[str, Hit]] = []
    untouched_first = sorted(new, key=lambda one: is_touched(one[0].after, one[1]))
    for pair, hit in untouched_first:
        if old[evidence(hit)] > 0:
            old[evidence(hit)] -= 1
            preexisting.append((pair.path, hit))
        elif is_touched(pair.after, hit) or not pair.after.root.broken:
            introduced.append((pair.path, hit))
    return Difference(introduced=tuple(introduced), preexisting=tuple(preexisting), gone=+old)


def is_touched(unit: Unit, hit: Hit) -> bool:
    """Whether the hit stands on an added line, or names one as related.

    A hit on a line that the patch left alone is believed only where the parser saw the whole hunk clearly: else the
    two sides may differ by how the parser recovered from a cut end.
    """
    return any(place.body_line in unit.touched_body_lines for place in (hit.at, *hit.related))
