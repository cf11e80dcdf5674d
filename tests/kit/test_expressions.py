"""Questions about expressions."""

from __future__ import annotations

import pytest
from kit_unit import body_of, named, unit_of

from reviewer.kit.expressions import (
    arguments,
    assignments,
    bare,
    called,
    calls_in,
    declared,
    last_values,
    mentions,
    plain,
    target,
)

CODE = """
int frob_map(struct frob *fb)
{
	struct table *first = (struct table *)(frob_get(fb)), *second;
	char name[8] = { 0 };

	fb -> table = frob_find(fb, /* any */ 1);
	second = first;
	fb->count += frob_count(fb);
	fb->map[frob_index(fb)] = 2;
	(*fb->hook)(fb);
	return frob_end(second) ? 1 : 0;
}

int frob_other(struct frob *fb)
{
	struct table *first = NULL;

	return frob_use(first);
}
"""


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("frob_get(fb)", "first"),
        ("frob_find(fb, /* any */ 1)", "fb->table"),
        ("frob_count(fb)", None),
        ("frob_index(fb)", None),
        ("frob_end(second)", None),
    ],
)
def test_where_a_value_goes(call: str, name: str | None) -> None:
    found = target(named(unit_of(CODE), call, "call_expression"))
    assert (None if found is None else plain(found)) == name


def test_calls_and_their_arguments() -> None:
    unit = unit_of(CODE)
    call = named(unit, "frob_find(fb, /* any */ 1)")
    assert (called(call), [one.text for one in arguments(call)]) == ("frob_find", ["fb", "1"])
    assert called(named(unit, "(*fb->hook)(fb)")) == ""
    assert called(named(unit, "second", "identifier")) == ""
    assert [one.text for one in calls_in(unit.root, "frob_get", "frob_use")] == ["frob_get(fb)", "frob_use(first)"]


def test_brackets_and_casts_come_off() -> None:
    values = [bare(right).text for _, right in assignments(unit_of(CODE).find("init_declarator"))]
    assert values == ["frob_get(fb)", "{ 0 }", "NULL"]


def test_assignments_and_what_declarators_declare() -> None:
    unit = unit_of(CODE)
    pairs = [(plain(left), plain(right)) for left, right in assignments(unit.root.walk())]
    assert ("fb->table", "frob_find(fb,/*any*/1)") in pairs
    assert ("name", "{0}") in pairs
    assert not [left for left, _ in pairs if left == "fb->count"]
    assert declared(named(unit, "fb->count += frob_count(fb)")) is None


def test_the_last_values_are_those_of_the_function_above_the_line() -> None:
    unit = body_of("\tfb->a = one();\n\tfb->a = two();\n\tuse(fb->a);\n\tfb->a = three();\n")
    at = named(unit, "use(fb->a)")
    assert [value.text for value in last_values(unit, "fb->a", at)] == ["two()", "one()"]
    assert [value.text for value in last_values(unit, "fb->a", at, most=1)] == ["two()"]
    assert last_values(unit, "fb->b", at) == ()
    two = unit_of(CODE)
    assert [value.text for value in last_values(two, "first", named(two, "frob_use(first)"))] == ["NULL"]


def test_mentions_is_of_whole_expressions() -> None:
    call = named(body_of("\tuse(fb->table, other);\n"), "use(fb->table, other)")
    assert mentions(call, "fb->table")
    assert mentions(call, "other")
    assert not mentions(call, "table")
