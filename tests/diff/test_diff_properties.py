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
@settings(max_examples=100)
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


SIDE = st.builds(lambda lines, end: "\n".join(lines) + end if lines else "", TEXT, st.sampled_from(["", "\n"]))


@given(old=SIDE, new=SIDE, context=st.integers(0, 3))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git(old: str, new: str, context: int, git: str, tmp_path: Path) -> None:
    for name, text in (("old.c", old), ("new.c", new)):
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
    if old == new:
        assert files == ()
        return
    (file,) = files
    check_places(file, diff)
    after = patched(old.removesuffix("\n").split("\n") if old else [], file)
    told = {side for hunk in file.hunks for side in hunk.no_newline}
    open_end = "new" in told or (not told and old[-1:] not in ("", "\n"))
    assert "\n".join(after) + ("" if open_end or not after else "\n") == new


HEADS = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "Index: x", "=====", "rename from x", "rename to y"]
ENDS = ["Binary files a/x and b/x differ", "GIT binary patch", "-- ", "text", ""]
HUNKS = ["@@ -1,2 +1,2 @@", "@@ -1 +1 @@ x", "@@ ?", "+a", "-b", " c", "\\ x"]
MARKED = st.sampled_from(HEADS + ENDS + HUNKS)


@given(st.lists(MARKED, max_size=40))
@settings(max_examples=150)
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
