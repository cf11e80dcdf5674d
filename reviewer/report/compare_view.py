"""What the template of `reviewer compare` is given: a comparison arranged for reading.

Nothing here is escaped; what a template prints is made safe for its medium when it is printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reviewer.compare.values import (
    Claim,
    ClaimFate,
    Comparison,
    FindingChange,
    FindingFate,
    PatchChange,
    PatchFate,
    TagChange,
    TagFate,
)
from reviewer.model import CONFIDENCES, Comment, CommentKind, CommentState, Confidence, Finding, Notice, Patch, Series
from reviewer.report.compare_lines import RangeView, range_views
from reviewer.report.layout import ranges, shortened
from reviewer.report.naming import name_of
from reviewer.report.verdict_view import first_words, words_of
from reviewer.report.view import NoticeView, accepted_by, notice_views
from reviewer.talk.changed import COMES_BACK

MOST_COMMENTS = 12
"""How many comments are shown that are not open."""
MOST_NUMBERS = 12
MANY_PATCHES = 9
"""From how many patches on those that are the same are taken together."""
_RUN = 3
_WORDS = 100
_SHOWN_KINDS: frozenset[CommentKind] = frozenset({"question", "request", "nit", "objection"})
_STATES: tuple[CommentState, ...] = ("open", "answered", "changed", "withdrawn", "resolved")


class PatchLine(Struct, frozen=True, kw_only=True):
    """A patch: `old` and `new` are its places such as `2/4`, empty where it is not; `was` the title that it had.

    `others` names the patches that it went to or came from, `reasons` are the changelog's words. `count` patches are
    told of at once; when it is more than one, their places are such as `2-5/9` and the title is empty.
    """

    old: str
    new: str
    title: str
    was: str
    fate: PatchFate
    moved: bool
    others: str
    reasons: tuple[str, ...]
    code: RangeView
    message: RangeView
    count: int = 1


class FindingLine(Struct, frozen=True, kw_only=True):
    """A finding and what became of it; `place` is that in the newer version unless it is gone.

    `accepted` tells by whom it was accepted, and why; empty for one that was not.
    """

    fate: FindingFate
    level: str
    rule: str
    name: str
    place: str
    message: str
    with_patch: bool
    accepted: str


class CommentLine(Struct, frozen=True, kw_only=True):
    """A comment on the older version, with a piece of evidence of its state."""

    kind: CommentKind
    state: CommentState
    person: str
    place: str
    words: str
    evidence: str


class TagLine(Struct, frozen=True, kw_only=True):
    """Tags of one fate: the name, who gave it, and the patches, or an empty string when there is only one."""

    fate: TagFate
    name: str
    person: str
    patches: str


class ClaimLine(Struct, frozen=True, kw_only=True):
    """A disagreement: the entry of the changelog, the names in it, and the patch."""

    fate: ClaimFate
    entry: str
    names: str
    patch: str


class VersionLine(Struct, frozen=True, kw_only=True):
    """A version that is compared; `missing` names absent patches."""

    version: int
    date: str
    present: int
    missing: str


class ComparisonView(Struct, frozen=True, kw_only=True):
    """Two versions of a series. `listed` are its patches with those that are as before taken together in a long series.

    `settled` counts comments that are not shown, by state; `kept` findings in both. `accepted` counts findings that
    nobody has to act upon, which are among `findings` and `kept` only when `accepted_shown`.
    """

    title: str
    old: VersionLine
    new: VersionLine
    patches: tuple[PatchLine, ...]
    listed: tuple[PatchLine, ...]
    findings: tuple[FindingLine, ...]
    kept: int
    accepted: int
    accepted_shown: bool
    comments: tuple[CommentLine, ...]
    settled: tuple[tuple[CommentState, int], ...]
    tags: tuple[TagLine, ...]
    claims: tuple[ClaimLine, ...]
    numbers: tuple[tuple[str, str], ...]
    more_numbers: int


class ComparisonsView(Struct, frozen=True, kw_only=True):
    """All comparisons of a call, and its notices."""

    pairs: tuple[ComparisonView, ...]
    notices: tuple[NoticeView, ...]


def comparisons_view(
    comparisons: Iterable[Comparison],
    notices: Iterable[Notice],
    min_confidence: Confidence,
    *,
    show_accepted: bool = False,
) -> ComparisonsView:
    """The view; findings below `min_confidence` are left out, and so are accepted ones unless `show_accepted`."""
    sure = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    pairs = (_comparison(one, sure, show_accepted=show_accepted) for one in comparisons)
    return ComparisonsView(pairs=tuple(pairs), notices=notice_views(notices))


def _comparison(one: Comparison, sure: Sequence[Confidence], *, show_accepted: bool) -> ComparisonView:
    certain = [change for change in one.findings if _finding_of(change).confidence in sure]
    standing = [change for change in certain if _finding_of(change).accepted is None]
    findings = certain if show_accepted else standing
    comments = sorted(
        (comment for comment in one.comments if comment.kind in _SHOWN_KINDS),
        key=lambda comment: _STATES.index(comment.state),
    )
    shown = [comment for at, comment in enumerate(comments) if comment.state == "open" or at < MOST_COMMENTS]
    settled = Counter(comment.state for comment in comments[len(shown) :])
    patches = tuple(_patch(change, one) for change in one.patches)
    return ComparisonView(
        title=shortened(one.new.outline.title),
        old=_version(one.old),
        new=_version(one.new),
        patches=patches,
        listed=tuple(_listed(patches)),
        findings=tuple(_finding(change, one) for change in findings if change.fate != "kept"),
        kept=sum(change.fate == "kept" for change in findings),
        accepted=len(certain) - len(standing),
        accepted_shown=show_accepted,
        comments=tuple(_comment(comment, one) for comment in shown),
        settled=tuple((state, settled[state]) for state in _STATES if settled[state]),
        tags=tuple(_tag(change, one) for change in one.tags),
        claims=tuple(_claim(claim, one) for claim in one.claims),
        numbers=tuple((number.old, number.new) for number in one.numbers[:MOST_NUMBERS]),
        more_numbers=max(0, len(one.numbers) - MOST_NUMBERS),
    )


def _listed(patches: Sequence[PatchLine]) -> Iterator[PatchLine]:
    """The patches, three and more in a row that are the same in one line when there are many."""
    runs: list[list[PatchLine]] = []
    for patch in patches:
        if runs and _follows(runs[-1][-1], patch):
            runs[-1].append(patch)
        else:
            runs.append([patch])
    for run in runs:
        if len(run) < _RUN or len(patches) < MANY_PATCHES:
            yield from run
        else:
            first, last = run[0], run[-1]
            old, new = (
                f"{one.partition('/')[0]}-{other}" for one, other in ((first.old, last.old), (first.new, last.new))
            )
            yield replace(first, old=old, new=new, title="", count=len(run))


def _follows(before: PatchLine, patch: PatchLine) -> bool:
    """Whether both are the same in both versions; one that changed places is told of by itself."""
    return all(one.fate == "same" and not one.was and not one.moved for one in (before, patch))


def _version(series: Series) -> VersionLine:
    outline = series.outline
    return VersionLine(
        version=outline.version,
        date=outline.date.date().isoformat() if outline.date else "",
        present=len(outline.patches),
        missing=ranges(outline.missing),
    )


def _place(patch: Patch | None, series: Series) -> str:
    return f"{patch.number}/{patch.total or len(series.patches)}" if patch else ""


def _patch(change: PatchChange, one: Comparison) -> PatchLine:
    patch = change.new or change.old
    assert patch is not None
    others = ranges(tuple(other.number for other in change.others))
    version = one.new.outline.version if change.new is None else one.old.outline.version
    return PatchLine(
        old=_place(change.old, one.old),
        new=_place(change.new, one.new),
        title=shortened(patch.mail.subject.title),
        was=shortened(change.old.mail.subject.title) if change.renamed and change.old else "",
        fate=change.fate,
        moved=change.moved,
        others=f"patch{'es' if len(change.others) > 1 else ''} {others} of v{version}" if others else "",
        reasons=tuple(dict.fromkeys(first_words(entry.text, 2 * _WORDS) for entry in change.reasons))[:2],
        code=range_views(change.code, is_code=True),
        message=range_views(change.message, is_code=False),
    )


def _finding_of(change: FindingChange) -> Finding:
    found = change.new or change.old
    assert found is not None
    return found


def _finding(change: FindingChange, one: Comparison) -> FindingLine:
    found = _finding_of(change)
    series = one.old if change.new is None else one.new
    at = found.location
    where = f"{at.file}{f':{at.line}' if at.line else ''}" if at.file else "message"
    return FindingLine(
        fate=change.fate,
        level=found.level,
        rule=found.rule,
        name=found.name,
        place=f"{_mail_place(found.patch, series)}, {where}",
        message=first_words(found.message, 2 * _WORDS),
        with_patch=change.with_patch,
        accepted=accepted_by(found.accepted) if found.accepted else "",
    )


def _mail_place(mail_id: str, series: Series) -> str:
    if series.cover is not None and series.cover.mail.message_id == mail_id:
        return "cover letter"
    return next((_place(patch, series) for patch in series.patches if patch.mail.message_id == mail_id), "series")


def _comment(comment: Comment, one: Comparison) -> CommentLine:
    return CommentLine(
        kind=comment.kind,
        state=comment.state,
        person=name_of(comment.author),
        place=_mail_place(comment.patch, one.old),
        words=words_of(comment, _WORDS),
        evidence=_evidence(comment, one.new),
    )


def _evidence(comment: Comment, newer: Series) -> str:
    """Why a comment has its state: of a change the one that the newer version made, when it did and not a later one."""
    ids = {newer.outline.id, *_ids(newer)} if comment.state == "changed" else ()
    whys = [one.why for one in comment.evidence if one.message_id in ids and COMES_BACK not in one.why]
    return next(iter((*whys, *(one.why for one in comment.evidence))), "")


def _ids(series: Series) -> Iterator[str]:
    outline = series.outline
    return (mail.message_id for mail in (outline.cover, *outline.patches, *outline.replaced) if mail)


def _tag(change: TagChange, one: Comparison) -> TagLine:
    series = one.old if change.fate in ("dropped", "lapsed") else one.new
    numbers = tuple(patch.number for patch in change.patches)
    named = f"patch{'es' if len(numbers) > 1 else ''} {ranges(numbers)}"
    if change.fate in ("dropped", "lapsed"):
        named += f" of v{one.old.outline.version}"
    return TagLine(
        fate=change.fate,
        name=change.name,
        person=shortened(change.person),
        patches=named if len(series.patches) > 1 else "",
    )


def _claim(claim: Claim, one: Comparison) -> ClaimLine:
    return ClaimLine(
        fate=claim.fate,
        entry=first_words(claim.entry.text, 2 * _WORDS) if claim.entry else "",
        names=", ".join(claim.names[:5]),
        patch=_place(claim.patch, one.new),
    )
