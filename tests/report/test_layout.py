from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.report.escape import is_plain, markdown, markdown_code, markdown_fence, visible, visible_code
from reviewer.report.layout import adds, code_line, ranges, shortened, wrapped


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [((), ""), ((3,), "3"), ((1, 2), "1, 2"), ((3, 1, 2, 5), "1-3, 5"), ((1, 3, 4, 5, 6), "1, 3-6"), ((2, 2), "2")],
)
def test_ranges(numbers: tuple[int, ...], shown: str) -> None:
    assert ranges(numbers) == shown


def test_text_is_wrapped_at_words() -> None:
    assert wrapped("one two three four", width=9) == "one two\nthree\nfour"
    assert wrapped("one two three four", width=11, indent=2, hang=2) == "  one two\n    three\n    four"
    assert wrapped("a-b-c-d-e-f-g", width=4) == "a-b-c-d-e-f-g"
    assert wrapped("", width=10) == ""


@given(st.text(), st.integers(min_value=10, max_value=80))
def test_wrapping_keeps_the_words(text: str, width: int) -> None:
    lines = wrapped(text, width=width, indent=2, hang=3)
    assert lines.split() == text.split()
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines.split("\n"))


def test_code_keeps_its_tabs_as_in_the_source() -> None:
    assert code_line("+\tif (a)\tb;", width=80) == "+        if (a)  b;"
    assert code_line("", width=80) == ""


def test_an_endless_line_of_code_is_cut() -> None:
    assert code_line("+" + "x" * 10_000_000, width=80) == "+" + "x" * 159 + " [ ... ]"


def test_a_long_title_is_cut() -> None:
    assert shortened("x" * 300) == "x" * 200 + " [ ... ]"
    assert shortened("short") == "short"


def test_a_reason_is_left_out_when_the_message_says_it() -> None:
    message = "ilog2() is undefined for 0 and rounds down other values: reject them first."
    assert not adds("ilog2() is undefined for 0 and rounds down.", message)
    assert adds("Debug tables carry entries whose length vanished.", message)
    assert not adds("", message)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\u202e\u2066", r"\u202e\u2066"),
        ("\x9b\x7f\0", r"\x9b\x7f\x00"),
        ("\udc80", r"\udc80"),
        ("\U000e0041", r"\U000e0041"),
        ("Größe 😀", "Größe 😀"),
    ],
)
def test_control_characters_are_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(visible(text)) == shown
    assert is_plain(text) == (text == shown)


def test_code_keeps_tabs() -> None:
    assert visible_code("+\ta\x1b") == "+\ta\\x1b"
    assert is_plain("+\ta")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, text.", "plain, text."),
        ("a_b *c* `d`", r"a\_b \*c\* \`d\`"),
        ("<script>&amp;", "&lt;script&gt;&amp;\u200bamp;"),
        ("[a](b) ![c](d)", "\\[a\\](b) !\\[c\\](d)"),
        ("https://x.example www.x.example", r"https\://x.example www\.x.example"),
        ("@ada ada@x.example #12 !3 GH-4", "@\u200bada ada@\u200bx.example \\#\u200b12 !\u200b3 GH-\u200b4"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("=====", r"\====="),
        ("a | b ~~c~~", "a \\| b \\~\\~\u200bc\\~\\~"),
        ("# head", r"\# head"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_markdown_shows_and_does_nothing(text: str, shown: str) -> None:
    assert markdown(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.c:1", "`a.c:1`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("", "` `"),
        ("``", "``` `` ```"),
        ("a\x1b", r"`a\x1b`"),
    ],
)
def test_code_spans_cannot_be_left(text: str, shown: str) -> None:
    assert markdown_code(text) == shown


@given(st.lists(st.text(alphabet="`~ab \n\x1b<")))
def test_fences_cannot_be_left(lines: list[str]) -> None:
    block = markdown_fence(tuple(lines)).split("\n")
    assert block[0] == block[-1]
    assert set(block[0]) == {"`"}
    assert all(block[0] not in line for line in block[1:-1])
    assert len(block) == max(len(lines), 1) + 2
