"""The samples in docs/accepting.md are true; `--update-golden` writes what the commands print there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from reviewer.cli import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "accepting.md"
BLOCK = re.compile(r"^```(console|toml|mail)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_samples_are_true(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, update_golden: bool
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)

    def true(match: re.Match[str]) -> str:
        kind, text = match.groups()
        if kind == "mail":
            (tmp_path / "answer.eml").write_text(text, encoding="utf-8")
        elif kind == "toml":
            text = (tmp_path / "kept.toml").read_text(encoding="utf-8")
        else:
            command = text.partition("\n")[0]
            assert main(shlex.split(command.removeprefix("$ reviewer "))) in (0, 1)
            shown = capsysbinary.readouterr().out.decode().rstrip()
            text = f"{command}\n{shown}\n" if shown else f"{command}\n"
        return f"```{kind}\n{text}```"

    page = PAGE.read_text(encoding="utf-8")
    written = BLOCK.sub(true, page)
    if update_golden:
        PAGE.write_text(written, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == written
    assert len(BLOCK.findall(page)) >= 5
