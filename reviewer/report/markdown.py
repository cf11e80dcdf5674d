"""The report as Markdown, for a comment that a CI leaves: what stands in the mails is shown and does nothing."""

from __future__ import annotations

from pathlib import Path

from reviewer.model import Confidence, Report
from reviewer.report.escape import markdown, markdown_code, markdown_fence, markdown_prose
from reviewer.report.filling import Medium, Template, flat
from reviewer.report.layout import code_line, spare_indent
from reviewer.report.source import Shown
from reviewer.report.view import view

COLUMNS = 100
"""Lines of code are cut at twice as many."""


def to_markdown(
    report: Report, *, templates: Path | None, min_confidence: Confidence, show_accepted: bool = False
) -> str:
    """The report as GitHub-flavoured Markdown. UsageError for a broken template."""
    return Template("markdown.j2", templates, _MEDIUM).fill(
        report=view(report, min_confidence, show_accepted=show_accepted)
    )


def _code(text: str) -> str:
    return markdown_code(flat(text))


def _prose(text: str) -> str:
    return markdown_prose(flat(text))


def _fence(lines: tuple[Shown, ...], mark: str = "> ", other: str = "  ") -> str:
    cut = [code_line(line.text, width=COLUMNS) for line in lines]
    spare = spare_indent(cut, width=COLUMNS)
    shown = (
        (mark if line.at_issue else other) + text[:1] + text[1 + spare :] for line, text in zip(lines, cut, strict=True)
    )
    return markdown_fence(tuple(line.rstrip() for line in shown))


_MEDIUM = Medium(escape=markdown, filters={"code": _code, "fence": _fence, "prose": _prose})
