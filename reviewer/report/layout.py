"""Lines that fit: text wrapped at spaces, code cut where nobody reads on."""

from __future__ import annotations

import re
from collections.abc import Sequence

LEFT_OUT = "[ ... ]"
LONGEST_TITLE = 200


def wrapped(text: str, *, width: int, indent: int = 0, hang: int = 0) -> str:
    """`text` broken at white space into lines of at most `width` columns; a longer word gets a line of its own.

    Lines start with `indent` spaces, those behind the first with `hang` more.
    """
    lines: list[str] = []
    words: list[str] = []
    used = indent
    for word in text.split():
        if words and used + len(words) + len(word) > width:
            lines.append(" " * (indent + (hang if lines else 0)) + " ".join(words))
            words, used = [], indent + hang
        words.append(word)
        used += len(word)
    lines.append(" " * (indent + (hang if lines else 0)) + " ".join(words))
    return "\n".join(line.rstrip() for line in lines)


def code_line(line: str, *, width: int) -> str:
    """A line of a diff for a terminal: tabs as in the source, whatever its mark; cut at twice the width."""
    mark, body = line[:1], line[1 : 4 * width + 1]
    shown = (mark + body.expandtabs(8)).rstrip()
    return shown if len(shown) <= 2 * width and len(line) <= 4 * width else f"{shown[: 2 * width]} {LEFT_OUT}"


def spare_indent(lines: Sequence[str], *, width: int) -> int:
    """How many columns behind the mark of each line may go: none when the lines fit, else those blank in all of them.

    A line that stands alone needs no indent either.
    """
    full = [line[1:] for line in lines if line[1:].strip()]
    if not full or (len(full) > 1 and all(len(line) < width for line in full)):
        return 0
    return min(len(line) - len(line.lstrip(" ")) for line in full)


def shortened(text: str, limit: int = LONGEST_TITLE) -> str:
    """`text` cut to `limit` characters, with a mark when it was longer."""
    return text if len(text) <= limit else f"{text[:limit]} {LEFT_OUT}"


def ranges(numbers: tuple[int, ...]) -> str:
    """Numbers as people write them: (1, 2, 3, 5) is `1-3, 5`; two neighbours stay apart by a comma."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(shown)


def adds(reason: str, message: str) -> bool:
    """Whether a reason tells what the message does not: half of its longer words are not in the message."""
    known = set(_long_words(message))
    words = _long_words(reason)
    return bool(words) and sum(word not in known for word in words) * 2 >= len(words)


def _long_words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 4]
