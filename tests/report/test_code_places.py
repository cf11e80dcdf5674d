from __future__ import annotations

from typing import Any

from reviewer.model import FileContext, Trial
from reviewer.report import render

MAIN = "drivers/net/frob/main.c"


def test_files_that_lack_the_same_are_told_together(sample: Any) -> None:
    mails = sample.series_of(3)
    lacking = (FileContext(path=MAIN, rung="hunk", problem="blob-missing"),)
    other = (FileContext(path=MAIN, rung="hunk", problem="binary"),)
    report = sample.report(
        mails,
        contexts={
            ("v1-1@frob.example", 1): lacking,
            ("v1-2@frob.example", 2): lacking,
            ("v1-3@frob.example", 3): other,
        },
    )
    (series,) = report.series
    report = sample.report(
        mails, contexts=report.contexts, trials={series.outline.id: Trial(state="not-tried", reason="no-base")}
    )
    text = " ".join(str(render(report, "text", templates=None, min_confidence="low")).split())
    assert (
        f"code: 3 files hunks only; patch 1, {MAIN} and patch 2, {MAIN}: the tree lacks the version that the patch "
        f"names; patch 3, {MAIN}: a binary patch"
    ) in text
