"""Comparisons of versions in, text of one format out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewer.compare.values import Comparison
from reviewer.model import Confidence, Notice
from reviewer.report import paint_of

COMPARE_FORMATS = ("terminal", "text", "markdown", "json")


def render_comparisons(
    comparisons: Sequence[Comparison],
    notices: Sequence[Notice],
    format: str,
    *,
    templates: Path | None,
    min_confidence: Confidence,
    show_accepted: bool = False,
    width: int = 80,
    colour: bool = True,
) -> str:
    """The comparisons as one of COMPARE_FORMATS, ended by a newline.

    JSON has all findings; the others leave out those below `min_confidence`, and accepted ones unless `show_accepted`.
    `templates` is a folder whose files replace shipped templates of the same name; `width` counts columns;
    `colour` is that of `terminal`. Raises UsageError for a template that is broken.
    """
    if format == "json":
        from reviewer.report.compare_json import to_compare_json

        return to_compare_json(comparisons, notices)
    from reviewer.report.compare_text import to_compare_text

    return to_compare_text(
        *(comparisons, notices, format),
        templates=templates,
        min_confidence=min_confidence,
        show_accepted=show_accepted,
        width=width,
        paint=paint_of(format, colour=colour),
    )
