"""The form for a terminal: that for a pipe, with colours and nothing else."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.cli import main
from reviewer.errors import UsageError
from reviewer.model import Report
from reviewer.report import render
from reviewer.report.painting import STYLES, painted, plain

GOLDEN = Path(__file__).parent / "golden"
THREAD = Path(__file__).parents[2] / "examples" / "thread.mbox"
SGR = re.compile(r"\x1b\[[0-9;]*m")
RULES = "DM008,DM102,DM303"
"""Rules that find the same whatever the others learn."""

Said = Callable[..., str]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Said:
    """What a command prints, on a terminal of 80 columns that knows colours unless the environment says otherwise."""

    def run(*arguments: str, **environment: str) -> str:
        for name, value in ({"TERM": "xterm", "COLUMNS": "80", "NO_COLOR": ""} | environment).items():
            monkeypatch.setenv(name, value)
        assert main(list(arguments)) in (0, 1)
        return capsysbinary.readouterr().out.decode()

    return run


def _terminal(report: Report, **options: Any) -> str:
    text = render(report, "terminal", **({"templates": None, "min_confidence": "medium"} | options))
    assert isinstance(text, str)
    return text


def test_golden(said: Said, *, update_golden: bool) -> None:
    path = GOLDEN / "example.terminal"
    text = said("review", str(THREAD), "--select", RULES, "--format", "terminal")
    if update_golden:
        path.write_text(text)
    assert text == path.read_text()
    lines = text.split("\n")
    assert lines[0] == "\x1b[1mnet: frob: receive into slots larger than a page\x1b[0m"
    assert "\x1b[1;31min the way:\x1b[0m 1 unanswered question; 2 errors; 1 warning" in lines
    assert "  \x1b[1;31merror:\x1b[0m DM303 errno-kernel-internal" in lines
    assert "    | \x1b[32m+if (!priv->caps->var_slots) {\x1b[0m" in lines
    assert "    \x1b[1;31m> \x1b[0m\x1b[1;32m+        return -ENOTSUPP;\x1b[0m" in lines
    assert "    | \x1b[31m-                fb->size += len;\x1b[0m" in lines
    assert "    \x1b[1;33m> \x1b[0m\x1b[1m----------\x1b[0m" in lines, "a line of a message is no removed line"
    assert any(line.startswith("    \x1b[1;33mopen question,\x1b[0m Ola Example, drivers") for line in lines)


@pytest.mark.parametrize(
    "command",
    [
        ("review", "--select", RULES),
        ("review", "--min-confidence", "low"),
        ("series",),
    ],
)
def test_it_is_the_text_with_colours(said: Said, command: tuple[str, ...]) -> None:
    name, *options = command
    coloured = said(name, str(THREAD), *options, "--format", "terminal")
    assert SGR.search(coloured)
    assert SGR.sub("", coloured) == said(name, str(THREAD), *options, "--format", "text")


def test_so_it_is_for_comparisons(sample: Any, tmp_path: Path, said: Said) -> None:
    path = tmp_path / "both.mbox"
    newer = [mail.replace(b"opened", b"open") for mail in sample.series_of(1, version=2)]
    mails = [*sample.series_of(1), *newer]
    path.write_bytes(b"".join(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + mail + b"\n" for mail in mails))
    coloured = said("compare", str(path), "--format", "terminal")
    assert '\x1b[32m++        frob_log(fb, "open",\x1b[0m' in coloured
    assert SGR.sub("", coloured) == said("compare", str(path), "--format", "text")
    assert said("compare", str(path), "--format", "terminal", NO_COLOR="1") == SGR.sub("", coloured)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_when_they_are_not_wanted(said: Said, environment: dict[str, str]) -> None:
    for command in ("review", "series"):
        bare = said(command, str(THREAD), "--format", "terminal", **environment)
        assert "\x1b" not in bare
        assert bare == said(command, str(THREAD), "--format", "text")


@pytest.mark.parametrize(("columns", "used"), [(20, 40), (64, 64), (80, 80), (300, 100)])
def test_it_is_as_wide_as_the_terminal_within_reason(said: Said, columns: int, used: int) -> None:
    text = said("review", str(THREAD), "--select", "DM001,DM008", "--format", "terminal", COLUMNS=str(columns))
    prose = [line for line in SGR.sub("", text).split("\n") if not line.startswith(("    | ", "    > "))]
    assert used - 14 < max(map(len, prose)) <= used


def test_a_configured_format_is_an_answer(said: Said, tmp_path: Path) -> None:
    config = tmp_path / "reviewer.toml"
    config.write_text('[review]\nformat = "terminal"\n')
    assert "\x1b[1m" in said("review", str(THREAD), "--config", str(config))
    assert said("review", str(THREAD), "--config", str(config), "--format", "text").startswith("net: frob")


def test_what_comes_out_of_mail_is_inert(sample: Any) -> None:
    ident = "e@frob.example"
    evil = "net: [red]frob[/red] [link=https://evil.example]x[/link] \x1b[31m \x9b1m :warning: \u202e"
    diff = sample.DIFF.replace("opened", "[bold]\x1b]8;;https://evil.example\x07")
    report = sample.report([sample.write(f"[PATCH] {evil}", sample.patch_body("Look \x1b[2J.", diff), ident)])
    found = (
        sample.finding(ident, location=sample.at(report, ident, "Look"), message=evil),
        sample.finding(ident, location=sample.at(report, ident, "[bold]", function="[/bold]\x1b")),
    )
    report = replace(report, findings=found)
    text = SGR.sub("", _terminal(report))
    assert text == render(report, "text", templates=None, min_confidence="medium")
    assert not set(text) & set("\x1b\x07\x9b\u202e")
    for shown in ("[red]frob[/red]", "[link=https://evil.example]x[/link]", r"\x1b[31m", ":warning:", "[/bold]"):
        assert shown in text
    made = set(SGR.findall(_terminal(report)))
    assert made <= {"\x1b[0m", *(f"\x1b[{code}m" for code in ("1", "31", "32", "1;31", "1;32", "1;33", "1;36", "35"))}


def test_every_style_is_known_on_a_terminal_and_elsewhere() -> None:
    from reviewer.report.terminal import painter

    paint = painter()
    for style in STYLES:
        assert plain("x", style) == "x"
        assert SGR.sub("", paint("x", style)) == "x" != paint("x", style)
    assert painted("  a: b\n    c", paint, "bad", ":") == "  \x1b[1;31ma:\x1b[0m b\n    c"
    assert painted("  a\n\n    c", paint, "bad") == "  \x1b[1;31ma\x1b[0m\n\n    \x1b[1;31mc\x1b[0m"
    assert painted("no end", paint, "bad", ":") == "no end"
    assert painted("a", paint, "") == "a"


@pytest.mark.parametrize("form", ["text", "terminal"])
def test_a_style_that_does_not_exist_is_told(sample: Any, tmp_path: Path, form: str) -> None:
    (tmp_path / "text.j2").write_text('\n{{ "a" | wrap(style="loud") }}\n')
    with pytest.raises(UsageError, match=r"text\.j2, line 2: 'loud'"):
        render(sample.report([]), form, templates=tmp_path, min_confidence="low")


def _run(*arguments: str, terminal: bool, **environment: str) -> str:
    """What the command prints, on a real terminal or into a pipe."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    command = [sys.executable, "-m", "reviewer", "review", str(THREAD), "--select", "DM303", *arguments]
    settings = {"env": kept | {"TERM": "xterm"} | environment, "stdin": subprocess.DEVNULL}
    if not terminal:
        return subprocess.run(command, stdout=subprocess.PIPE, check=False, **settings).stdout.decode()  # type: ignore[call-overload,no-any-return]
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdout=slave, **settings)  # type: ignore[call-overload]
    os.close(slave)
    seen = b""
    try:
        while data := os.read(master, 65536):
            seen += data
    except OSError:  # the other end was closed
        pass
    finally:
        os.close(master)
        process.wait()
    return seen.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_a_pipe_does_not(tmp_path: Path) -> None:
    coloured = _run(terminal=True)
    piped = _run(terminal=False)
    assert "\x1b[1;31merror:\x1b[0m DM303" in coloured
    assert "\x1b" not in piped
    assert SGR.sub("", coloured) == piped
    assert "\x1b" not in _run(terminal=True, NO_COLOR="1")
    assert _run("--format", "text", terminal=True) == piped
    out = tmp_path / "out.txt"
    assert _run("-o", str(out), terminal=True) == ""
    assert out.read_text() == piped
    assert _run("-o", "-", terminal=True) == coloured
