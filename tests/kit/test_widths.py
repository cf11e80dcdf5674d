from __future__ import annotations

import pytest
from kit_unit import named, unit_of

from reviewer.kit.widths import cast, converted_to, width, written_type

HEAD = """
struct frob {
	dma_addr_t base;
	u16 small;
};

static size_t frob(struct frob *fb, u32 idx, int i)
{
	unsigned int narrow;
	u64 wide;

"""


def given(statement):
    return unit_of(f"{HEAD}\t{statement}\n}}\n")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("wide = X << s;", "u64"),
        ("narrow = X << s;", "unsigned int"),
        ("wide += X << s;", "u64"),
        ("wide <<= X << s;", None),
        ("u64 here = X << s;", "u64"),
        ("u64 *here = X << s;", "u64 *"),
        ("use(X << s);", None),
        ("use(fb->base + (X << s));", "dma_addr_t"),
        ("use((u64)(X << s));", "u64"),
        ("use((unsigned long)(X << s));", "unsigned long"),
        ("use(fb->base == ~(X << s));", "dma_addr_t"),
        ("use(narrow < (X << s));", None),
        ("if (wide && X << s) use(0);", None),
        ("return narrow ? X << s : 0;", "size_t"),
        ("wide = (X << s) ? 1 : 0;", None),
        ("wide = fb->pages[X << s];", None),
        ("wide = narrow + (X << s);", "u64"),
        ("wide = 1 << (X << s);", None),
        ("fb->base = X << s;", "dma_addr_t"),
        ("fb->gone = X << s;", None),
    ],
)
def test_converted_to(statement, expected):
    unit = given(statement)
    assert converted_to(unit, named(unit, "X << s")) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("idx", 32),
        ("(idx + 1)", 32),
        ("idx + 1UL", 64),
        ("idx * fb->small", 32),
        ("fb->base | idx", 64),
        ("(u64)idx", 64),
        ("(u64)(idx)", 64),
        ("unknown", None),
        ("idx + unknown", None),
        ("idx << 3", None),
        ("fb", None),
    ],
)
def test_width(expression, expected):
    unit = given(f"use({expression});")
    assert width(unit, named(unit, f"use({expression})").child("arguments").named_children[0]) == expected


def test_a_return_outside_of_a_visible_function_has_no_type():
    unit = unit_of("int a = 1;\n")
    assert written_type(unit, named(unit, "1")) is None
    assert cast(named(unit, "1")) is None


def test_calls_are_no_casts():
    unit = given("use((fb)(idx), (frob_fn)(i));")
    assert cast(named(unit, "(fb)(idx)")) is None
    assert written_type(unit, named(unit, "(fb)(idx)")) is None
    assert cast(named(unit, "use((fb)(idx), (frob_fn)(i))")) is None
