"""The role of every mail, and the series that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from reviewer.model import Mail, Role
from reviewer.series.drafts import Draft
from reviewer.series.kinds import Kind
from reviewer.series.threads import Forest
from reviewer.series.titles import clean_title

_Key = TypeVar("_Key")

_ROLES: dict[Kind, Role] = {
    "cover": "pull-request",
    "patch": "other",
    "bare": "other",
    "fix-up": "reply",
    "reply": "reply",
    "bot": "bot",
    "applied": "applied",
    "pull-request": "pull-request",
    "other": "other",
}


def roles_of(mails: Iterable[Mail], kinds: Mapping[str, Kind], drafts: Iterable[Draft]) -> dict[str, Role]:
    """The role of each Message-ID, in the order of the input."""
    member: dict[str, Role] = {}
    for draft in drafts:
        for mail in draft.members():
            member[mail.message_id] = "cover" if mail is draft.cover or mail.subject.number == 0 else "patch"
    return {
        mail.message_id: member.get(mail.message_id) or _ROLES[kinds[mail.message_id]]
        for mail in sorted(mails, key=lambda one: one.position)
    }


def homes_of(forest: Forest, drafts: Iterable[Draft]) -> dict[str, str | None]:
    """The series of each mail, by the Message-ID of its head: its own for a member, else that of the mail it answers.

    An answer to a mail that is not there belongs to the series that hangs below the same absent mail, if version and
    total agree; without any known ancestor, to the series with a mail of that title, version and counter.
    """
    return _Homes(forest, drafts).all()


class _Homes:
    def __init__(self, forest: Forest, drafts: Iterable[Draft]) -> None:
        self._forest = forest
        self._own: dict[str, str | None] = {}
        self._below: dict[str, Draft | None] = {}
        self._titled: dict[tuple[str, int, int | None, int | None], Draft | None] = {}
        self._absent: dict[str, Draft | None] = {}
        self._by_head: dict[str, Draft] = {}
        for draft in drafts:
            head = draft.head.message_id
            self._by_head[head] = draft
            for mail in draft.members():
                self._own[mail.message_id] = head
                _note(self._below, forest.parents.get(mail.message_id, ""), draft)
                _note(self._titled, _signature(mail), draft)

    def all(self) -> dict[str, str | None]:
        homes = self._own
        for mail in self._forest.mails:
            if mail.message_id not in homes:
                draft = self._answered(mail, homes)
                homes[mail.message_id] = draft.head.message_id if draft is not None else None
        return homes

    def _answered(self, mail: Mail, homes: Mapping[str, str | None]) -> Draft | None:
        parent = self._forest.parents.get(mail.message_id)
        if parent is None:
            return None
        if parent in homes:
            return self._by_head.get(homes[parent] or "")
        found = self._of_absent(parent, homes)
        if found is not None and mail.message_id not in self._forest.known_parents and not _agrees(mail, found):
            found = None
        if found is None and mail.subject.reply:
            found = self._titled.get(_signature(mail))
        return found

    def _of_absent(self, start: str, homes: Mapping[str, str | None]) -> Draft | None:
        """The series of a mail that is not there, from what hangs below it or what it answers itself."""
        path: list[str] = []
        at: str | None = start
        found: Draft | None = None
        while at is not None and at not in homes and at not in self._absent:
            path.append(at)
            found = self._below.get(at)
            if found is not None:
                break
            at = self._forest.parents.get(at)
        if found is None and at is not None:
            found = self._by_head.get(homes[at] or "") if at in homes else self._absent[at]
        for one in path:
            self._absent[one] = found
        return found


def _note(table: dict[_Key, Draft | None], key: _Key, draft: Draft) -> None:
    """Enter the only draft that has `key`; None once there are two."""
    table[key] = draft if table.get(key, draft) is draft else None


def _signature(mail: Mail) -> tuple[str, int, int | None, int | None]:
    subject = mail.subject
    return (clean_title(subject), subject.version, subject.number, subject.total)


def _agrees(mail: Mail, draft: Draft) -> bool:
    return mail.subject.version == draft.version and mail.subject.total in (draft.total, draft.other_total)
