"""What became of each comment: withdrawn, changed, resolved, answered or open, each with the mail that tells it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from reviewer.model import Comment, CommentState, Cover, Evidence, Mail, Patch
from reviewer.series.people import People
from reviewer.series.titles import moment
from reviewer.talk.changed import code_changes, shown, subject_of, text_changes
from reviewer.talk.comments import Remark
from reviewer.talk.kinds import approves, approves_formally, objects_formally, promises, takes_on, withdraws
from reviewer.talk.later import Later
from reviewer.talk.named import asked_for, credited, logged, reasons

_ORDER: tuple[CommentState, ...] = ("withdrawn", "changed", "resolved", "answered", "open")
_ASKING = frozenset({"question", "request", "nit", "objection"})
_SETTLING = frozenset({"withdrawn", "resolved"})
_MOST_BELOW = 200
_LAPSES = ", and what was said of it lapses"

Fact = tuple[CommentState, Evidence]


class Fates:
    """Judges the remarks of all versions of a lineage; `remarks` are those of each version, in its order.

    `mails` are all mails of the lineage by Message-ID, `people` knows their authors.
    """

    def __init__(
        self, remarks: Sequence[Sequence[Remark]], later: Later, people: People, mails: Mapping[str, Mail]
    ) -> None:
        self._remarks = remarks
        self._later = later
        self._people = people
        self._mails = mails
        self._below: defaultdict[str, list[Comment]] = defaultdict(list)
        self._credited: dict[str, tuple[Evidence, ...]] = {}
        for index, group in enumerate(remarks):
            asked: defaultdict[str, list[Remark]] = defaultdict(list)
            for remark in group:
                for above in remark.comment.answers:
                    self._below[above].append(remark.comment)
                if remark.comment.kind in _ASKING:
                    asked[people.of(remark.comment.author)].append(remark)
            for those in asked.values():
                self._credited.update(credited(those, index, later))

    def all(self) -> tuple[tuple[Comment, ...], ...]:
        """The comments of each version, with their states; an answer has that of the first comment it answers."""
        judged = [tuple(self._judged(remark, index) for remark in group) for index, group in enumerate(self._remarks)]
        known = {comment.id: comment for group in judged for comment in group}
        return tuple(tuple(_inherited(comment, known) for comment in group) for group in judged)

    def _judged(self, remark: Remark, index: int) -> Comment:
        facts = sorted(self._facts(remark, index), key=lambda fact: _ORDER.index(fact[0]))
        state: CommentState = facts[0][0] if facts else "open"
        return replace(remark.comment, state=state, evidence=tuple(dict.fromkeys(fact[1] for fact in facts)))

    def _facts(self, remark: Remark, index: int) -> Iterator[Fact]:
        comment = remark.comment
        subject = subject_of(remark, self._later.versions.series[index])
        said: list[Fact] = list(self._said_below(comment))
        if comment.kind == "approval":
            why = "an approval asks for nothing"
            said.append(("resolved", Evidence(message_id=comment.reply, line=comment.line, why=why)))
        elif subject is not None:
            said += self._tags_later(comment, subject, index)
        if comment.kind in _ASKING and takes_on(comment.text):
            why = "the reviewer mends it while applying, or asks for no new version"
            said.append(("resolved", Evidence(message_id=comment.reply, line=comment.line, why=why)))
        yield from said
        if comment.kind == "answer" or subject is None:
            return
        if isinstance(subject, Patch):
            yield from self._dropped(subject, index)
        if comment.kind != "approval":
            settled = any(state in _SETTLING for state, _ in said) or self._refused(comment)
            yield from self._rewritten(remark, subject, index, settled=settled)
            yield from self._copied(remark, subject, index)
            for evidence in self._credited.get(comment.id, ()):
                yield "changed", evidence

    def _said_below(self, comment: Comment) -> Iterator[Fact]:
        """What was said in the answers to a comment, and in the answers to those.

        Who agrees with a third person has not agreed with the author; and a tag of objection stands until a tag or
        plain words take it back.
        """
        person = self._people.of(comment.author)
        agrees = approves_formally if objects_formally(comment.text) else approves
        seen: dict[str, Comment] = {comment.id: comment}
        for one in self._answers(comment):
            seen[one.id] = one
            first = shown(one.text.split("\n", 1)[0].strip())
            if one.kind == "answer" and comment.kind != "answer":
                yield "answered", Evidence(message_id=one.reply, line=one.line, why=f"the author answers: {first}")
            elif self._people.of(one.author) == person and one.kind not in _ASKING:
                if withdraws(one.text):
                    yield "withdrawn", Evidence(message_id=one.reply, line=one.line, why=f"taken back: {first}")
                elif agrees(one.text) and any(
                    self._settles(seen[above], comment) for above in one.answers if above in seen
                ):
                    yield "resolved", Evidence(message_id=one.reply, line=one.line, why=f"the reviewer agrees: {first}")

    def _settles(self, above: Comment, comment: Comment) -> bool:
        """Whether to agree with `above` is to agree with the author on `comment`."""
        return above.kind == "answer" or self._people.of(above.author) == self._people.of(comment.author)

    def _answers(self, comment: Comment) -> Iterator[Comment]:
        todo = deque(self._below.get(comment.id, ()))
        seen: set[str] = {comment.id}
        while todo and len(seen) < _MOST_BELOW:
            one = todo.popleft()
            if one.id not in seen:
                seen.add(one.id)
                todo += self._below.get(one.id, ())
                yield one

    def _refused(self, comment: Comment) -> bool:
        """Whether the author answered the comment, and never gave in."""
        answers = [one for one in self._answers(comment) if one.kind == "answer"]
        return bool(answers) and not any(promises(one.text) for one in answers)

    def _tags_later(self, comment: Comment, subject: Patch | Cover, index: int) -> Iterator[Fact]:
        """The first approving tag that the reviewer gave after the comment, on its patch in this or a later version."""
        at: tuple[int, Patch | Cover] | None = (index, subject)
        given = moment(self._mails[comment.reply])
        person = self._people.of(comment.author)
        while at is not None:
            newer, one = at
            for tag in one.tags:
                mail = self._mails.get(tag.source or "")
                if mail is None or not tag.counted or mail.message_id == comment.reply or moment(mail) < given:
                    continue
                if self._people.of(mail.author) == person:
                    why = f"{tag.name} given on v{self._later.versions.series[newer].outline.version}"
                    yield "resolved", Evidence(message_id=mail.message_id, line=None, why=why)
                    return
            at = self._later.next_of(one, newer)

    def _rewritten(self, remark: Remark, subject: Patch | Cover, index: int, *, settled: bool) -> Iterator[Fact]:
        """What later versions made of it. Of a remark that was `settled` in words only the next version counts."""
        steps = list(text_changes(remark, subject, index, self._later))
        if isinstance(subject, Patch):
            steps += code_changes(remark, subject, index, self._later)
        for is_change, evidence in steps[:1] if settled else steps:
            state: CommentState = "changed" if is_change else "open"
            yield state, evidence
        for evidence in asked_for(remark, subject, index, self._later):
            yield "changed", evidence
        for evidence in logged(remark, index, self._later):
            yield "changed", evidence

    def _copied(self, remark: Remark, subject: Patch | Cover, index: int) -> Iterator[Fact]:
        """What To and Cc of later versions make of a request to Cc somebody."""
        comment = remark.comment
        if comment.kind in _ASKING and _speaks_of_cc(comment.text):
            from reviewer.talk.copied import copied

            for is_change, evidence in copied(remark, subject, index, self._later):
                yield "changed" if is_change else "open", evidence

    def _dropped(self, subject: Patch, index: int) -> Iterator[Fact]:
        newer = self._later.dropped(subject, index)
        if newer is not None:
            outline = self._later.versions.series[newer].outline
            why = f"the patch is not in v{outline.version}{_LAPSES}"
            yield "changed", Evidence(message_id=outline.id, line=None, why=why)
            for evidence in reasons(subject, newer, self._later):
                yield "changed", evidence


def _speaks_of_cc(text: str) -> bool:
    """Whether a word begins like `Cc`, or the script is named that tells whom to Cc."""
    return "get_maintainer" in text or any(word.lstrip("([+\"'").startswith("cc") for word in text.lower().split())


def lapsed(comment: Comment) -> bool:
    """Whether the patch that a comment is about was dropped."""
    return any(evidence.why.endswith(_LAPSES) for evidence in comment.evidence)


def _inherited(comment: Comment, known: Mapping[str, Comment]) -> Comment:
    if comment.kind != "answer" or not comment.answers:
        return comment
    above = known[comment.answers[0]]
    seen = {comment.id}
    while above.kind == "answer" and above.answers and above.id not in seen:
        seen.add(above.id)
        above = known[above.answers[0]]
    return replace(comment, state=above.state, evidence=above.evidence)
