"""What `reviewer series` prints: plain text, wrapped; a terminal adds colour and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewer.model import Mail, Report
from reviewer.report.filling import Template
from reviewer.report.painting import Paint, plain
from reviewer.report.series_found import found_view
from reviewer.report.text import text_medium


def to_series_text(
    report: Report, left: Sequence[Mail], *, templates: Path | None, width: int = 80, paint: Paint = plain
) -> str:
    """The lineages of a report and the mails `left` over, `width` columns wide. UsageError for a broken template."""
    return Template("series.j2", templates, text_medium(width, paint)).fill(found=found_view(report, left))
