"""Threads: which mail answers which, from References and In-Reply-To."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from msgspec import Struct
from msgspec.structs import replace

from reviewer.mail.address import person_matches
from reviewer.model import Mail, Notice
from reviewer.series.titles import clean_title, moment

Key = tuple[float, int, int]

_MOST_NOTICES = 50


class Forest(Struct, frozen=True, kw_only=True):
    """The threads of the input.

    `mails` are the distinct ones, each behind the mail that it answers, else by date. `parents` leads from an id to
    the one it answers, known or not, without cycles; `known_parents` to the nearest that is in the input. `roots`
    names the thread of each mail: the topmost id that it leads to.
    """

    mails: tuple[Mail, ...]
    known: Mapping[str, Mail]
    parents: Mapping[str, str]
    known_parents: Mapping[str, str]
    roots: Mapping[str, str]
    notices: tuple[Notice, ...]


def order_key(mail: Mail) -> Key:
    """Sorts by date, then number in the series, then place in the input; mails without a date come last."""
    return (moment(mail), mail.subject.number or 0, mail.position)


def build_forest(mails: Iterable[Mail]) -> Forest:
    """Put `mails` into threads.

    Of copies of one mail the one that list software changed least is kept, of mails that differ under one Message-ID
    the first, with a Notice `duplicate-mail`. A cycle of answers is cut at its oldest mail, with a Notice
    `reply-cycle`. An answer to a mail that is not there hangs below the nearest known mail of its References; answers
    to one absent mail are one thread.
    """
    known, differing = _distinct(mails)
    notices = _some(differing)
    parents = _parents(known)
    notices += _some(_cut_cycles(parents, known))
    known_parents, roots = _climb(known, parents)
    return Forest(
        mails=_in_order(known, known_parents),
        known=known,
        parents=parents,
        known_parents=known_parents,
        roots=roots,
        notices=tuple(notices),
    )


def _some(notices: list[Notice]) -> list[Notice]:
    """The first notices, and one that counts the others."""
    if len(notices) <= _MOST_NOTICES:
        return notices
    last = notices[_MOST_NOTICES]
    more = f"{len(notices) - _MOST_NOTICES} more notices like the last are left out"
    return [*notices[:_MOST_NOTICES], replace(last, message=more, patches=())]


def _distinct(mails: Iterable[Mail]) -> tuple[dict[str, Mail], list[Notice]]:
    known: dict[str, Mail] = {}
    notices: list[Notice] = []
    noted: set[str] = set()
    for mail in mails:
        first = known.setdefault(mail.message_id, mail)
        if first is mail:
            continue
        better = _better(first, mail)
        if better is not None:
            known[mail.message_id] = better
        elif mail.message_id not in noted:
            noted.add(mail.message_id)
            text = f"two mails are <{mail.message_id}> and differ; the first is used: {first.subject.text}"
            notices.append(
                Notice(code="duplicate-mail", message=text, patches=(mail.message_id,), source=mail.source),
            )
    return known, notices


def _better(first: Mail, other: Mail) -> Mail | None:
    """Of two copies of one mail the one with fewer changes by list software, in the place of the first; else None."""
    if not _is_copy(first, other):
        return None
    one, two = first.load(), other.load()
    if one == two:
        return first
    from reviewer.mail.copies import list_changes, same_text  # only where copies differ

    if not same_text(one, two):
        return None
    return first if list_changes(one) <= list_changes(two) else replace(other, position=first.position)


def _is_copy(one: Mail, other: Mail) -> bool:
    """Whether their headers differ in no more than list software changes."""
    return (
        clean_title(one.subject) == clean_title(other.subject)
        and moment(one) == moment(other)
        and (one.author == other.author or person_matches(one.author, other.author))
    )


def _parents(known: Mapping[str, Mail]) -> dict[str, str]:
    """From each id to the one that it answers; what an absent mail answers is told by the oldest that names it."""
    parents: dict[str, str] = {}
    for mail in sorted(known.values(), key=order_key):
        own = mail.message_id
        answered = mail.in_reply_to
        if answered is not None and answered in known and answered != own:
            parents[own] = answered
            continue
        child = own
        for reference in reversed(mail.references):
            if reference in (child, own):
                continue
            parents.setdefault(child, reference)
            if reference in known:
                break
            child = reference
    return parents


def _cut_cycles(parents: dict[str, str], known: Mapping[str, Mail]) -> list[Notice]:
    notices: list[Notice] = []
    done: set[str] = set()
    for start in list(parents):
        path: list[str] = []
        seen: set[str] = set()
        at: str | None = start
        while at is not None and at not in done and at not in seen:
            seen.add(at)
            path.append(at)
            at = parents.get(at)
        if at is not None and at in seen:
            cycle = path[path.index(at) :]
            members = sorted((known[one] for one in cycle if one in known), key=order_key)
            del parents[members[0].message_id if members else min(cycle)]
            if members:
                notices.append(_cycle_notice(members))
        done |= seen
    return notices


def _cycle_notice(members: list[Mail]) -> Notice:
    ids = tuple(mail.message_id for mail in members[:_MOST_NOTICES])
    text = f"{len(members)} mails answer each other in a circle; <{ids[0]}> is taken as the first"
    return Notice(code="reply-cycle", message=text, patches=ids, source=members[0].source)


def _climb(known: Mapping[str, Mail], parents: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The nearest known ancestor and the topmost id of each, every step taken once."""
    nearest: dict[str, str | None] = {}
    roots: dict[str, str] = {}
    for start in known:
        path: list[str] = []
        at = start
        while at not in roots and at in parents:
            path.append(at)
            at = parents[at]
        roots.setdefault(at, at)
        nearest.setdefault(at, None)
        for one in reversed(path):
            above = parents[one]
            roots[one] = roots[above]
            nearest[one] = above if above in known else nearest[above]
    return {own: up for own in known if (up := nearest[own]) is not None}, roots


def _in_order(known: Mapping[str, Mail], known_parents: Mapping[str, str]) -> tuple[Mail, ...]:
    children: dict[str, list[str]] = {}
    heap: list[tuple[Key, str]] = []
    for own, mail in known.items():
        if own in known_parents:
            children.setdefault(known_parents[own], []).append(own)
        else:
            heappush(heap, (order_key(mail), own))
    ordered: list[Mail] = []
    while heap:
        _, own = heappop(heap)
        ordered.append(known[own])
        for child in children.get(own, ()):
            heappush(heap, (order_key(known[child]), child))
    return tuple(ordered)
