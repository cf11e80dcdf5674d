"""What seldom stands on a page of --format html: odd files, odd lines, several series, talk of versions not shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.cli import main
from reviewer.model import DiffLine, TextLine
from reviewer.report import render
from reviewer.report.html_chart import drawings_of
from reviewer.report.html_escape import html_prose
from reviewer.report.html_marks import MOST_PAIRS, marks_of
from reviewer.report.html_svg import chart_svg

ODD = """\
diff --git a/drivers/net/frob/old.c b/drivers/net/frob/new.c
similarity index 91%
rename from drivers/net/frob/old.c
rename to drivers/net/frob/new.c
index 1111111..2222222 100644
--- a/drivers/net/frob/old.c
+++ b/drivers/net/frob/new.c
@@ -1,2 +1,2 @@
 int frob_1;
-int frob_2;
\\ No newline at end of file
+int frob_3;
diff --git a/tools/frob.sh b/tools/frob.sh
old mode 100644
new mode 100755
diff --git a/tools/frob.bin b/tools/frob.bin
new file mode 100644
index 0000000..3333333
Binary files /dev/null and b/tools/frob.bin differ
diff --git a/tools/gone.c b/tools/gone.c
deleted file mode 100644
index 4444444..0000000
--- a/tools/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-int gone;
"""


def _text(node: Any) -> str:
    return " ".join(node.text_content().split())


def _page(report: Any) -> Any:
    return lxml.html.fromstring(render(report, "html", templates=None, min_confidence="low"))


def _reviewed(folder: Path, mails: list[bytes], *options: str) -> Any:
    (folder / "thread.mbox").write_bytes(
        b"".join(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + one + b"\n" for one in mails)
    )
    output = folder / "page.html"
    assert main(["review", str(folder / "thread.mbox"), *options, "--format", "html", "-o", str(output)]) in (0, 1)
    return lxml.html.fromstring(output.read_text(encoding="utf-8"))


def _lines(diff: str) -> list[DiffLine]:
    return [
        DiffLine(mark=line[0], text=line[1:], old=None, new=None, body_line=at)  # type: ignore[arg-type]
        for at, line in enumerate(diff.splitlines(), 1)
    ]


def _marked(diff: str) -> list[str]:
    lines = {line.body_line: line.text for line in _lines(diff)}
    return [lines[at][start:end] for at, spans in marks_of(_lines(diff)).items() for start, end in spans]


def test_what_happens_to_a_file_beside_its_lines_is_said(sample: Any) -> None:
    page = _page(
        sample.report([sample.write("[PATCH] net: frob: it", sample.patch_body("It.", ODD), "a@frob.example")])
    )
    assert [_text(one) for one in page.xpath("//details[contains(@class, 'file')]/summary")] == [
        "drivers/net/frob/new.c renamed from drivers/net/frob/old.c, 91 % the same +1 -1",
        "tools/frob.sh mode 100644 to 100755",
        "tools/frob.bin new file binary",
        "tools/gone.c deleted +0 -1",
    ]
    rows = page.xpath("(//pre[contains(@class, 'diff')])[1]/span")
    assert [one.text_content().rstrip("\n") for one in rows] == [
        "@@ -1,2 +1,2 @@",
        " 1  1  int frob_1;",
        " 2    -int frob_2;",
        "\\ No newline at end of file",
        "    2 +int frob_3;",
    ]


def test_series_have_a_heading_and_a_verdict_each(sample: Any, tmp_path: Path) -> None:
    other = sample.write("[PATCH] net: grob: another", sample.patch_body("It."), "x@frob.example")
    page = _reviewed(tmp_path, [*sample.series_of(2), other])
    assert _text(page.xpath("//h1")[0]) == "Review of 2 series"
    assert [_text(one) for one in page.xpath("//h2[not(ancestor::dialog)]")] == [
        "net: frob: all of it",
        "net: grob: another",
    ]
    assert len(page.xpath("//div[@class='verdict']")) == 2
    assert len(page.xpath("//header//li/a")) == 2


def test_what_was_said_of_a_version_that_is_not_shown_is_still_there(sample: Any, tmp_path: Path) -> None:
    said = "> +\t\treturn -EINVAL;\nWhy do you not keep -E2BIG here?\n"
    rita = sample.write("Re: it", said, "r@frob.example", parent="v1-1@frob.example", sender="Rita <rita@frob.example>")
    mails = [*sample.series_of(1), rita, *sample.series_of(1, version=2)]
    page = _reviewed(tmp_path, mails)
    (earlier,) = page.xpath("//div[contains(@id, '-earlier')]")
    assert _text(earlier).startswith("Said of earlier versions v1: net: frob: part 1")
    assert "Why do you not keep -E2BIG here?" in _text(earlier)
    assert page.xpath("//nav//a[@href=$there]", there=f"#{earlier.get('id')}")
    both = _reviewed(tmp_path, mails, "--revision", "all")
    assert not both.xpath("//div[contains(@id, '-earlier')]")
    assert "Why do you not keep -E2BIG here?" in _text(both.xpath("//section[@class='older']")[0])


def test_lines_are_matched_with_those_they_became() -> None:
    assert _marked("-\tfrob_open(fb, 1);\n-\tgone();\n+\tnew_line_of_all();\n+\tfrob_open(fb, 2);\n") == ["1", "2"]
    assert _marked("-int a = one;\n context\n+int a = two;\n") == []
    assert _marked("+int a = one;\n-int a = two;\n-int b = four;\n+int b = five;\n") == ["four", "five"]


def test_long_runs_are_matched_only_when_they_are_as_long() -> None:
    count = MOST_PAIRS
    old = "".join(f"-frob_set(fb, {at}, 1);\n" for at in range(count))
    new = "".join(f"+frob_set(fb, {at}, 2);\n" for at in range(count))
    assert _marked(old + new) == ["1", "2"] * count
    assert _marked(old + new + "+more();\n") == []


@given(st.text("-+ ab(),;\n", max_size=60), st.text("-+ ab(),;\n", max_size=60))
def test_marks_are_parts_of_their_line(old: str, new: str) -> None:
    diff = "".join(f"{mark}{line}\n" for mark, text in (("-", old), ("+", new)) for line in text.split("\n"))
    lines = {line.body_line: line.text for line in _lines(diff)}
    for at, spans in marks_of(_lines(diff)).items():
        ends = [end for span in spans for end in span]
        assert ends == sorted(ends)
        assert 0 <= ends[0] < ends[-1] <= len(lines[at])


def _drawn(table: str) -> list[Any]:
    lines = tuple(TextLine(text=text, body_line=at) for at, text in enumerate(table.splitlines(), 1))
    return [chart for one in drawings_of(lines) for chart in one.charts]


def test_rows_of_different_size_have_a_scale_of_their_own() -> None:
    (chart,) = _drawn("test      before   after\nlatency      2.1     1.9\npackets   810000  920000\n")
    assert chart.alone
    drawing = lxml.html.fromstring(chart_svg(chart))
    assert _text(drawing.xpath("//title")[0]) == "before, after by test; each row on a scale of its own"
    assert [one.text_content() for one in drawing.xpath("//text")] == [
        *("before", "after", "latency", "2.1", "1.9", "packets", "810000", "920000"),
    ]


def test_a_table_that_is_too_long_is_left_as_it_stands() -> None:
    assert _drawn("size  before  after\n" + "".join(f"{at}K    {at}.1    {at}.2\n" for at in range(1, 60))) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Use -EINVAL.", 'Use <span class="option">-EINVAL</span>.'),
        ("(-EIO)", '(<span class="option">-EIO</span>)'),
        ("a well-known `-E<x>` fb->id", "a well-known <code>-E&lt;x&gt;</code> fb-&gt;id"),
    ],
)
def test_prose(text: str, shown: str) -> None:
    assert html_prose(text) == shown
