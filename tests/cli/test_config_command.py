"""`reviewer config`: what is in force, as TOML that can be read back; and the page that tells of the keys."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import main
from reviewer.config import DEFAULTS
from reviewer.config_file import read_config
from reviewer.config_keys import KEYS, SECTIONS

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
FILE = """\
[review]
tree = "linux.git"
min_confidence = "low"
ignore = ["DM008", 'a "quoted" \\ word']

[review.branches]
net-next = "net-next/main"
"odd tag" = "x"

[fetch]
timeout = 2.5
cache = "fetched"

[bot]
from = "Reviewer <reviewer@bots.example>"
patience_hours = 2
[[bot.source]]
kind = "maildir"
path = "inbox"
[[bot.source]]
kind = "mbox"
[bot.smtp]
host = "localhost"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "reviewer.toml"
    path.write_text(FILE)
    monkeypatch.setenv("REVIEWER_CONFIG", str(path))
    return path


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["config", *options]) == 0
    return capsys.readouterr().out


def test_every_value_tells_where_it_is_from(
    capsys: pytest.CaptureFixture[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWER_TREE", "/srv/linux.git")
    text = printed(capsys, "--select", "DM3")
    assert text.startswith(f"# file: {file}\n\n[review]\n")
    for line in (
        'tree = "/srv/linux.git"  # environment, REVIEWER_TREE',
        "# base is not set",
        f'min_confidence = "low"  # {file}:3',
        'select = ["DM3"]  # option',
        'fail_on = "error"  # default',
        f'[review.branches]\n# {file}:6\nnet-next = "net-next/main"\n"odd tag" = "x"',
        f"timeout = 2.5  # {file}:11",
        "[bot]  # nothing acts on this section yet",
    ):
        assert f"\n{line}\n" in text


def test_what_is_printed_can_be_read_back(capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path) -> None:
    again = tmp_path / "elsewhere" / "again.toml"
    again.parent.mkdir()
    for options in ((), ("--tree", "a\tb", "--no-cache", "--offline")):
        again.write_text(printed(capsys, *options))
        first = json.loads(printed(capsys, "--format", "json", *options))
        second = json.loads(printed(capsys, "--format", "json", "--config", str(again)))
        assert values(second) == values(first)
        assert second["later"] == first["later"]


def values(document: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{section}.{key}": entry["value"]
        for section, table in document["settings"].items()
        for key, entry in table.items()
    }


def test_json_tells_the_same(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    document = json.loads(printed(capsys, "--format", "json", "--base", "v6.1"))
    assert document["file"] == str(file)
    review = document["settings"]["review"]
    assert review["tree"] == {"value": str(file.parent / "linux.git"), "origin": "file", "line": 2}
    assert review["base"] == {"value": "v6.1", "origin": "option"}
    assert review["fail_on"] == {"value": "error", "origin": "default"}
    assert document["later"]["bot.source"][0] == {"kind": "maildir", "path": str(file.parent / "inbox")}


def test_without_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("REVIEWER_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    text = printed(capsys)
    assert text.startswith(f"# no file; yours would be {tmp_path}/reviewer/reviewer.toml\n")
    assert "\n# format is not set\n" in text  # what a report then is depends on where it goes
    assert tomllib.loads(text)["review"]["min_confidence"] == "medium"
    assert json.loads(printed(capsys, "--format", "json"))["file"] is None


def test_a_name_that_no_toml_can_hold(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    assert main(["config", "--tree", "a\udcffb"]) == 2
    assert "is not UTF-8" in capsys.readouterr().err
    text = printed(capsys, "--tree", "/a\x7f\x1b\nb")
    assert tomllib.loads(text)["review"]["tree"] == "/a\x7f\x1b\nb"


def test_it_can_go_to_a_file(capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path) -> None:
    assert printed(capsys, "-o", str(tmp_path / "out.toml")) == ""
    assert tomllib.loads((tmp_path / "out.toml").read_text())["fetch"]["timeout"] == 2.5


def test_a_file_that_is_not_right_is_one_line(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    file.write_text("[review]\ntree = 1\n")
    assert main(["config"]) == 2
    assert capsys.readouterr().err == f"reviewer: {file}:2: review.tree must be a string, not a number\n"


def test_the_page_tells_of_every_key(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    rows = dict(re.findall(r"^\| `([a-z_]+(?:\.[a-z_]+)*)` \| ([^|]*) \|", page, re.MULTILINE))
    assert set(rows) == set(KEYS)
    for name, key in KEYS.items():
        default = DEFAULTS[key.sets] if key.sets not in (None, "format") else None
        shown = json.dumps(list(default) if isinstance(default, tuple) else default)
        assert rows[name].strip() == ("" if default in (None, {}) else f"`{shown}`"), name


def test_the_example_of_the_page_sets_every_key(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    example = max(re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE), key=len)
    (tmp_path / "reviewer.toml").write_text(example)
    found = read_config(tmp_path / "reviewer.toml").values
    told = {*found}
    for section in ("bot.source", "bot.policy"):
        told |= {f"{section}.{key}" for table in found[section] for key in table}
    assert told - SECTIONS - {"review.branches"} == set(KEYS) - {"review.branches"}
    assert "review.branches" in told
