"""What people asked the reviewer to ignore: whose line it is, what it is about, and whether it may be followed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct, field

from reviewer.acceptance.context import scope_of
from reviewer.errors import UsageError
from reviewer.mail.address import name_key
from reviewer.mail.body import text_parts
from reviewer.mail.message import patch_texts
from reviewer.mail.steering import SteeringLine, patch_steering, reply_steering
from reviewer.model import Address, Lineage, Mail, MessageText, Notice, Outline, Report
from reviewer.registry import CATEGORIES, matching
from reviewer.rule import Rule
from reviewer.series.titles import clean_title

Right = Literal["maintainer", "author"]
ALL = "all"
_HINTS = 20
"""How many unknown words get a suggestion: to look for one takes a millisecond."""
_TOLD = 3
_QUOTED = 100


class Steering(Struct, frozen=True, kw_only=True):
    """A line that may be followed.

    `rules` are the ids of those it names; `every` tells that it names them all. `paths` are files or folders it is
    limited to, empty for no limit. It is about the patches titled `title` (as `scope_of` gives it), None for the
    whole series, from version `index` of lineage `lineage` on. `mail` is the one that it stands in, `home` the id of
    the version that this belongs to, `about` the patch or cover letter.
    """

    mail: Mail
    line: SteeringLine
    right: Right
    rules: frozenset[str]
    every: bool
    paths: tuple[str, ...]
    title: str | None
    lineage: int
    index: int
    home: str
    about: str

    @property
    def who(self) -> str:
        """Who wrote it, by name and address."""
        return person(self.mail.author)

    @property
    def told(self) -> str:
        """What to say of it in a notice: who says what, and where."""
        return f"{self.who} in <{self.mail.message_id}> says `{asked(self.line)}`"


def steering_of(
    report: Report, rules: tuple[Rule, ...], maintainers: Collection[str]
) -> tuple[tuple[Steering, ...], tuple[Notice, ...]]:
    """The lines that may be followed, and notices of those that cannot (`steering-unknown`) or may not be
    (`steering-refused`), by lineage, version and date.

    `rules` are all that could be meant, also those that were not run; `maintainers` are addresses. The author of a
    version may steer what is said of it and of later ones; levels are not looked at here. From lines are taken as they
    are: nobody has proved them.
    """
    reader = _Reader(report, _Words(rules), frozenset(address.strip().casefold() for address in maintainers))
    reviewed = {series.outline.id for series in report.series}
    for number, lineage in enumerate(report.assembly.lineages):
        last = max((at for at, one in enumerate(lineage.outlines) if one.id in reviewed), default=-1)
        for index in range(last + 1):
            reader.read(number, lineage, index)
    return tuple(reader.found), tuple(reader.notices)


def person(author: Address) -> str:
    """A person by name and address."""
    return f"{author.name} <{author.email}>" if author.name and author.email else author.name or author.email


def asked(line: SteeringLine) -> str:
    """What a line says, the reason left out, short enough to be quoted."""
    said = line.text.removesuffix(line.reason).rstrip(" -—–") if line.reason else line.text
    return said if len(said) <= _QUOTED else f"{said[:_QUOTED]} [...]"


class _Meant(Struct, frozen=True):
    """What the words of a line mean, and what is wrong with them."""

    rules: frozenset[str]
    every: bool
    paths: tuple[str, ...]
    wrong: tuple[str, ...]


class _Words(Struct):
    """Words of steering lines as rules; what was looked up once is remembered."""

    rules: tuple[Rule, ...]
    known: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    hints: int = _HINTS

    def ids(self, word: str) -> tuple[str, ...]:
        """The ids of the rules that a word names, by id, prefix, name or category; none for one that is unknown."""
        if word not in self.known:
            folded = word.lower()
            self.known[word] = tuple(
                rule.id
                for rule in self.rules
                if rule.id.lower().startswith(folded) or folded in (rule.name, rule.category)
            )
        return self.known[word]

    def unknown(self, word: str) -> str:
        """What to say of an unknown word."""
        if self.hints > 0 and len(word) <= 40:
            self.hints -= 1
            try:
                matching(self.rules, word)
            except UsageError as error:
                return str(error)
        return f"unknown rule: {word[:_QUOTED]}"


class _Reader:
    """Reads the mails of versions, one after the other."""

    def __init__(self, report: Report, words: _Words, maintainers: frozenset[str]) -> None:
        self._texts: dict[str, list[MessageText]] = {}
        for one in (one for series in report.series for one in (series.cover, *series.patches) if one):
            self._texts.setdefault(one.mail.message_id, []).append(one.text)
        self._roles = report.assembly.roles
        self._files = {file.path for series in report.series for patch in series.patches for file in patch.files}
        self._words = words
        self._maintainers = maintainers
        self.found: list[Steering] = []
        self.notices: list[Notice] = []

    def read(self, number: int, lineage: Lineage, index: int) -> None:
        """Read all mails of one version."""
        outline = lineage.outlines[index]
        members = {mail.message_id: mail for mail in _members(outline)}
        for mail in (*_members(outline), *outline.replies):
            if not mail.steers or self._roles.get(mail.message_id) == "bot":
                continue
            about = mail if mail.message_id in members else _about(mail, members)
            lines = self._lines(mail, reply=mail.message_id not in members)
            if lines:
                alone = all(len(one.patches) == 1 for one in lineage.outlines)
                self._keep(mail, about, lines, (number, index, outline), whole=alone)

    def _lines(self, mail: Mail, *, reply: bool) -> tuple[SteeringLine, ...]:
        try:
            if reply:
                return reply_steering(text_parts(mail))
            texts = self._texts.get(mail.message_id) or patch_texts(mail, text_parts(mail))
            return tuple(line for text in texts for line in patch_steering(text))
        except Exception as error:
            told = f"{mail.message_id}: cannot be read ({type(error).__name__})"
            self.notices.append(Notice(code="steering-unknown", message=told, patches=(mail.message_id,)))
            return ()

    def _keep(
        self,
        mail: Mail,
        about: Mail | None,
        lines: Sequence[SteeringLine],
        version: tuple[int, int, Outline],
        *,
        whole: bool,
    ) -> None:
        """Keep the lines of one mail of a version; `whole` tells that a patch is all there is of the series."""
        number, index, outline = version
        right = self._right(mail.author, outline)
        head = about or next(_members(outline))
        wrong: list[str] = []
        told: list[SteeringLine] = []
        for line in lines:
            meant = self._read(line)
            wrong += [f"`{asked(line)}`: {problem}" for problem in meant.wrong]
            if not meant.rules:
                continue
            told.append(line)
            if right is not None:
                self.found.append(
                    Steering(
                        mail=mail,
                        line=line,
                        right=right,
                        rules=meant.rules,
                        every=meant.every,
                        paths=meant.paths,
                        title=None if about is None or whole or about is outline.cover else scope_of(about),
                        lineage=number,
                        index=index,
                        home=outline.id,
                        about=head.message_id,
                    )
                )
        self._tell(mail, head, wrong, told if right is None else [])

    def _tell(self, mail: Mail, head: Mail, wrong: Sequence[str], refused: Sequence[SteeringLine]) -> None:
        where = f"{person(mail.author)} in <{mail.message_id}>"
        if wrong:
            self._note("steering-unknown", f"{where}: {_listed(wrong)}", head)
        if refused:
            said = _listed(f"`{asked(line)}`" for line in refused)
            why = "neither the author of the series nor a maintainer named in the configuration"
            self._note("steering-refused", f"{where} says {said}: not acted upon, {why}", head)

    def _note(self, code: str, message: str, head: Mail) -> None:
        self.notices.append(Notice(code=code, message=message, patches=(head.message_id,)))

    def _right(self, author: Address, outline: Outline) -> Right | None:
        email = author.email.casefold()
        if email and email in self._maintainers:
            return "maintainer"
        return "author" if is_same(author, outline.author) else None

    def _read(self, line: SteeringLine) -> _Meant:
        if line.wrong:
            return _Meant(frozenset(), False, (), (line.wrong,))
        ids: set[str] = set()
        every = False
        paths: list[str] = []
        wrong: list[str] = []
        for word in line.words:
            if word.lower() == ALL:
                every = True
                ids.update(rule.id for rule in self._words.rules)
            elif self._is_path(word):
                paths.append(word.removeprefix("./"))
            elif found := self._words.ids(word):
                ids.update(found)
            else:
                wrong.append(self._words.unknown(word))
        if not ids and not wrong:
            wrong.append("names no rule; write its id, such as DM302, or all")
        return _Meant(frozenset(ids), every, tuple(paths), tuple(wrong))

    def _is_path(self, word: str) -> bool:
        return word in self._files or (("/" in word or "." in word) and word.lower() not in CATEGORIES)


def is_same(one: Address, other: Address) -> bool:
    """Whether two senders are one person: the same address, under no other name.

    A list that rewrites From, and relays, send mail of many people from one address.
    """
    if not one.email or one.email.casefold() != other.email.casefold():
        return False
    return not one.name or not other.name or name_key(one.name) == name_key(other.name)


def _about(mail: Mail, members: dict[str, Mail]) -> Mail | None:
    """The patch or cover letter that a reply is below: the nearest of those it refers to, else by its subject."""
    for above in (mail.in_reply_to or "", *reversed(mail.references)):
        if above in members:
            return members[above]
    title = clean_title(mail.subject)
    return next((one for one in members.values() if clean_title(one.subject) == title), None)


def _members(outline: Outline) -> Iterator[Mail]:
    """The cover letter and the patches."""
    if outline.cover is not None:
        yield outline.cover
    yield from outline.patches


def _listed(texts: Iterable[str]) -> str:
    said = list(dict.fromkeys(texts))
    more = f"; and {len(said) - _TOLD} more" if len(said) > _TOLD else ""
    return "; ".join(said[:_TOLD]) + more
