"""Patch-ids are git's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.diff.parse import parse_diff
from reviewer.diff.patchid import patch_id
from reviewer.model import TextLine

Git = Callable[..., bytes]
LONG = "".join(f"line {number}\n" for number in range(60))


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A function that runs git in a new repository."""
    found = shutil.which("git")
    if found is None:
        pytest.skip("no git")
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}

    def run(*words: str, stdin: bytes = b"") -> bytes:
        call = [found, "-c", "core.fileMode=true", *words]
        return subprocess.run(call, cwd=tmp_path, input=stdin, capture_output=True, check=True, env=environment).stdout

    run("init", "-q")
    for name, text in {
        "x.c": LONG,
        "y.c": LONG.upper(),
        "run.sh": "true\n",
        "gone.c": "int a;\n",
        "sp ace.c": "a\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "tä\tb.c").write_text("int b;\n")
    (tmp_path / "pixel.png").write_bytes(bytes(range(256)))
    run("add", ".")
    return run


def change(git: Git, folder: Path, *names: str) -> None:
    """Make the named changes in the work tree."""
    if "modify" in names:
        (folder / "x.c").write_text(LONG.replace("line 3\n", "line  three\n\n").replace("line 50\n", ""))
    if "spaces" in names:
        (folder / "sp ace.c").write_text("b \t\n")
    if "quoted" in names:
        (folder / "tä\tb.c").write_text("int c;")
    if "delete" in names:
        (folder / "gone.c").unlink()
    if "mode" in names:
        (folder / "run.sh").chmod(0o755)
    if "rename" in names:
        (folder / "y.c").rename(folder / "z.c")
        (folder / "z.c").write_text(LONG.upper().replace("LINE 9\n", "nine\n"))
    if "binary" in names:
        (folder / "pixel.png").write_bytes(bytes(range(255, -1, -1)))
    if "add" in names:
        (folder / "new.c").write_text("int n;\n")
        (folder / "empty.c").write_text("")
    fresh = [name for name in ("new.c", "empty.c", "z.c") if (folder / name).exists()]
    if fresh:
        git("add", "-N", *fresh)


@pytest.mark.parametrize(
    "names",
    [
        ("modify",),
        ("spaces", "quoted"),
        ("delete", "add"),
        ("mode",),
        ("mode", "modify"),
        ("rename",),
        ("binary",),
        ("binary", "spaces", "modify"),
        ("modify", "spaces", "quoted", "delete", "mode", "rename", "binary", "add"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--binary",), ("-U0", "--full-index")])
def test_same_as_git(git: Git, tmp_path: Path, names: tuple[str, ...], options: tuple[str, ...]) -> None:
    version = re.search(rb"(\d+)\.(\d+)", git("version"))
    if version and "binary" in names and (int(version[1]), int(version[2])) < (2, 39):
        pytest.skip("an older git has other ids for binary patches")
    change(git, tmp_path, *names)
    diff = git("diff", "-M", *options)
    lines = diff.decode("utf-8").removesuffix("\n").split("\n")
    files, notices = parse_diff(tuple(TextLine(text=line, body_line=number) for number, line in enumerate(lines, 1)))
    assert [notice.code for notice in notices if notice.code != "odd-path"] == []
    expected = git("patch-id", "--stable", stdin=diff).split()[0].decode()
    assert patch_id(files) == expected


def test_copies(git: Git, tmp_path: Path) -> None:
    change(git, tmp_path, "modify")
    (tmp_path / "copy.c").write_text(LONG)
    (tmp_path / "copy.c").chmod(0o755)
    git("add", "-N", ".")
    diff = git("diff", "-C")
    assert b"copy from" in diff
    lines = diff.decode().removesuffix("\n").split("\n")
    files, _ = parse_diff(tuple(TextLine(text=line, body_line=number) for number, line in enumerate(lines, 1)))
    assert patch_id(files) == git("patch-id", "--stable", stdin=diff).split()[0].decode()


def plain(text: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    files, _ = parse_diff(tuple(TextLine(text=line, body_line=number) for number, line in enumerate(lines, 1)))
    return patch_id(files)


ONE = "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
TWO = ONE.replace("x.c", "y.c")


def test_what_does_not_matter() -> None:
    assert plain(ONE + TWO) == plain(TWO + ONE)
    assert plain(ONE) == plain(ONE.replace("@@ -1,2 +1,2 @@", "@@ -7,2 +9,2 @@ int f("))
    assert plain(ONE) == plain(ONE.replace("+c", "+ \tc"))
    assert plain(ONE) == plain(ONE.replace("a/x.c", "x.c").replace("b/x.c", "x.c"))
    assert plain(ONE) != plain(ONE.replace("+c", "+d"))
    assert plain(ONE) != plain(TWO)


def test_nothing() -> None:
    assert patch_id(()) == "0" * 40


def test_a_rename_whose_similarity_is_not_known() -> None:
    head = "diff --git a/x.c b/y.c\n{}rename from x.c\nrename to y.c\n"
    assert plain(head.format("")) != plain(head.format("similarity index 100%\n"))
