"""Patches of two versions matched: as git does it, and by title where git gives up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Patch
from reviewer.series.assemble import assemble
from reviewer.series.matching_costs import best_pairs
from reviewer.series.matching_lines import edit_cost, matching_lines
from reviewer.series.opening import open_series
from reviewer.series.rangediff import diff_of_diffs, diff_text, match_patches
from reviewer.sources import RawMail, read_sources

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=16)


class Repository:
    """A repository in which versions are branches off one commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "-q", "-b", "main", ".")
        self.write(base={f"f{n}.c": [f"line {n} {at}" for at in range(60)] for n in range(4)})
        self.git("add", ".")
        self.git("commit", "-q", "-m", "base")

    def git(self, *words: str) -> str:
        place = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(self.path)}
        who = {f"GIT_{role}_{what}": "a@x.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(
            ["git", *words],
            cwd=self.path,
            env={**os.environ, **place, **who},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def write(self, base: dict[str, list[str]]) -> None:
        for name, lines in base.items():
            (self.path / name).write_text("".join(f"{line}\n" for line in lines))

    def version(self, name: str, *changes: tuple[str, str, int, list[str]]) -> tuple[Patch, ...]:
        """A branch with one commit a change: title, file, line and what is put there for that line."""
        self.git("checkout", "-q", "-b", name, "main")
        for title, file, at, lines in changes:
            text = (self.path / file).read_text().splitlines() if (self.path / file).exists() else []
            text[at : at + 1] = lines
            self.write({file: text})
            self.git("add", ".")
            self.git("commit", "-q", "-m", title)
        mbox = self.path.parent / f"{name}.mbox"
        mbox.write_text(self.git("format-patch", "--stdout", "--thread", f"main..{name}"))
        return patches_of(mbox)

    def range_diff(self, old: str, new: str) -> set[tuple[int | None, int | None]]:
        text = self.git("range-diff", "--no-color", "-s", f"main..{old}", f"main..{new}")
        found = re.findall(r"^ *(\d+|-): +\S+ . +(\d+|-): ", text, re.MULTILINE)
        return {(int(one) if one != "-" else None, int(other) if other != "-" else None) for one, other in found}


def patches_of(mbox: Path) -> tuple[Patch, ...]:
    mails: list[Mail] = []
    for raw in read_sources([str(mbox)]):
        assert isinstance(raw, RawMail)
        mail = parse_mail(raw.data, raw.source, len(mails), lambda data=raw.data: data)  # type: ignore[misc]
        assert isinstance(mail, Mail)
        mails.append(mail)
    (lineage,) = assemble(mails).lineages
    (outline,) = lineage.outlines
    return open_series(outline).patches


def numbers(old: tuple[Patch, ...], new: tuple[Patch, ...]) -> set[tuple[int | None, int | None]]:
    return {
        (pair.old.number if pair.old else None, pair.new.number if pair.new else None)
        for pair in match_patches(old, new)
    }


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("no git")
    (tmp_path / "work").mkdir()
    return Repository(tmp_path / "work")


ONE = ("net: frob: count", "f0.c", 10, [f"\tfrob_count({at});" for at in range(8)])
TWO = ("net: frob: open", "f1.c", 20, [f"\tfrob_open({at});" for at in range(8)])
THREE = ("net: frob: close", "f2.c", 30, [f"\tfrob_close({at});" for at in range(8)])
FOUR = ("net: gadget: begin", "f3.c", 5, [f"\tgadget_{at}();" for at in range(12)])


def changed(
    change: tuple[str, str, int, list[str]], title: str = "", edits: int = 1
) -> tuple[str, str, int, list[str]]:
    """The same change under another title, with so many lines different."""
    lines = [f"{line} /* {at} */" if at < edits else line for at, line in enumerate(change[3])]
    return title or change[0], change[1], change[2], lines


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((ONE, TWO, THREE), (ONE, TWO, THREE)),
        ((ONE, TWO, THREE), (THREE, ONE, TWO)),
        ((ONE, TWO, THREE), (ONE, THREE)),
        ((ONE, TWO), (ONE, FOUR, TWO)),
        ((ONE, TWO), (changed(ONE), changed(TWO, edits=3))),
        ((ONE, TWO), (changed(TWO, "net: frob: start"), changed(ONE, "net: frob: sum up", edits=2))),
        ((ONE, TWO, THREE), (changed(TWO, "a: b"), FOUR, changed(ONE, "c: d"))),
        ((ONE, TWO, THREE, FOUR), (changed(FOUR, "x: y", 12), changed(THREE, "z: a", 2))),
        ((ONE,), (FOUR,)),
        (
            (("net: frob: stop", "f0.c", 10, ["\tif (!len)", "\t\tgoto out;", "line 0 10"]),),
            (("a: b", "f0.c", 10, [*(["\t/* So it is. */"] * 5), "\tif (!len)", "\t\treturn 0;", "line 0 10"]),),
        ),  # 10 and 15 lines, 15 lines apart: the limit itself
    ],
)
def test_as_git_does(repository, old, new):
    before, after = repository.version("v1", *old), repository.version("v2", *new)
    assert numbers(before, after) == repository.range_diff("v1", "v2")


def test_one_title_is_one_patch_though_its_diff_is_another(repository):
    before = repository.version("v1", ONE, TWO)
    after = repository.version("v2", (ONE[0], "f3.c", 40, [f"\telse_{at};" for at in range(9)]), TWO)
    assert repository.range_diff("v1", "v2") == {(1, None), (None, 1), (2, 2)}
    pairs = match_patches(before, after)
    assert [(pair.how, pair.old and pair.old.number, pair.new and pair.new.number) for pair in pairs] == [
        ("title", 1, 1),
        ("same", 2, 2),
    ]


def test_dropped_patches_stand_where_they_were(repository):
    before, after = repository.version("v1", ONE, TWO, THREE), repository.version("v2", ONE, FOUR, THREE)
    assert [pair.how for pair in match_patches(before, after)] == ["same", "dropped", "added", "same"]
    assert [pair.how for pair in match_patches(before, ())] == ["dropped"] * 3
    assert [pair.how for pair in match_patches((), after)] == ["added"] * 3


def test_the_difference_of_two_diffs(repository):
    (before,), (after,) = repository.version("v1", ONE), repository.version("v2", changed(ONE))
    lines = diff_of_diffs(before, after)
    assert [line.text for line in lines if line.outer == "-"] == ["+\tfrob_count(0);"]
    assert [line.text for line in lines if line.outer == "+"] == ["+\tfrob_count(0); /* 0 */"]
    assert [line.text for line in lines if line.outer != "+"] == diff_text(before.files)
    assert [line.text for line in lines if line.outer != "-"] == diff_text(after.files)
    assert lines[0].text == " ## f0.c ##"


def test_new_renamed_and_deleted_files_say_so(repository):
    repository.git("checkout", "-q", "-b", "v1", "main")
    repository.git("mv", "f0.c", "g0.c")
    repository.git("rm", "-q", "f1.c")
    (repository.path / "new.c").write_text("int new;\n")
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "net: frob: move")
    mbox = repository.path.parent / "v1.mbox"
    mbox.write_text(repository.git("format-patch", "--stdout", "-M", "main..v1"))
    (patch,) = patches_of(mbox)
    headers = [line for line in diff_text(patch.files) if line.startswith(" ##")]
    assert sorted(headers) == [" ## f0.c => g0.c ##", " ## f1.c (deleted) ##", " ## new.c (new) ##"]


def test_a_table_that_is_too_large_is_left_alone(repository):
    (one,) = repository.version("v1", ONE)
    (other,) = repository.version("v2", changed(ONE, "net: frob: sum up"))
    assert [pair.how for pair in match_patches([one] * 2, [other])] == ["similar", "dropped"]
    assert {pair.how for pair in match_patches([one] * 200, [other] * 60)} == {"dropped", "added"}


@given(LINES, LINES)
def test_matches_are_equal_and_ascend(old, new):
    matches = matching_lines(old, new)
    assert all(old[one] == new[other] for one, other in matches)
    assert all(one < more and other < further for (one, other), (more, further) in pairwise(matches))


@given(LINES)
def test_a_text_matches_itself(lines):
    assert matching_lines(lines, lines) == tuple((at, at) for at in range(len(lines)))
    assert edit_cost(lines, lines) == 0


@given(LINES, LINES)
def test_the_cost_is_what_a_unified_diff_prints(old, new):
    marks = ""
    at = there = 0
    for one, other in (*matching_lines(old, new), (len(old), len(new))):
        marks += "e" * (one - at + other - there) + "k" * (one < len(old))
        at, there = one + 1, other + 1
    shown = [any(mark == "e" for mark in marks[max(at - 3, 0) : at + 4]) for at in range(len(marks))]
    hunks = sum(now and not before for before, now in zip([False, *shown], shown, strict=False))
    assert edit_cost(old, new) == sum(shown) + hunks


def test_long_texts_of_few_different_lines_take_no_time():
    assert len(matching_lines(["x", "y"] * 20_000, ["y", "x", "x"] * 10_000)) < 40_000
    deep = [str(at) for at in range(3000)]
    assert len(matching_lines(deep, deep[::-1])) == 1


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(-3, 9), max_size=12))
def test_no_other_pairs_gain_more(gains):
    found = best_pairs(gains)
    assert len(set(found.values())) == len(found)
    assert all(gains[pair] > 0 for pair in found.items())

    def most(rows: list[int], taken: frozenset[int]) -> int:
        if not rows:
            return 0
        free = (column for column in range(5) if column not in taken and gains.get((rows[0], column), 0) > 0)
        options = [gains[rows[0], column] + most(rows[1:], taken | {column}) for column in free]
        return max([most(rows[1:], taken), *options])

    assert sum(gains[pair] for pair in found.items()) == most(list(range(5)), frozenset())
