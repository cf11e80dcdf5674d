"""Rows of a diff and lines of a message as HTML, without a template: there are thousands of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reviewer.model import TextLine
from reviewer.report.html_diff import Row
from reviewer.report.html_escape import LONGEST_LINE, html_code
from reviewer.report.html_marks import Spans
from reviewer.report.source import Shown

_CLASSES = {"+": "a", "-": "d", " ": "c", "@": "h", "!": "h"}


def rows_html(rows: Iterable[Row], digits: int, *, noted: bool = False) -> str:
    """Lines of a diff with their numbers, as wide as `digits` asks for; `noted` marks the last one.

    Every line ends in a newline of its own, so that it can be read and copied without a style sheet.
    """
    lines = list(_lines(rows, digits))
    if noted:
        lines[-1] = lines[-1].replace('"', '"at ', 1)
    return f'<pre class="diff w{min(max(digits, 2), 7)}">{"".join(lines)}</pre>'


def _lines(rows: Iterable[Row], digits: int) -> Iterator[str]:
    width = max(digits, 2)
    blank = " " * width
    for row in rows:
        if row.mark in "@!":
            yield f'<span class="h">{html_code(row.text)}\n</span>'
            continue
        old = blank if row.old is None else f"{row.old:>{width}}"
        new = blank if row.new is None else f"{row.new:>{width}}"
        text = _marked(row.text, row.spans) if row.spans else html_code(row.text)
        yield f'<span class="{_CLASSES[row.mark]}"><i>{old} </i><i>{new} </i>{row.mark}{text}\n</span>'


def _marked(text: str, spans: Spans) -> str:
    """A line with its spans marked; lines that have spans are short."""
    parts: list[str] = []
    place = 0
    for start, end in spans:
        parts += (html_code(text[place:start]), "<mark>", html_code(text[start:end]), "</mark>")
        place = end
    parts.append(html_code(text[place : place + LONGEST_LINE]))
    return "".join(parts)


def lines_html(lines: Iterable[TextLine], *, noted: bool = False, wide: bool = False) -> str:
    """Lines of a message; `noted` marks the last one. Those of a table are `wide`: they do not wrap, so they scroll."""
    shown = [f"{html_code(line.text)}\n" for line in lines]
    if noted:
        shown[-1] = f'<span class="at">{shown[-1]}</span>'
    focus = ' tabindex="0"' if wide else ""
    return f'<pre class="msg"{focus}>{"".join(shown)}</pre>'


def excerpt_html(lines: Iterable[Shown]) -> str:
    """Lines of a diff or of the difference of two, coloured by their first character."""
    spans = (
        f'<span class="{_CLASSES.get(line.text[:1], "c") if line.at_issue else "c"}">{html_code(line.text)}\n</span>'
        for line in lines
    )
    return f'<pre class="range">{"".join(spans)}</pre>'
