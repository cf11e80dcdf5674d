from __future__ import annotations

import pytest
from kit_unit import body_of, named, unit_of

from reviewer.kit.failures import alternatives, denied, failures, requirements


def test_a_failing_branch_has_errno_condition_and_branch():
    unit = body_of("\tif (a || !b) {\n\t\terr = -EINVAL;\n\t\tgoto out;\n\t}\n\tif (c)\n\t\treturn ERR_PTR(-EIO);\n")
    first, second = failures(unit)
    assert (first.name, first.condition.text, first.errno.how) == ("EINVAL", "(a || !b)", "assign")
    assert second.evidence == "(c) -EIO"
    assert second.branch.text == "return ERR_PTR(-EIO);"


@pytest.mark.parametrize(
    "statements",
    [
        "\treturn -EINVAL;\n",
        "\tif (a)\n\t\terr = -EINVAL;\n",
        "\tif (a)\n\t\tb();\n\telse\n\t\treturn -EINVAL;\n",
        "\tif (a)\n\t\twhile (b)\n\t\t\treturn -EINVAL;\n",
        "\tif (a)\n\t\treturn b ? -EINVAL : 0;\n",
        "\tif (a == -EINVAL)\n\t\treturn 0;\n",
        "\treturn 0;\n",
    ],
)
def test_what_is_no_failing_branch(statements):
    assert failures(body_of(statements)) == ()


def test_outside_of_functions_there_is_none():
    assert failures(unit_of("int frob = -EINVAL;\n")) == ()


def test_sides_of_a_condition():
    unit = body_of("\tif (unlikely(a || (b && c)) || d)\n\t\treturn 1;\n")
    condition = named(unit, "(unlikely(a || (b && c)) || d)")
    assert [side.text for side in alternatives(condition)] == ["a", "b && c", "d"]
    assert [side.text for side in requirements(named(unit, "(b && c)"))] == ["b", "c"]


@pytest.mark.parametrize(
    ("test", "inner"),
    [
        ("!a", "a"),
        ("!(a->b)", "a->b"),
        ("a == NULL", "a"),
        ("a == 0", "a"),
        ("a != 0", None),
        ("a == 1", None),
        ("-a", None),
    ],
)
def test_what_is_denied(test, inner):
    unit = body_of(f"\tif ({test})\n\t\treturn 1;\n")
    found = denied(alternatives(named(unit, f"({test})"))[0])
    assert (found.text if found else None) == inner
