"""Which columns of a table are compared, and what change they claim."""

from __future__ import annotations

import pytest

from reviewer.kit.comparisons import Comparison, comparisons
from reviewer.kit.tables import read_tables
from reviewer.kit.versus import role
from reviewer.rule import TextLine


def compared(text: str) -> list[Comparison]:
    lines = tuple(TextLine(text=line, body_line=at) for at, line in enumerate(text.split("\n"), 1))
    return [one for table in read_tables(lines).tables for one in comparisons(table)]


def triples(text: str) -> list[tuple[float, float, float]]:
    return [
        (row.before.value, row.after.value, row.change.value)
        for comparison in compared(text)
        for row in comparison.rows
    ]


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("before", "before"),
        ("base Gbps", "before"),
        ("Without patch", "before"),
        ("without-patch", "before"),
        ("with-patch", "after"),
        ("no patch", "before"),
        ("no.", None),
        ("vs base", "change"),
        ("Diff(%)", "change"),
        ("before and after", None),
        ("w/o", "before"),
        ("net-next", None),
        ("patched Gbps", "after"),
        ("with", "after"),
        ("delta", "change"),
        ("Δ", "change"),
        ("% change", "change"),
        ("%", "change"),
        ("sys %", None),
        ("size", None),
        ("", None),
    ],
)
def test_roles(header: str, wanted: str | None) -> None:
    assert role(header) == wanted


def test_named_columns() -> None:
    text = """
| size | base Gbps | patched Gbps | delta | base sys % | patched sys % | delta |
|------|-----------|--------------|-------|------------|---------------|-------|
| 4K   |      50.0 |         60.0 |  +20% |       40.0 |          30.0 |  -25% |
"""
    assert triples(text) == [(50, 60, 20), (40, 30, -25)]
    assert [(one.named, one.percent) for one in compared(text)] == [(True, False), (True, True)]


def test_a_percentage_behind_a_difference_is_the_change() -> None:
    text = "| frobs | before | after | change |\n|---|---|---|---|\n| a | 400 | 300 | -100 (-25%) |\n"
    assert triples(text) == [(400, 300, -25)]


def test_the_base_may_stand_on_the_right() -> None:
    assert triples("size   patched    base   delta\n4K        60.0    50.0    +20%\n") == [(50, 60, 20)]
    assert triples("size     xdp    base   delta\n4K       60.0    50.0    +20%\n") == [(50, 60, 20)]


def test_one_base_for_all() -> None:
    text = """
| size | base | batch | delta | lazy | delta |
|------|------|-------|-------|------|-------|
| 4K   | 50.0 |  60.0 |  +20% | 75.0 |  +50% |
"""
    assert triples(text) == [(50, 60, 20), (50, 75, 50)]


def test_unnamed_columns_are_told_apart() -> None:
    (one,) = compared("size     6.12    6.13   delta\n4K       50.0    60.0    +20%\n")
    assert not one.named


def test_changes_in_brackets_and_arrows() -> None:
    assert triples("size   base   patched\n4K     50.0   60.0 (+20%)\n8K     64.0   80.0 (+25%)\n") == [
        (50, 60, 20),
        (64, 80, 25),
    ]
    arrows = "| size | Gbps                  |\n|------|-----------------------|\n| 4K   | 50.0 -> 60.0 (+20%) |\n"
    assert triples(arrows) == [(50, 60, 20)]
    apart = "| size | Gbps         | delta |\n|------|--------------|-------|\n| 4K   | 50.0 -> 60.0 | +20%  |\n"
    assert triples(apart) == [(50, 60, 20)]
    trailing = "             before   after\nGbps           50.0    60.0   (+20%)\n"
    assert triples(trailing) == [(50, 60, 20)]


@pytest.mark.parametrize(
    "text",
    [
        "size     a    b    c   delta\n4K       1    2    3    +20%\n",
        "size   base   old    new   delta\n4K       50    60     70    +20%\n",
        "size    Gbps   delta\n4K        50    +20%\n",
        "size   before   after   delta\n4K        ~50      60    +20%\n",
        "size   before   after   delta\n4K        50K      1M    +20%\n",
        "size   before   after   delta\n4K          0       1    +20%\n",
        "size   before   after   delta\n4K         50      60    ~20%\n",
        "size   before   after   delta\n4K        n/a      60    +20%\n",
        "size   before   after\n4K         50      60\n",
    ],
)
def test_what_is_not_clear_is_not_compared(text: str) -> None:
    assert compared(text) == []
