"""Lines by which people steer the reviewer: `reviewer: ignore DM302 net/frob.c -- reason` (FORMATS.md)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from reviewer.mail.body import part_lines
from reviewer.mail.quotes import blocks
from reviewer.mail.span import diff_span
from reviewer.model import MessageText, TextLine, TextPart

VERBS = ("ignore", "expect")
"""What a line may ask for; both mean the same, the second is what authors write below `---`."""
MOST_LINES = 50
"""Lines of one mail that are read."""
_MOST_WORDS = 30
_LONGEST = 1000
_INDENT = 3
_MARK = "eviewer:"
_DASHES = ("--", "—", "–")


class SteeringLine(Struct, frozen=True, kw_only=True):
    """A line as it stands: what it asks for, of which words (rules, categories, paths, `all`), and the reason given.

    `text` is what stands behind `reviewer:`. `wrong` says why the line cannot be followed, and is empty otherwise.
    """

    text: str
    words: tuple[str, ...]
    reason: str
    body_line: int
    wrong: str = ""


def reply_steering(parts: Sequence[TextPart]) -> tuple[SteeringLine, ...]:
    """The steering lines of a reply, in order: of its first text part, what the author says above any diff.

    What is quoted, with or without marks, in a signature, indented like code or fenced by ``` does not count.
    """
    lines = part_lines(parts[0]) if parts else ()
    if not any(_MARK in line.text for line in lines):
        return ()
    span = diff_span([line.text for line in lines])
    own = (
        line for block in blocks(lines[: span.start] if span else lines) if block.kind == "own" for line in block.lines
    )
    return _capped(_steering(own))


def patch_steering(text: MessageText) -> tuple[SteeringLine, ...]:
    """The steering lines of a patch below its `---`, or of a cover letter, in order.

    One above the `---` of a patch, where it would become history, is given with what is wrong with it.
    """
    if not text.diff:
        return _capped(_steering((*text.message, *text.notes)))
    above = (_misplaced(line) for line in _steering(text.message))
    return _capped(line for some in (above, _steering(text.notes)) for line in some)


def _capped(lines: Iterator[SteeringLine]) -> tuple[SteeringLine, ...]:
    found = tuple(islice(lines, MOST_LINES))
    more = next(lines, None)
    if more is None:
        return found
    wrong = f"more than {MOST_LINES} such lines in one mail; this one and those behind it are not read"
    return (*found, SteeringLine(text=more.text, words=(), reason="", body_line=more.body_line, wrong=wrong))


def _misplaced(line: SteeringLine) -> SteeringLine:
    wrong = line.wrong or "stands above the --- of the patch; put it below"
    return SteeringLine(text=line.text, words=(), reason="", body_line=line.body_line, wrong=wrong)


def _steering(lines: Iterable[TextLine]) -> Iterator[SteeringLine]:
    fenced = False
    for line in lines:
        if line.text.startswith("```"):
            fenced = not fenced
        elif not fenced and _MARK in line.text[: _INDENT + 10]:
            found = _read(line)
            if found is not None:
                yield found


def _read(line: TextLine) -> SteeringLine | None:
    """What a line asks for; None for one that is for people, such as `Reviewer: Ada Example`."""
    text = line.text[:_LONGEST]
    said = text.lstrip(" ")
    if len(text) - len(said) > _INDENT or said[:9] not in ("reviewer:", "Reviewer:"):
        return None
    said = " ".join(said[9:].split())
    head, reason = _split(said)
    verb, *words = head.replace(",", " ").split() or [""]
    verb = verb.lower()
    wrong = ""
    if verb not in VERBS:
        if not _is_meant(verb, words):
            return None
        wrong = f"{verb[:40]} is not understood; write ignore or expect"
    elif not words:
        wrong = "names no rule; write its id, such as DM302, or all"
    elif len(words) > _MOST_WORDS or len(line.text) > _LONGEST:
        wrong = "is too long; write several lines"
    return SteeringLine(
        text=said,
        words=() if wrong else tuple(word.rstrip(".;:") for word in words),
        reason=reason,
        body_line=line.body_line,
        wrong=wrong,
    )


def _split(said: str) -> tuple[str, str]:
    """What stands before and behind the first dashes that are a word of their own."""
    words = said.split(" ")
    at = next((at for at, word in enumerate(words) if word in _DASHES), len(words))
    return " ".join(words[:at]), " ".join(words[at + 1 :])


def _is_meant(verb: str, words: Sequence[str]) -> bool:
    """Whether a line that asks for something unknown is meant for the reviewer: nearly a verb, or rules are named."""
    if difflib.get_close_matches(verb[:20].rstrip(":"), VERBS, n=1, cutoff=0.7):
        return True
    return any(word[:2].isupper() and word[-2:].isdigit() and word.isalnum() for word in words[:_MOST_WORDS])
