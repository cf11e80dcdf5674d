"""One version of a series as the template of `reviewer series` sees it.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from reviewer.model import Mail, Notice, Outline, Patch, Report, Role, Series
from reviewer.report.layout import ranges, shortened
from reviewer.report.naming import day_of, name_of
from reviewer.report.summary import Credit, credits_of, objections_of
from reviewer.report.view import NoticeView, notice_views
from reviewer.series.needs import needs_of

_MOST_NEEDS = 5


class PatchView(Struct, frozen=True, kw_only=True):
    """A patch in a list: `total` is None when nothing tells it, `pad` the spaces that bring numbers into a column."""

    number: int
    total: int | None
    title: str
    pad: int


class Voice(Struct, frozen=True, kw_only=True):
    """A person or bot, and how many mails came from there."""

    name: str
    mails: int


class LinkedView(Struct, frozen=True, kw_only=True):
    """A version that is not here and linked to; `version` is None when nothing tells its number."""

    version: int | None
    rfc: bool
    link: str


class VersionView(Struct, frozen=True, kw_only=True):
    """One version of a series that is here.

    The newest version shown of a lineage lists its `patches`, what it `needs` and all `tags`; those before it name the
    tags that the next one has not (`dropped`). `linked` are absent versions that come before this one.
    `missing` names the numbers of absent patches. An objection is a credit whose `why` quotes it. `talk` are the people
    who answered, in the order of their first mails, `last` the day of the newest of these; `bots` likewise. `others`
    counts mails below it that are none of these.
    """

    id: str
    linked: tuple[LinkedView, ...]
    title: str
    version: int
    rfc: bool
    author: str
    date: str
    cover: bool
    present: int
    total: int | None
    missing: str
    needs: tuple[str, ...]
    patches: tuple[PatchView, ...]
    tags: tuple[Credit, ...]
    dropped: tuple[Credit, ...]
    uncounted: tuple[Credit, ...]
    objections: tuple[Credit, ...]
    talk: tuple[Voice, ...]
    last: str
    bots: tuple[Voice, ...]
    others: int
    notices: tuple[NoticeView, ...]


def version_view(
    series: Series, later: Series | None, linked: tuple[LinkedView, ...], notices: Iterable[Notice], report: Report
) -> VersionView:
    """A version; `later` is the one shown after it."""
    outline = series.outline
    tags = credits_of(series, counted=True)
    by_role: dict[Role, list[Mail]] = {}
    for mail in outline.replies:
        by_role.setdefault(report.assembly.roles[mail.message_id], []).append(mail)
    talk, bots = by_role.pop("reply", []), by_role.pop("bot", [])
    by_role.pop("applied", None)
    head = outline.cover or outline.patches[0]
    return VersionView(
        id=outline.id,
        linked=linked,
        title=shortened(outline.title),
        version=outline.version,
        rfc=head.subject.rfc,
        author=name_of(outline.author),
        date=day_of(head),
        cover=outline.cover is not None,
        present=len(outline.patches),
        total=outline.total,
        missing=ranges(outline.missing),
        needs=_needs(series) if later is None else (),
        patches=tuple(_patch(patch) for patch in series.patches) if later is None and _needs_list(outline) else (),
        tags=tags if later is None else (),
        dropped=_dropped(tags, later),
        uncounted=credits_of(series, counted=False),
        objections=objections_of(series),
        talk=_voices(talk),
        last=_newest(talk),
        bots=_voices(bots),
        others=sum(map(len, by_role.values())),
        notices=notice_views(notices),
    )


def _needs(series: Series) -> tuple[str, ...]:
    """What the version stands on; of more than a few things, how many more there are."""
    needs = needs_of(series)
    named = tuple(shortened(f"{name}: {value}") for name, value in needs[:_MOST_NEEDS])
    return named if len(needs) <= _MOST_NEEDS else (*named, f"{len(needs) - _MOST_NEEDS} more")


def _needs_list(outline: Outline) -> bool:
    """Whether a list of its patches tells more than the title does."""
    return len(outline.patches) != 1 or outline.patches[0].subject.title != outline.title or bool(outline.missing)


def _dropped(tags: tuple[Credit, ...], later: Series | None) -> tuple[Credit, ...]:
    """The tags that the next version does not have."""
    if later is None:
        return ()
    kept = {(tag.name.lower(), tag.person) for tag in credits_of(later, counted=True)}
    return tuple(tag for tag in tags if (tag.name.lower(), tag.person) not in kept)


def _patch(patch: Patch) -> PatchView:
    pad = max(len(str(patch.total or "")) - len(str(patch.number)), 0)
    return PatchView(number=patch.number, total=patch.total, title=shortened(patch.mail.subject.title), pad=pad)


def _voices(mails: Iterable[Mail]) -> tuple[Voice, ...]:
    return tuple(
        Voice(name=name, mails=mails) for name, mails in Counter(name_of(mail.author) for mail in mails).items()
    )


def _newest(mails: Iterable[Mail]) -> str:
    return max((day_of(mail) for mail in mails), default="")
