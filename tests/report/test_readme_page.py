"""The samples in README.md are what the commands print; `--update-golden` writes them there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from reviewer.cli import main

PAGE = Path(__file__).parents[2] / "README.md"
CONSOLE = re.compile(r"^```console\n\$ reviewer ([^\n]*)\n.*?^```$", re.DOTALL | re.MULTILINE)


def test_the_samples_are_true(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, *, update_golden: bool
) -> None:
    monkeypatch.chdir(PAGE.parent)

    def printed(match: re.Match[str]) -> str:
        assert main(shlex.split(match[1])) in (0, 1)
        return f"```console\n$ reviewer {match[1]}\n{capsysbinary.readouterr().out.decode().rstrip()}\n```"

    text = PAGE.read_text(encoding="utf-8")
    true = CONSOLE.sub(printed, text)
    if update_golden:
        PAGE.write_text(true, encoding="utf-8")
    assert text == true or update_golden
