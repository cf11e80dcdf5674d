from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from gitmaking import BETTER, DRIVER, Made, commit, git, init

from reviewer.errors import InputError
from reviewer.repository import PathChange, Repository
from reviewer.repository.history import read_changes, read_patches


def test_commits_newest_first_between_ends(made: Made) -> None:
    with Repository.open(made.folder) as repository:
        assert list(repository.commits([made.second])) == [made.second, made.first]
        assert list(repository.commits([made.second], [made.first])) == [made.second]
        assert list(repository.commits([made.second], limit=1)) == [made.second]


def test_only_full_ids_reach_git(made: Made) -> None:
    with Repository.open(made.folder) as repository:
        for name in ("--output=pwned", "HEAD", made.first[:12], "", made.first.upper()):
            with pytest.raises(InputError, match="no commit has the id"):
                list(repository.commits([name]))
            with pytest.raises(InputError, match="no commit has the id"):
                list(repository.changes(name))
            with pytest.raises(InputError, match="no commit has the id"):
                list(repository.patches(made.first, name))
            with pytest.raises(InputError, match="no commit has the id"):
                repository.merge_base(name, made.first)
        with pytest.raises(InputError, match="git cannot read it"):
            list(repository.commits(["0" * (made.digits - 1) + "1"]))
        with pytest.raises(InputError, match="git cannot read it"):
            repository.merge_base("0" * (made.digits - 1) + "1", made.first)


def test_changes_and_blobs_of_a_path(made: Made) -> None:
    removed = git(made.folder, "rm", "-q", "README")
    third = commit(made.folder, "frob: no words" + removed, {})
    with Repository.open(made.folder) as repository:
        old, new = (git(made.folder, "rev-parse", f"{one}:frob/main.c") for one in (made.first, made.second))
        readme = git(made.folder, "rev-parse", f"{made.first}:README")
        changes = list(repository.changes(third))
        assert list(repository.blobs_of_path("frob/main.c", third)) == [new, old]
        assert list(repository.blobs_of_path("README", third)) == [readme]
        for path in ("absent", "../frob/main.c", "", ":(glob)**", "*", "-p"):
            assert list(repository.blobs_of_path(path, third)) == [], path
    when = 1_700_000_000
    assert changes == [
        PathChange(commit=third, time=when, status="D", path=b"README", old=readme, new=None),
        PathChange(commit=made.second, time=when + 100, status="M", path=b"frob/main.c", old=old, new=new),
        PathChange(commit=made.first, time=when, status="A", path=b"README", old=None, new=readme),
        PathChange(commit=made.first, time=when, status="A", path=b"frob/main.c", old=None, new=old),
    ]


def test_a_reader_that_stops_early_stops_git(tmp_path: Path) -> None:
    folder = init(tmp_path / "clone")
    lines = b"".join(
        b"commit refs/heads/main\ncommitter A <a@frob.example> %d +0000\ndata 1\n.M 644 inline f\ndata %d\n%d\n"
        % (1_700_000_000 + one, len(str(one)), one)
        for one in range(3000)
    )
    git(folder, "fast-import", "--quiet", data=lines)
    with Repository.open(folder) as repository:
        newest = repository.resolve("main")
        assert newest is not None
        assert len(list(islice(repository.commits([newest]), 3))) == 3
        assert len(list(islice(repository.blobs_of_path("f", newest), 3))) == 3
        assert len(set(repository.blobs_of_path("f", newest))) == 3000


def test_a_blob_of_a_side_branch_is_found(made: Made) -> None:
    git(made.folder, "checkout", "-q", "-b", "side", made.first)
    commit(made.folder, "frob: side", {"frob/main.c": "int side;\n"})
    blob = git(made.folder, "rev-parse", "HEAD:frob/main.c")
    commit(made.folder, "frob: as on main", {"frob/main.c": BETTER})
    git(made.folder, "checkout", "-q", "main")
    git(made.folder, "merge", "-q", "--no-edit", "side")
    merged = git(made.folder, "rev-parse", "HEAD")
    with Repository.open(made.folder) as repository:
        assert blob in set(repository.blobs_of_path("frob/main.c", merged))


def test_merge_base(made: Made) -> None:
    git(made.folder, "checkout", "-q", "--orphan", "alone")
    alone = commit(made.folder, "frob: alone", {"a": "a\n"})
    with Repository.open(made.folder) as repository:
        assert repository.merge_base(made.first, made.second) == made.first
        assert repository.merge_base(alone, made.second) is None


def test_patches_are_those_of_format_patch(made: Made) -> None:
    third = commit(made.folder, "frob: grüße\n\nFrom here on.\n>From there.", {"frob/main.c": DRIVER})
    git(made.folder, "config", "format.subjectPrefix", "ODD")
    git(made.folder, "config", "diff.noprefix", "true")
    with Repository.open(made.folder) as repository:
        first, second = repository.patches(made.first, third)
        assert list(repository.patches(made.first, third)) == [first, second]
        assert [mail for _, mail in repository.patches(made.first, third, limit=10)] == [None, None]
    assert [first[0], second[0]] == [made.second, third]
    assert first[1] is not None
    assert first[1].startswith(b"From: Ada Frob <ada@frob.example>\nDate: Tue, 14 Nov 2023 22:15:00 +0000\n")
    assert b"\nSubject: [PATCH 1/2] frob: fail\n" in first[1]
    assert b"\ndiff --git a/frob/main.c b/frob/main.c\nindex " in first[1]
    assert first[1].endswith(f"\nbase-commit: {made.first}\n".encode())
    assert second[1] is not None
    assert b"\nFrom here on.\n>From there.\n" in second[1]
    assert b"\n-- \n" not in second[1]
    old, new = (git(made.folder, "rev-parse", f"{one}:frob/main.c") for one in (made.second, third))
    assert f"\nindex {old}..{new} 100644\n".encode() in second[1]


def test_a_message_cannot_start_a_mail_of_its_own(made: Made) -> None:
    line = f"From {made.first} Mon Sep 17 00:00:00 2001"
    third = commit(made.folder, f"frob: forge\n\n{line}\nFrom: Eve <eve@frob.example>", {"a": "a\n"})
    with Repository.open(made.folder) as repository:
        ((name, mail),) = repository.patches(made.second, third)
    assert name == third
    assert mail is not None
    assert f"\n{line}\n".encode() in mail


def test_hunk_headings_do_not_depend_on_attributes(made: Made) -> None:
    body = "".join(f"\tframe({one});\n" for one in range(20))
    code = f"int frob_start(void)\n{{\n{body}out:\n{body}\treturn 0;\n}}\n"
    before = commit(made.folder, "frob: long", {"long.c": code, ".gitattributes": "*.c -diff\n"})
    after = commit(made.folder, "frob: change", {"long.c": code.replace("return 0", "return 1")})
    with Repository.open(made.folder) as repository:
        ((_, mail),) = repository.patches(before, after)
    assert mail is not None
    assert b" @@ int frob_start(void)\n" in mail


def test_odd_output_is_passed_over() -> None:
    lines = [b">\n", b">abc x y\n", b"\n", b":only three words\ta\n", b":no tab\n", b"words\n"]
    assert list(read_changes(lines)) == []
    assert list(read_patches([b"no start\n"], 10)) == []
