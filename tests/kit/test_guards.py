from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit_unit import body_of, named, unit_of

from reviewer.kit.guards import earlier_exits, enclosing_conditions, guards, leaves


def texts(nodes):
    return [node.text for node in nodes]


def test_an_earlier_if_that_leaves_is_a_guard_and_one_that_goes_on_is_not():
    unit = body_of(
        "\tif (a)\n\t\treturn 1;\n\tif (b)\n\t\twarn();\n\tif (c) {\n\t\twarn();\n\t\tgoto out;\n\t}\n\tuse(x);\n"
    )
    assert texts(guards(named(unit, "use(x)"))) == ["(c)", "(a)"]


def test_guards_of_enclosing_blocks_and_conditions_come_innermost_first():
    unit = body_of(
        "\tif (a)\n\t\treturn 1;\n\twhile (b) {\n\t\tif (c)\n\t\t\tcontinue;\n\t\tif (d)\n\t\t\tuse(x);\n\t}\n"
    )
    assert texts(enclosing_conditions(named(unit, "use(x)"))) == ["(d)", "(b)"]
    assert texts(earlier_exits(named(unit, "use(x)"))) == ["(c)", "(a)"]


def test_what_comes_later_or_in_another_block_is_no_guard():
    unit = body_of("\tif (z) {\n\t\tif (a)\n\t\t\treturn 1;\n\t}\n\tuse(x);\n\tif (b)\n\t\treturn 1;\n")
    assert guards(named(unit, "use(x)")) == ()


def test_else_branches():
    unit = body_of("\tif (a)\n\t\twarn();\n\telse if (b)\n\t\treturn 1;\n\telse\n\t\tuse(y);\n\tuse(x);\n")
    assert texts(guards(named(unit, "use(x)"))) == ["(b)"]
    assert texts(guards(named(unit, "use(y)"))) == ["(b)", "(a)"]


def test_conditional_expressions_and_short_circuits():
    unit = body_of("\tk = a ? use(x) : 0;\n\tif (b && use(y))\n\t\twarn();\n\tl = c | use(z);\n")
    assert texts(guards(named(unit, "use(x)"))) == ["a"]
    assert texts(guards(named(unit, "use(y)"))) == ["b"]
    assert texts(guards(named(unit, "use(z)"))) == []


def test_the_head_of_an_iteration_macro_is_no_condition():
    unit = body_of("\tfor_each_sgtable_dma_sg(t, sg, i) {\n\t\tuse(x);\n\t}\n\tfor (i = 0; i < n; i++)\n\t\tuse(y);\n")
    assert guards(named(unit, "use(x)")) == ()
    assert texts(guards(named(unit, "use(y)"))) == ["i < n"]


def test_a_guard_between_directives_counts():
    unit = body_of("#ifdef CONFIG_FROB\n\tif (a)\n\t\treturn 1;\n#endif\n\tuse(x);\n")
    assert texts(guards(named(unit, "use(x)"))) == ["(a)"]


def test_guards_do_not_leave_the_function():
    unit = unit_of("static int a(void)\n{\n\tif (b)\n\t\treturn 1;\n}\n\nstatic void c(void)\n{\n\tuse(x);\n}\n")
    assert guards(named(unit, "use(x)")) == ()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("return 1;", True),
        ("break;", True),
        ("{ warn(); goto out; /* done */ }", True),
        ("{ }", False),
        ("{ return 1; warn(); }", False),
        ("if (a) return 1;", False),
        ("if (a) return 1; else goto out;", True),
        ("if (a) return 1; else { warn(); }", False),
        ("out: return 1;", True),
    ],
)
def test_leaves(statement, expected):
    unit = body_of(f"\tif (q)\n\t\t{statement}\n")
    outer = next(node for node in unit.find("if_statement") if node.child("condition").text == "(q)")
    assert leaves(outer.child("consequence")) is expected


def test_nothing_never_leaves():
    assert not leaves(None)


@settings(max_examples=15, deadline=None)
@given(st.integers(min_value=0, max_value=200))
def test_long_chains_of_else_if_are_no_problem(length):
    chain = "".join(f"\telse if (b{number})\n\t\treturn 1;\n" for number in range(length))
    unit = body_of(f"\tif (a)\n\t\treturn 1;\n{chain}\tuse(x);\n")
    assert len(guards(named(unit, "use(x)"))) == length + 1
