"""DM112 on conditions of our own."""

from __future__ import annotations

import pytest

from reviewer.examples import failures, run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import code

RULE = next(rule for rule, _ in rules_in(shipped("rules") / "sg") if rule.id == "DM112")


def test_examples() -> None:
    assert [one.reason for one in failures(RULE)] == []


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("!n || !is_power_of_2(n)", 1),
        ("!is_power_of_2(n) || n == 0", 1),
        ("(!n) || (!is_power_of_2(n))", 1),
        ("n && is_power_of_2(n) && n < 8", 1),
        ("a && (!n || !is_power_of_2(n))", 0),
        ("!n || !is_power_of_2(m)", 0),
        ("n || is_power_of_2(n)", 0),
        ("n && !is_power_of_2(n)", 0),
        ("is_power_of_2(n)", 0),
        ("is_power_of_2(n, m)", 0),
    ],
)
def test_conditions(condition: str, count: int) -> None:
    text = f"int frob(u32 n, u32 m, int a)\n{{\n\tif ({condition})\n\t\treturn 1;\n\treturn 0;\n}}\n"
    report, _ = run_example(RULE, code("bad", "net/core/frob.c", text))
    assert len(report.findings) == count


def test_an_old_condition_is_left_alone() -> None:
    old = "int frob(u32 n)\n{\n\tif (!n || !is_power_of_2(n))\n\t\treturn 1;\n\treturn 0;\n}\n"
    report, _ = run_example(RULE, code("bad", "net/core/frob.c", old.replace("return 0", "return 2"), before=old))
    assert report.findings == ()
