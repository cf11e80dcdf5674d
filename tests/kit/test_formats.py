"""printf formats: conversions and lengths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit_unit import body_of

from reviewer.kit.formats import literal, mismatch, parse_format
from reviewer.rule import Node


def value_of(text: str) -> Node:
    """The expression `text`, as a function returns it."""
    return body_of(f"\treturn {text};\n").find("return_statement")[0].named_children[0]


@pytest.mark.parametrize(
    ("text", "fixed", "usual"),
    [
        ("plain", 5, 5),
        ("100%% of %u", 8, 12),
        ("%pad+%zu", 1, 26),
        ("%s: %c", 2, 8),
        ("%08x", 0, 8),
        ("%" + "9" * 9000 + "d", 0, 9999),
        ("%#018llx", 0, 18),
        ("%pM %pI4 %pI6c %pISpc %pUb %pe %p", 6, 6 + 17 + 11 + 20 + 20 + 36 + 7 + 16),
        ("a\\nb\\x41\\\\", 5, 5),
        ("%", 1, 1),
        ("%y", 2, 2),
    ],
)
def test_lengths(text: str, fixed: int, usual: int) -> None:
    form = parse_format(text)
    assert (form.fixed, form.usual) == (fixed, usual)


def test_a_message_of_the_rule_book() -> None:
    form = parse_format("frob seg (addr=%pad, len=%zu) is not aligned to the slot size %zu")
    assert [one.text for one in form.conversions] == ["%pad", "%zu", "%zu"]
    assert form.usual == form.fixed + 18 + 7 + 7


def test_conversions_take_stars_and_leave_what_follows() -> None:
    (first, second) = parse_format("%*.*luX%pOFfoo").conversions
    assert (first.text, first.arguments, first.width) == ("%*.*lu", 3, "long")
    assert second.letter == "p"
    assert second.width is None


@pytest.mark.parametrize(
    ("conversion", "declared", "instead"),
    [
        ("%lu", "size_t", "%zu"),
        ("%zu", "unsigned long", "%lu"),
        ("%u", "u64", "%llu"),
        ("%x", "u64", "%llx"),
        ("%d", "s64", "%lld"),
        ("%llx", "dma_addr_t", "%pad with its address"),
        ("%u", "const u32", None),
        ("%d", "unsigned int", None),
        ("%u", "struct frob *", None),
        ("%s", "u64", None),
        ("%tu", "u64", None),
    ],
)
def test_conversions_that_do_not_fit_a_type(conversion: str, declared: str, instead: str | None) -> None:
    assert mismatch(parse_format(conversion).conversions[0], declared) == instead


@pytest.mark.parametrize(
    ("text", "whole"),
    [('"ab\\n"', "ab\\n"), ('"a" /* b */ "c"', "ac"), ('"a" FROB "c"', None), ("frob", None), ('L"a"', None)],
)
def test_literals(text: str, whole: str | None) -> None:
    assert literal(value_of(text)) == whole


@given(st.text(alphabet="%\\abdluzxXps0123.*-# hln", max_size=200))
def test_any_text_is_a_format(text: str) -> None:
    form = parse_format(text)
    assert 0 <= form.fixed <= len(text)
    assert form.usual >= form.fixed


def test_long_formats_take_linear_time() -> None:
    form = parse_format("%" * 200_001 + "*" * 100_000 + "0" * 100_000)
    assert form.fixed >= 100_000
