from __future__ import annotations

import os
from pathlib import Path

import pytest
from gitmaking import DRIVER, Made, commit, git, init, snapshot

from reviewer.errors import InputError
from reviewer.repository import GitObject, MissingObject, Repository


def head(path: Path, *, parents: bool = False) -> str | None:
    with Repository.open(path, parents=parents) as repository:
        return repository.resolve("HEAD")


def test_bare_packed_git_folder_and_relative_paths(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(made.folder), str(bare))
    git(bare, "gc", "-q")
    assert head(bare) == made.second
    assert head(made.folder / ".git") == made.second
    monkeypatch.chdir(tmp_path)
    assert head(Path("bare.git")) == made.second


def test_a_folder_inside_is_found_only_when_asked_for(made: Made) -> None:
    assert head(made.folder / "frob", parents=True) == made.second
    with pytest.raises(InputError, match="no git repository"):
        Repository.open(made.folder / "frob")


def test_a_linked_work_tree_has_its_own_head(made: Made, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(made.folder, "worktree", "add", "-q", "--detach", str(tree), made.first)
    before = snapshot(made.folder)
    with Repository.open(tree) as repository:
        assert repository.resolve("HEAD") == made.first
        assert repository.resolve("main") == made.second
        assert repository.object_format == ("sha1" if made.digits == 40 else "sha256")
    assert snapshot(made.folder) == before


def test_a_submodule_and_a_symlinked_head(made: Made, tmp_path: Path) -> None:
    outer = init(tmp_path / "outer")
    (outer / "sub").mkdir()
    (outer / "sub" / ".git").write_text("gitdir: ../../clone/.git\n")
    assert head(outer / "sub") == made.second
    place = made.folder / ".git" / "HEAD"
    place.unlink()
    place.symlink_to("refs/heads/main")
    assert head(made.folder) == made.second


def test_alternates_are_followed(made: Made, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    git(tmp_path, "clone", "-q", "--shared", str(made.folder), str(shared))
    assert head(shared) == made.second
    (shared / ".git" / "objects" / "info" / "alternates").write_text("../../../clone/.git/objects\n")
    assert head(shared) == made.second


def test_a_shallow_clone_ends_where_it_was_cut(made: Made, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", made.folder.as_uri(), str(shallow))
    with Repository.open(shallow) as repository:
        assert list(repository.commits([made.second])) == [made.second]
        assert next(repository.objects([made.first])) == MissingObject(name=made.first, why="missing")


def test_a_partial_clone_downloads_nothing(made: Made, tmp_path: Path) -> None:
    partial = tmp_path / "partial"
    git(made.folder, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", made.folder.as_uri(), str(partial))
    blob = git(made.folder, "rev-parse", f"{made.first}:frob/main.c")
    trap = tmp_path / "contacted"
    git(partial, "config", "remote.origin.uploadpack", f"touch {trap};:")
    before = snapshot(partial)
    with Repository.open(partial) as repository:
        assert next(repository.objects([blob])) == MissingObject(name=blob, why="missing")
        assert next(repository.files(made.first, ["frob/main.c"])) == MissingObject(name="frob/main.c", why="missing")
        assert list(repository.blobs_of_path("frob/main.c", made.second))[-1] == blob
        with pytest.raises(InputError, match="git cannot read it"):
            list(repository.patches(made.first, made.second))
    git(partial, "config", "remote.origin.url", "/nowhere/at/all.git")
    with Repository.open(partial) as repository:
        assert next(repository.objects([blob])) == MissingObject(name=blob, why="missing")
    assert not trap.exists()
    assert {name for name in before if name.startswith(".git/objects")} == {
        name for name in snapshot(partial) if name.startswith(".git/objects")
    }


def test_an_unborn_branch_names_no_commit(tmp_path: Path) -> None:
    assert head(init(tmp_path / "empty")) is None


def test_what_is_no_repository_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no repository\n")
    for number, text in enumerate(("gitdir: absent\n", "gitdir:\n", "nonsense", "gitdir: a\0b\n", "x" * 10_000)):
        folder = tmp_path / f"pointer{number}"
        folder.mkdir()
        (folder / ".git").write_text(text)
    half = tmp_path / "half"
    (half / "objects").mkdir(parents=True)
    (half / "HEAD").write_text("ref: refs/heads/main\n")
    odd = init(tmp_path / "odd")
    (odd / ".git" / "HEAD").write_text("ref: /etc/passwd\n")
    linked = init(tmp_path / "linked")
    (linked / ".git" / "HEAD").unlink()
    (linked / ".git" / "HEAD").symlink_to("/etc/passwd")
    for folder in [*sorted(tmp_path.iterdir()), tmp_path / "absent", tmp_path / "nul\0byte"]:
        with pytest.raises(InputError, match="no git repository") as caught:
            Repository.open(folder)
        assert "\n" not in str(caught.value)


def test_a_pipe_in_the_place_of_a_file_does_not_stop_us(tmp_path: Path) -> None:
    folder = init(tmp_path / "clone")
    commit(folder, "frob: add it", {"a.c": DRIVER})
    for name in ("packed-refs", "shallow", "FETCH_HEAD"):
        (folder / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(folder / ".git" / name)
    assert head(folder) is not None
    (folder / ".git" / "config").unlink()
    os.mkfifo(folder / ".git" / "config")
    with pytest.raises(InputError, match="no configuration file"):
        Repository.open(folder)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[extensions]\n\tobjectformat = sha512\n", "unknown objectformat"),
        ("[extensions\nobjectformat = sha256\n", "git cannot read it"),
        ("[extensions]\n\trefstorage = frobs\n", "unknown refstorage"),
    ],
)
def test_an_unknown_format_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    folder = init(tmp_path / "clone")
    (folder / ".git" / "config").write_text(text)
    with pytest.raises(InputError, match=complaint):
        Repository.open(folder)


def test_a_configuration_that_is_absent_or_only_speaks_of_formats(tmp_path: Path) -> None:
    folder = init(tmp_path / "clone")
    made = commit(folder, "frob: add it", {"a.c": DRIVER})
    (folder / ".git" / "config").write_text("# no objectformat here\n")
    assert head(folder) == made
    (folder / ".git" / "config").unlink()
    assert head(folder) == made


def test_git_is_needed(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match="install git"), Repository.open(made.folder) as repository:
        repository.resolve("HEAD")


def test_the_environment_of_a_git_hook_does_not_mislead(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = {
        "GIT_DIR": "/nowhere",
        "GIT_COMMON_DIR": "/nowhere",
        "GIT_WORK_TREE": "/nowhere",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere/index",
        "GIT_NAMESPACE": "odd",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.abbrev",
        "GIT_CONFIG_VALUE_0": "nonsense",
        "GIT_CONFIG_PARAMETERS": "nonsense",
        "GIT_SHALLOW_FILE": "/nowhere",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_GLOB_PATHSPECS": "1",
        "LC_ALL": "de_DE.UTF-8",
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    with Repository.open(made.folder) as repository:
        assert repository.resolve("main") == made.second
        assert len(list(repository.blobs_of_path("frob/main.c", made.second))) == 2
        assert isinstance(next(repository.objects([made.first])), GitObject)
        assert len(list(repository.patches(made.first, made.second))) == 1
