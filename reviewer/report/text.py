"""The report for a terminal or a pipe: plain text, wrapped; a terminal adds colour and nothing else."""

from __future__ import annotations

from pathlib import Path

from reviewer.model import Confidence, Report
from reviewer.report.escape import visible
from reviewer.report.filling import Medium, Template, flat
from reviewer.report.layout import code_line, spare_indent, wrapped
from reviewer.report.painting import Paint, excerpt, painted, plain
from reviewer.report.source import Shown
from reviewer.report.view import view


def to_text(
    report: Report,
    *,
    templates: Path | None,
    min_confidence: Confidence,
    width: int,
    show_accepted: bool = False,
    paint: Paint = plain,
) -> str:
    """The report as text of `width` columns; lines of code may be longer. UsageError for a broken template."""
    shown = view(report, min_confidence, show_accepted=show_accepted)
    return Template("text.j2", templates, text_medium(width, paint)).fill(report=shown, width=width)


def text_medium(width: int, paint: Paint = plain) -> Medium:
    """Plain text of `width` columns; `paint` adds the styles that a template names."""

    def wrap(text: str, indent: int = 0, hang: int = 0, style: str = "", upto: str = "") -> str:
        lines = wrapped(visible(flat(text)), width=width, indent=indent, hang=hang)
        return painted(lines, paint, style, upto)

    def code(
        lines: tuple[Shown, ...],
        mark: str = "    > ",
        other: str = "    | ",
        style: str = "",
        diff: bool = False,
    ) -> str:
        shown = [code_line(line.text, width=width) for line in lines]
        spare = spare_indent(shown, width=width - len(mark))
        return "\n".join(
            excerpt(
                *(text[:1] + text[1 + spare :], mark if line.at_issue else other, paint),
                style=style,
                at_issue=line.at_issue,
                is_diff=diff,
            )
            for line, text in zip(lines, shown, strict=True)
        )

    return Medium(escape=visible, filters={"wrap": wrap, "code": code})
