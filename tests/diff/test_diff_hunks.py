"""Hunks: numbers and marks of sound ones, what is read of damaged ones, and what is said of these."""

from __future__ import annotations

import pytest

from reviewer.diff.extent import Extent
from reviewer.diff.hunks import read_hunk
from reviewer.diff.parse import parse_diff
from reviewer.model import DiffLine, FileDiff, Notice, TextLine

HEAD = "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n"


def parsed(text: str) -> tuple[tuple[FileDiff, ...], tuple[Notice, ...]]:
    lines = text.removesuffix("\n").split("\n")
    return parse_diff(tuple(TextLine(text=line, body_line=number) for number, line in enumerate(lines, 1)))


def marks(lines: tuple[DiffLine, ...]) -> list[tuple[str, str, int | None, int | None]]:
    return [(line.mark, line.text, line.old, line.new) for line in lines]


def test_numbers_marks_and_places() -> None:
    (file,), notices = parsed(f"{HEAD}@@ -10,4 +20,5 @@ int frob(int a)\n one\n-two\n+2\n+and\n\n three\n")
    (hunk,) = file.hunks
    assert notices == ()
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (10, 4, 20, 5)
    assert (hunk.section, hunk.function, hunk.body_line) == ("int frob(int a)", "frob", 4)
    assert marks(hunk.lines) == [
        (" ", "one", 10, 20),
        ("-", "two", 11, None),
        ("+", "2", None, 21),
        ("+", "and", None, 22),
        (" ", "", 12, 23),
        (" ", "three", 13, 24),
    ]
    assert [line.body_line for line in hunk.lines] == [5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    ("body", "sides"),
    [
        ("-a\n\\ No newline at end of file\n+b\n", ("old",)),
        ("-a\n+b\n\\ No newline at end of file\n", ("new",)),
        ("-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenumbruch am Dateiende.\n", ("old", "new")),
        ("-a\n+b\n", ()),
    ],
)
def test_no_newline(body: str, sides: tuple[str, ...]) -> None:
    (file,), notices = parsed(f"{HEAD}@@ -1 +1 @@\n{body}")
    assert notices == ()
    assert file.hunks[0].no_newline == sides
    assert [(line.mark, line.text) for line in file.hunks[0].lines] == [("-", "a"), ("+", "b")]


def test_no_newline_behind_context() -> None:
    (file,), notices = parsed(f"{HEAD}@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n@@ -9 +8 @@\n-c\n+d\n")
    assert notices == ()
    assert [hunk.no_newline for hunk in file.hunks] == [("old", "new"), ()]


def test_without_context() -> None:
    (file,), notices = parsed(f"{HEAD}@@ -3,0 +4,2 @@\n+a\n+b\n@@ -7,2 +9,0 @@\n-c\n-d\n")
    assert notices == ()
    assert [marks(hunk.lines) for hunk in file.hunks] == [
        [("+", "a", None, 4), ("+", "b", None, 5)],
        [("-", "c", 7, None), ("-", "d", 8, None)],
    ]


def test_lines_that_look_like_heads() -> None:
    body = "--- a/y.c\n+++ b/y.c\n@@ -5 +5 @@\n-diff --git a/y b/y\n+-- \n"
    (file,), notices = parsed(f"--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n{body}")
    assert notices == ()
    assert [marks(hunk.lines) for hunk in file.hunks] == [
        [("-", "-- a/y.c", 1, None), ("+", "++ b/y.c", None, 1)],
        [("-", "diff --git a/y b/y", 5, None), ("+", "-- ", None, 5)],
    ]


def test_carriage_returns_of_the_file_stay() -> None:
    (file,), _ = parsed(f"{HEAD}@@ -1,2 +1,2 @@\n-a\r\n+b\r\n\r\n")
    assert [line.text for line in file.hunks[0].lines] == ["a\r", "b\r", "\r"]


def test_carriage_returns_of_transport_go() -> None:
    (file,), notices = parsed(f"{HEAD}@@ -1,2 +1,2 @@ int f(\n-a\n+b\n\n".replace("\n", "\r\n"))
    assert notices == ()
    assert [line.text for line in file.hunks[0].lines] == ["a", "b", ""]
    assert file.hunks[0].section == "int f("


def test_odd_characters_do_not_break_lines() -> None:
    (file,), notices = parsed(f"{HEAD}@@ -1 +1 @@\n-a\x0cb\u2028c\n+\0\x1c\n")
    assert notices == ()
    assert [line.text for line in file.hunks[0].lines] == ["a\x0cb\u2028c", "\0\x1c"]


def damaged(text: str) -> tuple[list[list[tuple[str, str]]], str]:
    """The lines that were read, hunk by hunk, and the one notice."""
    (file,), (notice,) = parsed(text)
    assert notice.code == "bad-diff"
    assert file.path == "x.c"
    for hunk in file.hunks:
        assert hunk.old_count == sum(line.mark != "+" for line in hunk.lines)
        assert hunk.new_count == sum(line.mark != "-" for line in hunk.lines)
    return [[(line.mark, line.text) for line in hunk.lines] for hunk in file.hunks], notice.message


GOOD = "@@ -50,2 +50,2 @@\n-c\n+d\n e\n"
READ = [("-", "c"), ("+", "d"), (" ", "e")]


def test_a_wrapped_line_ends_its_hunk_and_costs_the_line_above() -> None:
    hunks, message = damaged(f"{HEAD}@@ -1,4 +1,4 @@\n a\n-b\n+b, a line that was\nwrapped here\n c\n d\n{GOOD}")
    assert hunks == [[(" ", "a"), ("-", "b")], READ]
    assert message == "x.c: hunk 1, line 4 of the mail: line 8 of the mail has no mark (wrapped or damaged)"


def test_a_wrapped_heading_is_put_together() -> None:
    (file,), (notice,) = parsed(f"{HEAD}@@ -1,2 +1,2 @@ static int frob(struct\nknob *knob)\n-a\n+b\n c\n")
    assert (file.hunks[0].section, file.hunks[0].function) == ("static int frob(struct knob *knob)", "frob")
    assert marks(file.hunks[0].lines) == [("-", "a", 1, None), ("+", "b", None, 1), (" ", "c", 2, 2)]
    assert notice.message == "x.c: hunk 1, line 4 of the mail: the header is wrapped"


def test_a_wrapped_heading_above_a_wrapped_line() -> None:
    header = "@@ -1,3 +1,3 @@ static int frob(struct knob *knob, const struct dial"
    hunks, message = damaged(f"{HEAD}{header}\n*dials)\n a\n-b\n+and\nmore\n")
    assert hunks == [[(" ", "a"), ("-", "b")]]
    assert "the header is wrapped; line 9 of the mail has no mark" in message


def test_a_first_line_without_its_mark_is_no_heading() -> None:
    hunks, message = damaged(f"{HEAD}@@ -1,3 +1,3 @@ int f(\nint a;\n-b\n+c\n d\n{GOOD}")
    assert hunks == [READ]
    assert "line 5 of the mail has no mark" in message


def test_a_hunk_cut_at_the_end_of_the_mail() -> None:
    hunks, message = damaged(f"{HEAD}@@ -1,9 +1,9 @@\n a\n-b\n+c\n\n\n")
    assert hunks == [[(" ", "a"), ("-", "b"), ("+", "c")]]
    assert "it has 4 old and 4 new lines where its header says 9 and 9" in message


def test_a_hunk_cut_before_another_file() -> None:
    text = f"--- a/x.c\n+++ b/x.c\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n--- a/y.c\n+++ b/y.c\n{GOOD}"
    files, notices = parsed(text)
    assert [(file.path, file.added, file.removed) for file in files] == [("x.c", 1, 1), ("y.c", 1, 1)]
    assert len(notices) == 1


@pytest.mark.parametrize("end", ["", GOOD, "diff --git a/x.c b/x.c\nold mode 100644\nnew mode 100755\n"])
def test_more_lines_than_counted(end: str) -> None:
    files, (notice,) = parsed(f"{HEAD}@@ -1,2 +1,2 @@\n a\n-b\n+c\n+d\n e\n{end}")
    assert marks(files[0].hunks[0].lines)[-2:] == [("+", "d", None, 3), (" ", "e", 3, 4)]
    assert (files[0].hunks[0].old_count, files[0].hunks[0].new_count) == (3, 4)
    assert "it has more lines than its header says" in notice.message


def test_counts_that_the_lines_cross() -> None:
    hunks, _ = damaged(f"{HEAD}@@ -1,5 +1,2 @@\n+a\n+b\n+c\n-d\n{GOOD}")
    assert hunks == [[("+", "a"), ("+", "b"), ("+", "c"), ("-", "d")], READ]


@pytest.mark.parametrize(
    "text", ["- a point\n- another one\nand text\n", " indented\n", "\n- a point\n", "-- \nA. Person\n", "--\n1.0\n"]
)
def test_text_below_a_whole_hunk_is_not_its_own(text: str) -> None:
    (file,), notices = parsed(f"{HEAD}{GOOD}{text}")
    assert notices == ()
    assert len(file.hunks[0].lines) == 3


def test_a_signature_ends_a_hunk_that_is_short() -> None:
    hunks, _ = damaged(f"{HEAD}@@ -1,9 +1,9 @@\n-a\n+b\n-- \n2.1\n")
    assert hunks == [[("-", "a"), ("+", "b")]]


@pytest.mark.parametrize(("mark", "text"), [("\t", "\ta"), ("\xa0", "a")])
def test_damaged_white_space(mark: str, text: str) -> None:
    hunks, message = damaged(f"{HEAD}@@ -1,3 +1,3 @@\n{mark}a\n-b\n+c\n d\n")
    assert hunks == [[(" ", text), ("-", "b"), ("+", "c"), (" ", "d")]]
    assert "white space is damaged" in message


@pytest.mark.parametrize("header", ["@@ -1,3 +1,3", "@@-1,3 +1,3 @@", "@@ -1,3, +1,3 @@", "@@ -1,3 +1,3 @"])
def test_malformed_headers_that_still_say_where(header: str) -> None:
    hunks, message = damaged(f"{HEAD}{header}\n a\n-b\n+c\n d\n{GOOD}")
    assert hunks == [[(" ", "a"), ("-", "b"), ("+", "c"), (" ", "d")], READ]
    assert "the header is malformed" in message


@pytest.mark.parametrize("header", ["@@ ... @@", "@@", "@@ -x +y @@", "@@ -1,3 @@", f"@@ -{'9' * 5000} +1 @@"])
def test_headers_that_do_not_say_where(header: str) -> None:
    hunks, message = damaged(f"{HEAD}{header}\n a\n-b\n+c\n d\n{GOOD}")
    assert hunks == [READ]
    assert message == "x.c: hunk 1, line 4 of the mail: the header cannot be read"


def test_several_bad_hunks_are_one_notice() -> None:
    hunks, message = damaged(f"{HEAD}@@ ... @@\n-a\n@@ ... @@\n-a\n@@ ... @@\n-a\n{GOOD}")
    assert hunks == [READ]
    assert message.endswith("(and 2 more of its hunks)")


def test_a_bad_file_costs_itself_alone() -> None:
    files, notices = parsed(f"{HEAD}@@ -1,9 +1,9 @@\n-a\nwrapped\n" + HEAD.replace("x.c", "y.c") + GOOD)
    assert [(file.path, len(file.hunks)) for file in files] == [("x.c", 0), ("y.c", 1)]
    assert [notice.message.partition(":")[0] for notice in notices] == ["x.c"]


def test_an_empty_hunk() -> None:
    (file,), notices = parsed(f"{HEAD}@@ -3,0 +3,0 @@\n{GOOD}")
    assert [len(hunk.lines) for hunk in file.hunks] == [3]
    assert notices == ()


def test_what_unidiff_alone_rejects_is_read_by_its_marks() -> None:
    header, *body = (TextLine(text=text, body_line=at) for at, text in enumerate(("@@ -1,3 +1,3 @@", "-a", "+b"), 1))
    hunk, problem = read_hunk(Extent(header=header, range=(1, 3, 1, 3), section="", body=tuple(body)), "x.c")
    assert hunk is not None
    assert marks(hunk.lines) == [("-", "a", 1, None), ("+", "b", None, 1)]
    assert (hunk.old_count, hunk.new_count) == (1, 1)
    assert problem == "unidiff does not take it: Hunk is shorter than expected"


def test_no_newline_in_a_damaged_hunk() -> None:
    (file,), (notice,) = parsed(f"{HEAD}@@ -1,3 +1,3 @@\n-a\n\\ No newline at end of file\n+b\n")
    assert marks(file.hunks[0].lines) == [("-", "a", 1, None), ("+", "b", None, 1)]
    assert file.hunks[0].no_newline == ("old",)
    assert notice.code == "bad-diff"
