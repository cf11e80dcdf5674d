"""One `Report` in, text of one format out: a module a format."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from reviewer.errors import UsageError
from reviewer.model import Confidence, Report

Format = Literal["text", "markdown", "json", "reply", "sarif", "rdjsonl", "b4"]
FORMATS: tuple[str, ...] = get_args(Format)
TEMPLATES: tuple[str, ...] = ("text.j2", "markdown.j2", "reply.j2", "series.j2", "compare.j2", "macros.j2")
"""The names of templates that a user's folder may replace."""


def check_format(format: str, templates: Path | None) -> None:
    """Raise UsageError for an unknown format or a template folder that replaces nothing."""
    if format not in FORMATS:
        raise UsageError(f"no format {format!r}; choose one of {', '.join(FORMATS)}")
    if templates is None:
        return
    if not templates.is_dir():
        raise UsageError(f"no template folder {templates}; give one that holds {' or '.join(TEMPLATES)}")
    if not any((templates / name).is_file() for name in TEMPLATES):
        raise UsageError(f"no template in {templates}; known names are {', '.join(TEMPLATES)}")


def render(
    report: Report, format: str, *, templates: Path | None, min_confidence: Confidence, width: int = 80
) -> str | bytes:
    """The report as `format`; `reply` gives bytes (an mbox), the others text that ends in a newline.

    `templates` is a folder whose files replace shipped templates of the same name; `width` counts columns.
    Raises UsageError for what `check_format` refuses and for a template that is broken.
    """
    check_format(format, templates)
    if format == "json":
        from reviewer.report.json_report import to_json

        return to_json(report)
    if format == "text":
        from reviewer.report.text import to_text

        return to_text(report, templates=templates, min_confidence=min_confidence, width=width)
    if format == "markdown":
        from reviewer.report.markdown import to_markdown

        return to_markdown(report, templates=templates, min_confidence=min_confidence)
    if format == "reply":
        from reviewer.report.reply import to_mbox

        return to_mbox(report, templates=templates)
    return _for_tools(report, format, min_confidence)


def _for_tools(report: Report, format: str, min_confidence: Confidence) -> str:
    if format == "sarif":
        from reviewer.report.sarif import to_sarif

        return to_sarif(report)
    if format == "rdjsonl":
        from reviewer.report.rdjsonl import to_rdjsonl

        return to_rdjsonl(report, min_confidence=min_confidence)
    from reviewer.report.b4check import to_b4check

    return to_b4check(report, min_confidence=min_confidence)
