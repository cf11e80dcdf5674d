from __future__ import annotations

from kit_unit import named, unit_of

from reviewer.kit.assigned import function_start, members_of, values_of

SOURCE = """
static void one(struct frob *fb)
{
	int a = 1, b;

	a = two();
	a += 3;
	fb->size = a;
	fb->list[0] = a;
	use(a, b);
}

static void other(struct frob *fb)
{
	int a = 4;

	fb->size = 5;
	look(a);
}
"""


def test_values_and_members_are_those_of_the_function():
    unit = unit_of(SOURCE)
    a, b = named(unit, "use(a, b)").child("arguments").named_children
    assert [value.text for value in values_of(unit, a)] == ["1", "two()"]
    assert members_of(unit, a) == ("size",)
    assert values_of(unit, b) == members_of(unit, b) == ()
    (other,) = named(unit, "look(a)").child("arguments").named_children
    assert [value.text for value in values_of(unit, other)] == ["4"]
    assert members_of(unit, other) == ()


def test_where_functions_start():
    unit = unit_of(SOURCE)
    assert function_start(named(unit, "look(a)")) == SOURCE.index("static void other")
    assert function_start(unit.root) == -1
