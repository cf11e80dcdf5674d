"""Where a diff, a signature and a list's footer stand among the lines of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_HEADERS = (
    "diff --git ", "index ", "--- ", "+++ ", "old mode ", "new mode ", "new file mode ", "deleted file mode ",
    "similarity index ", "dissimilarity index ", "rename ", "copy ", "Binary files ", "GIT binary patch", "Index: ",
    "=====", "diff -", "\\ No newline",
)  # fmt: skip
_BINARY = re.compile(r"(?:literal|delta) \d+|[A-Za-z][!-~]+")
_OPENING = ("d", "-", "I")
_ENDING = ("-", "_", "I", "T")
_DISCLAIMERS = (
    "IMPORTANT NOTICE: The contents of this email",
    "This email and any attachments are confidential",
    "This email and any files transmitted with it are confidential",
    "This message and any attachments are confidential",
    "-----BEGIN PGP SIGNATURE-----",
)


class DiffSpan(Struct, frozen=True, kw_only=True):
    """The lines (from 0, end excluded) that a diff takes. `whole` tells whether its hunks hold what they count."""

    start: int
    end: int
    whole: bool


def starts_diff(lines: Sequence[str], at: int) -> bool:
    """Tell whether a diff starts at `lines[at]`: git's, svn's or a plain one. A quoted diff does not."""
    line = lines[at]
    if line.startswith("diff --git "):
        return True
    if line.startswith("--- "):
        below = lines[at + 1 : at + 3]
        return len(below) == 2 and below[0].startswith("+++ ") and below[1].startswith("@@ -")
    if line.startswith(("Index: ", "diff -")):
        return any(starts_diff(lines, at + more) for more in (1, 2) if _plain(lines, at + more))
    return False


def _plain(lines: Sequence[str], at: int) -> bool:
    return at < len(lines) and lines[at].startswith("--- ")


def diff_span(lines: Sequence[str], start: int = 0) -> DiffSpan | None:
    """The first diff at or behind `start`, all its files together, up to the signature or footer; None without one.

    A line `-- ` inside a hunk is a removed line: hunks are counted by their headers. Text between two diffs is
    inside, text behind the last one outside.
    """
    first = next((at for at in range(start, len(lines)) if lines[at][:1] in _OPENING and starts_diff(lines, at)), None)
    if first is None:
        return None
    walk = _Walk()
    end = first
    for at in range(first, len(lines)):
        line = lines[at]
        if not walk.inside and (is_signature(lines, at) or is_footer(lines, at)):
            break
        if walk.takes(line, follows=at == end):
            end = at + 1
    return DiffSpan(start=first, end=end, whole=walk.whole and not walk.inside)


class _Walk:
    """Counts hunk lines down, and tells which lines belong to a diff."""

    def __init__(self) -> None:
        self._old = self._new = 0
        self._binary = False
        self.whole = True

    @property
    def inside(self) -> bool:
        return self._old > 0 or self._new > 0

    def takes(self, line: str, *, follows: bool) -> bool:
        if self.inside:
            if self._counted(line):
                return True
            self._old = self._new = 0
            self.whole = False
        if match := _HUNK.match(line):
            self._old, self._new = int(match[1] or 1), int(match[2] or 1)
            return True
        if line.startswith(_HEADERS):
            self._binary = line.startswith("GIT binary") or (self._binary and not line.startswith("diff "))
            return True
        if self._binary:
            return _BINARY.fullmatch(line) is not None
        return line[:1] in ("+", "-", " ") and line.rstrip() != "---" and (follows or not self.whole)

    def _counted(self, line: str) -> bool:
        mark = line[:1]
        if mark == "\\":
            return True
        if line.startswith("diff --git ") or mark not in ("", " ", "\t", "+", "-", "\r"):
            return False
        self._old -= mark != "+"
        self._new -= mark != "-"
        return True


def is_signature(lines: Sequence[str], at: int) -> bool:
    """Tell whether a signature starts at `lines[at]`: `-- `, or `--` where a mailer cut the space, near the end."""
    line = lines[at]
    if not line.startswith("--") or line.strip("\r\t ") != "--":
        return False
    return line.rstrip("\r") == "-- " or len(lines) - at <= 15


def is_footer(lines: Sequence[str], at: int) -> bool:
    """Tell whether a list's footer, a disclaimer or a PGP signature starts at `lines[at]`."""
    line = lines[at]
    if line.startswith(_DISCLAIMERS):
        return True
    if not line.startswith("____________________") or line.strip("_\r\t "):
        return False
    below = " ".join(below[:200].lower() for below in lines[at + 1 : at + 5])
    return "mailing list" in below or "unsubscribe" in below or "http" in below


def text_end(lines: Sequence[str], start: int, end: int) -> int:
    """Where the text in `lines[start:end]` ends: at its signature, footer, or last line that is not blank."""
    window = lines[:end]
    for at in range(start, end):
        if window[at][:1] in _ENDING and (is_signature(window, at) or is_footer(window, at)):
            end = at
            break
    return trimmed(lines, start, end)


def trimmed(lines: Sequence[str], start: int, end: int) -> int:
    """The end of `lines[start:end]` without the blank lines at its end."""
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end
