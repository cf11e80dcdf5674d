"""What a rule would say of the patch alone and not of the whole code, and the line that makes the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reviewer.code.change import Change
from reviewer.code.rows import Rows
from reviewer.code.unit import Unit
from reviewer.findings import evidence
from reviewer.model import DiffLine, FileDiff, Hunk, Notice
from reviewer.rule import Hit, Rule

_LONGEST = 100

Hits = Callable[[Sequence[Change]], Sequence[tuple[str, Hit]]]
"""The hits of one rule on some changes of a patch, each with the path of its file."""


class Excuse(Struct, frozen=True, kw_only=True):
    """A hit on the patch alone, and the line that speaks against it; None when it is not one line."""

    path: str
    hit: Hit
    line: tuple[int, str] | None


def excuses(whole: Sequence[Change], alone: Sequence[Change], hits: Hits, said: Sequence[Hit]) -> Iterator[Excuse]:
    """The hits on `alone`, the hunks of a patch, that are none on `whole`, where all of a file is seen: `said`."""
    known = {hit.at.body_line for hit in said} | {place.body_line for hit in said for place in hit.related}
    for path, hit in hits(alone):
        if hit.at.body_line is None or hit.at.body_line in known:
            continue
        change = next((one for one in whole if one.file.path == path and one.is_whole), None)
        if change is not None:
            yield Excuse(path=path, hit=hit, line=_line(change, hits, hit))


def _line(change: Change, hits: Hits, hit: Hit) -> tuple[int, str] | None:
    """The line next to the hunk of `hit` that one must see for the hit to go."""
    new = change.units[0][1]
    index = next((at for at, hunk in enumerate(change.file.hunks) if _holds(hunk, hit)), None)
    if index is None or not isinstance(new.lines, Rows) or not new.lines.shown:
        return None
    above, below = _room(change.file, index, new)
    first = _first_row(change, index)

    def stays(up: int, down: int) -> bool:
        wider = Change(
            file=_widened(change.file, index, new, first, up, down), patch=change.patch, series=change.series
        )
        return any(evidence(one) == evidence(hit) and one.at.body_line == hit.at.body_line for _, one in hits([wider]))

    shown = change.file.hunks[index].new_count
    if not stays(above, 0):
        row = first - _least(lambda up: not stays(up, 0), above)
    elif not stays(above, below):
        row = first + shown - 1 + _least(lambda down: not stays(above, down), below)
    else:
        return None
    return row + 1, new.lines[row].text


def _holds(hunk: Hunk, hit: Hit) -> bool:
    return any(line.body_line == hit.at.body_line for line in hunk.lines)


def _first_row(change: Change, index: int) -> int:
    """The row of the post-image that the hunk begins with."""
    hunk = change.file.hunks[index]
    return hunk.new_start - 1 + change.shifts[index] + (0 if hunk.new_count else 1)


def _room(file: FileDiff, index: int, new: Unit) -> tuple[int, int]:
    """How many lines stand between the hunk and its neighbours, above and below."""
    hunk = file.hunks[index]
    end = hunk.new_start + hunk.new_count
    start = 1
    if index:
        start = file.hunks[index - 1].new_start + file.hunks[index - 1].new_count
    stop = file.hunks[index + 1].new_start if index + 1 < len(file.hunks) else len(new.lines) + 1
    return max(0, hunk.new_start - start), max(0, stop - end)


def _widened(file: FileDiff, index: int, new: Unit, first: int, up: int, down: int) -> FileDiff:
    """`file` with lines of the post-image as more context of one hunk. They stand in no mail: negative lines."""
    hunk = file.hunks[index]
    last = first + hunk.new_count
    before = [_context(new, row, hunk) for row in range(max(0, first - up), first)]
    behind = [_context(new, row, hunk) for row in range(last, min(len(new.lines), last + down))]
    wide = replace(
        hunk,
        old_start=hunk.old_start - len(before),
        new_start=hunk.new_start - len(before),
        old_count=hunk.old_count + len(before) + len(behind),
        new_count=hunk.new_count + len(before) + len(behind),
        lines=(*before, *hunk.lines, *behind),
    )
    return replace(file, hunks=(*file.hunks[:index], wide, *file.hunks[index + 1 :]))


def _context(new: Unit, row: int, hunk: Hunk) -> DiffLine:
    line = new.lines[row]
    shift = hunk.old_start - hunk.new_start
    return DiffLine(mark=" ", text=line.text, old=line.number + shift, new=line.number, body_line=-1 - row)


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The least number up to `most` for which `holds` is true, given that it is for `most`."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def excuse_notice(rule: Rule, patch: str, excuse: Excuse) -> Notice:
    """What to tell of an excuse: the finding that is not given, and the line."""
    because = "the rest of the file speaks against it"
    if excuse.line is not None:
        number, text = excuse.line
        because = f"line {number} excuses it: {text.strip()[:_LONGEST]}"
    message = f"{rule.id} {rule.name} is not said of {excuse.path}:{excuse.hit.at.line}, since {because}"
    return Notice(code="excused", message=message, rule=rule.id, patches=(patch,))
