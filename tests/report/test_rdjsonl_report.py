from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.cli import main
from reviewer.model import Location, Report
from reviewer.report import render
from reviewer.report.rdjsonl import left_out

THREAD = Path(__file__).parents[2] / "examples" / "thread.mbox"
PATCH = "v1-1@frob.example"
PATH = "drivers/net/frob/main.c"
LONGEST = 64 * 1024
"""What Go's bufio.Scanner, with which reviewdog reads, takes as a line; it stops at a longer one without a word."""


def _read(report: Report, *, min_confidence: str = "medium") -> list[dict[str, Any]]:
    """The Diagnostics; their keys and types are those of reviewdog.proto."""
    text = render(report, "rdjsonl", templates=None, min_confidence=min_confidence)  # type: ignore[arg-type]
    assert isinstance(text, str)
    assert text == "" or text.endswith("}\n")
    found: list[dict[str, Any]] = []
    for line in text.removesuffix("\n").split("\n") if text else ():
        assert len(line.encode()) < LONGEST
        one = json.loads(line)
        assert set(one) == {"message", "location", "severity", "source", "code"}
        assert set(one["location"]) <= {"path", "range"}
        assert one["location"]["path"]
        assert one["severity"] in ("ERROR", "WARNING", "INFO")
        assert one["source"] == {"name": "reviewer"}
        found.append(one)
    return found


def _found(sample: Any, report: Report, **changes: Any) -> Report:
    at = sample.at(report, PATCH, "return -EINVAL;")
    return replace(report, findings=(sample.finding(PATCH, location=replace(at, **changes)),))


def test_a_finding_in_code(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    (one,) = _read(_found(sample, report, text="\t\treturn -EINVAL;"))
    assert one["location"] == {
        "path": PATH,
        "range": {"start": {"line": 13, "column": 3}, "end": {"line": 13, "column": 18}},
    }
    assert one["severity"] == "WARNING"
    assert one["code"] == {"value": "DM302"}
    assert one["message"].startswith("frob_open() gave -E2BIG here")
    assert one["message"].endswith("(errno-silently-changed)")


@pytest.mark.parametrize(("level", "severity"), [("error", "ERROR"), ("warning", "WARNING"), ("note", "INFO")])
def test_severities(sample: Any, level: str, severity: str) -> None:
    report = _found(sample, sample.report(sample.series_of(1)))
    (one,) = _read(replace(report, findings=(replace(report.findings[0], level=level),)))
    assert one["severity"] == severity


def test_columns_are_bytes_of_utf8(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    line = "\u00a0\u00a0/* größer als \U00010427 */  "
    (one,) = _read(_found(sample, report, text=line))
    assert one["location"]["range"] == {"start": {"line": 13, "column": 5}, "end": {"line": 13, "column": 5 + 23}}
    assert len("/* größer als \U00010427 */".encode()) == 23


def test_a_line_without_text_has_no_columns(sample: Any) -> None:
    (one,) = _read(_found(sample, sample.report(sample.series_of(1)), text=" "))
    assert one["location"]["range"] == {"start": {"line": 13}}


def test_messages_have_no_place(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    odd = Location(kind="code", file="../../etc/passwd", line=1, side="new", text="x")
    findings = (
        sample.finding(PATCH, location=sample.at(report, PATCH, "Part 1 of it.")),
        sample.finding(PATCH, location=Location(kind="series")),
        sample.finding(PATCH, location=odd),
        sample.finding(PATCH, location=replace(odd, file="a/" * 3000 + "a.c")),
        sample.finding(PATCH, confidence="low"),
    )
    report = replace(report, findings=findings)
    assert _read(report) == []
    assert left_out(report, "medium") == 4
    assert left_out(report, "low") == 5


def test_what_is_not_sure_enough_or_settled_is_left_out(sample: Any) -> None:
    mails = [*sample.series_of(1), *sample.series_of(1, version=2)]
    report = sample.report(mails)
    at = sample.at(report, PATCH, "return -EINVAL;")
    new = "v2-1@frob.example"
    findings = (
        sample.finding(PATCH, location=at, message="of v1"),
        sample.finding(new, location=at, message="mended", fixed_in="v2-2@frob.example"),
        sample.finding(new, location=at, message="unsure", confidence="low"),
        sample.finding(new, location=at, message="medium", confidence="medium"),
        sample.finding(new, location=at, message="old", origin="preexisting", level="error"),
    )
    medium, old = _read(replace(report, findings=findings))
    assert medium["message"].endswith("(errno-silently-changed, medium confidence)")
    assert old["message"] == "old (errno-silently-changed, older than the series)"
    assert old["severity"] == "INFO"
    assert len(_read(replace(report, findings=findings), min_confidence="high")) == 1


LATER = (
    "diff --git a/drivers/net/frob/main.c b/drivers/net/frob/core.c\n"
    "similarity index 90%\nrename from drivers/net/frob/main.c\nrename to drivers/net/frob/core.c\n"
    "index 2222222..3333333 100644\n"
    "--- a/drivers/net/frob/main.c\n"
    "+++ b/drivers/net/frob/core.c\n"
    "@@ -1,2 +1,4 @@\n"
    " /* Frob */\n"
    "+#include <linux/frob.h>\n"
    "+#include <linux/frob2.h>\n"
    " \n"
    "@@ -15,3 +17,2 @@ static int frob_open(struct frob *fb)\n"
    '-\tfrob_log(fb, "opened",\n'
    " \t\t fb->id);\n"
    " \tfb->open = true;\n"
)


def test_lines_are_those_at_the_end_of_the_series(sample: Any) -> None:
    first, _ = sample.series_of(2, cover=False)
    second = sample.write(
        "[PATCH net-next 2/2] net: frob: move it",
        sample.patch_body("More.", LATER),
        "v1-2@frob.example",
        parent=PATCH,
    )
    report = sample.report([first, second])
    assert len(report.series[0].patches) == 2
    kept = sample.at(report, PATCH, "return -EINVAL;")
    gone = replace(sample.at(report, PATCH, '"opened"'), line=15)
    old = sample.at(report, PATCH, "return -E2BIG;", side="old")
    findings = tuple(sample.finding(PATCH, location=at) for at in (kept, gone, old))
    core = "drivers/net/frob/core.c"
    moved, removed, before = (one["location"] for one in _read(replace(report, findings=findings)))
    assert moved["path"] == core
    assert moved["range"]["start"]["line"] == 15
    assert removed == before == {"path": core}


def test_hostile_text_is_inert(sample: Any) -> None:
    message = "@ada [x](https://evil.example) <script> #12 www.evil.example \x1b[2J \u202e \ud800\nnext"
    report = _found(sample, sample.report(sample.series_of(1)))
    (one,) = _read(replace(report, findings=(replace(report.findings[0], message=message, why=""),)))
    for active in ("@ada", "](", "://", "<script", "#12", "www.evil", "\x1b", "\u202e", "\ud800", "\n"):
        assert active not in one["message"]
    assert one["message"].replace("\u200b", "").startswith("@ada [x](https://evil.example) <script> #12 www.")


def test_no_line_is_too_long_for_reviewdog(sample: Any) -> None:
    report = _found(sample, sample.report(sample.series_of(1)), file="\ufeff" * 3000, text="x" * 200_000)
    (one,) = _read(replace(report, findings=(replace(report.findings[0], message="\U000e0001" * 100_000),)))
    assert "[ ... ]" in one["message"]


def test_what_is_left_out_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(THREAD), "--format", "rdjsonl", "--fail-on", "never"]) == 0
    printed = capsys.readouterr()
    lines = [json.loads(line) for line in printed.out.splitlines()]
    assert {(one["code"]["value"], one["location"]["range"]["start"]["line"]) for one in lines} >= {
        ("DM303", 18),
        ("DM102", 24),
    }
    assert printed.err.startswith("reviewer: ")
    assert " on messages left out" in printed.err
    assert main(["review", str(THREAD), "--format", "rdjsonl", "--select", "DM303"]) == 1
    assert capsys.readouterr().err == ""
