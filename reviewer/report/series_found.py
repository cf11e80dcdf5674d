"""What the template of `reviewer series` is given: lineages, and the mail that belongs to none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct

from reviewer.model import Lineage, Mail, Notice, Report, Role, Series
from reviewer.report.layout import ranges, shortened
from reviewer.report.naming import day_of, name_of
from reviewer.report.series_view import LinkedView, VersionView, version_view
from reviewer.report.summary import patches_named
from reviewer.report.view import MANY, NoticeView, mail_ids, notice_views
from reviewer.series.applied import Applied, applied_of
from reviewer.series.drafts import numbers_of
from reviewer.series.known import known_only, left_out

LEFT = 10
"""How many mails that belong to no series are shown before the others are only counted."""
_UNKNOWN = 1 << 20


class AppliedView(Struct, frozen=True, kw_only=True):
    """A version that went in, as a whole or in `patches` (`patches 1-3`, or empty when nobody said which)."""

    version: int
    patches: str
    by: str
    date: str


class LineageView(Struct, frozen=True, kw_only=True):
    """A series with its versions, lowest first.

    `linked` are versions that are only linked to and whose place is not known; `absent` names those of which
    nothing is known, `unshown` those that are here and were not asked for. Of `applied` and `partly` one is empty: the
    newest version that went in as a whole, else all that did in part.
    """

    title: str
    versions: tuple[VersionView, ...]
    linked: tuple[LinkedView, ...]
    absent: str
    unshown: str
    applied: AppliedView | None
    partly: tuple[AppliedView, ...]


class LeftView(Struct, frozen=True, kw_only=True):
    """A mail that belongs to no series."""

    role: Role
    author: str
    title: str
    date: str


class FoundView(Struct, frozen=True, kw_only=True):
    """All that was found. `versions` counts those of all lineages.

    `left` are mails that belong to no series, `more_left` counts those not shown.
    """

    lineages: tuple[LineageView, ...]
    versions: int
    left: tuple[LeftView, ...]
    more_left: int
    notices: tuple[NoticeView, ...]


def found_view(report: Report, left: Sequence[Mail]) -> FoundView:
    """The lineages of which a version was opened, in order; `left` are the mails that belong to no series."""
    opened: dict[str, Series] = {series.outline.id: series for series in report.series}
    own, rest = _by_series(report)
    lineages = [lineage for lineage in report.assembly.lineages if any(one.id in opened for one in lineage.outlines)]
    return FoundView(
        lineages=tuple(_lineage(lineage, opened, own, report) for lineage in lineages),
        versions=len(report.series),
        left=tuple(_left(mail, report) for mail in left[:LEFT]),
        more_left=max(len(left) - LEFT, 0),
        notices=notice_views(rest),
    )


def _by_series(report: Report) -> tuple[dict[str, list[Notice]], list[Notice]]:
    """The notices about mails of each opened series, and those about none."""
    homes = {mail_id: series.outline.id for series in report.series for mail_id in _members(series)}
    own: dict[str, list[Notice]] = {}
    rest: list[Notice] = []
    for notice in report.notices:
        home = next((homes[one] for one in notice.patches if one in homes), None)
        if home is not None:
            own.setdefault(home, []).append(notice)
        elif not notice.patches or any(report.assembly.homes.get(one) is None for one in notice.patches):
            rest.append(notice)
    return own, rest


def _members(series: Series) -> Iterator[str]:
    yield from mail_ids(series)
    yield from (mail.message_id for mail in (*series.outline.replaced, *series.outline.replies))


def _lineage(lineage: Lineage, opened: dict[str, Series], own: dict[str, list[Notice]], report: Report) -> LineageView:
    shown = [opened[outline.id] for outline in lineage.outlines if outline.id in opened]
    linked = _linked(lineage, shown, report)
    applied = applied_of(lineage, report.assembly.roles)
    whole = [one for one in applied if one.whole]
    known = [*(outline.version for outline in lineage.outlines), *(one.version for one in linked if one.version)]
    versions: list[VersionView] = []
    at = 0
    for series, later in zip_longest(shown, shown[1:]):
        start = at
        while at < len(linked) and (linked[at].version or _UNKNOWN) <= series.outline.version:
            at += 1
        versions.append(version_view(series, later, linked[start:at], own.get(series.outline.id, ()), report))
    return LineageView(
        title=shortened(lineage.title),
        versions=tuple(versions),
        linked=linked[at:],
        absent=", ".join(_run(*run) for run in left_out(known)),
        unshown=", ".join(f"v{outline.version}" for outline in lineage.outlines if outline.id not in opened),
        applied=_applied(whole[-1], opened) if whole else None,
        partly=() if whole else tuple(_applied(one, opened) for one in applied),
    )


def _linked(lineage: Lineage, shown: Sequence[Series], report: Report) -> tuple[LinkedView, ...]:
    """The versions that are only linked to, each once with its first link; at most MANY whose number is not known."""
    known = known_only(lineage, shown, report.assembly.roles)
    numbered = {one.version: one for one in reversed(known) if one.version is not None}
    loose = [one for one in known if one.version is None][:MANY]
    ordered = sorted(numbered.values(), key=lambda one: one.version or 0)
    return tuple(LinkedView(version=one.version, rfc=one.rfc, link=one.link) for one in (*ordered, *loose))


def _run(first: int, last: int) -> str:
    return f"v{first}" if first == last else f"v{first}-v{last}"


def _applied(one: Applied, opened: dict[str, Series]) -> AppliedView:
    numbers = numbers_of(one.outline)
    ids = {mail.message_id for mail in one.outline.patches if numbers[mail.message_id] in one.patches}
    series = opened.get(one.outline.id)
    patches = patches_named(ids, series) if series and not one.whole else ""
    return AppliedView(
        version=one.outline.version,
        patches=patches or ("" if one.whole or not one.patches else f"of its patches {ranges(one.patches)}"),
        by=name_of(one.mail.author),
        date=day_of(one.mail),
    )


def _left(mail: Mail, report: Report) -> LeftView:
    role = report.assembly.roles[mail.message_id]
    return LeftView(role=role, author=name_of(mail.author), title=shortened(mail.subject.text), date=day_of(mail))
