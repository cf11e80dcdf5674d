"""What a diff says of its files: names, statuses, modes, blobs."""

from __future__ import annotations

import pytest

from reviewer.diff.parse import parse_diff
from reviewer.model import FileDiff, Notice, TextLine


def parsed(text: str, first: int = 1) -> tuple[tuple[FileDiff, ...], tuple[Notice, ...]]:
    lines = text.removesuffix("\n").split("\n")
    return parse_diff(tuple(TextLine(text=line, body_line=number) for number, line in enumerate(lines, first)))


def only(text: str) -> FileDiff:
    files, notices = parsed(text)
    assert notices == ()
    (file,) = files
    return file


HUNK = "@@ -1 +1 @@\n-old\n+new\n"


def test_modified() -> None:
    file = only(
        f"diff --git a/lib/frob.c b/lib/frob.c\nindex 12ab..34cd 100644\n--- a/lib/frob.c\n+++ b/lib/frob.c\n{HUNK}"
    )
    assert (file.path, file.old_path, file.status) == ("lib/frob.c", "lib/frob.c", "modified")
    assert (file.old_blob, file.new_blob) == ("12ab", "34cd")
    assert (file.old_mode, file.new_mode) == ("100644", "100644")
    assert (file.added, file.removed, file.binary, file.similarity) == (1, 1, False, None)


def test_added() -> None:
    file = only(
        "diff --git a/x.c b/x.c\nnew file mode 100755\nindex 0000000..34cd123\n--- /dev/null\n+++ b/x.c\n"
        "@@ -0,0 +1,2 @@\n+a\n+\n"
    )
    assert (file.path, file.old_path, file.status) == ("x.c", "x.c", "added")
    assert (file.old_mode, file.new_mode, file.old_blob) == (None, "100755", "0000000")
    assert [(line.old, line.new, line.text) for line in file.hunks[0].lines] == [(None, 1, "a"), (None, 2, "")]


def test_added_empty() -> None:
    file = only("diff --git a/x.c b/x.c\nnew file mode 100644\nindex 0000000..e69de29\n")
    assert (file.path, file.status, file.hunks) == ("x.c", "added", ())


def test_added_without_a_mode() -> None:
    assert only("diff --git a/x.c b/x.c\n--- /dev/null\n+++ b/x.c\n@@ -0,0 +1 @@\n+a\n").status == "added"


def test_deleted() -> None:
    file = only(
        "diff --git a/x.c b/x.c\ndeleted file mode 100644\nindex 34cd..0000\n--- a/x.c\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-a\n"
    )
    assert (file.path, file.old_path, file.status) == ("x.c", "x.c", "deleted")
    assert (file.old_mode, file.new_mode) == ("100644", None)


def test_renamed() -> None:
    file = only("diff --git a/one.c b/two.c\nsimilarity index 97%\nrename from one.c\nrename to two.c\n")
    assert (file.path, file.old_path, file.status, file.similarity) == ("two.c", "one.c", "renamed", 97)


def test_renamed_and_changed() -> None:
    file = only(
        "diff --git a/one.c b/two.c\nsimilarity index 50%\nrename from one.c\nrename to two.c\n"
        f"index 1234..5678 100644\n--- a/one.c\n+++ b/two.c\n{HUNK}"
    )
    assert (file.path, file.old_path, file.status, file.added) == ("two.c", "one.c", "renamed", 1)


def test_copied() -> None:
    file = only(
        'diff --git a/one.c "b/t\\303\\244.c"\nsimilarity index 100%\ncopy from one.c\ncopy to "t\\303\\244.c"\n'
    )
    assert (file.path, file.old_path, file.status) == ("tä.c", "one.c", "copied")


def test_mode_alone() -> None:
    file = only("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n")
    assert (file.status, file.old_mode, file.new_mode) == ("mode", "100644", "100755")


def test_mode_and_change() -> None:
    file = only(
        f"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\nindex 1234..5678\n"
        f"--- a/run.sh\n+++ b/run.sh\n{HUNK}"
    )
    assert (file.status, file.old_mode, file.new_mode) == ("modified", "100644", "100755")


def test_binary_patch_and_what_follows() -> None:
    files, notices = parsed(
        "diff --git a/l.png b/l.png\nindex 12ab..34cd 100644\nGIT binary patch\nliteral 5\nMcm\n\nliteral 0\nHcm\n\n"
        f"diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n{HUNK}"
    )
    assert notices == ()
    assert [(file.path, file.binary, len(file.hunks)) for file in files] == [("l.png", True, 0), ("x.c", False, 1)]


@pytest.mark.parametrize(
    ("text", "path", "status"),
    [
        (
            "diff --git a/l.png b/l.png\nindex 12ab..34cd 100644\nBinary files a/l.png and b/l.png differ\n",
            "l.png",
            "modified",
        ),
        (
            "diff --git a/l.png b/l.png\nnew file mode 100644\nBinary files /dev/null and b/l.png differ\n",
            "l.png",
            "added",
        ),
        ("Binary files a/l and m.png and b/l and m.png differ\n", "l and m.png", "modified"),
        ("Binary files a/l.png and /dev/null differ\n", "l.png", "deleted"),
        ("Index: l.png\n=====\nCannot display: file marked as a binary type.\n", "l.png", "modified"),
    ],
)
def test_binary(text: str, path: str, status: str) -> None:
    file = only(text)
    assert (file.path, file.status, file.binary) == (path, status, True)


@pytest.mark.parametrize(
    ("head", "path"),
    [
        ("diff --git a/x y.c b/x y.c\n--- a/x y.c\t\n+++ b/x y.c\t\n", "x y.c"),
        ('diff --git "a/t\\tab.c" "b/t\\tab.c"\n--- "a/t\\tab.c"\n+++ "b/t\\tab.c"\n', "t\tab.c"),
        ('diff --git "a/q\\"\\\\.c" "b/q\\"\\\\.c"\n--- "a/q\\"\\\\.c"\n+++ "b/q\\"\\\\.c"\n', 'q"\\.c'),
        ("diff --git lib/x.c lib/x.c\n--- lib/x.c\n+++ lib/x.c\n", "lib/x.c"),
        ("diff --git a/x.c a/x.c\n--- a/x.c\n+++ a/x.c\n", "a/x.c"),
        ("diff --git i/lib/x.c w/lib/x.c\n--- i/lib/x.c\n+++ w/lib/x.c\n", "lib/x.c"),
        ("diff --git a/b/x.c b/b/x.c\n--- a/b/x.c\n+++ b/b/x.c\n", "b/x.c"),
        ("diff -urN q.orig/x.c q/x.c\n--- q.orig/x.c\t2020-01-01 10:00\n+++ q/x.c\t2020-01-01 10:01\n", "x.c"),
        ("--- a/lib/x.c\n+++ b/lib/x.c\n", "lib/x.c"),
        ("--- lib/x.c\n+++ lib/x.c\n", "lib/x.c"),
        ("--- x.c.orig\n+++ x.c\n", "x.c"),
        ("--- x.c.orig 2020-01-01 10:00:00.000000000 +0100\n+++ x.c 2020-01-01 10:00:00.000000000 +0100\n", "x.c"),
        ("--- old/x.c Mon Jan  6 10:00:00 2020\n+++ new/x.c Mon Jan  6 10:00:00 2020\n", "x.c"),
        ("Index: lib/x.c\n=======\n--- lib/x.c\t(revision 3)\n+++ lib/x.c\t(working copy)\n", "lib/x.c"),
        ("Index: x.c\n=======\nRCS file: x.c,v\ndiff -u -r1.1 x.c\n--- x.c\t1 Jan\n+++ x.c\t2 Jan 2001\n", "x.c"),
        ("Index: frob/lib/x.c\n=======\n--- frob.orig/lib/x.c\n+++ frob/lib/x.c\n", "lib/x.c"),
        ("diff --git a/x.c b/x.c\r\nindex 12ab..34cd 100644\r\n--- a/x.c\r\n+++ b/x.c\r\n", "x.c"),
    ],
)  # fmt: skip
def test_names(head: str, path: str) -> None:
    files, _ = parsed(head + HUNK)
    assert [(file.path, file.old_path, file.status, file.added) for file in files] == [(path, path, "modified", 1)]


@pytest.mark.parametrize(
    ("old", "new", "hunk", "status"),
    [
        ("/dev/null", "b/x.c", "@@ -0,0 +1 @@\n+a", "added"),
        ("a/x.c", "/dev/null", "@@ -1 +0,0 @@\n-a", "deleted"),
        ("q.orig/x.c\t1970-01-01 01:00:00.0 +0100", "q/x.c\t2020-01-01 10:00:00", "@@ -1,0 +1 @@\n+a", "added"),
        ("q.orig/x.c\t2020-01-01 10:00:00", "q/x.c\tThu Jan  1 00:00:00 1970", "@@ -1 +1,0 @@\n-a", "deleted"),
        ("q.orig/x.c", "q/x.c", "@@ -0,0 +1 @@\n+a", "added"),
        ("q.orig/x.c", "q/x.c", "@@ -1 +0,0 @@\n-a", "deleted"),
    ],
)
def test_plain_statuses(old: str, new: str, hunk: str, status: str) -> None:
    file = only(f"--- {old}\n+++ {new}\n{hunk}\n")
    assert (file.path, file.old_path, file.status) == ("x.c", "x.c", status)


def test_plain_files_one_after_the_other() -> None:
    files, notices = parsed(f"--- a/x.c\n+++ b/x.c\n{HUNK}--- a/y.c\n+++ b/y.c\n{HUNK}Only in b: z.c\n", first=11)
    assert notices == ()
    assert [(file.path, file.body_line, file.hunks[0].body_line) for file in files] == [
        ("x.c", 11, 13),
        ("y.c", 16, 18),
    ]


def test_text_around() -> None:
    text = f"diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n{HUNK}\nThe mail goes on, with --- and such.\n-- \n2.1\n"
    files, notices = parsed(f"{text}\n{text}")
    assert notices == ()
    assert [(file.path, file.added, file.removed) for file in files] == [("x.c", 1, 1)] * 2


@pytest.mark.parametrize(
    "path",
    ["../x.c", "lib/../../x.c", "/etc/frob", "lib\\x.c", "x\0.c", "..", "C:/x.c", "x\n.c"],
)
def test_odd_paths_are_text(path: str) -> None:
    quoted = path.replace("\\", "\\\\").replace("\n", "\\n")
    files, notices = parsed(f'diff --git "a/{quoted}" "b/{quoted}"\n--- "a/{quoted}"\n+++ "b/{quoted}"\n{HUNK}')
    assert [file.path for file in files] == [path]
    assert [notice.code for notice in notices] == ["odd-path"]
    assert "\0" not in notices[0].message
    assert "\n" not in notices[0].message


def test_a_very_long_odd_path_is_cut_in_its_notice() -> None:
    path = "../" + "x" * 5000
    _, (notice,) = parsed(f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{HUNK}")
    assert len(notice.message) < 300


def test_a_name_that_cannot_be_cut_from_the_first_line_comes_from_the_others() -> None:
    file = only(f"diff --git one/x y z.c other/deep/x y z.c\n--- a/x y z.c\t\n+++ b/x y z.c\t\n{HUNK}")
    assert file.path == "x y z.c"


@pytest.mark.parametrize(
    ("pair", "path"),
    [
        ("a/one.c b/two.c", "two.c"),
        ('a/one.c "b/two.c"', "two.c"),
        ('"a/t\\303\\244.c" b/two.c', "two.c"),
        ("one.c two.c", "two.c"),
    ],
)
def test_names_on_the_first_line_alone(pair: str, path: str) -> None:
    assert only(f"diff --git {pair}\nindex 1234..5678 100644\nGIT binary patch\ndelta 1\nIcmZ\n").path == path


def test_a_combined_diff_is_said_and_named() -> None:
    files, notices = parsed(
        "diff --cc lib/x.c\nindex 12ab,34cd..56ef\n--- a/lib/x.c\n+++ b/lib/x.c\n"
        "@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n"
    )
    assert [(file.path, file.hunks) for file in files] == [("lib/x.c", ())]
    assert [notice.code for notice in notices] == ["bad-diff"]


@pytest.mark.parametrize(
    "text",
    [
        "diff --git a/x.c b/x.c\nindex 1234..5678 100644\n",
        "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n",
        "diff --git a/x.c b/x.c\nnew file mode 100644\n--- /dev/null\n+++ b/x.c\n",
        "Index: x.c\n=======\n",
    ],
)
def test_missing_hunks_are_said(text: str) -> None:
    files, notices = parsed(text)
    assert [file.path for file in files] == ["x.c"]
    assert [(notice.code, notice.message) for notice in notices] == [
        ("bad-diff", "x.c: line 1 of the mail: its hunks are missing")
    ]


@pytest.mark.parametrize(
    "text", [HUNK, "diff -u\nno names", "just text\nof a mail", "diff --git \n", "diff --git a b c d\n"]
)
def test_no_file_is_said(text: str) -> None:
    files, notices = parsed(text)
    assert files == ()
    assert [notice.code for notice in notices] == ["bad-diff"]
    assert "line 1 of the mail" in notices[0].message


def test_nothing_gives_nothing() -> None:
    assert parse_diff(()) == ((), ())


def test_many_bad_files_are_summed_up() -> None:
    files, notices = parsed("".join(f"diff --git a/x{n}.c b/x{n}.c\n" for n in range(100)))
    assert len(files) == 100
    assert len(notices) == 21
    assert notices[-1].message == "80 more remarks on files of this diff are left out"


def test_facts_with_nonsense_are_not_believed() -> None:
    file = only(
        f"diff --git a/x.c b/x.c\nold mode 1\nnew mode rwx\nsimilarity index lots\nindex zz..yy\n"
        f"--- a/x.c\n+++ b/x.c\n{HUNK}"
    )
    assert (file.old_mode, file.new_mode, file.similarity, file.old_blob) == (None, None, None, None)
