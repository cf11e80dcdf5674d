from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.cli import main
from reviewer.model import Location, Notice, Report
from reviewer.report import render

PATCH = "v1-1@frob.example"
CRASH = Notice(code="rule-crashed", message="DM302 crashed: KeyError", rule="DM302", patches=(PATCH,))
LACK = Notice(code="not-checked", message="DM202 needs the whole function", rule="DM202", patches=(PATCH,))

B4 = """
import argparse, email, json, sys
from pathlib import Path
import b4
from b4.review import checks
b4.setup_config(argparse.Namespace(config=None))
perpatch, series = checks.load_check_cmds()
mails = [email.message_from_bytes(Path(name).read_bytes(), policy=b4.emlpolicy) for name in sys.argv[1:]]
patches = [(mail["message-id"].strip("<>"), mail) for mail in mails]
topdir = b4.git_get_toplevel()
print(json.dumps({
    "patches": checks.run_perpatch_checks(patches[1:], perpatch, topdir),
    "series": checks.run_series_checks(patches[0], series, topdir),
}))
"""
"""What `b4 review tui` does when it is told to run the checks, by the same functions."""


def _entries(report: Report, min_confidence: str = "medium") -> list[dict[str, str]]:
    text = render(report, "b4", templates=None, min_confidence=min_confidence)  # type: ignore[arg-type]
    assert isinstance(text, str)
    assert text.endswith("]\n")
    found: list[dict[str, str]] = json.loads(text)
    assert len(found) <= 1, "b4 keeps one result a tool and mail"
    for one in found:
        assert set(one) == {"tool", "status", "summary", "url", "details"}
        assert one["tool"] == "reviewer"
        assert one["status"] in ("pass", "warn", "fail")
        assert "\n" not in one["summary"]
        assert one["summary"]
        assert all(isinstance(value, str) for value in one.values())
    return found


def test_nothing_to_say(sample: Any) -> None:
    mails = sample.series_of(1)
    assert _entries(sample.report(mails)) == []
    seen = Notice(code="excused", message="DM205 stays silent", rule="DM205", patches=(PATCH,))
    assert _entries(sample.report(mails, notices=(LACK, seen))) == []
    assert _entries(sample.report(mails, [sample.finding(PATCH, confidence="low")])) == []


def test_a_finding(sample: Any) -> None:
    report = sample.report(sample.series_of(1, cover=False), notices=(LACK,))
    at = replace(sample.at(report, PATCH, "return -EINVAL;"), text="\t\treturn\t-EINVAL;")
    (one,) = _entries(replace(report, findings=(sample.finding(PATCH, location=at),)))
    assert (one["status"], one["summary"]) == ("warn", "1 warning")
    lines = one["details"].split("\n")
    assert lines[0] == "warning: DM302 errno-silently-changed, drivers/net/frob/main.c:13, frob_open()"
    assert lines[1] == "    return\t-EINVAL;"
    assert lines[2].startswith("  frob_open() gave -E2BIG here and now")
    assert lines[-2:] == ["", "  not checked: DM202 needs the whole function"]
    assert all(len(line) <= 76 for line in lines[2:])


def test_the_worst_finding_decides(sample: Any) -> None:
    report = sample.report(sample.series_of(2))
    error = sample.finding(PATCH, level="error", confidence="medium", location=Location(kind="message"))
    note = sample.finding("v1-0@frob.example", level="note")
    old = sample.finding(PATCH, level="error", origin="preexisting")
    (one,) = _entries(replace(report, findings=(note, error, note, old)))
    assert (one["status"], one["summary"]) == ("fail", "1 error, 2 notes, 1 older than the series")
    assert "note: DM302 errno-silently-changed, cover letter\n" in one["details"]
    assert "error (medium confidence): DM302 errno-silently-changed, patch 1\n" in one["details"]
    assert "error (older than the series): DM302" in one["details"]
    (one,) = _entries(replace(report, findings=(note, old)))
    assert (one["status"], one["summary"]) == ("pass", "1 note, 1 older than the series")
    assert _entries(replace(report, findings=(error,)), "high") == []


def test_an_incomplete_review_is_no_pass(sample: Any) -> None:
    mails = sample.series_of(1)
    (one,) = _entries(sample.report(mails, notices=(CRASH,), complete=False))
    assert (one["status"], one["summary"]) == ("warn", "a rule crashed")
    assert one["details"] == "  rule-crashed: DM302 crashed: KeyError"
    bad = Notice(code="bad-diff", message="hunk 2 is cut off")
    (one,) = _entries(sample.report(mails, [sample.finding(PATCH, level="note")], notices=(bad, bad)))
    assert (one["status"], one["summary"]) == ("warn", "1 note, 2 problems with the input")
    (one,) = _entries(sample.report(mails, [sample.finding(PATCH, level="error")], notices=(bad,)))
    assert (one["status"], one["summary"]) == ("fail", "1 error, 1 problem with the input")


def test_many_and_hostile_findings(sample: Any) -> None:
    report = sample.report(sample.series_of(1, cover=False))
    at = Location(kind="code", file="a\u202e.c", function="f\x1b[2J", text="x" * 10_000)
    found = sample.finding(PATCH, location=at, message="\x1b[31m \ud800 " + "word " * 10_000)
    (one,) = _entries(replace(report, findings=(found,) * 80))
    assert "[ ... ] 30 more" in one["details"]
    assert not any(char in one["details"] for char in "\x1b\u202e\ud800")
    assert r"a\u202e.c, f\x1b[2J()" in one["details"]
    assert len(one["details"]) < 200_000


@pytest.mark.parametrize("level", ["error", "note"])
def test_findings_do_not_change_the_exit_code(
    sample: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], level: str
) -> None:
    (tmp_path / "one.eml").write_bytes(sample.series_of(1, cover=False)[0])
    assert main(["review", str(tmp_path / "one.eml"), "--format", "b4", "--fail-on", level]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert "DM302" in one["details"]
    assert main(["review", str(tmp_path / "one.eml"), "--format", "b4", "--select", "DM205"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    (tmp_path / "other.eml").write_bytes(sample.write("Lunch?", "At noon.\n", "lunch@x.example"))
    assert main(["review", str(tmp_path / "other.eml"), "--format", "b4"]) == 2
    assert capsys.readouterr().out == ""


def test_b4_itself_runs_it(sample: Any, tmp_path: Path) -> None:
    repository, home = tmp_path / "linux", tmp_path / "home"
    home.mkdir()
    names: list[str] = []
    for number, mail in enumerate(sample.series_of(2)):
        (tmp_path / f"{number}.eml").write_bytes(mail)
        names.append(str(tmp_path / f"{number}.eml"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "B4_", "XDG_"))}
    environment = kept | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    repository.mkdir()
    run("git", "init", "-q", ".")
    command = f"'{sys.executable}' -m reviewer review - --format b4"
    run("git", "config", "b4.review-perpatch-check-cmd", f"{command} --select DM302")
    run("git", "config", "b4.review-series-check-cmd", f"{command} --select DM302")
    said = json.loads(run(sys.executable, "-c", B4, *names).splitlines()[-1])
    assert said["series"] == []
    assert list(said["patches"]) == ["v1-1@frob.example", "v1-2@frob.example"]
    for results in said["patches"].values():
        (one,) = results
        assert (one["tool"], one["status"], one["summary"]) == ("reviewer", "warn", "1 warning")
        assert "DM302 errno-silently-changed, drivers/net/frob/main.c:13, frob_open()" in one["details"]
