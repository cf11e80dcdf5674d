"""Option before environment before file before default, and never a file of the current folder."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewer.arguments import parser
from reviewer.cli import main
from reviewer.config import DEFAULTS, settle
from reviewer.sources.fetch import Fetcher
from reviewer.sources.lore import DEFAULT_SERVER

MAIL = """\
From mboxrd@z Thu Jan  1 00:00:00 1970
From: Ada Example <ada@frob.example>
Subject: [PATCH net-next] net: frob: grow the pool
Message-ID: <one@frob.example>
Date: Tue, 03 Feb 2026 10:00:00 +0000

The pool grows.

Signed-off-by: Ada Example <ada@frob.example>
---
 net/frob.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/net/frob.c b/net/frob.c
index 1111111111..2222222222 100644
--- a/net/frob.c
+++ b/net/frob.c
@@ -1,4 +1,4 @@ int frob(void)
 int frob(void)
 {
-\treturn -EINVAL;
+\treturn -ENOTSUPP;
 }
"""


@pytest.fixture
def thread(tmp_path: Path) -> str:
    path = tmp_path / "thread.mbox"
    path.write_text(MAIL)
    return str(path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own configuration folder, and no other configuration."""
    monkeypatch.delenv("REVIEWER_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    (tmp_path / "xdg" / "reviewer").mkdir(parents=True)
    return tmp_path / "xdg" / "reviewer" / "reviewer.toml"


def settled(*arguments: str) -> argparse.Namespace:
    options = parser().parse_args(arguments)
    settle(options)
    return options


ROWS: list[tuple[str, str, list[str], Any, Any]] = [
    ("tree", "tree = '/file'", ["--tree", "/option"], Path("/file"), Path("/option")),
    ("base", "tree = '/t'\nbase = 'file'", ["--base", "option"], "file", "option"),
    ("apply_to", "tree = '/t'\napply_to = 'file'", ["--apply-to", "option"], "file", "option"),
    ("cache", "cache = '/file'", ["--cache", "/option"], Path("/file"), Path("/option")),
    ("min_confidence", "min_confidence = 'low'", ["--min-confidence", "medium"], "low", "medium"),
    ("fail_on", "fail_on = 'note'", ["--fail-on", "error"], "note", "error"),
    ("format", "format = 'json'", ["--format", "text"], "json", "text"),
    ("rules", "rules = ['/file']", ["--rules", "/option"], (Path("/file"),), [Path("/option")]),
    ("select", "select = ['DM1']", ["--select", "DM3"], ("DM1",), ["DM3"]),
    ("ignore", "ignore = ['DM1']", ["--ignore", "DM3"], ("DM1",), ["DM3"]),
    ("templates", "templates = '/file'", ["--templates", "/option"], Path("/file"), Path("/option")),
    ("show_old", "show_old = true", ["--no-show-old"], True, False),
    ("server", "[fetch]\nserver = 'https://f/'", ["--server", "https://o/"], "https://f/", "https://o/"),
    ("fetch_cache", "[fetch]\ncache = '/file'", ["--no-cache"], Path("/file"), False),
    ("offline", "[fetch]\noffline = true", ["--no-offline"], True, False),
]


@pytest.mark.parametrize(("name", "text", "option", "from_file", "from_option"), ROWS, ids=[row[0] for row in ROWS])
def test_an_option_beats_the_file_and_the_file_the_default(
    home: Path, name: str, text: str, option: list[str], from_file: Any, from_option: Any
) -> None:
    assert getattr(settled("review", "x"), name) == DEFAULTS[name]
    home.write_text(f"[review]\n{text}\n")
    assert getattr(settled("review", "x"), name) == from_file
    assert settled("review", "x").origins[name] == str(home)
    assert getattr(settled("review", "x", *option), name) == from_option
    assert settled("review", "x", *option).origins[name] == "option"


def test_the_environment_stands_between(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write_text("[review]\ntree = '/file'\n")
    monkeypatch.setenv("REVIEWER_TREE", "/environment")
    assert settled("review", "x").tree == Path("/environment")
    assert settled("compare", "x").tree == Path("/environment")
    assert settled("review", "x", "--tree", "/option").tree == Path("/option")
    monkeypatch.setenv("REVIEWER_TREE", "")
    assert settled("review", "x").tree == Path("/file")


def test_which_file_is_read(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settled("review", "x").configured is None
    files = [home, tmp_path / "variable.toml", tmp_path / "option.toml"]
    for path in files:
        path.write_text(f"[review]\nbase = '{path.name}'\ntree = '/t'\n")
    assert settled("review", "x").base == "reviewer.toml"
    monkeypatch.setenv("REVIEWER_CONFIG", str(files[1]))
    assert settled("review", "x").base == "variable.toml"
    assert settled("review", "x", "--config", str(files[2])).base == "option.toml"
    assert settled("review", "x", "--config", os.devnull).base is None
    monkeypatch.setenv("REVIEWER_CONFIG", os.devnull)
    assert settled("review", "x").base is None


def test_a_named_file_that_is_not_there(
    home: Path, thread: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", thread, "--config", "nowhere.toml"]) == 2
    assert "no configuration nowhere.toml, which --config names; give" in capsys.readouterr().err
    monkeypatch.setenv("REVIEWER_CONFIG", "nowhere.toml")
    assert main(["series", thread]) == 2
    assert "which REVIEWER_CONFIG names" in capsys.readouterr().err


def test_a_file_in_the_current_folder_or_the_tree_is_nobodys(
    home: Path, thread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    for folder in (tree, tree / ".config" / "reviewer", tree / "reviewer"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "reviewer.toml").write_text("this is = = no configuration")
    monkeypatch.chdir(tree)
    for home_folder in ("", ".", ".config"):
        monkeypatch.setenv("XDG_CONFIG_HOME", home_folder)
        monkeypatch.setenv("HOME", "." if home_folder else str(tmp_path))
        assert main(["review", thread, "--tree", str(tree), "--fail-on", "never"]) == 0


def test_the_file_changes_the_review(home: Path, thread: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", thread]) == 1
    assert "DM303" in capsys.readouterr().out
    home.write_text('[review]\nfail_on = "never"\nformat = "json"\nselect = ["DM303"]\n')
    assert main(["review", thread]) == 0
    assert {one["rule"] for one in json.loads(capsys.readouterr().out)["findings"]} == {"DM303"}
    assert main(["review", thread, "--format", "text", "--fail-on", "error"]) == 1
    assert main(["series", thread]) == 0
    assert "net: frob" in capsys.readouterr().out
    home.write_text('[review]\nignore = ["DM303"]\n')
    assert main(["review", thread]) == 0
    assert main(["review", thread, "--ignore", ""]) == 1


def test_what_is_wrong_in_a_value_names_the_file(
    home: Path, thread: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said() -> str:
        assert main(["review", thread]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    home.write_text('[review]\nselect = ["DM9999"]\n')
    assert "unknown rule: DM9999" in (error := said())
    assert f"(select in {home})" in error
    subprocess.run(["git", "init", "-q", str(tmp_path / "tree")], check=True)
    home.write_text(f'[review]\ntree = "{tmp_path}/tree"\nbase = "nowhere"\n')
    assert f"--base nowhere (base in {home}): no such commit" in said()
    home.write_text('[review]\ntree = "missing"\n')
    assert str(home.parent / "missing") in said()
    home.write_text("[review]\nmin_confidense = 'low'\n")
    assert f"{home}:2: unknown key min_confidense in [review]; did you mean min_confidence?" in said()


def test_commits_of_a_file_wait_for_a_tree(home: Path, thread: str, capsys: pytest.CaptureFixture[str]) -> None:
    home.write_text('[review]\nbase = "main"\napply_to = "main"\n')
    assert main(["review", thread, "--fail-on", "never"]) == 0
    assert settled("review", "x").base is None
    assert settled("review", "x", "--tree", "/t").base == "main"
    assert main(["review", thread, "--base", "main"]) == 2
    assert "give it with --tree DIR" in capsys.readouterr().err


def test_each_command_takes_what_it_has_options_for(home: Path) -> None:
    home.write_text(
        "[review]\ntree = '/t'\nselect = ['DM1']\nrules = ['/r']\nfail_on = 'note'\nformat = 'json'\napply_to = 'x'\n"
        "show_old = true\ntemplates = '/m'\n[people]\nmaintainers = ['m@dev.example']\n[fetch]\noffline = true\n"
    )
    compare = settled("compare", "x")
    assert (compare.tree, compare.select, compare.apply_to, compare.show_old) == (Path("/t"), ("DM1",), None, False)
    assert (compare.format, compare.maintainers, compare.offline) == ("text", ("m@dev.example",), True)
    series = settled("series", "x")
    assert (series.tree, series.format, series.templates, series.offline) == (None, "text", Path("/m"), True)
    rules = settled("rules")
    assert (rules.rules, rules.select) == ((Path("/r"),), ())
    assert settled("rules", "--markdown").rules == ()
    assert settled("explain", "DM1").rules == (Path("/r"),)
    assert settled("test").rules == ()
    home.write_text("= nonsense")
    settled("test")
    settled("rules", "--markdown")


def test_no_cache_leaves_no_cache(home: Path) -> None:
    home.write_text("[review]\ncache = '/parsed'\n")
    assert settled("review", "x").cache == Path("/parsed")
    assert settled("review", "x", "--no-cache").cache is None
    assert settled("review", "x", "--no-cache", "--cache", "/here").cache == Path("/here")


def test_defaults_are_those_of_what_they_set() -> None:
    assert DEFAULTS["server"] == DEFAULT_SERVER
    assert DEFAULTS["timeout"] == Fetcher().timeout


def test_no_file_costs_nothing(home: Path, thread: str) -> None:
    code = (
        "import sys; from reviewer.cli import main; main(['series', sys.argv[1]]); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code, thread], check=True, capture_output=True, text=True)
    loaded = ran.stderr.split()
    assert "reviewer.config" in loaded
    assert not {"tomllib", "difflib", "reviewer.config_file", "reviewer.config_keys"} & {*loaded}
