from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from gitmaking import BETTER, DRIVER, Made, commit, git, init

from reviewer.errors import InputError
from reviewer.repository import GitObject, MissingObject, Repository
from reviewer.repository.batch import Batch
from reviewer.repository.process import Process


def blob_id(text: str, digits: int = 40) -> str:
    data = b"blob %d\0" % len(text.encode()) + text.encode()
    return (hashlib.sha1 if digits == 40 else hashlib.sha256)(data).hexdigest()


def test_objects_come_in_the_order_asked_full_and_abbreviated(made: Made) -> None:
    old, new = blob_id(DRIVER, made.digits), blob_id(BETTER, made.digits)
    with Repository.open(made.folder) as repository:
        found = list(repository.objects([new, old[:8], old[:8].upper()]))
    assert found == [
        GitObject(id=new, kind="blob", data=BETTER.encode()),
        GitObject(id=old, kind="blob", data=DRIVER.encode()),
        GitObject(id=old, kind="blob", data=DRIVER.encode()),
    ]


def test_what_is_not_there_is_told_by_the_name_that_was_asked(made: Made) -> None:
    names = ["dead" * (made.digits // 4), "abc", "HEAD", "", "main", "--batch", "12345 67", made.first + "0"]
    with Repository.open(made.folder) as repository:
        assert list(repository.objects(names)) == [MissingObject(name=name, why="missing") for name in names]


def test_an_object_above_the_limit_is_left_out_and_the_next_is_right(made: Made) -> None:
    big = "x" * 6_000_000
    commit(made.folder, "frob: grow", {"big": big})
    name, small = blob_id(big, made.digits), blob_id(DRIVER, made.digits)
    with Repository.open(made.folder) as repository:
        found = list(repository.objects([name, small], limit=1000))
        assert [type(one) for one in repository.objects([name])] == [GitObject]
    assert found == [
        MissingObject(name=name, why="too-large"),
        GitObject(id=small, kind="blob", data=DRIVER.encode()),
    ]


def test_an_ambiguous_abbreviation_is_said_to_be_one(tmp_path: Path) -> None:
    folder = init(tmp_path / "clone")
    seen: dict[str, int] = {}
    pair: tuple[int, int] | None = None
    number = 0
    while pair is None:
        key = blob_id(f"{number}\n")[:4]
        pair = (seen[key], number) if key in seen else None
        seen[key] = number
        number += 1
    ids = [git(folder, "hash-object", "-w", "--stdin", data=b"%d\n" % one) for one in pair]
    with Repository.open(folder) as repository:
        found = next(repository.objects([ids[0][:4]]))
        whole = list(repository.objects(ids))
    assert found == MissingObject(name=ids[0][:4], why="ambiguous")
    assert [one.data for one in whole if isinstance(one, GitObject)] == [b"%d\n" % one for one in pair]


def test_an_abbreviation_that_fits_a_blob_and_a_commit_is_the_blob(made: Made) -> None:
    number = 0
    while blob_id(f"{number}\n", made.digits)[:4] != made.first[:4]:
        number += 1
    blob = git(made.folder, "hash-object", "-w", "--stdin", data=b"%d\n" % number)
    with Repository.open(made.folder) as repository:
        assert next(repository.objects([made.first[:4]])) == GitObject(id=blob, kind="blob", data=b"%d\n" % number)


def test_a_branch_named_like_an_abbreviation_is_not_taken_for_it(made: Made) -> None:
    git(made.folder, "branch", "facade1")
    with Repository.open(made.folder) as repository:
        assert next(repository.objects(["facade1"])) == MissingObject(name="facade1", why="missing")


def test_files_of_a_commit(made: Made) -> None:
    with Repository.open(made.folder) as repository:
        code, folder, *missing = repository.files(
            made.first,
            ["frob/main.c", "frob", "../etc/passwd", "/etc/passwd", "frob//main.c", "a\nb", "absent", "./README"],
        )
        assert next(repository.files("HEAD", ["README"])) == MissingObject(name="README", why="missing")
    assert isinstance(code, GitObject)
    assert code.data == DRIVER.encode()
    assert isinstance(folder, GitObject)
    assert folder.kind == "tree"
    assert {one.why for one in missing if isinstance(one, MissingObject)} == {"missing"}
    assert len(missing) == 6


def test_calls_inside_an_iteration_do_not_mix_up_answers(made: Made) -> None:
    with Repository.open(made.folder) as repository:
        outer = [
            (one.id, repository.resolve("main"))
            for one in repository.objects([made.first, made.second])
            if isinstance(one, GitObject)
        ]
    assert outer == [(made.first, made.second), (made.second, made.second)]


def test_a_damaged_object_costs_itself(made: Made) -> None:
    bad, good = blob_id(DRIVER, made.digits), blob_id(BETTER, made.digits)
    forged = b"blob 3\0long\n" + good.encode() + b" blob 5\nhello\n"
    lies = [
        zlib.compress(text)
        for text in (b"blob 100\0short", forged, DRIVER.encode(), b"blob 5\0hello", b"odd 1\0a", b"commit 9\0short")
    ]
    for text in (b"no zlib at all", b"", *lies, zlib.compress(b"blob 100000\0" + b"x" * 100_000)[:-9]):
        overwrite(made, bad, text)
        with Repository.open(made.folder) as repository:
            before, broken, after = repository.objects([good, bad, good])
        assert isinstance(before, GitObject)
        assert isinstance(broken, MissingObject), text
        assert broken.why in ("damaged", "missing")
        assert before == after


def test_a_git_that_dies_costs_one_object_and_many_times_is_given_up(made: Made) -> None:
    environment = {"GIT_DIR": str(made.folder / ".git")}
    started: list[Process] = []

    def start() -> Process:
        started.append(Process(made.folder, ["cat-file", "--batch"], environment, talk=True))
        return started[-1]

    def die() -> MissingObject | GitObject:
        started[-1]._inner.kill()
        started[-1]._inner.wait()
        return batch.ask("HEAD", 1000)

    batch = Batch(start, "clone")
    for _ in range(16):
        assert isinstance(batch.ask("HEAD", 1000), GitObject)
        assert die() == MissingObject(name="HEAD", why="damaged")
    batch.ask("HEAD", 1000)
    with pytest.raises(InputError, match="clone: git cannot read it"):
        die()


def test_a_git_that_never_answers_is_given_up_at_once(made: Made) -> None:
    batch = Batch(lambda: Process(made.folder, ["cat-file", "--absurd"], {}, talk=True), "clone")
    with pytest.raises(InputError, match="clone: git cannot read it") as caught:
        batch.ask("HEAD", 1000)
    assert "\n" not in str(caught.value)


def test_history_that_cannot_be_read_is_said_in_one_line(made: Made) -> None:
    overwrite(made, made.first, b"")
    with Repository.open(made.folder) as repository, pytest.raises(InputError, match="git cannot read it") as caught:
        list(repository.commits([made.second]))
    assert "\n" not in str(caught.value)


def overwrite(made: Made, name: str, data: bytes) -> None:
    loose = made.folder / ".git" / "objects" / name[:2] / name[2:]
    loose.chmod(0o644)
    loose.write_bytes(data)


def test_revisions(made: Made) -> None:
    git(made.folder, "tag", "-a", "v1", "-m", "one", made.first)
    git(made.folder, "update-ref", "refs/remotes/origin/next", made.first)
    git(made.folder, "pack-refs", "--all")
    with Repository.open(made.folder) as repository:
        for name in ("HEAD", "main", "refs/heads/main", made.second, made.second[:10], "main^0"):
            assert repository.resolve(name) == made.second, name
        for name in ("v1", "HEAD~1", "main^", "origin/next", "v1^{commit}"):
            assert repository.resolve(name) == made.first, name
        for name in ("", "absent", "-p", "--all", "HEAD\nmain", "HEAD\0", "HEAD:README", "main~5", "@{u}", "x" * 5000):
            assert repository.resolve(name) is None, name


def test_a_fresh_process_runs_git_twice_for_all_objects(made: Made, tmp_path: Path) -> None:
    log = tmp_path / "trace"
    code = (
        "import sys; from pathlib import Path; from reviewer.repository import Repository\n"
        "with Repository.open(Path(sys.argv[1])) as one:\n"
        "    ids = list(one.commits([one.resolve('HEAD')])) * 500\n"
        "    print(sum(1 for _ in one.objects(ids)), sum(1 for _ in one.files(ids[0], ['README'] * 500)))\n"
    )
    environment = {**os.environ, "GIT_TRACE2_EVENT": str(log)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(made.folder)], capture_output=True, check=True, env=environment
    )
    assert done.stdout.split() == [b"1000", b"500"]
    started = [line for line in log.read_text().splitlines() if '"event":"start"' in line]
    configured = made.digits == 64  # one question more: the object format stands in the configuration
    assert len([line for line in started if '"version"' not in line.partition('"argv"')[2]]) == 2 + configured
