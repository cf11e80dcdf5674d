"""What the changelog says against what really changed: only where they disagree for sure.

An entry may mean a line that it does not name, and a name may be in a changelog for many reasons; so all is silent
that is not plain: versions with holes, patches that came or went, entries in general words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reviewer.compare.values import Claim, PatchChange
from reviewer.model import Patch, Series
from reviewer.series.rangediff import RangeLine, diff_text
from reviewer.talk.changelog import Entry
from reviewer.talk.words import names_in, stems_in, tokens_in

_UNCHANGED = re.compile(
    r"(?:(?:there are |with )?no (?:(?:functional|code|other) )?changes?(?: in this patch)?|unchanged|none)[.!]?",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:rebas|address|comments?\b|feedback|review|nits?\b|style|clean|checkpatch|typo|whitespace|indent|format|refactor"
    r"|rework|simplif|rewrit|various|misc|all patches|everywhere|througho|minor|fix(?:es|ed)? (?:build|warning|bot)"
    r"|sparse|smatch|compil|build|warning|order|declar|christmas|patch(?:es)? #?\d|split|squash|merge|fold|comment"
    r"|renam|spell|word)",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:remov|drop|renam|add|use|replac|chang|convert|switch|fix|move|keep|restor|mak|introduc|check)", re.IGNORECASE
)
_MOST_WORDS = 4


def claims_of(old: Series, new: Series, patches: Sequence[PatchChange], entries: Sequence[Entry]) -> tuple[Claim, ...]:
    """The disagreements of the newer version's changelog, `entries`, with the changes of `patches`."""
    if old.outline.missing or new.outline.missing:
        return ()
    return (*_said_unchanged(patches, entries), *_without_change(patches, entries), *_unclaimed(patches, entries))


def _said_unchanged(patches: Sequence[PatchChange], entries: Sequence[Entry]) -> Iterator[Claim]:
    own: dict[str, list[Entry]] = {}
    for entry in entries:
        own.setdefault(entry.message_id, []).append(entry)
    for change in patches:
        said = own.get(change.new.mail.message_id, []) if change.new else []
        plain = len(said) == 1 and _UNCHANGED.fullmatch(said[0].text.strip())
        if plain and change.fate == "changed" and _stands_as_before(change):
            yield Claim(fate="not-unchanged", entry=said[0], patch=change.new)


def _stands_as_before(change: PatchChange) -> bool:
    """Whether the code that the patch is laid on is the same, so that the difference is not one of rebasing."""
    return all(line.outer == " " or line.text.startswith(("+", "@@")) for line in change.code)


def _without_change(patches: Sequence[PatchChange], entries: Sequence[Entry]) -> Iterator[Claim]:
    """Entries that say that something was done, all of whose names stand only in code that is as it was."""
    whole = [change for change in patches if change.old and change.new]
    if len(whole) != len(patches):
        return
    still, touched = _names(whole)
    for entry in entries:
        if entry.names and _DOING.search(entry.text) and entry.names <= still and not entry.names & touched:
            yield Claim(fate="no-change", entry=entry, patch=None, names=tuple(sorted(entry.names)))


def _names(changes: Iterable[PatchChange]) -> tuple[frozenset[str], frozenset[str]]:
    """The names in lines that patches add or remove, and those in anything that is near to a difference.

    Near is the whole hunk; a difference in a message touches all its names.
    """
    still: set[str] = set()
    touched: set[str] = set()
    for change in changes:
        for patch in filter(None, (change.old, change.new)):
            still |= {name for line in diff_text(patch.files) if line[:1] in ("+", "-") for name in names_in(line[1:])}
        for hunk in _hunks(change.code):
            if any(line.outer != " " for line in hunk):
                touched |= {name for line in hunk for name in names_in(line.text)}
        touched |= {name for line in change.message if line.outer != " " for name in names_in(line.text)}
    return frozenset(still), frozenset(touched)


def _hunks(code: Sequence[RangeLine]) -> Iterator[list[RangeLine]]:
    hunk: list[RangeLine] = []
    for line in code:
        if line.text.startswith("@@") and hunk:
            yield hunk
            hunk = []
        hunk.append(line)
    if hunk:
        yield hunk


def _unclaimed(patches: Sequence[PatchChange], entries: Sequence[Entry]) -> Iterator[Claim]:
    """Patches whose lines changed, with no entry of their own and none that shares a word with patch or change."""
    if not entries or any(_is_general(entry) for entry in entries):
        return
    spoken = {entry.message_id for entry in entries if entry.number}
    for change in patches:
        new = change.new
        if change.fate != "changed" or new is None or new.mail.message_id in spoken:
            continue
        known = _vocabulary(change, new)
        if not any(known & _words(entry.text) for entry in entries):
            yield Claim(fate="unclaimed", entry=None, patch=new)


def _is_general(entry: Entry) -> bool:
    return _GENERAL.search(entry.text) is not None or len(entry.text.split()) < _MOST_WORDS


def _words(text: str) -> frozenset[str]:
    """All that may tell what a text is about: names, their parts, and the beginnings of words."""
    parts = {part for token in tokens_in(text) for part in token.lower().split("_")}
    return frozenset({word[:5] for word in parts if len(word) > 2} | {stem.lower() for stem in stems_in(text)})


def _vocabulary(change: PatchChange, new: Patch) -> frozenset[str]:
    lines = [line.text for hunk in _hunks(change.code) if any(line.outer != " " for line in hunk) for line in hunk]
    message = [line.text for line in change.message]
    paths = [file.path.replace("/", " ").replace(".", " ") for file in new.files]
    return frozenset[str]().union(*map(_words, (*lines, *message, *paths, new.mail.subject.title)))
