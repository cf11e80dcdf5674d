"""A clone whose configuration, attributes, hooks and refs are out to get us does nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gitmaking import BETTER, DRIVER, commit, git, init, snapshot

from reviewer.repository import GitObject, Repository

TRAP = """\
[core]
	fsmonitor = {touch}
	hooksPath = {hooks}
	sshCommand = {touch}
	pager = {touch}
	editor = {touch}
	gitProxy = {touch}
	alternateRefsCommand = {touch}
	worktree = {outside}
	attributesFile = {attributes}
	askPass = {touch}
[include]
	path = {included}
[includeIf "gitdir:**"]
	path = {included}
[diff]
	external = {touch}
	renames = false
	noprefix = true
[diff "frob"]
	textconv = {touch}
	command = {touch}
[filter "frob"]
	clean = {touch}
	smudge = {touch}
	process = {touch}
	required = true
[alias]
	log = !{touch}
	cat-file = !{touch}
	rev-list = !{touch}
	format-patch = !{touch}
[pager]
	log = {touch}
	cat-file = {touch}
[credential]
	helper = !{touch}
[gpg]
	program = {touch}
[log]
	showSignature = true
[format]
	attach = true
	headers = "X-Odd: yes"
[trace2]
	eventTarget = {trace}
[extensions]
	partialClone = origin
[remote "origin"]
	url = ext::{touch}
	promisor = true
	vcs = frob
	partialclonefilter = blob:none
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[protocol "file"]
	allow = always
[i18n]
	logOutputEncoding = UTF-16
"""


@pytest.fixture
def rigged(tmp_path: Path) -> Path:
    folder = init(tmp_path / "clone")
    commit(folder, "frob: add it", {"frob/main.c": DRIVER, ".gitattributes": "* diff=frob filter=frob\n"})
    commit(folder, "frob: fail", {"frob/main.c": BETTER})
    git(folder, "replace", "HEAD~1", "HEAD")
    script = tmp_path / "touch.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\ncat 2>/dev/null\n")
    script.chmod(0o755)
    hooks = folder / ".git" / "hooks"
    for name in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    os.mkfifo(tmp_path / "included")
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* diff=frob filter=frob\n")
    (folder / ".git" / "info" / "grafts").write_text("nonsense\n")
    places = {name: tmp_path / name for name in ("outside", "included", "attributes", "trace")}
    (folder / ".git" / "config").write_text(TRAP.format(touch=script, hooks=hooks, **places))
    return folder


def test_nothing_runs_and_nothing_changes(rigged: Path, tmp_path: Path) -> None:
    before = snapshot(rigged)
    with Repository.open(rigged) as repository:
        newest = repository.resolve("main")
        assert newest is not None
        first, second = list(repository.commits([newest]))[::-1]
        files = list(repository.files(first, ["frob/main.c"]))
        absent = list(repository.objects(["dead" * 10]))
        blobs = list(repository.blobs_of_path("frob/main.c", second))
        ((commit_id, mail),) = repository.patches(first, second)
    assert [one.data for one in files if isinstance(one, GitObject)] == [DRIVER.encode()]
    assert len(absent) == 1
    assert len(blobs) == 2
    assert commit_id == second
    assert mail is not None
    assert b"X-Odd" not in mail
    assert b"+++ b/frob/main.c\n" in mail
    assert not (tmp_path / "pwned").exists()
    assert not (tmp_path / "trace").exists()
    assert snapshot(rigged) == before


def test_a_replaced_commit_is_read_as_it_was_made(rigged: Path) -> None:
    with Repository.open(rigged) as repository:
        newest = repository.resolve("main")
        assert newest is not None
        assert len(list(repository.commits([newest]))) == 2


def test_the_stand_in_is_gone_afterwards(rigged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with Repository.open(rigged) as repository:
        repository.resolve("main")
        assert len(list(place.iterdir())) == 1
    assert list(place.iterdir()) == []
    assert (rigged / ".git" / "refs" / "heads" / "main").is_file()


def test_a_talkative_git_does_not_stall(tmp_path: Path) -> None:
    folder = init(tmp_path / "clone")
    commit(folder, "frob: add it", {"a.c": DRIVER})
    ids = [git(folder, "hash-object", "-w", "--stdin", data=b"%d\n" % one) for one in range(40)]
    for one in ids:
        (folder / ".git" / "refs" / "heads" / one[:7]).write_text(one + "\n")
    with Repository.open(folder) as repository:
        found = list(repository.objects([one[:7] for one in ids] * 60))
    assert all(isinstance(one, GitObject) for one in found)
