"""Error numbers: names, and how they are handed on."""

from __future__ import annotations

import errno

import pytest
from kit_unit import body_of, unit_of

from reviewer.kit.errno import ERRNOS, INTERNAL, given, how_given, negated
from reviewer.rule import Node

GIVEN = """
int frob_all(struct frob *fb)
{
	int err = -EBUSY;
	void *p;

	if (fb->err == -EPIPE)
		return (-EINVAL);
	err = fb->map ? 0 : (int)-ENOMEM;
	p = ERR_PTR(-ENODEV);
	frob_tell(fb, -EIO);
	switch (err) {
	case -EAGAIN:
		return fb->again ?: -ENOTSUPP;
	}
	return -1;
}
"""


def value_of(text: str) -> Node:
    """The expression `text`, as a function returns it."""
    return body_of(f"\treturn {text};\n").find("return_statement")[0].named_children[0]


def test_names_are_those_of_linux_and_the_two_tables_are_apart() -> None:
    assert {name for name in errno.errorcode.values() if name != "ENOTSUP"} <= ERRNOS
    assert not ERRNOS & set(INTERNAL)
    assert min(INTERNAL.values()) == 512
    assert INTERNAL["ENOTSUPP"] == 524


def test_what_is_given_and_how() -> None:
    found = [(one.name, one.how) for one in given(unit_of(GIVEN).find("unary_expression"))]
    assert found == [
        ("EBUSY", "assign"),
        ("EINVAL", "return"),
        ("ENOMEM", "assign"),
        ("ENODEV", "ERR_PTR"),
        ("ENOTSUPP", "return"),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [("-EINVAL", "EINVAL"), ("-ENOTSUPP", "ENOTSUPP"), ("-EFROB", None), ("~EINVAL", None), ("-(EINVAL)", None)],
)
def test_only_the_negative_of_a_known_name_is_one(text: str, name: str | None) -> None:
    assert negated(value_of(text)) == name


def test_a_binary_minus_is_none() -> None:
    assert negated(value_of("0 - EINVAL")) is None


def test_conditions_and_operands_are_not_handed_on() -> None:
    conditional = value_of("EINVAL ? 1 : 2")
    assert how_given(conditional.named_children[0]) is None
    assert how_given(value_of("EINVAL + 1").named_children[0]) is None
