from __future__ import annotations

import pytest
from kit_unit import body_of, named

from reviewer.kit.units import alignment_tests, division, is_mask, is_niov_name, measure, operands, page_names, power


def argument(statements, expression):
    unit = body_of(f"{statements}\tuse({expression});\n")
    return unit, named(unit, f"use({expression})").child("arguments").named_children[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("niov_shift", True),
        ("tx_niov_shift", True),
        ("buf_size_shift", True),
        ("niov_size", True),
        ("sk_pacing_shift", False),
        ("hash_shift", False),
        ("_shift", False),
        ("size_shift", False),
        ("PAGE_SHIFT", False),
        ("shift", False),
    ],
)
def test_is_niov_name(name, expected):
    assert is_niov_name(name) is expected


@pytest.mark.parametrize(
    ("statements", "expression", "expected"),
    [
        ("", "PAGE_SIZE", "page"),
        ("", "(size_t)PAGE_SIZE - 1", "page"),
        ("", "~(PAGE_SIZE - 1)", "page"),
        ("", "1UL << PAGE_SHIFT", "page"),
        ("", "fb->niov_shift", "niov"),
        ("", "1UL << fb->niov_shift", "niov"),
        ("", "BIT(niov_shift)", "niov"),
        ("", "BIT_ULL(a) + 1", None),
        ("", "unit", None),
        ("", "fb->size", None),
        ("", "2 << niov_shift", None),
        ("", "get_shift()", None),
        ("\tsize_t unit = PAGE_SIZE;\n", "unit", "page"),
        ("\tsize_t unit = 1UL << fb->niov_shift;\n", "unit", "niov"),
        ("\tsize_t unit = PAGE_SIZE;\n\tunit = 1UL << fb->niov_shift;\n", "unit", "niov"),
        ("\tunit = PAGE_SHIFT;\n\tunit = ilog2(size);\n", "unit", None),
        ("\tniov_shift = PAGE_SHIFT;\n\tniov_shift = ilog2(size);\n", "niov_shift", "niov"),
        ("\tfb->niov_shift = unit;\n", "unit", "niov"),
        ("\tfb->other = unit;\n", "unit", None),
        ("\tunit = big ? 1UL << fb->niov_shift : PAGE_SIZE;\n", "unit", "niov"),
        ("\tunit = big ? PAGE_SIZE : other;\n", "unit", None),
        ("\ta = b;\n\tb = a;\n", "a", None),
    ],
)
def test_measure(statements, expression, expected):
    assert measure(*argument(statements, expression)) == expected


def test_page_names():
    unit = body_of("\tuse(PAGE_SIZE, offset_in_page(a), PAGES, page);\n")
    assert [node.text for node in page_names(unit.root)] == ["PAGE_SIZE", "offset_in_page"]


@pytest.mark.parametrize(("expression", "expected"), [("a >> s", ("a", "s")), ("a / u", ("a", "u")), ("a << s", None)])
def test_division(expression, expected):
    _, node = argument("", expression)
    found = division(node)
    assert (found and (found.value.text, found.by.text)) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("!IS_ALIGNED(len, PAGE_SIZE)", [("len", "page")]),
        ("IS_ALIGNED(a | b, 1UL << niov_shift)", [("a | b", "niov")]),
        ("IS_ALIGNED(len)", []),
        ("PAGE_ALIGNED(len) || offset_in_page(addr)", [("len", "page"), ("addr", "page")]),
        ("len % PAGE_SIZE", [("len", "page")]),
        ("len & (PAGE_SIZE - 1)", [("len", "page")]),
        ("len & ~PAGE_MASK", [("len", "page")]),
        ("len & ~mask", []),
        ("len & mask", []),
        ("len & rest", [("len", None)]),
        ("len & FLAG", []),
        ("use(len) + 1", []),
    ],
)
def test_alignment_tests(condition, expected):
    unit, node = argument("\trest = unit - 1;\n", condition)
    assert [(test.value.text, test.measure) for test in alignment_tests(unit, node)] == expected


def test_masks_and_powers():
    unit, node = argument("", "niov_size - 1")
    assert is_mask(unit, node)
    assert operands(node)[2] == "-"
    assert power(node) is None
    assert power(argument("", "BIT(3, 4)")[1]) is None
    assert power(argument("", "BIT(3)")[1]).text == "3"
    assert operands(argument("", "a")[1]) == (None, None, "")
