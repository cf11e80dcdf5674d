from __future__ import annotations

import pytest
from kit_unit import named, unit_of, units

from reviewer.kit.types import CType, ctype, declared_type, member_type, returned_type

SOURCE = """
struct frob {
	phys_addr_t base;
	unsigned int first, last;
	u8 name[8];
	struct frob *next;
};

struct other {
	u64 first;
};

static u64 *frob_find(struct frob *fb, u32 idx)
{
	size_t len, rest = 0;
	u8 raw[4];
	int i;

	for (i = 0; i < 4; i++) {
		long len = raw[i];

		use(len, rest, fb, idx, raw, gone);
	}
	return &len;
}

static unsigned long long frob_len(void)
{
	return 0;
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u32", CType(bits=32, signed=False)),
        ("unsigned int", CType(bits=32, signed=False)),
        ("const  unsigned   long", CType(bits=64, signed=False)),
        ("int", CType(bits=32, signed=True)),
        ("ssize_t", CType(bits=64, signed=True)),
        ("dma_addr_t", CType(bits=64, signed=False)),
        ("struct frob *", None),
        ("frob_t", None),
        ("", None),
        (None, None),
    ],
)
def test_ctype(text, expected):
    assert ctype(text) == expected


def test_declared_types_of_variables_and_parameters():
    unit = unit_of(SOURCE)
    at = named(unit, "use(len, rest, fb, idx, raw, gone)")
    names = ("len", "rest", "fb", "idx", "raw", "gone")
    assert [declared_type(unit, name, at) for name in names] == ["long", "size_t", "struct frob *", "u32", None, None]


def test_member_types_are_given_when_there_is_one_only():
    unit = unit_of(SOURCE)
    names = ("base", "last", "first", "name", "next", "gone")
    assert [member_type(unit, name) for name in names] == [
        "phys_addr_t",
        "unsigned int",
        None,
        "u8 []",
        "struct frob *",
        None,
    ]


def test_members_of_other_hunks_count():
    filler = "".join(f"int frob_{number};\n" for number in range(20))
    before = f"struct frob {{\n\tu64 first;\n}};\n{filler}int last;\n"
    one, other = units(before.replace("u64 first;", "u64 first;\n\tu32 size;").replace("last", "end"), before)
    assert member_type(one, "first") == member_type(other, "first") == "u64"
    assert member_type(other, "size") == "u32"


def test_returned_types():
    functions = unit_of(SOURCE).find("function_definition")
    assert [returned_type(function) for function in functions] == ["u64 *", "unsigned long long"]
