"""What stands in the way of a series, and in its favour, as templates see it.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from msgspec import Struct

from reviewer.model import Comment, CommentKind, Patch, Series
from reviewer.report.layout import ranges, shortened
from reviewer.report.naming import day_of, name_of
from reviewer.report.summary import Count, patches_named
from reviewer.verdict import Standing, Verdict, oldest_first

MOST = 6
"""How many remarks that stand are quoted before the others are only counted."""
WORDS = 90
"""Characters of a remark that are quoted at the top."""


class StandingView(Struct, frozen=True, kw_only=True):
    """A remark that stands: by whom, where, since which version (None: the one shown), how many days (None: unknown).

    `words` is how it begins; `fate` what became of it beside nothing: `answered`, `the lines changed since`, or empty.
    `comment` is its id.
    """

    kind: CommentKind
    version: int | None
    days: int | None
    person: str
    place: str
    words: str
    fate: str
    comment: str


class VerdictView(Struct, frozen=True, kw_only=True):
    """The facts, counted. `findings` are errors and warnings shown below; `tagged` says which patches have tags.

    `standing` quotes what stands, the oldest first and nits last, `more` of it not; `unseen` names earlier versions
    that are absent. `applied` is empty, or which patches went in, and by whose word.
    """

    later: int | None
    missing: str
    fails: bool
    objections: int
    remarks: int
    questions: int
    findings: tuple[Count, ...]
    untagged: tuple[tuple[str, str], ...]
    asked: int
    settled: int
    tagged: str
    applies: bool
    unseen: str
    applied: str
    standing: tuple[StandingView, ...]
    more: int

    @property
    def blocked(self) -> bool:
        """Whether anything stands in the way."""
        held = self.missing or self.fails or self.objections or self.remarks or self.questions
        return bool(self.later or held or self.findings or self.untagged)

    @property
    def favoured(self) -> bool:
        """Whether anything is in favour."""
        return bool(self.tagged or self.settled or self.applies or self.applied)


def verdict_view(verdict: Verdict, series: Series, found: tuple[Count, ...]) -> VerdictView:
    """The view of the verdict on `series`; `found` counts the findings that are shown, by level."""
    standing = sorted(oldest_first(verdict), key=lambda one: one.comment.kind == "nit")
    trial = verdict.trial
    return VerdictView(
        later=verdict.later,
        missing=ranges(verdict.missing),
        fails=trial is not None and trial.state == "does-not-apply",
        objections=len(verdict.objections),
        remarks=len(verdict.remarks),
        questions=len(verdict.questions),
        findings=tuple(count for count in found if count.word != "note"),
        untagged=tuple((one.area, _patches(one.patches, series)) for one in verdict.untagged),
        asked=verdict.asked,
        settled=verdict.settled,
        tagged=_tagged(verdict, series),
        applies=trial is not None and trial.state == "applies" and not trial.fuzz,
        unseen=", ".join(f"v{first}" if first == last else f"v{first}-v{last}" for first, last in verdict.unseen),
        applied=_applied(verdict),
        standing=tuple(_standing(one, series.outline.version) for one in standing[:MOST]),
        more=max(0, len(standing) - MOST),
    )


def _patches(patches: tuple[Patch, ...], series: Series) -> str:
    return patches_named({patch.mail.message_id for patch in patches}, series)


def _tagged(verdict: Verdict, series: Series) -> str:
    """Which patches have tags, in words; `the patch` of a series of one."""
    if not verdict.tagged:
        return ""
    return _patches(verdict.tagged, series) or "the patch"


def _applied(verdict: Verdict) -> str:
    if verdict.applied is None:
        return ""
    one = verdict.applied
    some = f"patch{'es' if len(one.patches) > 1 else ''} {ranges(one.patches)}" if one.patches else "a part"
    which = "all of it" if one.whole else some
    day = day_of(one.mail)
    return f"{which} went in, says {name_of(one.mail.author)}{', ' + day if day else ''}"


def _standing(one: Standing, now: int) -> StandingView:
    comment = one.comment
    return StandingView(
        kind=comment.kind,
        version=one.version if one.version != now else None,
        days=one.days,
        person=name_of(comment.author),
        place=place_of(one),
        words=words_of(comment, WORDS),
        fate={"answered": "answered", "changed": "the lines changed since"}.get(comment.state, ""),
        comment=comment.id,
    )


def place_of(one: Standing) -> str:
    """The patch that a remark is about, `2/4`, or `the cover letter`."""
    if one.number is None:
        return "the series"
    if one.number == 0:
        return "the cover letter"
    return f"{one.number}/{one.total or '?'}" if one.total != 1 else "the patch"


def words_of(comment: Comment, limit: int) -> str:
    """The start of what a comment says, without the tags in it."""
    from reviewer.talk.kinds import without_tags  # was loaded with the comments

    return first_words(without_tags(comment.text).strip() or comment.text, limit)


def first_words(text: str, limit: int) -> str:
    """The start of a remark on one line, cut between words."""
    folded = " ".join(text[: 4 * limit + 100].split())
    if len(folded) <= limit and len(text) <= 4 * limit + 100:
        return folded
    cut = folded[: limit + 1].rpartition(" ")[0] or folded[:limit]
    return shortened(cut, limit) + " ..."
