"""A chart as inline SVG: horizontal bars, their spread as a line with two ends, the numbers as they were printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from reviewer.report.html_chart import Bar, BarRow, Chart
from reviewer.report.html_escape import html
from reviewer.report.layout import shortened

WIDTH = 420
"""In units of the drawing, which are pixels at its natural size."""
LEFT, RIGHT = 100, 140
"""Room for the names of rows, and for the numbers."""
BAR, GAP, LEGEND = 15, 8, 20
COLOURS = 6
_LABEL, _NUMBER = 15, 20
_CHARACTER = 6.4


class _Scale(Struct, frozen=True, kw_only=True):
    """The least and the greatest value that is drawn; nought is always between them."""

    low: float
    high: float

    def x(self, value: float) -> float:
        return LEFT + (value - self.low) / ((self.high - self.low) or 1.0) * (WIDTH - LEFT - RIGHT)


def chart_svg(chart: Chart) -> str:
    """The drawing, with a title and a description that says all of it in words."""
    legend = LEGEND * len(_legend_lines(chart.names)) if len(chart.names) > 1 else 0
    height = legend + sum(len(row.bars) * BAR + GAP for row in chart.rows)
    parts = [
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f"<title>{html(title_of(chart))}</title><desc>{html(words_of(chart))}</desc>",
        *_legend(chart.names),
    ]
    whole = _scale(chart.rows)
    top = legend
    for row in chart.rows:
        parts += _row(row, _scale((row,)) if chart.alone else whole, top)
        top += len(row.bars) * BAR + GAP
    return "".join((*parts, "</svg>"))


def title_of(chart: Chart) -> str:
    """What is drawn, as a caption."""
    names = ", ".join(name or "values" for name in chart.names)
    by = f" by {chart.by}" if chart.by else ""
    return shortened(f"{names}{by}{'; each row on a scale of its own' if chart.alone else ''}")


def words_of(chart: Chart) -> str:
    """All numbers of a chart."""
    rows: list[str] = []
    for row in chart.rows:
        bars = ", ".join(f"{chart.names[bar.name]} {bar.text}".strip() for bar in row.bars)
        rows.append(f"{row.label}: {bars}{f' ({row.change})' if row.change else ''}")
    return "; ".join(rows)


def _scale(rows: Sequence[BarRow]) -> _Scale:
    ends = [end for row in rows for bar in row.bars for end in _ends(bar)]
    return _Scale(low=min(0.0, *ends), high=max(0.0, *ends))


def _ends(bar: Bar) -> tuple[float, float]:
    return bar.value - (bar.spread or 0.0), bar.value + (bar.spread or 0.0)


def _legend_lines(names: Sequence[str]) -> list[list[tuple[int, str, float]]]:
    """Which name stands where: its colour, text and place, a list for each line."""
    lines: list[list[tuple[int, str, float]]] = [[]]
    x = 0.0
    for at, name in enumerate(names):
        text = _cut(name or "values", 2 * _LABEL)
        width = 18 + len(text) * _CHARACTER + 14
        if lines[-1] and x + width > WIDTH:
            lines.append([])
            x = 0.0
        lines[-1].append((at, text, x))
        x += width
    return lines


def _legend(names: Sequence[str]) -> Iterator[str]:
    for at, line in enumerate(_legend_lines(names) if len(names) > 1 else ()):
        for colour, text, x in line:
            y = at * LEGEND
            yield f'<rect class="b{colour % COLOURS}" x="{x:.1f}" y="{y + 2}" width="11" height="11"/>'
            yield f'<text x="{x + 16:.1f}" y="{y + 12}">{html(text)}</text>'


def _row(row: BarRow, scale: _Scale, top: int) -> Iterator[str]:
    middle = top + len(row.bars) * BAR / 2 + 4
    yield f'<text class="end" x="{LEFT - 6}" y="{middle:.1f}">{html(_cut(row.label, _LABEL))}</text>'
    for at, bar in enumerate(row.bars):
        y = top + at * BAR
        start, end = sorted((scale.x(0.0), scale.x(bar.value)))
        yield (
            f'<rect class="b{bar.name % COLOURS}" x="{start:.1f}" y="{y + 1}" width="{max(end - start, 0.5):.1f}" '
            f'height="{BAR - 3}"/>'
        )
        if bar.spread:
            low, high = map(scale.x, _ends(bar))
            y_middle = y + BAR / 2 - 0.5
            yield (f'<path class="spread" d="M{low:.1f} {y_middle - 3:.1f}v6m0-3H{high:.1f}m0-3v6"/>')
        last = at + 1 == len(row.bars)
        text = bar.text + (f" ({row.change.strip('()')})" if last and row.change else "")
        yield f'<text x="{WIDTH - RIGHT + 8}" y="{y + 11}">{html(_cut(text, _NUMBER))}</text>'


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
