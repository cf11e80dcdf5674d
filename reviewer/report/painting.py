"""Styles by name: what the text forms print is laid out once, and a terminal only adds colour to it."""

from __future__ import annotations

from collections.abc import Callable

from reviewer.report.escape import visible_code

Paint = Callable[[str, str], str]
"""A text without line breaks and the name of a style in, the text in that style out."""

STYLES = {
    "title": "bold",
    "head": "bold cyan",
    "label": "bold",
    "place": "magenta",
    "bad": "bold red",
    "good": "bold green",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "added": "green",
    "removed": "red",
    "at-issue": "bold",
    "at-issue-added": "bold green",
    "at-issue-removed": "bold red",
}
"""The names that templates may give, in the words of rich."""


def plain(text: str, style: str) -> str:
    """`text` as it is; a style that does not exist is as wrong here as it is on a terminal (KeyError)."""
    STYLES[style]
    return text


def painted(text: str, paint: Paint, style: str, upto: str = "") -> str:
    """Lines of text in a style, white space at their start left out; with `upto` only as far as its first place."""
    if not style:
        return text
    end = text.find(upto) + len(upto) if upto else len(text)
    return "\n".join(_line(line, paint, style) for line in text[:end].split("\n")) + text[end:]


def _line(line: str, paint: Paint, style: str) -> str:
    shown = line.lstrip(" ")
    return line[: len(line) - len(shown)] + paint(shown, style) if shown else line


def excerpt(line: str, lead: str, paint: Paint, *, style: str, at_issue: bool, is_diff: bool) -> str:
    """A line of code or text behind `lead`, which has the `style` when the line is at issue.

    In a diff, the first character of the line tells the colour of the others.
    """
    whole = (lead + visible_code(line)).rstrip()
    lead, body = whole[: len(lead)], whole[len(lead) :]
    kind = {"+": "added", "-": "removed"}.get(body[:1], "") if is_diff else ""
    if at_issue:
        lead = painted(lead, paint, style)
        kind = f"at-issue-{kind}" if kind else "at-issue"
    return lead + painted(body, paint, kind)
