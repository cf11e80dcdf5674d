"""One `Report` in, text of one format out: a module a format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from reviewer.errors import UsageError
from reviewer.model import Confidence, Report

if TYPE_CHECKING:
    from reviewer.report.painting import Paint

Format = Literal["terminal", "text", "markdown", "html", "json", "reply", "sarif", "rdjsonl", "b4"]
FORMATS: tuple[str, ...] = get_args(Format)
FOLDERS: tuple[str, ...] = ("b4-review",)
"""The formats that are a folder of files, see `render_files`."""
TEMPLATES: tuple[str, ...] = (
    *("text.j2", "markdown.j2", "html.j2", "html.css", "html.js", "reply.j2", "series.j2", "compare.j2", "macros.j2"),
)
"""The names of templates that a user's folder may replace."""


def check_format(format: str, templates: Path | None) -> None:
    """Raise UsageError for an unknown format or a template folder that replaces nothing."""
    if format not in (*FORMATS, *FOLDERS):
        raise UsageError(f"no format {format!r}; choose one of {', '.join((*FORMATS, *FOLDERS))}")
    if templates is None:
        return
    if not templates.is_dir():
        raise UsageError(f"no template folder {templates}; give one that holds {' or '.join(TEMPLATES)}")
    if not any((templates / name).is_file() for name in TEMPLATES):
        raise UsageError(f"no template in {templates}; known names are {', '.join(TEMPLATES)}")


def render(
    report: Report,
    format: str,
    *,
    templates: Path | None,
    min_confidence: Confidence,
    width: int = 80,
    show_accepted: bool = False,
    colour: bool = True,
) -> str | bytes:
    """The report as `format`; `reply` gives bytes (an mbox), the others text that ends in a newline.

    `templates` is a folder whose files replace shipped templates of the same name; `width` counts columns.
    `colour` is that of `terminal`, which without it is `text`.
    `show_accepted` shows accepted findings, too, in the forms that people read; a reply never holds them.
    Raises UsageError for what `check_format` refuses and for a template that is broken.
    """
    check_format(format, templates)
    if format in FOLDERS:
        raise UsageError(f"{format} is a folder of files, not one text")
    if format == "json":
        from reviewer.report.json_report import to_json

        return to_json(report)
    if format in ("terminal", "text"):
        from reviewer.report.text import to_text

        return to_text(
            report,
            templates=templates,
            min_confidence=min_confidence,
            width=width,
            show_accepted=show_accepted,
            paint=paint_of(format, colour=colour),
        )
    if format == "markdown":
        from reviewer.report.markdown import to_markdown

        return to_markdown(report, templates=templates, min_confidence=min_confidence, show_accepted=show_accepted)
    if format == "html":
        from reviewer.report.html_report import to_html

        return to_html(report, templates=templates, min_confidence=min_confidence, show_accepted=show_accepted)
    if format == "reply":
        from reviewer.report.reply import to_mbox

        return to_mbox(report, templates=templates)
    return _for_tools(report, format, min_confidence)


def render_files(report: Report, format: str, *, min_confidence: Confidence) -> dict[str, str]:
    """The report as one of FOLDERS: text by the name of its file.

    Raises UsageError when the report is not of one series.
    """
    check_format(format, None)
    from reviewer.report.b4review import to_review_files

    return to_review_files(report, min_confidence=min_confidence)


def paint_of(format: str, *, colour: bool) -> Paint:
    """What gives the text of `terminal` its colours; for the other formats nothing does."""
    if format == "terminal" and colour:
        from reviewer.report.terminal import painter

        return painter()
    from reviewer.report.painting import plain

    return plain


def _for_tools(report: Report, format: str, min_confidence: Confidence) -> str:
    if format == "sarif":
        from reviewer.report.sarif import to_sarif

        return to_sarif(report)
    if format == "rdjsonl":
        from reviewer.report.rdjsonl import to_rdjsonl

        return to_rdjsonl(report, min_confidence=min_confidence)
    from reviewer.report.b4check import to_b4check

    return to_b4check(report, min_confidence=min_confidence)
