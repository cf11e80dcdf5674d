"""Comparisons for a terminal or a pipe, and as Markdown: one template, the filters tell the media apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewer.compare.values import Comparison
from reviewer.model import Confidence, Notice
from reviewer.report.compare_view import comparisons_view
from reviewer.report.escape import markdown, markdown_fence, visible, visible_code
from reviewer.report.filling import Medium, Template, flat
from reviewer.report.layout import code_line, wrapped
from reviewer.report.painting import Paint, painted, plain
from reviewer.report.source import Shown

COLUMNS = 100


def to_compare_text(
    comparisons: Sequence[Comparison],
    notices: Sequence[Notice],
    format: str,
    *,
    templates: Path | None,
    min_confidence: Confidence,
    show_accepted: bool = False,
    width: int,
    paint: Paint = plain,
) -> str:
    """The comparisons as text of `width` columns (lines of code may be longer), or as `markdown`."""
    medium = _MARKDOWN if format == "markdown" else _text(width, paint)
    found = comparisons_view(comparisons, notices, min_confidence, show_accepted=show_accepted)
    return Template("compare.j2", templates, medium).fill(found=found)


def _text(width: int, paint: Paint) -> Medium:
    def title(text: str) -> str:
        return painted(wrapped(visible(flat(text)), width=width, hang=2), paint, "title")

    def head(text: str) -> str:
        return "\n" + painted(wrapped(visible(flat(text)), width=width, hang=2), paint, "head")

    def item(text: str, level: int = 1, style: str = "", upto: str = "") -> str:
        return painted(wrapped(visible(flat(text)), width=width, indent=2 * level, hang=4), paint, style, upto)

    def lines(shown: tuple[Shown, ...]) -> str:
        return "\n".join(_line(line, width, paint) for line in shown)

    return Medium(escape=visible, filters={"title": title, "head": head, "item": item, "lines": lines})


def _line(line: Shown, width: int, paint: Paint) -> str:
    style = {"+": "added", "-": "removed"}.get(line.text[:1], "")
    return painted(("    " + visible_code(_code(line, width))).rstrip(), paint, style)


def _code(line: Shown, width: int) -> str:
    """The outer mark, then the line of the diff with its own."""
    return line.text[:1] + code_line(line.text[1:], width=width)


def _title(text: str) -> str:
    return f"### {markdown(flat(text))}\n"


def _head(text: str) -> str:
    return f"\n#### {markdown(flat(text))}\n"


def _item(text: str, level: int = 1, style: str = "", upto: str = "") -> str:
    del style, upto  # Markdown has no colours
    return f"{'  ' * (level - 1)}- {markdown(flat(text))}"


def _lines(shown: tuple[Shown, ...]) -> str:
    fenced = markdown_fence(tuple(_code(line, COLUMNS).rstrip() for line in shown))
    return f"\n{fenced}\n"


_MARKDOWN = Medium(escape=markdown, filters={"title": _title, "head": _head, "item": _item, "lines": _lines})
