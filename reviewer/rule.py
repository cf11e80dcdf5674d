"""What a rule plugin imports: the four kinds of rule, what they yield, and their examples.

A plugin is a module with one class derived from `CodeRule`, `ChangeRule`, `MessageRule` or `SeriesRule`. Its `check`
yields `Hit`s and `Lack`s; it never raises, prints, reads files or keeps state.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from msgspec import Struct

from reviewer.code.change import Change, ChangeGroup
from reviewer.code.node import Node
from reviewer.code.series_changes import SeriesChanges
from reviewer.code.unit import Function, Loop, Unit
from reviewer.model import (
    Confidence,
    Cover,
    DiffLine,
    DiffStat,
    FileDiff,
    Hunk,
    Level,
    Location,
    Mail,
    MessageText,
    Need,
    Patch,
    Series,
    StatLine,
    TextLine,
    Trailer,
)

__all__ = [
    "Change",
    "ChangeGroup",
    "ChangeRule",
    "CodeRule",
    "Cover",
    "DiffLine",
    "DiffStat",
    "Example",
    "FileDiff",
    "Find",
    "Function",
    "Hit",
    "Hunk",
    "Lack",
    "Location",
    "Loop",
    "Message",
    "MessageRule",
    "MessageText",
    "Node",
    "Patch",
    "PatchExample",
    "Result",
    "Rule",
    "Series",
    "SeriesChanges",
    "SeriesRule",
    "StatLine",
    "Struct",
    "TextLine",
    "Trailer",
    "Unit",
    "code",
    "line_text",
    "message",
    "series",
]


class Hit(Struct, frozen=True):
    """A rule speaks: where, and what, in one or two sentences that a reviewer would write.

    `level` and `confidence` lower those of the rule. `evidence` is what makes the hit the same one in another version
    or before the patch; by default the text of the line at `at`. `related` are more places that matter.
    """

    at: Location
    message: str
    level: Level | None = None
    confidence: Confidence | None = None
    related: tuple[Location, ...] = ()
    evidence: str = ""


class Lack(Struct, frozen=True):
    """The rule met something to check but does not see enough of it: reported as `not-checked`.

    `tables` is the number of tables of the mail that could not be read, where that is what lacks.
    """

    need: Need
    tables: int = 0


Result = Hit | Lack


class Message(Struct, frozen=True, kw_only=True):
    """A commit message or cover letter under check."""

    mail: Mail
    text: MessageText
    patch: Patch | None
    series: Series

    @property
    def is_cover(self) -> bool:
        """Whether this is the cover letter."""
        return self.patch is None

    def at(self, line: TextLine | Trailer | StatLine | DiffStat) -> Location:
        """The location of a line of this message."""
        text = line.text if isinstance(line, TextLine) else self.line_text(line.body_line)
        return Location(kind="message", part=self.text.part, body_line=line.body_line, text=text)

    def line_text(self, body_line: int) -> str:
        """The text of line `body_line` of the mail, if it is in message or notes, else an empty string."""
        return line_text(self.text, body_line)


def line_text(text: MessageText, body_line: int) -> str:
    """The text of line `body_line` of the mail, if it is in the message or notes of `text`, else an empty string."""
    for lines in (text.message, text.notes):
        place = bisect_left(lines, body_line, key=_body_line)
        if place < len(lines) and lines[place].body_line == body_line:
            return lines[place].text
    return ""


def _body_line(line: TextLine) -> int:
    return line.body_line


class Rule:
    """What every rule declares. The docstring tells what it does, why, when it stays silent, and its sources."""

    id: ClassVar[str]
    """Such as DM302."""
    name: ClassVar[str]
    """Such as errno-silently-changed; the module's name with dashes."""
    title: ClassVar[str]
    """One line, as a heading."""
    why: ClassVar[str]
    """The reason, in one or two sentences, for whoever reads a finding."""
    level: ClassVar[Level]
    """The highest level that it may give."""
    confidence: ClassVar[Confidence]
    category: ClassVar[str]
    needs: ClassVar[tuple[Need, ...]]
    """Alternatives, best first."""
    paths: ClassVar[tuple[str, ...]] = ("**",)
    """Globs of the files it speaks about; `**` crosses folders; a leading `!` excludes."""
    default: ClassVar[bool] = True
    """False for rules that only run when selected."""
    supersedes: ClassVar[tuple[str, ...]] = ()
    """Ids of rules that stay silent on a line where this one speaks."""
    about_order: ClassVar[bool] = False
    """True when the order of declarations is what the rule is about (examples are then not reordered)."""

    @staticmethod
    def examples() -> Sequence[Example]:
        """At least one bad, one good and one look-alike."""
        raise NotImplementedError


class CodeRule(Rule):
    """Looks at code as it stands. Run on the pre-image and the post-image; what both have is not charged."""

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield what is wrong in `unit`."""
        raise NotImplementedError


class ChangeRule(Rule):
    """Looks at what a patch does to one file."""

    def check(self, change: Change) -> Iterator[Result]:
        """Yield what is wrong with `change`."""
        raise NotImplementedError


class MessageRule(Rule):
    """Looks at one commit message or cover letter."""

    def check(self, message: Message) -> Iterator[Result]:
        """Yield what is wrong with `message`."""
        raise NotImplementedError


class SeriesRule(Rule):
    """Looks at all patches of one version."""

    def check(self, series: Series, changes: SeriesChanges) -> Iterator[tuple[Cover | Patch, Result]]:
        """Yield what is wrong, each with the cover or patch that it is about."""
        raise NotImplementedError


# Examples


class Find(Struct, frozen=True, kw_only=True):
    """A finding that an example must give: on the only line of the mail that contains `line`.

    `patch` counts the example's patches from 1; 0 is the cover. Without `level`, the rule's.
    """

    line: str
    level: Level | None = None
    patch: int = 1


class PatchExample(Struct, frozen=True, kw_only=True):
    """A patch as an author would write it: files before and after (None: not there), and its message."""

    files: tuple[tuple[str, str | None, str | None], ...]
    subject: str = "frob: change something"
    message: str = "Frob needs this.\n"
    notes: str = ""
    """Text below `---`, above the diff; None of it is made up when empty but the diffstat."""
    diffstat: str | None = None
    """A diffstat to print instead of the true one."""


class Example(Struct, frozen=True, kw_only=True):
    """A test of a rule that also documents it. `finds` is exact: no other finding of the rule may come."""

    kind: Literal["bad", "good", "look-alike"]
    patches: tuple[PatchExample, ...]
    cover: str | None = None
    cover_subject: str = "frob: change things"
    finds: tuple[Find, ...] = ()
    lacks: bool = False
    """Whether the rule must say that it lacks context."""
    note: str = ""
    context: int = 3
    """Lines of context around each change."""


def code(
    kind: Literal["bad", "good", "look-alike"],
    path: str,
    after: str,
    *,
    before: str | None = None,
    finds: Sequence[Find] = (),
    message: str = "Frob needs this.\n",
    note: str = "",
    lacks: bool = False,
    context: int = 3,
) -> Example:
    """An example of one file: a new one, or changed from `before`. Tabs as written; a leading newline is dropped."""
    patch = PatchExample(files=((path, _text(before), _text(after)),), message=message)
    return Example(kind=kind, patches=(patch,), finds=tuple(finds), note=note, lacks=lacks, context=context)


def message(
    kind: Literal["bad", "good", "look-alike"],
    text: str,
    *,
    subject: str = "frob: change something",
    finds: Sequence[Find] = (),
    path: str = "net/core/frob.c",
    note: str = "",
) -> Example:
    """An example of a commit message, on a harmless change of `path`."""
    files = ((path, "int frob_a;\n", "int frob_b;\n"),)
    patch = PatchExample(files=files, subject=subject, message=_text(text) or "")
    return Example(kind=kind, patches=(patch,), finds=tuple(finds), note=note)


def series(
    kind: Literal["bad", "good", "look-alike"],
    patches: Sequence[PatchExample],
    *,
    cover: str | None = None,
    finds: Sequence[Find] = (),
    note: str = "",
) -> Example:
    """An example of a series, with a cover letter when `cover` is given."""
    return Example(kind=kind, patches=tuple(patches), cover=_text(cover), finds=tuple(finds), note=note)


def _text(given: str | None) -> str | None:
    return given[1:] if given and given.startswith("\n") else given
