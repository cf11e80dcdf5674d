"""What makes text from a mail inert in the medium it is shown in."""

from __future__ import annotations

import re

HIDDEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff"
)
"""The characters, as ranges of a regular expression, that are never shown as they are."""
_INVISIBLE = re.compile(f"[{HIDDEN}]")
_INVISIBLE_BUT_TAB = re.compile(f"(?!\t)[{HIDDEN}]")
_NAMES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKS = re.compile(r"[\\`*_\[\]#|~&<>]|:(?=//)|www\.|^(?:[=+-]|\d+[.)])", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_REFERENCE = re.compile(r"([@#!$%~^]|&amp;|GH-)(?=[\w\"']|\\_)", re.IGNORECASE)


def visible(text: str) -> str:
    r"""`text` with control characters, those that turn the direction of text and hidden ones as `\x1b`, `\u202e`.

    The result is one line: newlines, carriage returns and tabs are written as escapes too.
    """
    return _INVISIBLE.sub(lambda match: _NAMES.get(match[0]) or _code(match[0]), text)


def visible_code(text: str) -> str:
    """As `visible`, for a line of code: tabs stay."""
    return _INVISIBLE_BUT_TAB.sub(lambda match: _NAMES.get(match[0]) or _code(match[0]), text)


def is_plain(line: str) -> bool:
    """Whether a line can be shown as it is: nothing in it but tabs that `visible` would change."""
    return _INVISIBLE_BUT_TAB.search(line) is None


def _code(char: str) -> str:
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def markdown(text: str) -> str:
    """`text` as one line of Markdown that shows it and does nothing else: no markup, HTML, links, or mentions.

    A zero-width space behind the signs of mentions and references (`@`, `#`, `!`, ...) keeps forges, which look for
    them after rendering, from calling people and linking issues.
    """
    escaped = _MARKS.sub(lambda match: _ENTITIES.get(match[0]) or _backslashed(match[0]), visible(text))
    return _REFERENCE.sub("\\1\u200b", escaped)


def _backslashed(mark: str) -> str:
    return f"{mark[:-1]}\\{mark[-1]}"


def markdown_prose(text: str) -> str:
    """As `markdown`, for a sentence of ours: what stands between two single backticks becomes a code span."""
    parts = _QUOTED.split(text)
    return "".join(markdown_code(part) if index % 2 else markdown(part) for index, part in enumerate(parts))


def markdown_code(text: str) -> str:
    """`text` as a code span, its fence longer than any in the text."""
    shown = visible(text).strip() or " "
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def markdown_fence(lines: tuple[str, ...]) -> str:
    """Lines as a fenced block, its fence longer than any in the lines."""
    shown = "\n".join(visible_code(line) for line in lines)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}\n{shown}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
