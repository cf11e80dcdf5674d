"""Applying what was read to the old text gives the new one, whoever made the diff."""

from __future__ import annotations

import difflib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.diff.parse import parse_diff
from reviewer.model import FileDiff, TextLine

LINE = st.sampled_from(
    [
        "",
        "a",
        "b",
        "\tc",
        " ",
        "-- ",
        "-- a/x.c",
        "++ b/x.c",
        "@@ -1 +1 @@",
        "\\ No newline",
        "diff --git a b",
        "é\r",
        "\0",
    ]
)
TEXT = st.lists(LINE, max_size=30)


def as_lines(text: str) -> tuple[TextLine, ...]:
    return tuple(TextLine(text=line, body_line=number) for number, line in enumerate(text.split("\n"), 1))


def patched(old: list[str], file: FileDiff) -> list[str]:
    """`old` with the hunks of `file` applied where they say, every old line compared."""
    new: list[str] = []
    at = 0
    for hunk in file.hunks:
        start = hunk.old_start - (hunk.old_count > 0)
        new += old[at:start]
        at = start
        assert len(new) == hunk.new_start - (hunk.new_count > 0)
        for line in hunk.lines:
            if line.mark != "+":
                assert old[at] == line.text
                assert line.old == at + 1
                at += 1
            if line.mark != "-":
                new.append(line.text)
                assert line.new == len(new)
    return new + old[at:]


def check_places(file: FileDiff, diff: str) -> None:
    lines = diff.split("\n")
    for hunk in file.hunks:
        assert lines[hunk.body_line - 1].startswith("@@ -")
        assert all(lines[line.body_line - 1] == line.mark + line.text for line in hunk.lines)


@given(old=TEXT, new=TEXT, context=st.integers(0, 4))
@settings(max_examples=150)
def test_difflib(old: list[str], new: list[str], context: int) -> None:
    diff = "\n".join(difflib.unified_diff(old, new, "a/x.c", "b/x.c", n=context, lineterm=""))
    files, notices = parse_diff(as_lines(diff) if diff else ())
    assert notices == ()
    if old == new:
        assert files == ()
        return
    (file,) = files
    check_places(file, diff)
    assert patched(old, file) == new


@pytest.fixture(scope="module")
def git() -> str:
    found = shutil.which("git")
    if found is None:
        pytest.skip("no git")
    return found


@given(old=TEXT, new=TEXT, ends=st.tuples(st.booleans(), st.booleans()), context=st.integers(0, 3))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git(old: list[str], new: list[str], ends: tuple[bool, bool], context: int, git: str, tmp_path: Path) -> None:
    sides = [
        ("\n".join(text) + ("\n" if end else "")) if text else "" for text, end in zip((old, new), ends, strict=True)
    ]
    for name, text in zip(("old.c", "new.c"), sides, strict=True):
        (tmp_path / name).write_bytes(text.encode())
    run = subprocess.run(
        [git, "diff", "--no-index", "--text", f"-U{context}", "--", "old.c", "new.c"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    diff = run.stdout.decode().removesuffix("\n")
    files, notices = parse_diff(as_lines(diff) if diff else ())
    assert notices == ()
    if sides[0] == sides[1]:
        assert files == ()
        return
    (file,) = files
    check_places(file, diff)
    before = sides[0].removesuffix("\n").split("\n") if sides[0] else []
    after = patched(before, file)
    told = {side for hunk in file.hunks for side in hunk.no_newline}
    open_end = "new" in told or (not told and not sides[0].endswith("\n"))
    assert "\n".join(after) + ("" if open_end or not after else "\n") == sides[1]


MARKED = st.sampled_from(
    ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@ x", "@@ ?", "Index: x", "=====", "-- ",
     "Binary files a/x and b/x differ", "GIT binary patch", "rename from x", "rename to y", "+a", "-b", " c", "", "\\ x", "text"]
)  # fmt: skip


@given(st.lists(MARKED, max_size=40))
@settings(max_examples=300)
def test_anything_gives_consistent_values(text: list[str]) -> None:
    lines = as_lines("\n".join(text))
    files, notices = parse_diff(lines)
    assert files or notices
    places = [line.body_line for file in files for hunk in file.hunks for line in hunk.lines]
    assert places == sorted(set(places))
    for file in files:
        for hunk in file.hunks:
            old = [line.old for line in hunk.lines if line.old is not None]
            new = [line.new for line in hunk.lines if line.new is not None]
            assert old == list(range(hunk.old_start, hunk.old_start + hunk.old_count))
            assert new == list(range(hunk.new_start, hunk.new_start + hunk.new_count))


@given(st.lists(st.text(max_size=20), max_size=20))
def test_any_text_ends_in_a_result(text: list[str]) -> None:
    parse_diff(as_lines("\n".join(["diff --git a/x b/x", *text])))
