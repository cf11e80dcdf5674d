"""From what rules say of one series to findings: one reason, one finding, in the order of the series."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reviewer.model import CONFIDENCES, LEVELS, Finding, Outline, Series
from reviewer.rule import Hit, Rule


class RawFinding(Struct, frozen=True, kw_only=True):
    """A hit with its rule, the mail it is about and the path of the file, which is empty for text.

    `introduced` tells that it was not there before the series.
    """

    rule: Rule
    patch: str
    path: str
    hit: Hit
    introduced: bool = True

    @property
    def spot(self) -> tuple[object, ...]:
        """What it shares with others that stand on the same line."""
        at = self.hit.at
        if at.body_line is not None or at.line is None:
            return self.patch, at.part, at.body_line
        return self.patch, at.file, at.side, at.line

    @property
    def severity(self) -> tuple[int, int]:
        """Its places in `LEVELS` and `CONFIDENCES`: a hit only lowers those of its rule."""
        rule, hit = self.rule, self.hit
        return (
            max(LEVELS.index(rule.level), LEVELS.index(hit.level or rule.level)),
            max(CONFIDENCES.index(rule.confidence), CONFIDENCES.index(hit.confidence or rule.confidence)),
        )


def evidence(hit: Hit) -> str:
    """What makes `hit` the same one elsewhere: its evidence, or the text of its line, without white space."""
    return "".join((hit.evidence or hit.at.text).split())


def finished(
    raw: Iterable[RawFinding],
    series: Series,
    mended: Callable[[Sequence[RawFinding]], Iterable[tuple[RawFinding, str | None]]],
) -> list[Finding]:
    """The findings of one series: twins and superseded ones left out, in the order of patches, files and lines.

    `mended` gives each with the patch of the series that mends it. What a rule says of several lines of a function in
    the same words is one finding, at the worst of them, and the other lines are related.
    """
    places = _places(series)
    ordered = sorted(raw, key=lambda one: (*_place(one, places), one.rule.id, one.hit.message))
    ordinals: Counter[tuple[str, str, str]] = Counter()
    version = (series.outline.version, series.outline.id)
    told = _told_once(mended(_one_each(ordered)))
    return [_finding(one, fixed_in, ordinals, version) for one, fixed_in in told]


def _places(series: Series) -> dict[tuple[str, str], tuple[int, int]]:
    """The order of (mail, path) in the series."""
    places: dict[tuple[str, str], tuple[int, int]] = {}
    mails = [series.cover.mail] if series.cover else []
    for index, mail in enumerate([*mails, *(patch.mail for patch in series.patches)]):
        places[mail.message_id, ""] = (index, 0)
    for index, patch in enumerate(series.patches, len(mails)):
        for number, file in enumerate(patch.files, 1):
            places.setdefault((patch.mail.message_id, file.path), (index, number))
    return places


def _place(one: RawFinding, places: dict[tuple[str, str], tuple[int, int]]) -> tuple[int, ...]:
    at = one.hit.at
    outside = at.body_line is None and at.line is not None
    return (*places.get((one.patch, one.path), (len(places), 0)), outside, at.body_line or 0, at.line or 0)


def _one_each(ordered: list[RawFinding]) -> list[RawFinding]:
    """One finding for a rule and line, and none where a rule that speaks of the same line supersedes it."""
    silenced = {(*one.spot, rule) for one in ordered for rule in one.rule.supersedes}
    kept: dict[tuple[object, ...], RawFinding] = {}
    for one in ordered:
        key = (*one.spot, one.rule.id)
        if key not in silenced:
            kept.setdefault(key, one)
    return list(kept.values())


def _told_once(found: Iterable[tuple[RawFinding, str | None]]) -> list[tuple[RawFinding, str | None]]:
    """One for all that have rule, mail, function, words and end in common; what is in no function stays apart."""
    ends = list(found)
    alike: dict[tuple[object, ...], list[int]] = {}
    for number, (one, fixed_in) in enumerate(ends):
        at = one.hit.at
        alone = number if at.function is None else None
        key = (one.rule.id, one.patch, one.path, at.side, at.function, alone, one.introduced, one.hit.message, fixed_in)
        alike.setdefault(key, []).append(number)
    worst = {min(same, key=lambda number: ends[number][0].severity): same for same in alike.values()}
    return [
        (_with_others(ends[number][0], [ends[other][0].hit for other in worst[number]]), ends[number][1])
        for number in sorted(worst)
    ]


def _with_others(one: RawFinding, same: Sequence[Hit]) -> RawFinding:
    """`one` with the places of all hits that say the `same`, itself among them."""
    if len(same) == 1:
        return one
    at, more = one.hit.at, len(same) - 1
    places = (*one.hit.related, *(place for hit in same for place in (hit.at, *hit.related) if place != at))
    message = f"{one.hit.message} The same goes for {more} more line{'s' * (more > 1)} of {at.function}()."
    return replace(one, hit=replace(one.hit, message=message, related=tuple(dict.fromkeys(places))))


def _finding(
    one: RawFinding, fixed_in: str | None, ordinals: Counter[tuple[str, str, str]], version: tuple[int, str]
) -> Finding:
    rule, hit = one.rule, one.hit
    key = (rule.id, one.path, evidence(hit))
    ordinal = ordinals[key]
    ordinals[key] += 1
    hashed = hashlib.sha256("\0".join((*key, str(ordinal))).encode("utf-8", "surrogatepass")).hexdigest()
    return Finding(
        fingerprint=hashed[:16],
        rule=rule.id,
        name=rule.name,
        category=rule.category,
        level=LEVELS[one.severity[0]],
        confidence=CONFIDENCES[one.severity[1]],
        message=hit.message,
        why=rule.why,
        patch=one.patch,
        origin="introduced" if one.introduced else "preexisting",
        introduced_in=one.patch,
        fixed_in=fixed_in,
        since=version,
        gone_in=None,
        location=hit.at,
        related=hit.related,
    )


def version_key(outline: Outline) -> tuple[int, str]:
    """How `since` and `gone_in` name a version: its number and the id of its series."""
    return outline.version, outline.id
