"""The report for a terminal or a pipe: plain text, no colour, wrapped."""

from __future__ import annotations

from pathlib import Path

from reviewer.model import Confidence, Report
from reviewer.report.escape import visible, visible_code
from reviewer.report.filling import Medium, Template, flat
from reviewer.report.layout import code_line, wrapped
from reviewer.report.source import Shown
from reviewer.report.view import view


def to_text(report: Report, *, templates: Path | None, min_confidence: Confidence, width: int) -> str:
    """The report as text of `width` columns; lines of code may be longer. UsageError for a broken template."""
    return Template("text.j2", templates, _medium(width)).fill(report=view(report, min_confidence), width=width)


def _medium(width: int) -> Medium:
    def wrap(text: str, indent: int = 0, hang: int = 0) -> str:
        return wrapped(visible(flat(text)), width=width, indent=indent, hang=hang)

    def code(lines: tuple[Shown, ...], mark: str = "    > ", other: str = "    | ") -> str:
        shown = [(mark if line.at_issue else other) + _code_line(line.text, width) for line in lines]
        return "\n".join(line.rstrip() for line in shown)

    return Medium(escape=visible, filters={"wrap": wrap, "code": code})


def _code_line(text: str, width: int) -> str:
    return visible_code(code_line(text, width=width))
