"""Hunks on pre-images: exact, near, with fuzz; line ends; and that git has it the same way."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from patching import diff_of, file_in

from reviewer.diff.apply import Applied, Refused, apply_file, is_right
from reviewer.diff.blob import blob_id, is_named, is_null
from reviewer.diff.image import Image

TEXT = "".join(f"line {number}\n" for number in range(1, 31))
CHANGED = TEXT.replace("line 15\n", "line fifteen\nline 15 and a half\n")


def applied(before: str | bytes, diff: str, *, exact: bool = False, fuzz: int = 0) -> Applied:
    data = before.encode() if isinstance(before, str) else before
    result = apply_file(file_in(diff), data, exact=exact, fuzz=fuzz)
    assert isinstance(result, Applied), result
    return result


def refused(before: str | None, diff: str, *, exact: bool = False, fuzz: int = 0) -> Refused:
    result = apply_file(file_in(diff), None if before is None else before.encode(), exact=exact, fuzz=fuzz)
    assert isinstance(result, Refused), result
    return result


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("context", [1, 3, 40])
def test_the_post_image_is_exact(exact: bool, context: int) -> None:
    result = applied(TEXT, diff_of(TEXT, CHANGED, context), exact=exact)
    assert result.data == CHANGED.encode()
    assert (result.offset, result.fuzz) == (0, 0)


def test_without_context_only_the_right_pre_image_will_do() -> None:
    diff = diff_of(TEXT, CHANGED, 0)
    assert applied(TEXT, diff, exact=True).data == CHANGED.encode()
    assert refused(TEXT, diff) == Refused(reason="no-context", hunk=1)


def test_lines_added_at_either_end_without_context() -> None:
    after = f"top\n{TEXT}bottom\n"
    assert applied(TEXT, diff_of(TEXT, after, 0), exact=True).data == after.encode()


@pytest.mark.parametrize("shift", [-5, 7])
def test_a_hunk_is_found_where_lines_have_moved(shift: int) -> None:
    moved = "new\n" * shift + TEXT if shift > 0 else TEXT.split("\n", -shift)[-1]
    result = applied(moved, diff_of(TEXT, CHANGED))
    assert result.data == moved.replace("line 15\n", "line fifteen\nline 15 and a half\n").encode()
    assert result.offset == shift
    assert refused(moved, diff_of(TEXT, CHANGED), exact=True).reason == "context"


def test_the_nearest_of_equal_places_is_taken_and_the_later_of_two() -> None:
    block = "a\nb\nc\nd\ne\nf\ng\n"
    before = "x\n" * 10 + block + "y\n" * 10
    diff = diff_of(before, before.replace("d\n", "D\n"))
    twice = "x\n" * 3 + block + "z\n" * 7 + block + "y\n" * 10
    assert applied(twice, diff).data == twice[::-1].replace("d", "D", 1)[::-1].encode()
    near = "x\n" * 9 + block + "z\n" * 7 + block
    assert applied(near, diff).offset == -1


def test_fuzz_passes_over_context_at_the_ends_and_is_told() -> None:
    before = TEXT.replace("line 12\n", "line twelve\n")
    diff = diff_of(TEXT, CHANGED)
    assert refused(before, diff) == Refused(reason="context", hunk=1)
    result = applied(before, diff, fuzz=2)
    assert (result.fuzz, result.offset) == (1, 0)
    assert result.data == CHANGED.replace("line 12\n", "line twelve\n").encode()
    far = before.replace("line 14\n", "line fourteen\n")
    assert refused(far, diff, fuzz=2).reason == "context"


def test_hunks_keep_their_order() -> None:
    after = TEXT.replace("line 5\n", "five\n").replace("line 25\n", "twenty-five\n")
    diff = diff_of(TEXT, after)
    assert len(file_in(diff).hunks) == 2
    rows = TEXT.splitlines(keepends=True)
    swapped = "".join(rows[15:] + rows[:15])
    assert refused(swapped, diff).hunk == 2


def test_what_is_there_already_is_told() -> None:
    assert refused(CHANGED, diff_of(TEXT, CHANGED)) == Refused(reason="applied-already", hunk=1)


def test_the_second_hunk_is_blamed() -> None:
    after = TEXT.replace("line 5\n", "five\n").replace("line 25\n", "twenty-five\n")
    assert refused(TEXT.replace("line 25\n", "?\n"), diff_of(TEXT, after)) == Refused(reason="context", hunk=2)


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\nb", "a\nb\n"), ("a\nb\n", "a\nb"), ("a\nb", "a\nc"), ("a\nb", "x\na\nb"), ("a", "a\nb\nc"), ("", "a")],
)
@pytest.mark.parametrize("exact", [True, False])
def test_no_newline_at_the_end(before: str, after: str, exact: bool) -> None:
    diff = diff_of(before, after)
    assert applied(before, diff, exact=exact).data == after.encode()


def test_a_missing_newline_is_a_difference() -> None:
    diff = diff_of("a\nb\nc\n", "x\nb\nc\n")
    assert refused("a\nb\nc", diff).reason == "context"
    assert refused("a\nb\nc\n", diff_of("a\nb\nc", "x\nb\nc")).reason == "context"


def test_files_that_come_and_go() -> None:
    new = "diff --git a/x.c b/x.c\nnew file mode 100644\n--- /dev/null\n+++ b/x.c\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    gone = "diff --git a/x.c b/x.c\ndeleted file mode 100644\n--- a/x.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    made = apply_file(file_in(new), None, exact=True)
    assert isinstance(made, Applied)
    assert made.data == b"a\nb\n"
    assert refused("a\n", new) == Refused(reason="exists")
    assert applied("a\nb\n", gone) == replace(applied("a\nb\n", gone), data=None)
    assert refused(None, gone) == Refused(reason="absent")
    assert refused("a\nb\nc\n", gone).reason == "context"
    assert refused("a\nb\nc\n", gone, exact=True).reason == "context"


def test_a_binary_patch_has_no_contents() -> None:
    diff = "diff --git a/x.bin b/x.bin\nindex 1111111..2222222 100644\nBinary files a/x.bin and b/x.bin differ\n"
    assert refused("x", diff) == Refused(reason="binary")


def test_mode_changes_and_pure_renames_keep_the_contents() -> None:
    mode = "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n"
    rename = "diff --git a/x.c b/y.c\nsimilarity index 100%\nrename from x.c\nrename to y.c\n"
    for diff in (mode, rename):
        assert applied("a\nb", diff).data == b"a\nb"


def with_id(diff: str, after: bytes) -> str:
    head, rest = diff.split("\n", 1)
    return f"{head}\nindex {'1' * 12}..{blob_id(after)[:12]} 100644\n{rest}"


def test_line_ends_that_transport_lost_come_back() -> None:
    before, after = (text.replace("\n", "\r\n").encode() for text in (TEXT, CHANGED))
    diff = with_id(diff_of(TEXT, CHANGED), after)
    assert applied(before, diff).data == after
    top = TEXT.replace("line 1\n", "first\n", 1)
    assert applied(before, diff_of(TEXT, top)).data == top.replace("\n", "\r\n").encode()


def test_a_new_file_gets_its_lost_line_ends_back_when_its_id_tells() -> None:
    new = "diff --git a/x.c b/x.c\nnew file mode 100644\n--- /dev/null\n+++ b/x.c\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    made = apply_file(file_in(with_id(new, b"a\r\nb\r\n")), None, exact=True)
    assert isinstance(made, Applied)
    assert made.data == b"a\r\nb\r\n"


def test_bytes_that_are_not_utf8() -> None:
    before, after = "caf\xe9\nb\nc\n", "caf\xe9\nth\xe9\nc\n"
    diff = with_id(diff_of(before, after), after.encode("latin-1"))
    assert applied(before.encode("latin-1"), diff, exact=True).data == after.encode("latin-1")
    assert applied(before.encode(), diff, exact=True).data == after.encode()


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_ids_in_both_formats(algorithm: str) -> None:
    name = blob_id(b"frob\n", algorithm)  # type: ignore[arg-type]  # the names of the parameter's type
    assert is_named(b"frob\n", name)
    assert is_named(b"frob\n", name[:7])
    assert not is_named(b"frob\n", name[:6])
    assert not is_named(b"frob", name)
    file = file_in(with_id(diff_of("a\n", "b\n"), b"b\n"))
    assert is_right(file, b"b\n")
    assert not is_right(file, b"c\n")
    assert not is_right(file, None)


def test_the_null_id() -> None:
    assert is_null("0000000")
    assert not is_null("0100000")
    assert not is_null(None)


_LINES = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=12)


@settings(max_examples=150, deadline=None)
@given(before=_LINES, after=_LINES, context=st.integers(0, 3), ends=st.tuples(st.booleans(), st.booleans()))
def test_any_diff_applies_to_what_it_was_made_from(
    before: list[str], after: list[str], context: int, ends: tuple[bool, bool]
) -> None:
    old, new = ("\n".join(lines) + "\n" * end for lines, end in zip((before, after), ends, strict=True))
    diff = diff_of(old, new, context)
    if "@@" in diff:
        assert applied(old, diff, exact=True).data == new.encode()
        if context:
            assert applied(old, diff).data == new.encode()


def test_hostile_repetition_is_cheap() -> None:
    image = Image(b"a\n" * 200_000)
    assert image.nearest([b"a\n"] * 50_000 + [b"b\n"], 150_000, 0) is None
    assert image.nearest([b"b\n"] + [b"a\n"] * 50_000, 150_000, 0) is None


def test_git_has_it_the_same_way(tmp_path: Path) -> None:
    chance = random.Random(4)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    agreed = 0
    for _ in range(60):
        base = [f"{chance.choice('abcde')}" for _ in range(chance.randint(8, 24))]
        after, target = list(base), list(base)
        for lines, count in ((after, 2), (target, chance.randint(0, 3))):
            for _ in range(count):
                lines.insert(chance.randrange(len(lines) + 1), chance.choice("vwxyz"))
                lines.pop(chance.randrange(len(lines)))
        diff = diff_of(*("\n".join(lines) + "\n" for lines in (base, after)), path="x")
        if "@@" not in diff:
            continue
        text = ("\n".join(target) + "\n").encode()
        (tmp_path / "x").write_bytes(text)
        done = subprocess.run(
            ["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), capture_output=True, check=False, env=environment
        )
        result = apply_file(file_in(diff), text, exact=False)
        assert isinstance(result, Applied) == (done.returncode == 0), (text, diff, done.stderr)
        if isinstance(result, Applied):
            assert result.data == (tmp_path / "x").read_bytes()
            agreed += 1
    assert agreed > 10
