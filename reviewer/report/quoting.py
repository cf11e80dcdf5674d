"""What a reply quotes: the lines at issue byte for byte, and where lines are left out."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from reviewer.model import Finding, Location
from reviewer.report.escape import is_plain
from reviewer.report.layout import adds
from reviewer.report.source import Source

CONTEXT = 3
"""Lines quoted above the line at issue."""
STATEMENT = 3
"""How many lines the statement may go on below it."""
BRIDGE = 2
"""A gap of so few lines is quoted rather than marked."""
FILE_HEADER = 8
LONGEST = 400
"""Characters of a line that is still quoted."""


class Remark(Struct, frozen=True, kw_only=True):
    """One thing to say: the lines quoted above it (None where some are left out), the message, and the reason.

    `place` names the code where it is not in the mail, and is empty where it is. `again` tells that the mail says the
    same further up.
    """

    quote: tuple[str | None, ...]
    place: str
    message: str
    why: str
    again: bool


def ordered(findings: list[Finding]) -> list[Finding]:
    """Findings in the order of the lines that they stand on; those on the mail as a whole come first."""
    return sorted(findings, key=lambda one: (one.location.part, one.location.body_line or 0))


def remarks(findings: list[Finding], source: Source, told: set[str]) -> Iterator[Remark]:
    """What to say of one mail, from its first line to its last, each line quoted at most once.

    `told` are the messages and the rules whose reason the same mail gives further up; those given here are added.
    """
    known = ordered(findings)
    done: tuple[int, int] = (0, 0)
    for index, finding in enumerate(known):
        after = known[index + 1].location if index + 1 < len(known) else None
        quote: list[str | None] = []
        location = finding.location
        if location.body_line is not None:
            if location.part != done[0]:
                done = (location.part, 0)
            numbers = _wanted(location, after, source, done[1])
            quote = list(_quoted(numbers, source, location.part, done[1]))
            done = (location.part, max((done[1], *numbers)))
        why = finding.why if finding.rule not in told and adds(finding.why, finding.message) else ""
        yield Remark(
            quote=tuple(quote), place=_place(location), message=finding.message, why=why, again=finding.message in told
        )
        told.update((finding.rule, finding.message))


def _place(location: Location) -> str:
    if location.body_line is not None or location.file is None or location.line is None:
        return ""
    inside = f", {location.function}()" if location.function else ""
    return f"{location.file}:{location.line}{inside}"


def _wanted(location: Location, after: Location | None, source: Source, done: int) -> list[int]:
    """The numbers of the lines to quote for a location, none of them up to `done`."""
    number = location.body_line or 0
    first, last = source.bounds(location)
    if after is not None and after.part == location.part and after.body_line is not None and after.body_line > number:
        last = min(last, after.body_line - 1)
    end = _statement_end(location, min(last, number + STATEMENT), source) if location.kind == "code" else number
    start = max(first, number - CONTEXT)
    while start < number and not (source.line(location.part, start) or "").strip("+- \t"):
        start += 1
    numbers = {*_headers(location, source), *range(start, end + 1)}
    return _bridged(sorted(one for one in numbers if one > done), done) if number > done else []


def _headers(location: Location, source: Source) -> Iterator[int]:
    """The lines that name the file and the hunk."""
    place = source.place(location)
    if place is None:
        return
    start = place.file.body_line
    stop = place.file.hunks[0].body_line if place.file.hunks else start + 1
    yield from range(start, stop if stop - start <= FILE_HEADER else start + 1)
    if place.hunk is not None:
        yield place.hunk.body_line


def _statement_end(location: Location, last: int, source: Source) -> int:
    """The line on which the statement at a location ends; the location's own when that is not soon."""
    number = location.body_line or 0
    for at in range(number, last + 1):
        text = (source.line(location.part, at) or "")[1:].split("/*")[0].rstrip()
        if text.endswith((";", "{", "}", ":")) or not text:
            return at
    return number


def _bridged(numbers: list[int], done: int) -> list[int]:
    """The numbers with small gaps closed, the one to what was quoted before too."""
    closed: list[int] = []
    previous = done
    for number in numbers:
        if previous and 1 < number - previous <= BRIDGE + 1:
            closed += range(previous + 1, number)
        closed.append(number)
        previous = number
    return closed


def _quoted(numbers: list[int], source: Source, part: int, done: int) -> Iterator[str | None]:
    """The lines, None for a gap and for what cannot be quoted as it stands: control characters, endless lines."""
    gap = False
    previous = done
    for number in numbers:
        line = source.line(part, number)
        if number == done + 1 and line is not None and not line.strip("+- \t"):
            done = previous = number
            continue
        if line is None or len(line) > LONGEST or not is_plain(line):
            gap = True
            continue
        if gap or number - previous > 1:
            yield None
        gap = False
        previous = number
        yield line
    if gap:
        yield None
