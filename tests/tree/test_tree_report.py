"""`reviewer review --tree`: what the reports say of the code, and findings beyond the hunks."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from driver import MAIN, Tree, function
from gitmaking import commit, git, init

from reviewer.cli import main

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text("utf-8"))
FAR = ("\t\tfrob_poke(fb, arg + 3);\n", "\t\tfrob_poke(fb, arg + 4);\n")


class Run:
    def __init__(self, clone: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.clone = clone
        self.mbox = tmp_path / "series.mbox"
        self._capsys = capsys

    def write(self, *options: str) -> None:
        self.mbox.write_bytes(b"".join(self.clone.mails(*options)))

    def text(self, *options: str) -> str:
        assert main(["review", str(self.mbox), "--fail-on", "never", *options]) == 0, self._capsys.readouterr().err
        return self._capsys.readouterr().out

    def tree(self, *options: str) -> str:
        return self.text("--tree", str(self.clone.folder), *options)

    def json(self, *options: str) -> dict[str, object]:
        document = json.loads(self.tree("--format", "json", *options))
        jsonschema.validate(document, SCHEMA)
        return document

    def problem(self, *options: str) -> str:
        assert main(["review", str(self.mbox), *options]) == 2
        error = self._capsys.readouterr().err
        assert error.count("\n") == 1
        return error


@pytest.fixture
def run(clone: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    clone.edit("frob: poke further", MAIN, FAR)
    clone.commit("frob: add steps", {"drivers/net/frob/new.c": function(500)})
    made = Run(clone, tmp_path, capsys)
    made.write("--base=HEAD~2")
    return made


def test_the_reports_tell_what_was_seen(run: Run) -> None:
    text = run.tree()
    assert "code: 1 file as the author had it, 1 new\n" in text
    assert f"applies: yes, to {run.clone.base}\n" in text
    assert "- **applies:** yes" in run.tree("--format", "markdown")
    (series,) = run.json()["series"]
    assert [patch["context"] for patch in series["patches"]] == [{MAIN: "blob"}, {"drivers/net/frob/new.c": "new"}]
    assert [patch["context_problems"] for patch in series["patches"]] == [{}, {}]
    assert series["applies"]["state"] == "applies"
    assert series["applies"]["commit"] == run.clone.base


def test_without_a_tree_nothing_is_said_of_it(run: Run) -> None:
    text = run.text()
    assert "code:" not in text
    assert "applies:" not in text


def test_what_does_not_apply_is_said(run: Run) -> None:
    text = " ".join(run.tree("--apply-to", "main").split())
    assert "applies: not to main (" in text
    assert f"patch 1, {MAIN}, hunk 1: it is there already" in text
    (series,) = run.json("--apply-to", "main")["series"]
    assert series["applies"] == {
        "state": "does-not-apply",
        "revision": "main",
        "commit": series["applies"]["commit"],
        "patch": series["patches"][0]["message_id"],
        "number": 1,
        "file": MAIN,
        "hunk": 1,
        "reason": "applied-already",
        "offset": 0,
        "fuzz": 0,
    }


def test_what_could_not_be_seen_is_said(run: Run, tmp_path: Path) -> None:
    other = init(tmp_path / "other")
    commit(other, "other", {"README": "other\n"})
    text = " ".join(run.text("--tree", str(other)).split())
    assert f"code: 1 file new, 1 hunks only; patch 1, {MAIN}: the tree lacks the version that the patch names" in text
    assert f"applies: not tried on {run.clone.base}: the tree has no such commit" in text
    named = " ".join(run.text("--tree", str(other), "--base", "main").split())
    assert f"patch 1, {MAIN}: there is no such file" in named
    assert "applies: not to main (" in named


def test_the_environment_names_the_tree(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWER_TREE", str(run.clone.folder))
    assert "code: 1 file as" in run.text()


def test_what_is_wrong_with_the_options_is_one_line(run: Run, tmp_path: Path) -> None:
    assert "--tree DIR" in run.problem("--base", "main")
    assert "is no git repository" in run.problem("--tree", str(tmp_path))
    assert "--base nowhere: no such commit" in run.problem("--tree", str(run.clone.folder), "--base", "nowhere")
    assert "--apply-to --all: no such commit" in run.problem("--tree", str(run.clone.folder), "--apply-to=--all")


def test_a_cache_changes_nothing_but_the_time(run: Run, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = run.tree("--format", "json", "--show-old")
    assert [run.tree("--format", "json", "--show-old", "--cache", str(cache)) for _ in range(2)] == [plain, plain]
    assert cache.is_dir()
    assert "--cache" in run.problem("--tree", str(run.clone.folder), "--cache", str(run.mbox / "cache"))


def test_prerequisites_come_from_the_same_sources(run: Run) -> None:
    clone = run.clone
    clone.edit("frob: a step", MAIN, ("int left = 5;", "int left = 55;"))
    below = [mail for mail in clone.mails("--no-thread", "--no-numbered") if b"poke further" in mail]
    above = clone.mails("--base=HEAD~3", since="HEAD~1")
    clone.only(clone.base)
    run.mbox.write_bytes(b"".join(above))
    assert step(run)["context"] == {MAIN: "base"}
    run.mbox.write_bytes(b"".join([*below, *above]))
    assert step(run)["context"] == {MAIN: "blob"}


def step(run: Run) -> dict[str, object]:
    (series,) = [one for one in run.json()["series"] if "a step" in one["subject"]]
    return series["patches"][0]


def test_a_branch_of_the_configuration_comes_before_the_base(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = run.clone
    git(tree.folder, "branch", "work/frob", tree.base)
    run.write("--subject-prefix=PATCH frob-next")
    mails = run.mbox.read_bytes().replace(b"index ", b"index 0")  # blobs that no tree has
    run.mbox.write_bytes(mails)
    config = tmp_path / "reviewer.toml"
    config.write_text(f'[review]\ntree = "{tree.folder}"\nbase = "main"\n')
    told = ("--config", str(config))
    assert "applies: not to main (" in " ".join(run.text(*told).split())
    with config.open("a") as file:
        file.write('[review.branches]\nother = "main"\nfrob-next = "work/frob"\n')
    text = " ".join(run.text(*told).split())
    assert "applies: yes, to work/frob" in text
    assert "applies: yes, to work/frob" in " ".join(run.text(*told, "--base", "main").split())
    assert main(["compare", str(run.mbox), *told]) == 2  # one version, but the option and the tree are right
    assert "give the older version" in capsys.readouterr().err
