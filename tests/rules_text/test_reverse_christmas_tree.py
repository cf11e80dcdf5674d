"""The order of local declarations, on functions of our own."""

from __future__ import annotations

import pytest

from reviewer.examples import failures, run_example
from reviewer.rule import Rule, code

HEAD = "int frob_do(struct frob *fb, struct frob *other)\n{\n"
TAIL = "\n\tfrob_use(fb);\n\tfrob_use(other);\n\tfrob_end(fb);\n\treturn 0;\n}\n"


@pytest.fixture
def rule(text_rules: dict[str, Rule]) -> Rule:
    return text_rules["DM016"]


def told(rule: Rule, after: str, before: str | None = None, path: str = "net/core/frob.c") -> list[str]:
    """The lines that the rule speaks of."""
    report, _ = run_example(rule, code("bad", path, after, before=before))
    assert report.complete
    return [one.location.text.strip() for one in report.findings]


def block(*lines: str) -> str:
    return HEAD + "".join(f"\t{line}\n" for line in lines) + TAIL


def test_examples(rule: Rule) -> None:
    assert [one.reason for one in failures(rule)] == []


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("int a;", "long bb;"), ["long bb;"]),
        (("long bb;", "int a;"), []),
        (("int a;", "int b;"), []),
        (("int a; /* a long comment */", "long bb;"), ["long bb;"]),
        (("long bb;", "int a;\t// a long comment"), []),
        (("int a;", "long bb = frob(a);"), []),
        (("int a;", "long bb[ARRAY];"), ["long bb[ARRAY];"]),
        (("int a;", "char bb[sizeof(a)];"), []),
        (("int a;", "long bb = SIZE;"), ["long bb = SIZE;"]),
        (("int a;", "long bb = frob(fb->size);"), ["long bb = frob(fb->size);"]),
        (("int aaaa;", "int b = aaaa;", "long cc;", "long ddd;"), ["long ddd;"]),
        (("int a;", "long bb = frob(1,", "             2);", "int c;", "int d;"), []),
        (("int a; int b;", "struct frob *third;"), []),
        (("int a;", "", "long bb;"), []),
        (("int a, c;", "struct frob *bb, *dd;", "int e;", "long ff;"), ["struct frob *bb, *dd;"]),
        (("int a;",), []),
        (("int a;", "struct frob *bb __free(frob) = NULL;"), []),
    ],
)
def test_neighbours(rule: Rule, lines: tuple[str, ...], found: list[str]) -> None:
    assert told(rule, block(*lines)) == found


def test_each_block_speaks_for_itself(rule: Rule) -> None:
    inner = "\tif (fb) {\n\t\tint a;\n\t\tlong bb;\n\n\t\tfrob(a, bb);\n\t}\n"
    assert told(rule, block("int c;", "long dd;").replace("\tfrob_end", inner + "\tfrob_end")) == [
        "long dd;",
        "long bb;",
    ]


def test_a_block_that_was_out_of_order_stays_so(rule: Rule) -> None:
    before = block("int a;", "long bb;", "int c;")
    assert told(rule, block("int a;", "long bb;", "int c;", "long dd;"), before) == []


def test_a_short_line_put_above_a_longer_one(rule: Rule) -> None:
    before = block("struct frob *third;", "long bb;")
    assert told(rule, block("struct frob *third;", "int a;", "long bb;"), before) == ["int a;"]


def test_lines_that_were_there_are_not_charged(rule: Rule) -> None:
    before = block("int a;", "struct frob *third;", "long bb;")
    assert told(rule, block("int a;", "struct frob *third;", "long bb;", "int c;"), before) == []
    assert told(rule, block("int a;", "long bb;"), block("int a;", "struct f *c = frob();", "long bb;")) == []


@pytest.mark.parametrize("path", ["drivers/net/wireless/frob.c", "io_uring/frob.c", "include/net/frob.h"])
def test_other_folders_have_other_habits(rule: Rule, path: str) -> None:
    assert told(rule, block("int a;", "long bb;"), path=path) == []


def long_block(count: int, *more: str) -> str:
    lines = [f"struct frob *frob_{'x' * (40 - n)};" for n in range(count)]
    return block(*lines, *more)


def test_a_block_whose_start_is_out_of_sight(rule: Rule) -> None:
    before = long_block(9)
    assert told(rule, long_block(9, "struct frob_longer *frob_that_is_longer_than_all_of_those;"), before) == [
        "struct frob_longer *frob_that_is_longer_than_all_of_those;"
    ]
    assert told(rule, long_block(9, "struct frob_longer *frob_that_needs = frob_something;"), before) == []


def test_neither_start_nor_end_in_sight_is_no_block(rule: Rule) -> None:
    before = long_block(9)
    middle = "struct frob *frob_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;"
    added = before.replace(f"\t{middle}\n", f"\t{middle}\n\tstruct frob_longer *frob_{'y' * 60};\n")
    assert added != before
    assert told(rule, added, before) == []


def test_members_and_globals_are_no_locals(rule: Rule) -> None:
    before = "struct frob {\n\tint a;\n\tint b;\n\tint c;\n\tint d;\n\tint e;\n};\n"
    assert told(rule, before.replace("\tint c;", "\tint c;\n\tlong long c2;"), before) == []
    assert told(rule, "int a;\nlong bb;\n") == []
