"""All mails put together: threads, series, lineages, roles. Only headers are used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from reviewer.model import Assembly, Mail, Notice, Outline, Role
from reviewer.series.drafts import Draft
from reviewer.series.gather import gather
from reviewer.series.kinds import Kind, kind_of
from reviewer.series.lineage import latest, lineages_of
from reviewer.series.merge import merge_rerolls, merge_resends
from reviewer.series.outlines import notices_of, outline_of
from reviewer.series.people import People
from reviewer.series.roles import homes_of, roles_of
from reviewer.series.threads import Forest, build_forest

__all__ = ["assemble", "latest"]


class _Placed(Struct, frozen=True, kw_only=True):
    """All mails in their places. What this was found by is given back before lineages are sought, to save memory."""

    outlines: list[Outline]
    people: People
    roles: dict[str, Role]
    homes: dict[str, str | None]
    above: dict[str, str]
    notices: tuple[Notice, ...]


def assemble(mails: Iterable[Mail]) -> Assembly:
    """The series of `mails`, grouped into lineages; roles of all Message-IDs in the order of the input, and homes.

    Notices: `duplicate-mail`, `reply-cycle`, `bad-counter`, `many-missing`, `duplicate-patch`, `partial-reroll`,
    `resend`.
    """
    placed = _placed(build_forest(mails))
    return Assembly(
        lineages=lineages_of(placed.outlines, placed.people, placed.above),
        roles=placed.roles,
        homes=placed.homes,
        notices=placed.notices,
    )


def _placed(forest: Forest) -> _Placed:
    people = People(mail.author for mail in forest.mails)
    drafts, roles = _drafts_and_roles(forest, people)
    homes = homes_of(forest, drafts)
    return _Placed(
        outlines=_outlines(forest, drafts, homes, roles),
        people=people,
        roles=roles,
        homes=homes,
        above=_above(forest, drafts, homes),
        notices=(*forest.notices, *(notice for draft in drafts for notice in notices_of(draft))),
    )


def _drafts_and_roles(forest: Forest, people: People) -> tuple[list[Draft], dict[str, Role]]:
    kinds: dict[str, Kind] = {mail.message_id: kind_of(mail) for mail in forest.mails}
    drafts = merge_resends(merge_rerolls(gather(forest, kinds, people)))
    return drafts, roles_of(forest.mails, kinds, drafts)


def _outlines(
    forest: Forest, drafts: list[Draft], homes: Mapping[str, str | None], roles: Mapping[str, Role]
) -> list[Outline]:
    replies: dict[str, list[Mail]] = {draft.head.message_id: [] for draft in drafts}
    for mail in forest.mails:
        home = homes[mail.message_id]
        if home is not None and roles[mail.message_id] not in ("cover", "patch"):
            replies[home].append(mail)
    return [outline_of(draft, replies[draft.head.message_id]) for draft in drafts]


def _above(forest: Forest, drafts: list[Draft], homes: Mapping[str, str | None]) -> dict[str, str]:
    """From the id of an outline to that of the one which its first mail answers."""
    above: dict[str, str] = {}
    for draft in drafts:
        own = draft.head.message_id
        parent = forest.known_parents.get(own)
        home = homes[parent] if parent is not None else None
        if home is not None and home != own:
            above[own] = home
    return above
