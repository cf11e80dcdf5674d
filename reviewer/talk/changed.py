"""Whether what a comment is about was changed in a later version: the lines, and the paragraph of the message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.model import Cover, Evidence, MessageText, Patch, Series, TextLine
from reviewer.talk.comments import Remark
from reviewer.talk.document import key_of
from reviewer.talk.following import Difference, Reach, Spot, follow
from reviewer.talk.later import Later
from reviewer.talk.versions import Versions

COMES_BACK = "comes back unchanged in"
"""The words of evidence that the author left something as it was."""
_DEPTH = 3
_REACH = 2
_SHOWN = 60
_BLANK = re.compile(r"\b(?:blank|empty|new) ?lines?\b|\b(?:white ?)?spac(?:e|ing)|\bstyle", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:belongs?|move|moved|header|file|elsewhere|somewhere)\b", re.IGNORECASE)


def subject_of(remark: Remark, series: Series) -> Patch | Cover | None:
    """The patch or cover letter of `series` that a remark is about; what replaced it when it was sent again."""
    number, message_id = remark.document.number, remark.document.mail.message_id
    if number == 0 and not series.patches:
        return series.cover
    there = [patch for patch in series.patches if patch.number == number]
    same = [patch for patch in series.patches if patch.mail.message_id == message_id and patch.number == number]
    return next(iter(same or there), series.cover if number == 0 else None)


def code_changes(remark: Remark, patch: Patch, index: int, later: Later) -> Iterator[tuple[bool, Evidence]]:
    """What later versions made of the lines that are commented on, each with whether it is a change."""
    spot = _spot(remark, patch, index, later.versions)
    if spot is None:
        return
    series = later.versions.series
    path = spot.file.path
    reach = Reach(lines=_REACH, blanks=_BLANK.search(remark.comment.text) is not None)
    for step in follow(spot, later.versions, reach):
        if isinstance(step, Difference):
            yield True, _difference(step, series)
            return
        if step.file.path != path and _PLACE.search(remark.comment.text):
            yield True, _unchanged(step, later.versions, f"is in {step.file.path}, no longer in {path}, in")
            return
        if step.version == index + 1:
            yield False, _unchanged(step, later.versions, COMES_BACK)


def _spot(remark: Remark, patch: Patch, index: int, versions: Versions) -> Spot | None:
    """The last lines that the comment quotes: three at most, of one file."""
    location = remark.comment.location
    file = next((file for file in patch.files if file.path == location.file), None)
    if file is None or location.body_line is None or remark.first is None:
        return None
    sheet = versions.sheet(file)
    if not sheet.lines:
        return None
    last = min(sheet.at(location.body_line), len(sheet.lines) - 1)
    first = min(sheet.at(remark.document.lines[remark.first].body_line), last)
    return Spot(version=index, patch=patch, file=file, first=max(last - _DEPTH + 1, first), last=last)


def _difference(step: Difference, series: Sequence[Series]) -> Evidence:
    outline = series[step.version].outline
    before, after = shown(step.before), shown(step.after)
    if step.patch is None:
        return Evidence(message_id=outline.id, line=None, why=f"v{outline.version} no longer has {before}")
    if not step.before:
        why = f"v{outline.version} adds {after} there"
    elif step.after == step.before:
        why = f"v{outline.version} moves {before}"
    elif not step.after:
        why = f"v{outline.version} no longer has {before}"
    else:
        why = f"v{outline.version} has {after} in place of {before}"
    return Evidence(message_id=step.patch.mail.message_id, line=step.body_line, why=why)


def _unchanged(spot: Spot, versions: Versions, what: str) -> Evidence:
    outline = versions.series[spot.version].outline
    lines = versions.sheet(spot.file).lines[spot.first : spot.last + 1]
    line = next((line for line in reversed(lines) if any(map(str.isalnum, line.text))), lines[-1])
    why = f"{shown(line.text.strip())} {what} v{outline.version}"
    return Evidence(message_id=spot.patch.mail.message_id, line=line.body_line, why=why)


def shown(text: str) -> str:
    """A line for evidence: in quotes, cut when it is long."""
    return f"`{text[:_SHOWN]}...`" if len(text) > _SHOWN else f"`{text}`"


def text_changes(remark: Remark, subject: Patch | Cover, index: int, later: Later) -> Iterator[tuple[bool, Evidence]]:
    """What the next version made of the paragraph that is commented on, with whether it is a change.

    A paragraph wrapped anew is the same. Of a trailer it counts only that it is gone. What stands below `---` is no
    part of the message.
    """
    location = remark.comment.location
    after = None if location.kind == "code" or location.body_line is None else later.next_of(subject, index)
    if after is None:
        return
    paragraph, is_trailer = _paragraph(location.body_line, subject.text)
    if not paragraph:
        return
    newer, now = after
    version = later.versions.series[newer].outline.version
    joined = later.joined(now.text)
    gone = [line for line in paragraph if key_of(line.text) not in joined]
    if "".join(key_of(line.text) for line in paragraph) in joined:
        if is_trailer:
            return  # whoever speaks below the trailers speaks of the whole
        why = f"the paragraph {COMES_BACK} v{version}"
        yield False, Evidence(message_id=now.mail.message_id, line=None, why=why)
    else:
        lost = shown((gone or paragraph)[0].text.strip())
        why = f"v{version} rewords the paragraph of {lost}"
        yield True, Evidence(message_id=now.mail.message_id, line=_near(gone or paragraph, now.text), why=why)


def _paragraph(body_line: int | None, text: MessageText) -> tuple[list[TextLine], bool]:
    """The lines of the paragraph around a line of the message; of a trailer that line alone, and True."""
    trailers = {trailer.body_line for trailer in text.trailers}
    if body_line in trailers:
        return [line for line in text.message if line.body_line == body_line], True
    found: list[TextLine] = []
    inside = False
    for line in text.message:
        if line.text.strip() and line.body_line not in trailers:
            found.append(line)
            inside = inside or line.body_line == body_line
        elif inside:
            break
        else:
            found = []
    return (found if inside else []), False


def _near(lost: Sequence[TextLine], text: MessageText) -> int | None:
    """The line of the new message that shares most words with what is lost."""
    words = {word for line in lost for word in line.text.split()}
    best = max(text.message, key=lambda line: len(words.intersection(line.text.split())), default=None)
    return best.body_line if best and words.intersection(best.text.split()) else None
