"""The samples in docs/formats.md are what the commands print; `--update-golden` writes them there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import main
from reviewer.report import FOLDERS, FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
CONSOLE = re.compile(
    r"^(?P<fence>`{3,4})console\n\$ reviewer (?P<command>[^\n]*)\n.*?^(?P=fence)$", re.DOTALL | re.MULTILINE
)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""A page cannot show them."""
PART = re.compile(
    r"^<!-- reviewer (?P<command>[^\n:]*): (?P<path>[^\n]*) -->\n```json\n.*?^```$", re.DOTALL | re.MULTILINE
)
ELEMENT = re.compile(
    r"^<!-- reviewer (?P<command>[^\n:]*): (?P<name>\w+) -->\n```html\n.*?^```$", re.DOTALL | re.MULTILINE
)


def test_the_samples_are_true(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    monkeypatch.chdir(PAGE.parents[1])

    def printed(command: str) -> str:
        assert main(shlex.split(command)) in (0, 1)
        return COLOURS.sub("", capsysbinary.readouterr().out.decode())

    def part(match: re.Match[str]) -> str:
        value: Any = json.loads(printed(match["command"]))
        for word in match["path"].split():
            value = value[int(word) if word.isdigit() else word]
        shown = json.dumps(value, ensure_ascii=False, indent=2)
        return f"<!-- reviewer {match['command']}: {match['path']} -->\n```json\n{shown}\n```"

    def console(match: re.Match[str]) -> str:
        shown = printed(match["command"]).rstrip()
        return f"{match['fence']}console\n$ reviewer {match['command']}\n{shown}\n{match['fence']}"

    def element(match: re.Match[str]) -> str:
        """The first element of that name."""
        name = match["name"]
        found = re.search(rf"^<{name}\b.*?^</{name}>$", printed(match["command"]), re.DOTALL | re.MULTILINE)
        assert found is not None
        return f"<!-- reviewer {match['command']}: {name} -->\n```html\n{found[0]}\n```"

    true = ELEMENT.sub(element, PART.sub(part, CONSOLE.sub(console, PAGE.read_text(encoding="utf-8"))))
    if update_golden:
        PAGE.write_text(true, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == true


def test_the_review_file_is_true(tmp_path: Path) -> None:
    part = re.search(r"^```\n(> .*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert part is not None
    thread = str(PAGE.parents[1] / "examples" / "thread.mbox")
    folder = tmp_path / "files"
    assert main(["review", thread, "--select", "DM303", "--format", "b4-review", "-o", str(folder)]) == 1
    assert part[1] in (folder / "0001.txt").read_text(encoding="utf-8")


def test_every_format_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for form in (*FORMATS, *FOLDERS):
        assert f"\n## {form}\n" in text
        assert f"\n| `{form}` |" in text
    assert sum(len(one.findall(text)) for one in (CONSOLE, PART, ELEMENT)) >= len(FORMATS)
