"""What `reviewer series` prints: plain text, no colour, wrapped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewer.model import Mail, Report
from reviewer.report.escape import visible
from reviewer.report.filling import Medium, Template, flat
from reviewer.report.layout import wrapped
from reviewer.report.series_found import found_view


def to_series_text(report: Report, left: Sequence[Mail], *, templates: Path | None, width: int = 80) -> str:
    """The lineages of a report and the mails `left` over, `width` columns wide. UsageError for a broken template."""

    def wrap(text: str, indent: int = 0, hang: int = 0) -> str:
        return wrapped(visible(flat(text)), width=width, indent=indent, hang=hang)

    medium = Medium(escape=visible, filters={"wrap": wrap})
    return Template("series.j2", templates, medium).fill(found=found_view(report, left))
