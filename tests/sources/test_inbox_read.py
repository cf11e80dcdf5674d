"""Archives in git and ranges of commits among the other sources."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from archives import START, added, fast_import, mail, run_git

from reviewer.errors import InputError
from reviewer.sources import RawMail, read_sources


def read(*names: str | Path, since: datetime | None = None, tree: Path | None = None) -> list[bytes]:
    found = read_sources([str(name) for name in names], since=since, tree=tree)
    return [one.data for one in found if isinstance(one, RawMail)]


def test_an_archive_is_found_out_by_looking(tmp_path: Path) -> None:
    fast_import(tmp_path / "inbox" / "git" / "0.git", [added(mail(1)), added(mail(2))])
    (tmp_path / "one.eml").write_bytes(mail(3))
    assert read(tmp_path / "inbox", tmp_path / "one.eml") == [mail(1), mail(2), mail(3)]
    assert read(tmp_path / "inbox" / "git" / "0.git") == [mail(1), mail(2)]


def test_since_reaches_back_to_what_a_mail_answers(tmp_path: Path) -> None:
    day = 24 * 3600
    times = [START, START + 100 * day, START + 130 * day]
    fast_import(tmp_path / "0.git", [added(mail(one)) for one in (1, 2, 3)], times)
    since = datetime.fromtimestamp(START, UTC) + timedelta(days=129)
    assert read(tmp_path / "0.git", since=since) == [mail(2), mail(3)]


def test_a_repository_of_code_is_no_archive(tmp_path: Path) -> None:
    steps = [[("README", b"frob\n" * lines)] for lines in (1, 2)]
    bare = fast_import(tmp_path / "code.git", steps)
    with pytest.raises(InputError, match="a repository of code"):
        read(bare)
    (first,) = read("git:HEAD~1..HEAD", tree=bare)
    assert b"\n+frob\n" in first


def test_a_folder_with_a_file_of_the_name_head_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "HEAD").write_bytes(b"frob")
    (tmp_path / "one.eml").write_bytes(mail(1))
    assert read(tmp_path) == [mail(1)]


def test_commits_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = fast_import(tmp_path / "code.git", [[("README", b"frob\n" * lines)] for lines in (1, 2)])
    monkeypatch.chdir(bare)
    assert len(read("git:HEAD~1..")) == 1


def test_mail_in_a_folder_that_git_keeps(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    (tmp_path / "one.eml").write_bytes(mail(1))
    assert read(tmp_path) == [mail(1)]
