"""`reviewer.toml`: what is known, what is wrong with a file in one line, and which file is read at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.config import own_path
from reviewer.config_file import LARGEST, Config, lines_of, read_config
from reviewer.errors import UsageError


def config(folder: Path, text: str | bytes) -> Config:
    path = folder / "reviewer.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_config(path)


def problem(folder: Path, text: str | bytes) -> str:
    with pytest.raises(UsageError) as info:
        config(folder, text)
    said = str(info.value)
    assert "\n" not in said
    assert said.count(str(folder / "reviewer.toml")) == 1
    return said.replace(str(folder / "reviewer.toml"), "FILE")


def test_values_become_what_the_options_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = config(
        tmp_path,
        """\
[review]
tree = "linux.git"
rules = ["~/rules", "/srv/rules"]
select = ["DM3,extack", "DM101"]
show_old = true
[review.branches]
net-next = "net-next/main"
[people]
maintainers = ["m@dev.example"]
[fetch]
cache = "fetched"
timeout = 2.5
""",
    )
    assert found.settings == {
        "tree": tmp_path / "linux.git",
        "rules": (tmp_path / "home" / "rules", Path("/srv/rules")),
        "select": ("DM3,extack", "DM101"),
        "show_old": True,
        "branches": {"net-next": "net-next/main"},
        "maintainers": ("m@dev.example",),
        "fetch_cache": tmp_path / "fetched",
        "timeout": 2.5,
    }
    assert found.lines["review.tree"] == 2
    assert found.lines["fetch.timeout"] == 12


def test_paths_are_those_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "r.toml").write_text('[review]\ntree = "../linux.git"\n')
    monkeypatch.chdir(tmp_path)
    assert read_config(Path("etc/r.toml")).settings["tree"] == tmp_path / "etc" / "../linux.git"


def test_what_is_for_later_is_known(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        """\
[bot]
from = "Reviewer <reviewer@bots.example>"
state = "bot.sqlite3"
outbox = "outbox"
approval = "manual"
patience_hours = 2
[[bot.source]]
kind = "maildir"
path = "inbox"
[[bot.source]]
kind = "atom"
path = "https://archive.example/list/new.atom"
[[bot.policy]]
list = "*"
reply = "author"
level = "warning"
confidence = "high"
embargo_hours = 0.5
[bot.smtp]
host = "localhost"
port = 25
""",
    )
    assert found.settings == {}
    assert found.values["bot.source"] == (
        {"kind": "maildir", "path": tmp_path / "inbox"},
        {"kind": "atom", "path": "https://archive.example/list/new.atom"},
    )
    assert found.values["bot.smtp.port"] == 25


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[review]\nmin-confidence = "low"', "FILE:2: unknown key min-confidence in [review]; did you mean min_confid"),
        ('[review]\n\n"fail-on" = "note"', "FILE:3: unknown key fail-on in [review]; did you mean fail_on?"),
        ('[review]\nserver = "x"', "FILE:2: unknown key server in [review]; it belongs in [fetch]"),
        ('tree = "x"', "FILE:1: unknown key tree at the top; it belongs in [review]"),
        ('tre = "x"', "FILE:1: unknown key tre at the top; did you mean tree?"),
        ("[revue]\nx = 1", "FILE:1: unknown section revue at the top; did you mean review?"),
        ("[xyzzy]", "FILE:1: unknown section xyzzy at the top; known: bot, bot.policy"),
        ("[review]\nxyzzy = 1", "FILE:2: unknown key xyzzy in [review]; known here: apply_to, base"),
        ("[review.branch]\nx = 'y'", "FILE:1: unknown section branch in [review]; did you mean branches?"),
        (
            "[[bot.source]]\nkynd = 'mbox'",
            "FILE:1: bot.source holds an unknown key kynd in [bot.source]; did you mean k",
        ),
        ("[bot.smtp]\nhosts = 'x'", "FILE:2: unknown key hosts in [bot.smtp]; did you mean host?"),
    ],
)
def test_what_is_unknown_is_told_with_what_was_meant(tmp_path: Path, text: str, said: str) -> None:
    assert problem(tmp_path, text).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[review]\ntree = 1", "FILE:2: review.tree must be a string, not a number"),
        ("[review]\ntree = ''", "FILE:2: review.tree is empty"),
        ("[review]\nbase = '  '", "FILE:2: review.base is empty"),
        ('[review]\ntree = "a\\u0000b"', "FILE:2: review.tree holds a NUL character"),
        ('[review]\nbase = "a\\u007fb"', "FILE:2: review.base holds control characters"),
        ("[review]\nshow_old = 1", "FILE:2: review.show_old must be true or false, not a number"),
        ("[review]\nshow_old = 'yes'", "FILE:2: review.show_old must be true or false, not a string"),
        ("[review]\nrules = 'x'", "FILE:2: review.rules must be a list of strings, not a string"),
        ("[review]\nrules = ['x', 2026-02-03]", "FILE:2: review.rules must be a string, not a date or time"),
        ("[review]\nfail_on = 'errors'", "FILE:2: review.fail_on must be one of error, warning, note, never, not 'e"),
        ("[review]\nmin_confidence = true", "FILE:2: review.min_confidence must be one of low, medium, high, not a bo"),
        ("[review]\nformat = 'pdf'", "FILE:2: review.format must be one of "),
        ("[review]\nbranches = ['x']", "FILE:2: review.branches must be a table, not a list"),
        ("[review.branches]\nnet = 1", "FILE:1: review.branches 'net' must be a string, not a number"),
        (
            "[people]\nmaintainers = ['Ann <a@x.example>']",
            "FILE:2: people.maintainers holds Ann <a@x.example>, which i",
        ),
        ("[people]\nmaintainers = ['ann']", "FILE:2: people.maintainers holds ann, which is no address: give it"),
        ("[fetch]\nserver = 'lore'", "FILE:2: fetch.server must begin with http:// or https://"),
        ("[fetch]\ncache = 1", "FILE:2: fetch.cache must be true, false or a folder, not a number"),
        ("[fetch]\ntimeout = true", "FILE:2: fetch.timeout must be a number, not a boolean"),
        ("[fetch]\ntimeout = nan", "FILE:2: fetch.timeout must be from 0.1 to 3600"),
        ("[fetch]\ntimeout = -inf", "FILE:2: fetch.timeout must be from 0.1 to 3600"),
        ("[bot.smtp]\nport = 0", "FILE:2: bot.smtp.port must be from 1 to 65535"),
        ("[bot.smtp]\nport = 1.5", "FILE:2: bot.smtp.port must be a whole number, not a number"),
        ("[bot]\nsource = 1", "FILE:2: bot.source must be written as [[bot.source]]"),
        ("[bot]\nsource = ['x']", "FILE:2: bot.source must be written as [[bot.source]]"),
        (
            "[[bot.source]]\nkind = 1",
            "FILE:1: bot.source has a kind that must be one of maildir, public-inbox, mbox, at",
        ),
        ("review = 1", "FILE:1: review must be a table: write [review]"),
        ("[[review]]\ntree = 'x'", "FILE:1: review must be a table: write [review]"),
    ],
)
def test_what_is_of_the_wrong_kind_is_told(tmp_path: Path, text: str, said: str) -> None:
    assert problem(tmp_path, text).startswith(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[review", "FILE is no TOML: "),
        (b"\xff\xfe[\0r\0", "FILE is not UTF-8 (byte 1): save it as UTF-8"),
        (b"[review]\nbase = '\xe9'\n", "FILE is not UTF-8 (byte 18)"),
        (b"x = " + b"[" * 50_000, "FILE is no TOML: it is nested too deeply"),
        (b"x = " + b"9" * 5000, "FILE is no TOML: "),
        (b"x = 2026-02-31", "FILE is no TOML: "),
        (b"#" * (10 << 20), f"FILE is larger than {LARGEST >> 10} KiB"),
        (b"\0" * 100, "FILE is no TOML: "),
        (b"From a\nSubject: x\n\nmail\n", "FILE is no TOML: "),
    ],
    ids=["cut", "utf-16", "latin-1", "deep", "digits", "date", "10 MB", "zeros", "mail"],
)
def test_hostile_files_are_one_line(tmp_path: Path, data: bytes, said: str) -> None:
    assert problem(tmp_path, data).startswith(said)


def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    found = config(tmp_path, "\ufeff[review]\r\nbase = 'main'\r\n")
    assert found.settings == {"base": "main"}
    assert found.lines["review.base"] == 2


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "away").symlink_to("nowhere")
    for path, said in (
        (tmp_path / "pipe", "is no file"),
        (Path("/dev/zero"), "is no file"),
        (tmp_path, "is a folder: give the file in it"),
        (tmp_path / "loop", "cannot read"),
        (tmp_path / "away", "cannot read"),
        (Path("a\0b"), "cannot read"),
    ):
        with pytest.raises(UsageError, match=said):
            read_config(path)


@given(st.text(alphabet=st.sampled_from("[]=\"'.#\n ab1{},review"), max_size=60))
def test_any_text_is_a_configuration_or_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text)
    said = ""
    try:
        read_config(path)
    except UsageError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[a]\nx = 1\n[b.c]\ny=2", {"a": 1, "a.x": 2, "b.c": 3, "b.c.y": 4}),
        ("# x = 1\nx = 2\nx = 3", {"x": 2}),
        ('x = """\ny = 1\n"""', {}),
        ("[[a.b]]\nx = 1\n[[a.b]]", {"a.b": 1, "a.b.x": 2}),
        ("x = [\n[1],\n[2]]\ny = 1", {"x": 1, "1": 2, "2": 3, "2.y": 4}),
    ],
)
def test_lines_are_told_where_they_are_plain(text: str, lines: dict[str, int]) -> None:
    assert lines_of(text) == lines


def test_where_the_users_own_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(**variables: Any) -> str | None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return own_path()

    assert own(XDG_CONFIG_HOME="/etc/xdg") == "/etc/xdg/reviewer/reviewer.toml"
    assert own(XDG_CONFIG_HOME="", HOME="/home/ann") == "/home/ann/.config/reviewer/reviewer.toml"
    assert own(XDG_CONFIG_HOME="here", HOME="/home/ann") == "/home/ann/.config/reviewer/reviewer.toml"
    assert own(HOME="here") is None
