"""Hunks applied to a pre-image in memory: the post-image, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from reviewer.diff.blob import is_named
from reviewer.diff.image import Image, without_cr
from reviewer.model import DiffLine, FileDiff, Hunk

Reason = Literal["absent", "exists", "context", "applied-already", "no-context", "binary"]
Encoding = Literal["utf-8", "latin-1"]


class Placed(Struct, frozen=True, kw_only=True):
    """Where a hunk went: how many lines below its numbers, and how many lines of context were passed over."""

    offset: int = 0
    fuzz: int = 0


class Applied(Struct, frozen=True, kw_only=True):
    """The post-image, None when the file is gone, and where each hunk went, in order."""

    data: bytes | None
    hunks: tuple[Placed, ...] = ()

    @property
    def offset(self) -> int:
        """How far the hunk that went farthest is from its numbers, in lines; negative when above."""
        return max((hunk.offset for hunk in self.hunks), key=abs, default=0)

    @property
    def fuzz(self) -> int:
        """The most lines of context that were passed over at one end of a hunk."""
        return max((hunk.fuzz for hunk in self.hunks), default=0)


class Refused(Struct, frozen=True, kw_only=True):
    """Why a file's change cannot be applied, and the first hunk that cannot, from 1; None when it is not a hunk.

    `absent`: the file is not there; `exists`: it should not be; `context`: lines differ; `applied-already`: the
    hunk's outcome is there; `no-context`: nothing tells where the hunk belongs; `binary`: the mail lacks the contents.
    """

    reason: Reason
    hunk: int | None = None


class _Manner(Struct, frozen=True, kw_only=True):
    """How the text of a mail stands for the bytes of a file. `loose`: transport has lost the CR of line ends."""

    encoding: Encoding
    loose: bool

    def line(self, text: str) -> bytes:
        data = text.encode(self.encoding, "replace") + b"\n"
        return without_cr(data) if self.loose else data


def apply_file(file: FileDiff, before: bytes | None, *, exact: bool, fuzz: int = 0) -> Applied | Refused:
    """The post-image of `file` on the pre-image `before` (None: no such file).

    With `exact`, `before` is known to be the right pre-image, and each hunk stands where its numbers say. Without, as
    `git apply` does, hunks are looked for near their numbers, those without context are refused, and up to `fuzz`
    lines of context may differ at each end (`patch -F`). Of several ways to read the mail (its charset, lost CRs) one
    whose outcome has the id `file.new_blob` is taken if there is any.
    """
    if file.status == "added":
        if before is not None:
            return Refused(reason="exists")
        before = b""
    if before is None:
        return Refused(reason="absent")
    if file.binary:
        return Refused(reason="binary")
    taken: Applied | Refused | None = None
    for manner in _manners(file.hunks, before):
        result = _apply(file.hunks, Image(before, loose=manner.loose), manner, exact=exact, fuzz=fuzz)
        if isinstance(result, Applied) and file.status == "deleted":
            result = Refused(reason="context", hunk=1) if result.data else Applied(data=None, hunks=result.hunks)
        if isinstance(result, Applied) and (file.new_blob is None or is_right(file, result.data)):
            return result
        if taken is None or (isinstance(result, Applied) and isinstance(taken, Refused)):
            taken = result
    assert taken is not None, "there is always a manner"
    return taken


def is_right(file: FileDiff, after: bytes | None) -> bool:
    """Whether `after` is the post-image that the patch was made from: it hashes to `file.new_blob`."""
    if after is None:
        return file.status == "deleted"
    return file.new_blob is not None and is_named(after, file.new_blob)


def _manners(hunks: Sequence[Hunk], before: bytes) -> Iterator[_Manner]:
    encodings: list[Encoding] = ["utf-8"]
    if any(not line.text.isascii() for hunk in hunks for line in hunk.lines):
        encodings.append("latin-1")
    for encoding in encodings:
        yield _Manner(encoding=encoding, loose=False)
    if not before or b"\r\n" in before:
        for encoding in encodings:
            yield _Manner(encoding=encoding, loose=True)


def _apply(hunks: Sequence[Hunk], image: Image, manner: _Manner, *, exact: bool, fuzz: int) -> Applied | Refused:
    out: list[bytes] = []
    placed: list[Placed] = []
    done = 0
    for number, hunk in enumerate(hunks, 1):
        found = _placed(hunk, image, manner, done) if exact else _searched(hunk, image, manner, done, fuzz)
        if isinstance(found, str):
            return Refused(reason=found, hunk=number)
        place, row, lines = found
        out += image.lines[done:row]
        done = row + _laid(lines, hunk, image, row, manner, out)
        placed.append(place)
    return Applied(data=b"".join([*out, *image.lines[done:]]), hunks=tuple(placed))


_Found = tuple[Placed, int, Sequence[DiffLine]]


def _placed(hunk: Hunk, image: Image, manner: _Manner, done: int) -> _Found | Reason:
    row = _row(hunk)
    if row < done or row > len(image.lines) or not image.holds(_side(hunk, hunk.lines, "-", manner), row):
        return "context"
    return Placed(), row, hunk.lines


def _searched(hunk: Hunk, image: Image, manner: _Manner, done: int, fuzz: int) -> _Found | Reason:
    leading, trailing = _context(hunk)
    if not leading and not trailing and hunk.old_count < len(image.lines) and (hunk.new_start or hunk.new_count):
        return "no-context"
    most = max(leading, trailing)
    for passed in range(min(fuzz, most) + 1):
        head, tail = max(0, passed + leading - most), max(0, passed + trailing - most)
        lines = hunk.lines[head : len(hunk.lines) - tail]
        wanted = _side(hunk, lines, "-", manner)
        row = _row(hunk) + head
        # As git has it: a hunk from line 1 on is for the first line, one without context behind for the last.
        ends = (hunk.old_start <= 1 and not passed, trailing == 0 and not passed)
        found = _near(image, wanted, row, done, ends)
        if found is not None:
            return Placed(offset=found - row, fuzz=passed), found, lines
    outcome = _side(hunk, hunk.lines, "+", manner)
    return "applied-already" if outcome and image.holds(outcome, hunk.new_start - 1) else "context"


def _near(image: Image, wanted: list[bytes], row: int, first: int, ends: tuple[bool, bool]) -> int | None:
    """The row of `wanted` nearest to `row`; `ends` tells whether it is the file's first lines, or its last."""
    last = len(image.lines) - len(wanted)
    if ends[0] or ends[1] or (wanted and not wanted[-1].endswith(b"\n")):
        only = 0 if ends[0] else last
        fits = only >= first and (not ends[1] or only == last) and image.holds(wanted, only)
        return only if fits else None
    if row >= first and image.holds(wanted, row):
        return row
    return image.nearest(wanted, row, first) if wanted else None


def _laid(lines: Sequence[DiffLine], hunk: Hunk, image: Image, row: int, manner: _Manner, out: list[bytes]) -> int:
    """Add the post-image's side of `lines`, laid on the image at `row`, to `out`; how many lines they replace."""
    at = row
    bare = _last(hunk, "+") if "new" in hunk.no_newline else None
    for line in lines:
        if line.mark != "+":
            if line.mark == " ":
                out.append(image.lines[at])
            at += 1
            continue
        data = manner.line(line.text)
        if line is bare:
            data = data[:-1]
        elif manner.loose and _has_cr(image.lines, at):
            data = data[:-1] + b"\r\n"
        out.append(data)
    return at - row


def _has_cr(lines: Sequence[bytes], at: int) -> bool:
    """Whether a line put before line `at` ends in CR, as the one above it does, or, at the top, the one below."""
    near = [line for line in lines[max(at - 2, 0) : max(at, 1)] if line.endswith(b"\n")]
    return not near or near[-1].endswith(b"\r\n")


def _row(hunk: Hunk) -> int:
    return hunk.old_start - 1 if hunk.old_count else hunk.old_start


def _side(hunk: Hunk, lines: Sequence[DiffLine], mark: Literal["-", "+"], manner: _Manner) -> list[bytes]:
    """The lines of the pre-image (mark -) or the post-image (mark +)."""
    shown = [line for line in lines if line.mark in (" ", mark)]
    found = [manner.line(line.text) for line in shown]
    if found and ("old" if mark == "-" else "new") in hunk.no_newline and shown[-1] is _last(hunk, mark):
        found[-1] = found[-1][:-1]
    return found


def _last(hunk: Hunk, mark: Literal["-", "+"]) -> DiffLine | None:
    """The last line of a side."""
    return next((line for line in reversed(hunk.lines) if line.mark in (" ", mark)), None)


def _context(hunk: Hunk) -> tuple[int, int]:
    """How many lines of context stand before the first changed line and behind the last."""
    changed = [at for at, line in enumerate(hunk.lines) if line.mark != " "]
    if not changed:
        return len(hunk.lines), 0
    return changed[0], len(hunk.lines) - 1 - changed[-1]
