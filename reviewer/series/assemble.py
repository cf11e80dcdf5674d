"""All mails put together: threads, series, lineages, roles. Only headers are used."""

from __future__ import annotations

from collections.abc import Iterable

from reviewer.model import Assembly, Mail, Notice, Outline
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


def assemble(mails: Iterable[Mail]) -> Assembly:
    """The series of `mails`, grouped into lineages; roles and homes of all Message-IDs in the order of the input.

    Notices: `duplicate-mail`, `reply-cycle`, `bad-counter`, `duplicate-patch`, `partial-reroll`, `resend`.
    """
    forest = build_forest(mails)
    kinds: dict[str, Kind] = {mail.message_id: kind_of(mail) for mail in forest.mails}
    people = People(mail.author for mail in forest.mails)
    drafts = merge_resends(merge_rerolls(gather(forest, kinds, people)))
    roles = roles_of(forest.mails, kinds, drafts)
    owners = homes_of(forest, drafts)
    outlines = _outlines(forest, drafts, owners)
    ids = {id(draft): outline.id for draft, outline in zip(drafts, outlines, strict=True)}
    homes = {one: ids[id(owner)] if (owner := owners[one]) is not None else None for one in roles}
    notices: list[Notice] = [*forest.notices]
    for draft in drafts:
        notices.extend(notices_of(draft))
    return Assembly(
        lineages=lineages_of(outlines, people, _above(forest, drafts, homes)),
        roles=roles,
        homes=homes,
        notices=tuple(notices),
    )


def _outlines(forest: Forest, drafts: list[Draft], owners: dict[str, Draft | None]) -> list[Outline]:
    members = {mail.message_id for draft in drafts for mail in draft.members()}
    replies: dict[int, list[Mail]] = {id(draft): [] for draft in drafts}
    for mail in forest.mails:
        owner = owners[mail.message_id]
        if owner is not None and mail.message_id not in members:
            replies[id(owner)].append(mail)
    return [outline_of(draft, replies[id(draft)]) for draft in drafts]


def _above(forest: Forest, drafts: list[Draft], homes: dict[str, str | None]) -> dict[str, str]:
    """From the id of an outline to that of the one which its first mail answers."""
    above: dict[str, str] = {}
    for draft in drafts:
        own = draft.head.message_id
        parent = forest.known_parents.get(own)
        home = homes[parent] if parent is not None else None
        if home is not None and home != own:
            above[own] = home
    return above
