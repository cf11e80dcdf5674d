"""The discussion of a series below its findings: what is open is shown, what is settled is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from reviewer.model import Comment, CommentKind, CommentState, Lineage, Mail, Outline, Report, Series
from reviewer.report.layout import shortened
from reviewer.report.naming import name_of
from reviewer.report.source import Shown
from reviewer.report.verdict_view import words_of
from reviewer.series.drafts import places_of
from reviewer.series.titles import clean_title
from reviewer.verdict import ASKING, mails_of, outlasts

MOST = 8
"""How many remarks are shown of one patch before the others are only counted."""
WORDS = 300
"""Characters of a remark that are shown."""
SAME = "the same line"
_SHOWN: tuple[CommentState, ...] = ("open", "answered")
_STATES: tuple[CommentState, ...] = ("changed", "resolved", "answered", "withdrawn")


class RemarkView(Struct, frozen=True, kw_only=True):
    """A remark: its kind, who made it on which version (None: the one shown), its state with the evidence (or empty).

    `place` is `file:line, function()`, or empty; `quote` the line that it stands below. Where several remarks stand
    below one line, the first has the quote, and the others have `the same line` for their place.
    """

    kind: CommentKind
    person: str
    version: int | None
    state: CommentState
    evidence: str
    place: str
    quote: tuple[Shown, ...]
    words: str


class TalkView(Struct, frozen=True, kw_only=True):
    """What was said of one patch, or of the cover letter (`number` 0).

    `remarks` are open, then answered; `more` of them are not shown. `settled` counts the others by state. `gone` is the
    version that the patch was last seen in when this one has it no longer, else None.
    """

    number: int
    total: int | None
    title: str
    gone: int | None
    remarks: tuple[RemarkView, ...]
    more: int
    settled: tuple[tuple[CommentState, int], ...]


class _Said(Struct, frozen=True, kw_only=True):
    """A comment with its version and the mail that it is about, None when that is not known."""

    comment: Comment
    outline: Outline
    mail: Mail | None


def talks_of(series: Series, outlines: Sequence[Outline], lineage: Lineage, report: Report) -> tuple[TalkView, ...]:
    """What was said on the versions `outlines`, of which that of `series` is the last, in the order of its patches.

    Patches that it has no longer come last.
    """
    now = {clean_title(mail.subject): mail for mail in filter(None, (series.outline.cover, *series.outline.patches))}
    groups: dict[str, list[_Said]] = {mail.message_id: [] for mail in now.values()}
    for said in _all(outlines, report):
        groups.setdefault(_subject(said, now, series.outline), []).append(said)
    own = {mail.message_id: mail for mail in now.values()}
    last = _last_seen(groups.keys() - own.keys(), series, lineage)
    views = (_talk(group, own.get(key), series.outline, last.get(key)) for key, group in groups.items() if group)
    return tuple(view for view in views if view.remarks or view.settled)


def _last_seen(titles: Set[str], series: Series, lineage: Lineage) -> dict[str, int]:
    """The last version up to that of `series` that has a patch of each title."""
    last: dict[str, int] = {}
    for outline in lineage.outlines if titles else ():
        last.update(
            (title, outline.version) for mail in mails_of(outline) if (title := clean_title(mail.subject)) in titles
        )
        if outline.id == series.outline.id:
            break
    return last


def _all(outlines: Sequence[Outline], report: Report) -> Iterator[_Said]:
    for outline in outlines:
        mails = {mail.message_id: mail for mail in mails_of(outline)}
        for comment in report.comments.get(outline.id, ()):
            if comment.kind in ASKING:
                yield _Said(comment=comment, outline=outline, mail=mails.get(comment.patch))


def _subject(said: _Said, now: Mapping[str, Mail], outline: Outline) -> str:
    """The Message-ID of the patch of the version itself that was spoken of, else a title of its own."""
    if said.mail is None:
        return outline.id
    if outline.cover is not None and said.outline.cover is not None and said.mail is said.outline.cover:
        return outline.cover.message_id
    title = clean_title(said.mail.subject)
    return now[title].message_id if title in now else title


def _talk(group: Sequence[_Said], own: Mail | None, outline: Outline, seen: int | None) -> TalkView:
    shown = [one for one in group if _is_shown(one.comment)]
    shown.sort(key=lambda one: (one.comment.kind != "objection", _SHOWN.index(_shown_state(one.comment))))
    settled = Counter(one.comment.state for one in group if not _is_shown(one.comment))
    last = group[-1]
    mail = own or last.mail
    number = places_of(outline if own else last.outline).get(mail.message_id, 0) if mail else 0
    return TalkView(
        number=number,
        total=(outline if own else last.outline).total,
        title=shortened(mail.subject.title if mail else last.outline.title),
        gone=None if own else seen,
        remarks=_remarks(shown, outline.version)[:MOST],
        more=max(0, len(shown) - MOST),
        settled=tuple((state, settled[state]) for state in _STATES if settled[state]),
    )


def _remarks(shown: Sequence[_Said], now: int) -> tuple[RemarkView, ...]:
    """The views of remarks, those below one line together where the first of them stands."""
    places: dict[tuple[str, str], list[RemarkView]] = {}
    for one in shown:
        view = _remark(one, now)
        location = one.comment.location
        key = (one.comment.patch, f"{location.part}:{location.body_line}") if view.quote else ("", one.comment.id)
        same = places.setdefault(key, [])
        same.append(replace(view, quote=(), place=SAME) if same else view)
    return tuple(view for views in places.values() for view in views)


def _is_shown(comment: Comment) -> bool:
    return comment.state == "open" or (comment.kind == "objection" and _outlasts(comment))


def _outlasts(comment: Comment) -> bool:
    """Whether an objection stands though it was answered, or lines were changed."""
    return comment.state == "answered" or outlasts(comment)


def _shown_state(comment: Comment) -> CommentState:
    return comment.state if comment.state in _SHOWN else "answered"


def _remark(one: _Said, now: int) -> RemarkView:
    comment = one.comment
    location = comment.location
    place = f"{location.file}{f':{location.line}' if location.line else ''}" if location.file else ""
    if place and location.function:
        place += f", {location.function}()"
    marked = " " if location.kind == "code" else ""
    quoted = location.text.strip() and location.body_line is not None
    return RemarkView(
        kind=comment.kind,
        person=name_of(comment.author),
        version=one.outline.version if one.outline.version != now else None,
        state=comment.state,
        evidence=comment.evidence[0].why if comment.evidence else "",
        place=place,
        quote=(Shown(text=marked + location.text, body_line=location.body_line or 0, at_issue=True),) if quoted else (),
        words=words_of(comment, WORDS),
    )
