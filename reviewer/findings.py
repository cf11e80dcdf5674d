"""From what rules say of one series to findings: one reason, one finding, in the order of the series."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

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


def evidence(hit: Hit) -> str:
    """What makes `hit` the same one elsewhere: its evidence, or the text of its line, without white space."""
    return "".join((hit.evidence or hit.at.text).split())


def finished(
    raw: Iterable[RawFinding],
    series: Series,
    mended: Callable[[Sequence[RawFinding]], Iterable[tuple[RawFinding, str | None]]],
) -> list[Finding]:
    """The findings of one series: twins and superseded ones left out, in the order of patches, files and lines.

    `mended` gives each with the patch of the series that mends it.
    """
    places = _places(series)
    ordered = sorted(raw, key=lambda one: (*_place(one, places), one.rule.id, one.hit.message))
    ordinals: Counter[tuple[str, str, str]] = Counter()
    version = (series.outline.version, series.outline.id)
    return [_finding(one, fixed_in, ordinals, version) for one, fixed_in in mended(_one_each(ordered))]


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
        level=LEVELS[max(LEVELS.index(rule.level), LEVELS.index(hit.level or rule.level))],
        confidence=CONFIDENCES[
            max(CONFIDENCES.index(rule.confidence), CONFIDENCES.index(hit.confidence or rule.confidence))
        ],
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
