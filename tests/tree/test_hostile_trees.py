"""A clone, and patches, that are rigged: nothing of them runs, and nothing is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from driver import MAIN, Tree, climb, contexts, opened, rungs, source
from gitmaking import git, snapshot

from reviewer.cli import main

CHANGE = ("\tint left = 3;\n", "\tint left = 33;\n")
TRAPS = """\
[core]
	repositoryformatversion = 0
	fsmonitor = "touch {marker}"
	hooksPath = {hooks}
	pager = "touch {marker}"
	sshCommand = "touch {marker}"
	attributesFile = {attributes}
	editor = "touch {marker}"
[diff]
	external = "touch {marker}"
[diff "frob"]
	textconv = "touch {marker}"
	command = "touch {marker}"
[filter "frob"]
	clean = "touch {marker}"
	smudge = "touch {marker}"
	process = "touch {marker}"
	required = true
[alias]
	cat-file = "!touch {marker}"
	rev-parse = "!touch {marker}"
[credential]
	helper = "!touch {marker}"
[include]
	path = {included}
[remote "origin"]
	url = "ext::touch {marker}"
	promisor = true
	partialclonefilter = blob:none
[extensions]
	partialClone = origin
"""


def rigged(clone: Tree, tmp_path: Path) -> Path:
    """Set every trap in the clone; the file that appears when one is sprung."""
    marker = tmp_path / "sprung"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
        for folder in (hooks, clone.folder / ".git" / "hooks"):
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(f"#!/bin/sh\ntouch {marker}\n")
            (folder / name).chmod(0o755)
    attributes = tmp_path / "attributes"
    for file in (attributes, clone.folder / ".gitattributes", clone.folder / ".git" / "info" / "attributes"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("* filter=frob diff=frob\n")
    included = tmp_path / "included"
    included.write_text(f'[core]\n\tfsmonitor = "touch {marker}"\n')
    config = clone.folder / ".git" / "config"
    config.write_text(TRAPS.format(marker=marker, hooks=hooks, attributes=attributes, included=included))
    return marker


def test_a_rigged_clone_does_nothing(clone: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clone.edit("frob: first", MAIN, CHANGE)
    mbox = tmp_path / "series.mbox"
    mbox.write_bytes(b"".join(clone.mails("--base=HEAD~1")))
    missing = tmp_path / "missing.mbox"
    missing.write_bytes(mbox.read_bytes().replace(b"index ", b"index 1234567"))
    marker = rigged(clone, tmp_path)
    (clone.folder / ".reviewer.toml").write_text("not = configuration\n")
    before = snapshot(clone.folder)
    for mails in (mbox, missing):
        arguments = ["review", str(mails), "--tree", str(clone.folder), "--base", "main", "--apply-to", "main"]
        assert main([*arguments, "--show-old", "--fail-on", "never"]) == 0
        assert "code: 1 file" in capsys.readouterr().out
    assert not marker.exists()
    assert snapshot(clone.folder) == before


def mail(path: str, clone: Tree, old: str | None = None) -> bytes:
    """The patch to the driver, as one to another path."""
    (data,) = clone.mails()
    data = data.replace(f"b/{MAIN}".encode(), f"b/{path}".encode())
    return data.replace(f"a/{MAIN}".encode(), f"a/{old or path}".encode())


@pytest.mark.parametrize(
    "path",
    [
        "../secret.c",
        "../../etc/frob.c",
        "/etc/frob.c",
        ".git/config",
        "drivers/../../secret.c",
        "drivers//frob.c",
        "drivers/\tfrob.c",
        "HEAD:frob.c",
        ":(top)frob.c",
        "-frob.c",
        "frob.c\\n",
        "a" * 5000 + ".c",
    ],
)
def test_paths_that_lead_elsewhere_lead_nowhere(clone: Tree, path: str) -> None:
    (clone.folder.parent / "secret.c").write_text(source(1, 8))
    clone.edit("frob: first", MAIN, CHANGE)
    data = mail(path, clone)
    # The id is that of a blob in the tree, so the code is known; by path nothing is found.
    assert {rung for rung, _ in rungs(climb(opened([data]), clone.folder))} <= {"blob"}
    unknown = data.replace(b"\nindex ", b"\nindex 1234567")
    code = climb(opened([unknown]), clone.folder, base="main")
    assert {one.rung for one in contexts(code)} <= {"hunk"}
    assert code.trial.state != "applies"
    assert code.trial.reason == "absent"


def test_symlinks_in_the_tree_are_not_followed(clone: Tree, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "frob.c").write_text(source(1, 8))
    (clone.folder / "link").symlink_to(secret)
    (clone.folder / "link.c").symlink_to(secret / "frob.c")
    clone.commit("frob: links", {})
    clone.edit("frob: first", MAIN, CHANGE)
    for path in ("link/frob.c", "link.c"):
        (data,) = Tree(folder=clone.folder, base="HEAD~1").mails()
        data = data.replace(MAIN.encode(), path.encode()).replace(b"\nindex ", b"\nindex 1234567")
        code = climb(opened([data]), clone.folder, base="main")
        assert [one.rung for one in contexts(code)] == ["hunk"]
        assert code.trial.reason in ("absent", "context")


@pytest.mark.parametrize("ids", ["0000000..0000000", "ffffffffffffffff..f", "a" * 64 + ".." + "b" * 64, "1234..5678"])
def test_ids_that_name_nothing(clone: Tree, ids: str) -> None:
    clone.edit("frob: first", MAIN, CHANGE)
    (data,) = clone.mails()
    start = data.index(b"\nindex ")
    data = data[:start] + f"\nindex {ids} 100644".encode() + data[data.index(b"\n", start + 1) :]
    assert [rung for rung, _ in rungs(climb(opened([data]), clone.folder))] == ["hunk"]


def test_an_id_that_names_no_blob(clone: Tree) -> None:
    clone.edit("frob: first", MAIN, CHANGE)
    (data,) = clone.mails("--full-index")
    start = data.index(b"\nindex ")
    for revision in ("HEAD", "HEAD^{tree}"):
        name = git(clone.folder, "rev-parse", revision)
        odd = data[: start + 7] + name.encode() + data[start + 7 + len(name) :]
        assert [rung for rung, _ in rungs(climb(opened([odd]), clone.folder))] == ["hunk"]


def test_a_damaged_object_costs_its_file(clone: Tree) -> None:
    clone.edit("frob: first", MAIN, CHANGE)
    series = opened(clone.mails())
    name = git(clone.folder, "rev-parse", f"{clone.base}:{MAIN}")
    path = clone.folder / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o600)
    path.write_bytes(os.urandom(100))
    code = climb(series, clone.folder)
    assert [rung for rung, _ in rungs(code)] == ["hunk"]


def test_huge_files_are_left_alone(clone: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    clone.edit("frob: first", MAIN, CHANGE)
    series = opened(clone.mails())
    monkeypatch.setattr("reviewer.code.overlay.LARGEST", 1000)
    assert rungs(climb(series, clone.folder)) == [("hunk", "too-large")]
    monkeypatch.undo()
    monkeypatch.setattr("reviewer.code.ladder._HELD", 1000)
    assert rungs(climb(series, clone.folder)) == [("hunk", "too-large")]
