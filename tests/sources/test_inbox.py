from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from archives import START, added, fast_import, mail, run_git, taken_back

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources.inbox import is_inbox, read_inbox
from reviewer.sources.raw import RawMail


def read(path: Path, since: int | None = None) -> list[bytes | str]:
    limit = None if since is None else datetime.fromtimestamp(since, UTC)
    found = list(read_inbox(path, "archive", since=limit))
    assert {one.source for one in found} <= {"archive"}
    return [one.data if isinstance(one, RawMail) else one.message for one in found]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Five mails in two epochs; the second is taken back in the epoch after its own."""
    folder = tmp_path / "inbox"
    fast_import(folder / "git" / "0.git", [added(mail(one)) for one in (1, 2, 3)])
    fast_import(
        folder / "git" / "1.git",
        [added(mail(4)), taken_back(mail(2)), added(mail(5))],
        [START + 10, START + 11, START + 12],
    )
    run_git(folder, "init", "-q", "--bare", "all.git")
    (folder / "inbox.lock").touch()
    return folder


def test_oldest_first_over_all_epochs_without_what_was_taken_back(archive: Path) -> None:
    assert read(archive) == [mail(one) for one in (1, 3, 4, 5)]
    assert read(archive / "git") == [mail(one) for one in (1, 3, 4, 5)]


def test_one_epoch_alone(archive: Path, tmp_path: Path) -> None:
    assert read(archive / "git" / "0.git") == [mail(one) for one in (1, 2, 3)]
    run_git(archive / "git" / "1.git", "gc", "-q")
    assert read(archive / "git" / "1.git") == [mail(4), mail(5)]
    run_git(tmp_path, "clone", "-q", str(archive / "git" / "1.git"), "checkout")
    assert read(tmp_path / "checkout") == [mail(4), mail(5)]


def test_a_mail_that_was_taken_back_and_added_again_is_there_once(tmp_path: Path) -> None:
    steps = [added(mail(1)), taken_back(mail(1)), added(mail(2)), added(mail(1)), taken_back(mail(9))]
    assert read(fast_import(tmp_path / "0.git", steps)) == [mail(2), mail(1)]


def test_epochs_are_ordered_by_number(tmp_path: Path) -> None:
    for number in (10, 2, 0):
        fast_import(tmp_path / "git" / f"{number}.git", [added(mail(number))])
    (tmp_path / "git" / "3.git").mkdir()
    assert read(tmp_path) == [mail(one) for one in (0, 2, 10)]


def test_since_is_the_date_of_the_commit(archive: Path) -> None:
    assert read(archive, START + 10) == [mail(4), mail(5)]
    assert read(archive, START + 2) == [mail(3), mail(4), mail(5)]
    assert read(archive, START + 13) == []


def test_a_wrong_clock_does_not_end_the_walk_but_many_old_commits_do(tmp_path: Path) -> None:
    odd = fast_import(tmp_path / "odd.git", [added(mail(one)) for one in (1, 2, 3)], [START + 50, 1, START + 52])
    assert read(odd, START) == [mail(1), mail(3)]
    old = [added(mail(one)) for one in range(1200)]
    times = [START + 100] + [START] * 1199
    fast_import(tmp_path / "git" / "1.git", old, times)
    fast_import(tmp_path / "git" / "0.git", [added(mail(7))], [START + 100])
    assert read(tmp_path, START + 50) == []


def test_version_1(tmp_path: Path) -> None:
    paths = [f"{one:02x}/{one:038x}" for one in range(4)]
    steps: list[list[tuple[str, bytes | None]]] = [[(path, mail(one))] for one, path in enumerate(paths)]
    steps += [[(paths[1], None)], [(paths[2], mail(2, "Edited."))], [("ff/odd", b"no mail")]]
    folder = fast_import(tmp_path / "v1.git", steps)
    assert read(folder) == [mail(0), mail(3), mail(2, "Edited.")]


def test_a_mail_that_cannot_be_read_costs_itself(tmp_path: Path) -> None:
    steps = [added(one) for one in (b"From mboxrd@z Thu Jan  1\n" + mail(1), b"no mail\n", b"From: a\n\0\n", mail(2))]
    folder = fast_import(tmp_path / "0.git", steps)
    first, second, third, fourth = read(folder)
    assert [first, fourth] == [mail(1), mail(2)]
    assert second == "archive: mail 2 has no headers; left out"
    assert third == "archive: mail 3 holds NUL bytes; left out"


def test_a_partial_archive_and_one_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fast_import(tmp_path / "0.git", [added(mail(1)), added(mail(2, "x" * 5000)), added(mail(3))])
    monkeypatch.setattr("reviewer.sources.inbox.MAX_MAIL", 1000)
    first, large, third = read(whole)
    assert [first, third] == [mail(1), mail(3)]
    assert isinstance(large, str)
    assert "larger than" in large
    run_git(whole, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", whole.as_uri(), "part.git")
    assert [one for one in read(tmp_path / "part.git") if isinstance(one, bytes)] == []
    assert "archive: mail 1 is not in this copy of the archive; left out" in read(tmp_path / "part.git")


def test_a_damaged_epoch_costs_itself(archive: Path) -> None:
    epoch = archive / "git" / "1.git"
    name = run_git(epoch, "rev-parse", "HEAD~1")
    loose = epoch / "objects" / name[:2] / name[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"damaged")
    found = list(read_inbox(archive, "archive"))
    assert [one.data for one in found if isinstance(one, RawMail)] == [mail(one) for one in (1, 2, 3)]
    (told,) = [one for one in found if isinstance(one, Notice)]
    assert told.code == "truncated"
    assert told.message.startswith("archive is damaged (")
    shutil.rmtree(archive / "git" / "0.git")
    with pytest.raises(InputError, match="git cannot read it") as caught:
        list(read_inbox(archive, "archive"))
    assert "\n" not in str(caught.value)


def test_an_empty_archive_is_said_to_be_empty(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "0.git")
    with pytest.raises(InputError, match="archive holds no mail"):
        list(read_inbox(tmp_path / "0.git", "archive"))
    with pytest.raises(InputError, match="archive holds no mail"):
        list(read_inbox(tmp_path / "absent", "archive"))


def test_what_is_an_archive(archive: Path, tmp_path: Path) -> None:
    assert is_inbox(archive)
    assert is_inbox(archive / "git" / "1.git")
    assert is_inbox(fast_import(tmp_path / "v1.git", [[(f"ab/{1:038x}", mail(1))]]))
    assert is_inbox(fast_import(tmp_path / "v1.256", [[(f"ab/{1:062x}", mail(1))]]))
    assert not is_inbox(fast_import(tmp_path / "code.git", [[("m", b"x"), ("README", b"frob")]]))
    assert not is_inbox(tmp_path)
    assert not is_inbox(tmp_path / "absent")
    run_git(tmp_path, "init", "-q", "unborn")
    assert not is_inbox(tmp_path / "unborn")
    (tmp_path / "unborn" / ".git" / "config").write_text("[extensions]\nobjectformat = odd\n")
    assert not is_inbox(tmp_path / "unborn")


def test_sha256(tmp_path: Path) -> None:
    folder = tmp_path / "0.git"
    folder.mkdir()
    run_git(folder, "init", "-q", "--bare", "-b", "master", "--object-format=sha256")
    fast_import(folder, [added(mail(1)), added(mail(2)), taken_back(mail(1))])
    assert is_inbox(folder)
    assert read(folder) == [mail(2)]


def test_progress_is_told(archive: Path) -> None:
    told: list[tuple[int, int]] = []
    list(read_inbox(archive, "archive", progress=lambda done, total: told.append((done, total))))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_thousands_of_mails_take_two_processes(tmp_path: Path) -> None:
    folder = fast_import(tmp_path / "0.git", [added(mail(one)) for one in range(5000)])
    log = tmp_path / "trace"
    code = (
        "import sys; from pathlib import Path; from reviewer.sources.inbox import read_inbox\n"
        "print(sum(1 for _ in read_inbox(Path(sys.argv[1]), 'archive')))\n"
    )
    environment = {**os.environ, "GIT_TRACE2_EVENT": str(log)}
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, check=True, env=environment)
    assert done.stdout == b"5000\n"
    started = [line.partition('"argv"')[2] for line in log.read_text().splitlines() if '"event":"start"' in line]
    # GitPython asks for git's version when it is imported
    assert len([line for line in started if '"version"' not in line]) == 2


def test_an_archive_that_public_inbox_made(tmp_path: Path) -> None:
    if shutil.which("public-inbox-init") is None or shutil.which("public-inbox-mda") is None:
        pytest.skip("public-inbox is not installed")
    folder = tmp_path / "inbox"
    settings = tmp_path / "config"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PI_CONFIG": str(settings),
        "ORIGINAL_RECIPIENT": "frob@l.example",
    }

    def run(*arguments: str, data: bytes = b"") -> None:
        subprocess.run(arguments, input=data, check=True, capture_output=True, env=environment, cwd=tmp_path)

    run("public-inbox-init", "-V2", "frob", str(folder), "http://l.example/frob", "frob@l.example")
    run_git(tmp_path, "config", "-f", str(settings), "publicinboxmda.spamcheck", "none")
    sent = [mail(one).replace(b"\nDate:", b"\nTo: frob@l.example\nDate:") for one in (1, 2)]
    for one in sent:
        run("public-inbox-mda", "--no-precheck", data=one)
    run("public-inbox-learn", "rm", data=sent[1])
    assert is_inbox(folder)
    assert [b"frob 1" in one for one in read(folder) if isinstance(one, bytes)] == [True]
