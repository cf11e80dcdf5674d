"""Which patches and covers are one send of one series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reviewer.model import Mail
from reviewer.series.drafts import Draft, number_of
from reviewer.series.kinds import Kind, is_pull
from reviewer.series.people import People
from reviewer.series.threads import Forest
from reviewer.series.titles import clean_title, prefix_tokens

_CLIMB = 4
_RECENT = 8

Anchor = tuple[object, ...]


def gather(forest: Forest, kinds: Mapping[str, Kind], people: People) -> list[Draft]:
    """Put covers, patches and fix-ups into drafts, in the order of their first mails.

    A mail joins the draft that it answers when person, version and total agree and its number is free (or its title
    the same: a copy sent again); else the one sent within the hour that hangs at the same place; else it starts one.
    """
    gatherer = _Gatherer(forest, people)
    for mail in forest.mails:
        kind = kinds[mail.message_id]
        if kind in ("cover", "patch", "fix-up"):
            gatherer.place(mail, kind)
    drafts = _without_strays(gatherer.drafts)
    _find_covers(drafts, forest, kinds, people)
    return _with_bare(drafts, forest, kinds, people)


class _Gatherer:
    """The drafts so far, and where to look for the one that a mail belongs to."""

    def __init__(self, forest: Forest, people: People) -> None:
        self.drafts: list[Draft] = []
        self._forest = forest
        self._people = people
        self._above: dict[str, Draft] = {}
        self._anchored: dict[Anchor, list[Draft]] = {}
        self._climbed: dict[str, Draft | None] = {}

    def place(self, mail: Mail, kind: Kind) -> None:
        """Add `mail` to its draft, a new one when none fits; a fix-up only where it rerolls what it answers."""
        person = self._people.of(mail.author)
        above = self._nearest(mail)
        if kind == "fix-up" and not _rerolls(mail, person, above):
            return
        draft = self._answered(mail, person, above)
        if draft is None:
            anchor = self._anchor(mail, person, above)
            draft = self._beside(mail, anchor) if mail.subject.total else None
            if draft is None:
                draft = self._begin(mail, person, above)
                self._anchored.setdefault(anchor, []).append(draft)
        self._add(draft, mail)

    def _add(self, draft: Draft, mail: Mail) -> None:
        subject = mail.subject
        draft.add(mail)
        if subject.version_given and not draft.version_given:
            draft.version, draft.version_given = subject.version, True
        if subject.total != draft.total:
            draft.other_total = subject.total
        self._above[mail.message_id] = draft

    def _begin(self, mail: Mail, person: str, above: Draft | None) -> Draft:
        subject = mail.subject
        draft = Draft(
            serial=len(self.drafts),
            person=person,
            version=subject.version,
            version_given=subject.version_given,
            total=subject.total,
            above=above,
            below_absent=self._forest.parents.get(mail.message_id) not in self._forest.known,
        )
        self.drafts.append(draft)
        return draft

    def _nearest(self, mail: Mail) -> Draft | None:
        """The draft of the nearest ancestor that has one. Replies inherit it, so that each step is taken once."""
        path: list[str] = []
        at: str | None = self._forest.known_parents.get(mail.message_id)
        found: Draft | None = None
        while at is not None:
            if at in self._above:
                found = self._above[at]
                break
            if at in self._climbed:
                found = self._climbed[at]
                break
            path.append(at)
            at = self._forest.known_parents.get(at)
        for one in path:
            self._climbed[one] = found
        return found

    def _answered(self, mail: Mail, person: str, above: Draft | None) -> Draft | None:
        if mail.subject.total is None or number_of(mail) == 0:
            return None
        draft = above
        for _ in range(_CLIMB):
            if draft is None:
                return None
            if self._continues(mail, person, draft):
                return draft
            draft = draft.above
        return None

    def _continues(self, mail: Mail, person: str, draft: Draft) -> bool:
        subject = mail.subject
        if draft.total is None:
            return False
        close = draft.sent_near(mail) and self._above.get(self._forest.known_parents[mail.message_id]) is draft
        free = number_of(mail) not in draft.patches
        exact = subject.version == draft.version and subject.total == draft.total
        if person != draft.person:
            return exact and close and free
        if exact:
            return free or clean_title(draft.patches[number_of(mail)].subject) == clean_title(subject)
        return close and free and draft.cover is not None and _miscounted(mail, draft)

    def _anchor(self, mail: Mail, person: str, above: Draft | None) -> Anchor:
        subject = mail.subject
        key = (person, subject.version, subject.total)
        if above is not None:
            return (*key, "draft", above.serial)
        root = self._forest.roots[mail.message_id]
        if root == mail.message_id and not mail.references:
            return (*key, "root", prefix_tokens(subject))
        return (*key, "thread", root)

    def _beside(self, mail: Mail, anchor: Anchor) -> Draft | None:
        for draft in reversed(self._anchored.get(anchor, ())[-_RECENT:]):
            free = draft.cover is None if number_of(mail) == 0 else number_of(mail) not in draft.patches
            if free and draft.sent_near(mail):
                return draft
        return None


def _miscounted(mail: Mail, draft: Draft) -> bool:
    """Whether `mail` fits below the cover of `draft` but for a version or total that only one of them tells rightly."""
    subject = mail.subject
    version = subject.version == draft.version or subject.version_given != draft.version_given
    total = not draft.patches or subject.total in (draft.total, draft.other_total)
    return version and total


def _rerolls(mail: Mail, person: str, above: Draft | None) -> bool:
    """Whether a reply carries a higher version of a patch of the draft that it answers, from the same person."""
    subject = mail.subject
    return (
        above is not None
        and above.person == person
        and subject.version > above.version
        and subject.total == above.total
        and number_of(mail) in above.patches
    )


def _without_strays(drafts: Iterable[Draft]) -> list[Draft]:
    """Fold in patches that were sent with a series under numbers already taken: the first keeps the number."""
    kept: list[Draft] = []
    for draft in drafts:
        above = draft.above
        stray = (
            above is not None
            and draft.total is not None
            and draft.total > 1
            and draft.cover is None
            and draft.holes > 0
            and (draft.person, draft.version, draft.total) == (above.person, above.version, above.total)
            and all(above.sent_near(mail) for mail in draft.patches.values())
        )
        if above is not None and stray:
            above.strays += draft.members()
        else:
            kept.append(draft)
    return kept


def _find_covers(drafts: Iterable[Draft], forest: Forest, kinds: Mapping[str, Kind], people: People) -> None:
    """Give a draft without a cover the root that it answers: same person, a diffstat and no diff, no reply."""
    for draft in drafts:
        if draft.cover is not None or (draft.total or 1) < 2:
            continue
        parent = forest.known_parents.get(draft.head.message_id)
        root = forest.known.get(parent) if parent else None
        if (
            root is not None
            and kinds[root.message_id] in ("bare", "other", "pull-request")
            and root.has_diffstat
            and people.of(root.author) == draft.person
            and draft.sent_near(root)
        ):
            draft.cover = root


def _with_bare(drafts: list[Draft], forest: Forest, kinds: Mapping[str, Kind], people: People) -> list[Draft]:
    """Add the patches that lost their diff, and drop covers that only ask to pull."""
    covers = {draft.cover.message_id for draft in drafts if draft.cover is not None}
    kept = [draft for draft in drafts if draft.patches or not is_pull(draft.head)]
    for mail in forest.mails:
        if kinds[mail.message_id] == "bare" and mail.message_id not in covers:
            subject = mail.subject
            draft = Draft(
                serial=len(drafts) + len(kept),
                person=people.of(mail.author),
                version=subject.version,
                version_given=subject.version_given,
                total=None,
            )
            draft.add(mail)
            kept.append(draft)
    return kept
