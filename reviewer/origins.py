"""What a patch brought in, what it found, and what it took away: hits of a rule before and after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from reviewer.code.change import Change
from reviewer.code.unit import Unit
from reviewer.findings import evidence
from reviewer.rule import ChangeRule, CodeRule, Hit, Result, Rule
from reviewer.vetting import vetted


class Pair(Struct, frozen=True, kw_only=True):
    """One piece of code before and after, and the path of its file."""

    path: str
    before: Unit
    after: Unit


class Difference(Struct, frozen=True, kw_only=True):
    """Hits by path: those that came in and those that were there before; `gone` counts evidence that went."""

    introduced: tuple[tuple[str, Hit], ...] = ()
    preexisting: tuple[tuple[str, Hit], ...] = ()
    gone: Counter[str]


def code_difference(
    rule: CodeRule, changes: Sequence[Change], check: Callable[[Unit], Iterable[Hit]], *, gone: bool = False
) -> Difference:
    """What `rule` says of the code of `changes`; `check` runs it on a post-image, see `difference`."""
    pairs = [Pair(path=change.file.path, before=old, after=new) for change in changes for old, new in change.units]
    return difference(pairs, check, lambda unit: only_hits(vetted(rule.check(unit))), gone=gone)


def hits_on(rule: Rule, changes: Sequence[Change]) -> Sequence[tuple[str, Hit]]:
    """What a rule on code or changes brings up about `changes`, with the path of each; what it lacks is left out."""
    if isinstance(rule, ChangeRule):
        return [(one.file.path, hit) for one in changes for hit in only_hits(vetted(rule.check(one)))]
    if isinstance(rule, CodeRule):
        return code_difference(rule, changes, lambda unit: only_hits(vetted(rule.check(unit)))).introduced
    return ()


def only_hits(results: Iterable[Result]) -> Iterator[Hit]:
    """The hits among what a rule says."""
    return (result for result in results if isinstance(result, Hit))


def difference(
    pairs: Sequence[Pair],
    check: Callable[[Unit], Iterable[Hit]],
    recheck: Callable[[Unit], Iterable[Hit]],
    *,
    gone: bool,
) -> Difference:
    """What the post-images have and the pre-images had not, counted over the whole patch, since code moves.

    `check` gives the hits on a post-image, `recheck` those on a pre-image. Pre-images are looked at only as far as they
    are needed to find all hits there, unless somebody asks what is `gone`: first those of pieces with hits.
    """
    new = [(pair, hit) for pair in pairs for hit in check(pair.after)]
    if not new and not gone:
        return Difference(gone=Counter())
    old: Counter[str] = Counter()
    wanted = Counter(evidence(hit) for _, hit in new)
    for pair in _hit_first(pairs, new):
        if not gone and wanted <= old:
            break
        old.update(evidence(hit) for hit in recheck(pair.before))
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


def _hit_first(pairs: Sequence[Pair], new: Sequence[tuple[Pair, Hit]]) -> list[Pair]:
    """`pairs`, those with hits in front."""
    hit = {id(pair) for pair, _ in new}
    return sorted(pairs, key=lambda pair: id(pair) not in hit)


def is_touched(unit: Unit, hit: Hit) -> bool:
    """Whether the hit stands on an added line, or names one as related.

    A hit on a line that the patch left alone is believed only where the parser saw the whole hunk clearly: else the
    two sides may differ by how the parser recovered from a cut end.
    """
    return any(place.body_line in unit.touched_body_lines for place in (hit.at, *hit.related))
