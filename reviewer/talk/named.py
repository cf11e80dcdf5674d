"""Whether a later version names a comment: in its changelog, or by the identifiers and tags that were asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from reviewer.model import Cover, Evidence, Patch
from reviewer.talk.changed import shown
from reviewer.talk.changelog import Entry
from reviewer.talk.comments import Remark
from reviewer.talk.kinds import without_tags
from reviewer.talk.later import Later
from reviewer.talk.words import names_in, names_person, stems_in, tokens_in

_GOING = re.compile(r"\b(?:drop|remov|squash|merg|fold|split|appli|upstream|separate|postpon)", re.IGNORECASE)
_TAGS = re.compile(
    r"\b(Fixes|Cc|Reported-by|Closes|Suggested-by|Co-developed-by|Reviewed-by|Acked-by|Tested-by)\b", re.IGNORECASE
)


def credited(remarks: Sequence[Remark], index: int, later: Later) -> Mapping[str, tuple[Evidence, ...]]:
    """For the ids of one reviewer's remarks on a version: the entries of the next changelog that name the reviewer.

    An entry goes to the remarks that share a word with it. Those that share none go to the remarks that none was for,
    when there are as many of them.
    """
    found: dict[str, list[Evidence]] = {remark.comment.id: [] for remark in remarks}
    bare: list[Evidence] = []
    for entry in later.entries(index + 1) if index + 1 < len(later.versions.series) else ():
        if names_person(entry.text, remarks[0].comment.author):
            evidence = _evidence(entry, "names the reviewer")
            about = [remark for remark in remarks if _shared(entry, remark)]
            for remark in about:
                found[remark.comment.id].append(evidence)
            if not about:
                bare.append(evidence)
    left = [remark.comment.id for remark in remarks if not found[remark.comment.id]]
    if bare and len(left) <= len(bare):
        for one in left:
            found[one] += bare
    return {one: tuple(evidence) for one, evidence in found.items()}


def logged(remark: Remark, index: int, later: Later) -> Iterator[Evidence]:
    """Entries of the first changelog to share an identifier with the comment's words, or most of its own words."""
    names = names_in(remark.comment.text)
    words = stems_in(without_tags(remark.comment.text))
    for newer in range(index + 1, len(later.versions.series)):
        found = [entry for entry in later.entries(newer) if _speaks(entry, names, words)]
        if found:
            yield from (_evidence(entry, "speaks of it") for entry in found)
            return


def _speaks(entry: Entry, names: frozenset[str], words: frozenset[str]) -> bool:
    if entry.text.endswith(":"):
        return False  # the entries below it tell what was done
    common = entry.stems & words
    return bool(names & entry.names) or (len(common) >= 2 and 2 * len(common) > len(entry.stems))


def reasons(patch: Patch, index: int, later: Later) -> Iterator[Evidence]:
    """Entries in the changelog of the version with that index that say why a patch is no longer in it."""
    title = patch.mail.subject.title
    for entry in later.entries(index):
        common = entry.stems & stems_in(title)
        named = title.partition(":")[0].lower() in entry.text.lower()
        if _GOING.search(entry.text) and (named or len(common) > 1):
            yield _evidence(entry, "says why")


def _shared(entry: Entry, remark: Remark) -> bool:
    text, location = remark.comment.text, remark.comment.location
    code = tokens_in(location.text) if location.kind == "code" else stems_in(location.text)
    return bool(
        entry.stems & stems_in(text)
        or entry.names & names_in(text)
        or code & (tokens_in(entry.text) if location.kind == "code" else entry.stems)
    )


def _evidence(entry: Entry, verb: str) -> Evidence:
    why = f"changelog of v{entry.version} {verb}: {shown(entry.text)}"
    return Evidence(message_id=entry.message_id, line=entry.body_line, why=why)


def asked_for(remark: Remark, subject: Patch | Cover, index: int, later: Later) -> Iterator[Evidence]:
    """Identifiers and tags in the comment's words that the next version has and this one had not, or the reverse."""
    after = later.next_of(subject, index)
    if after is None or not isinstance(subject, Patch) or not isinstance(after[1], Patch):
        return
    now = after[1]
    version = f"v{later.versions.series[after[0]].outline.version}"
    before, behind = later.names(subject), later.names(now)
    for name in sorted(names_in(remark.comment.text)):
        if name in behind and name not in before and name not in remark.document.joined:
            why = f"{version} has `{name}`, which the comment names"
            yield Evidence(message_id=now.mail.message_id, line=behind[name].body_line, why=why)
        elif name in before and name not in behind:
            why = f"{version} no longer has `{name}`, which the comment names"
            yield Evidence(message_id=now.mail.message_id, line=None, why=why)
    asked = {match[1].lower() for match in _TAGS.finditer(without_tags(remark.comment.text))}
    old = {(trailer.name.lower(), trailer.value) for trailer in subject.text.trailers}
    for trailer in now.text.trailers:
        if trailer.name.lower() in asked and (trailer.name.lower(), trailer.value) not in old:
            why = f"{version} adds {shown(f'{trailer.name}: {trailer.value}')}"
            yield Evidence(message_id=now.mail.message_id, line=trailer.body_line, why=why)
