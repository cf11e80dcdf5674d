"""The values that the layers hand to each other: frozen, and without behaviour beyond reading themselves.

Lines count from 1. Message-IDs are bare, without angle brackets. Paths are those of the post-image.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Literal

from msgspec import Struct, field

Level = Literal["error", "warning", "note"]
Confidence = Literal["high", "medium", "low"]
Need = Literal["file", "function", "hunk", "mail", "series", "lineage", "tree", "uapi"]
Rung = Literal["blob", "base", "named", "new", "hunk"]
Side = Literal["old", "new"]
Role = Literal["cover", "patch", "reply", "bot", "applied", "pull-request", "other"]
FileStatus = Literal["modified", "added", "deleted", "renamed", "copied", "mode"]
CommentKind = Literal["question", "request", "nit", "objection", "approval", "information", "answer"]
CommentState = Literal["withdrawn", "changed", "resolved", "answered", "open"]
TrialState = Literal["applies", "does-not-apply", "not-tried"]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")


# One mail


class Address(Struct, frozen=True, kw_only=True):
    """A mailbox: display name (may be empty) and address as written, without comments."""

    name: str
    email: str


class Subject(Struct, frozen=True, kw_only=True):
    """A decoded subject line, taken apart.

    `version` is 1 when no tag gives one (`version_given` tells); `number` and `total` are None without an n/m.
    `reply` is true behind any reply or forward prefix. `tokens` are the words of the leading brackets, in order.
    """

    text: str
    title: str
    tokens: tuple[str, ...] = ()
    version: int = 1
    version_given: bool = False
    number: int | None = None
    total: int | None = None
    reply: bool = False
    patch: bool = False
    rfc: bool = False
    resend: bool = False


class TextPart(Struct, frozen=True, kw_only=True):
    """One part of a mail that holds text, decoded, its lines ended by LF only.

    `number` counts the text parts of the mail from 0. `damaged` says what was lost in decoding, or is empty. `text` is
    still wrapped when it is `flowed` (format=flowed); `delsp` tells how to unwrap it.
    """

    number: int
    text: str
    content_type: str = "text/plain"
    filename: str | None = None
    damaged: str = ""
    flowed: bool = False
    delsp: bool = False


class Mail(Struct, frozen=True, kw_only=True):
    """One mail: its headers decoded, its text read again from the spool when asked for.

    `references` are in header order, oldest first, In-Reply-To last when it is not among them. `has_diff` tells
    whether an unquoted diff starts in the text; `has_diffstat` whether a diffstat's summary line stands in it.
    `position` is the place in the input, from 0: the order among mails of one date. `change_id` is that of the text
    (`change-id:`, or an X-Change-ID header), `links` the Message-IDs that the text names as earlier versions, in order.
    `steers` tells that `reviewer:` stands somewhere in the text, so that it may hold a steering line.
    """

    message_id: str
    subject: Subject
    author: Address
    date: datetime | None
    in_reply_to: str | None
    references: tuple[str, ...]
    has_diff: bool
    has_diffstat: bool
    source: str
    position: int
    load: Callable[[], bytes]
    change_id: str | None = None
    links: tuple[str, ...] = ()
    steers: bool = False


# Its text


class TextLine(Struct, frozen=True, kw_only=True):
    """A line of a mail's text with its place in the decoded part (`body_line`, from 1)."""

    text: str
    body_line: int


class Trailer(Struct, frozen=True, kw_only=True):
    """`Name: value` of the last paragraphs of a message, or of a reply; a value on several lines is joined."""

    name: str
    value: str
    body_line: int
    person: Address | None = None


class StatLine(Struct, frozen=True, kw_only=True):
    """A line of a diffstat. `path` as printed (perhaps `.../short`, or `{a => b}`); `changed` is None for binary."""

    path: str
    changed: int | None
    body_line: int


class DiffStat(Struct, frozen=True, kw_only=True):
    """A diffstat as printed, and the totals of its summary line."""

    lines: tuple[StatLine, ...]
    files: int
    insertions: int
    deletions: int
    body_line: int


class MessageText(Struct, frozen=True, kw_only=True):
    """The text of a patch or cover letter, taken apart.

    `author` is that of the in-body From, or None. `message` are the lines of the commit message or cover letter,
    trailers included, to the first line of exactly `---`; `notes` those from there to the diff (changelog, diffstat,
    base-commit), the signature left out. `part` is the number of the text part all this stands in; `diff` are the
    lines from the first line of the diff on, as they stand in the mail. `message_part` is the part of message and
    notes when the diff is attached without them, else None. `prerequisites` are the patch-ids that it says it needs.
    """

    part: int
    author: Address | None
    message: tuple[TextLine, ...]
    trailers: tuple[Trailer, ...]
    notes: tuple[TextLine, ...]
    diffstat: DiffStat | None
    diff: tuple[TextLine, ...]
    base_commit: str | None = None
    change_id: str | None = None
    message_part: int | None = None
    prerequisites: tuple[str, ...] = ()


# Diffs


class DiffLine(Struct, frozen=True, kw_only=True):
    """A line of a hunk: its mark, its text without the mark, its number on each side it stands on, and in the mail."""

    mark: Literal[" ", "+", "-"]
    text: str
    old: int | None
    new: int | None
    body_line: int


class Hunk(Struct, frozen=True, kw_only=True):
    """A hunk. `section` is the text behind the second `@@`; `function` the name found in it, or None.

    `no_newline` are the sides whose last line stands in this hunk and has no newline at its end.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    function: str | None
    lines: tuple[DiffLine, ...]
    body_line: int
    no_newline: tuple[Side, ...] = ()


class FileDiff(Struct, frozen=True, kw_only=True):
    """What a patch does to one file. `path` is the post-image's path (the pre-image's for a deleted file).

    `similarity` is git's, in percent, of a renamed or copied file.
    """

    path: str
    old_path: str
    status: FileStatus
    binary: bool = False
    old_mode: str | None = None
    new_mode: str | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    hunks: tuple[Hunk, ...] = ()
    body_line: int = 1
    similarity: int | None = None

    @property
    def added(self) -> int:
        """Number of added lines."""
        return sum(line.mark == "+" for hunk in self.hunks for line in hunk.lines)

    @property
    def removed(self) -> int:
        """Number of removed lines."""
        return sum(line.mark == "-" for hunk in self.hunks for line in hunk.lines)


# Series


class Outline(Struct, frozen=True, kw_only=True):
    """One version of a series as the headers tell it: which mail is what, nothing read beyond.

    `patches` are ordered by number, one mail a number; `missing` are the numbers that should be there and are not;
    `replies` every other mail below cover and patches, by date. `total` is None when no counter tells it. `replaced`
    are the copies that a resend or a partial reroll put out of use.
    """

    id: str
    cover: Mail | None
    patches: tuple[Mail, ...]
    missing: tuple[int, ...]
    replies: tuple[Mail, ...]
    version: int
    total: int | None
    title: str
    author: Address
    date: datetime | None
    replaced: tuple[Mail, ...] = ()


class Tag(Struct, frozen=True, kw_only=True):
    """A trailer credited to a patch or a cover. `source` is the reply that gave it, None when it stands in the mail."""

    name: str
    value: str
    source: str | None
    counted: bool
    why: str


class Patch(Struct, frozen=True, kw_only=True):
    """A patch mail, read: message, files and tags."""

    mail: Mail
    number: int
    total: int | None
    text: MessageText
    files: tuple[FileDiff, ...]
    tags: tuple[Tag, ...]


class Cover(Struct, frozen=True, kw_only=True):
    """A cover letter, read. Its `tags` are those that replies to it gave."""

    mail: Mail
    text: MessageText
    tags: tuple[Tag, ...]


class Series(Struct, frozen=True, kw_only=True):
    """One version of a series with everything read. `notices` tell what could not be."""

    outline: Outline
    cover: Cover | None
    patches: tuple[Patch, ...]
    base_commit: str | None
    change_id: str | None
    notices: tuple[Notice, ...] = ()


class Lineage(Struct, frozen=True, kw_only=True):
    """All versions of a series that the sources hold, lowest version first."""

    title: str
    outlines: tuple[Outline, ...]


class Assembly(Struct, frozen=True, kw_only=True):
    """Everything that was read, put together.

    `roles` has every Message-ID of the input, `homes` the id of the series it belongs to.
    """

    lineages: tuple[Lineage, ...]
    roles: Mapping[str, Role]
    homes: Mapping[str, str | None]
    notices: tuple[Notice, ...]


# The review


class Location(Struct, frozen=True, kw_only=True):
    """A place in a mail. `line` is the file's line on `side`; `body_line` that of the mail's text part `part`."""

    kind: Literal["code", "message", "series"]
    file: str | None = None
    line: int | None = None
    side: Side | None = None
    function: str | None = None
    part: int = 0
    body_line: int | None = None
    text: str = ""


class Acceptance(Struct, frozen=True, kw_only=True):
    """Who accepted a finding, and why (may be empty).

    `by` is a person, or the name of a baseline file; `source` the Message-ID of the mail that says so, None for a
    baseline; `expires` the last day on which that holds, None for ever.
    """

    by: str
    why: str
    source: str | None = None
    expires: date | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """One remark. `patch` is the mail it is about, `why` the reason behind the rule, in a sentence or two.

    `accepted` tells that nobody has to act upon it: such findings are counted apart.
    """

    fingerprint: str
    rule: str
    name: str
    category: str
    level: Level
    confidence: Confidence
    message: str
    why: str
    patch: str
    origin: Literal["introduced", "preexisting"]
    introduced_in: str
    fixed_in: str | None
    since: tuple[int, str]
    gone_in: tuple[int, str] | None
    location: Location
    related: tuple[Location, ...] = ()
    accepted: Acceptance | None = None


class Evidence(Struct, frozen=True, kw_only=True):
    """Why a comment is in its state: a mail, the line of its text (None for the mail as a whole), and what is there."""

    message_id: str
    line: int | None
    why: str


class Comment(Struct, frozen=True, kw_only=True):
    """What somebody said of a patch or cover letter: one block of own words of a reply.

    `patch` is the mail that `location` is in. `line` is the first line of the comment in the reply's text. `answers`
    are the ids of the comments that it replies to. `evidence` of the state comes first, then what else became of it.
    """

    id: str
    reply: str
    patch: str
    author: Address
    date: datetime | None
    location: Location
    kind: CommentKind
    text: str
    line: int
    answers: tuple[str, ...] = ()
    state: CommentState = "open"
    evidence: tuple[Evidence, ...] = ()


class FileContext(Struct, frozen=True, kw_only=True):
    """How much of one file of a patch was seen.

    `problem` is the code of why it was not more, or why what was seen is not what the patch says it makes; else empty.
    `offset` and `fuzz` tell how far the hunks were from their lines, and how many lines of their context differ.
    """

    path: str
    rung: Rung
    problem: str = ""
    offset: int = 0
    fuzz: int = 0


class Trial(Struct, frozen=True, kw_only=True):
    """Whether a series applies to a commit. `revision` is how that is named, empty when there is none to try.

    When it does not, `patch` is the Message-ID of the first patch that does not and `number` its place in the series,
    `file` and `hunk` (from 1) what of it does not, and `reason` the code of why; so it is when it was not tried.
    """

    state: TrialState
    revision: str = ""
    commit: str | None = None
    patch: str | None = None
    number: int | None = None
    file: str | None = None
    hunk: int | None = None
    reason: str = ""
    offset: int = 0
    fuzz: int = 0


class Notice(Struct, frozen=True, kw_only=True):
    """Something the reader must know about the run itself: what was not checked, could not be read, or broke."""

    code: str
    message: str
    rule: str | None = None
    needs: Need | None = None
    patches: tuple[str, ...] = ()
    source: str | None = None


class RuleInfo(Struct, frozen=True, kw_only=True):
    """A rule that was run, for forms that explain their findings. `help` is its docstring, as Markdown."""

    id: str
    name: str
    title: str
    why: str
    help: str
    level: Level
    confidence: Confidence
    category: str


class Report(Struct, frozen=True, kw_only=True):
    """One review: what was given, what was found, what was not looked at. `series` holds those that were reviewed.

    `contexts` tell by Message-ID and number of a patch how much of its files was seen, in their order; `trials` by id
    of a series whether it applies; `comments` by id of a series what people said of it. `rules` are those that were
    run, by id.
    """

    version: str
    complete: bool
    assembly: Assembly
    series: tuple[Series, ...]
    findings: tuple[Finding, ...]
    notices: tuple[Notice, ...]
    contexts: Mapping[tuple[str, int], tuple[FileContext, ...]] = field(
        default_factory=dict[tuple[str, int], tuple[FileContext, ...]]
    )
    trials: Mapping[str, Trial] = field(default_factory=dict[str, Trial])
    comments: Mapping[str, tuple[Comment, ...]] = field(default_factory=dict[str, tuple[Comment, ...]])
    rules: tuple[RuleInfo, ...] = ()
