from __future__ import annotations

from pathlib import Path

import pytest
from archives import fast_import, run_git

from reviewer.errors import InputError
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Notice
from reviewer.sources.commits import read_commits
from reviewer.sources.raw import RawMail


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    steps = [[("frob.c", b"int frob;\n" * lines), ("sub/a.c", b"int a;\n")] for lines in (1, 2, 3, 4)]
    bare = fast_import(tmp_path / "bare.git", steps)
    run_git(tmp_path, "clone", "-q", str(bare), "clone")
    return tmp_path / "clone"


def read(clone: Path, name: str) -> list[RawMail]:
    found = list(read_commits(name, clone))
    assert all(isinstance(one, RawMail) for one in found)
    return [one for one in found if isinstance(one, RawMail)]


def test_a_range_becomes_a_series(clone: Path) -> None:
    ids = run_git(clone, "rev-list", "--reverse", "HEAD~3..HEAD").split()
    found = read(clone, "git:HEAD~3..HEAD")
    mails = [parse_mail(one.data, one.source, place, bytes) for place, one in enumerate(found)]
    assert [one.message_id for one in mails if isinstance(one, Mail)] == [f"{one}@git.invalid" for one in ids]
    assert [one.in_reply_to for one in mails if isinstance(one, Mail)] == [None, *[f"{ids[0]}@git.invalid"] * 2]
    subjects = [one.subject for one in mails if isinstance(one, Mail)]
    assert [(one.number, one.total, one.title) for one in subjects] == [(1, 3, "."), (2, 3, "."), (3, 3, ".")]
    assert all(one.has_diff and one.has_diffstat for one in mails if isinstance(one, Mail))
    assert {one.source for one in found} == {"git:HEAD~3..HEAD"}


def test_the_same_commits_give_the_same_bytes_from_everywhere(clone: Path, tmp_path: Path) -> None:
    found = read(clone, "git:HEAD~2..")
    assert read(clone / "sub", "git:origin/master~2..master") == [
        RawMail(data=one.data, source="git:origin/master~2..master") for one in found
    ]
    assert [one.data for one in read(tmp_path / "bare.git", "git:HEAD~2..HEAD")] == [one.data for one in found]


def test_one_commit_has_no_counter(clone: Path) -> None:
    (found,) = read(clone, "git:HEAD~1..HEAD")
    assert b"\nSubject: [PATCH] .\n" in found.data
    assert b"In-Reply-To" not in found.data


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("git:", "is no range"),
        ("git:HEAD", "is no range"),
        ("git:..HEAD", "is no range"),
        ("git:HEAD~1...HEAD", "is no range"),
        ("git:HEAD..HEAD", "holds no patches"),
        ("git:absent..HEAD", "no commit absent"),
        ("git:HEAD~1..absent", "no commit absent"),
        ("git:--output=x..HEAD", "no commit --output=x"),
        ("git:HEAD..--all", "no commit --all"),
    ],
)
def test_a_range_that_holds_nothing_is_said_in_one_line(clone: Path, name: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        list(read_commits(name, clone))
    assert complaint in str(caught.value)
    assert "git:origin/main..HEAD" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_outside_of_a_repository(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no git repository"):
        list(read_commits("git:HEAD~1..HEAD", tmp_path))


def test_a_patch_that_cannot_be_read_costs_itself(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clone / "odd.txt").write_bytes(b"text\n" * 4000 + b"\0")
    (clone / ".gitattributes").write_text("* diff\n")
    run_git(clone, "add", "--all")
    run_git(clone, "-c", "user.name=A", "-c", "user.email=a@frob.example", "commit", "-q", "-m", "frob: odd")
    monkeypatch.setattr("reviewer.sources.commits.MAX_MAIL", 1500)
    good, bad = read_commits("git:HEAD~2..HEAD", clone)
    assert isinstance(good, RawMail)
    assert isinstance(bad, RawMail | Notice)
