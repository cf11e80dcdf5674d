"""Cells as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.kit.numbers import read_cell, read_number


@pytest.mark.parametrize(
    ("text", "value", "ulp", "unit", "spread"),
    [
        ("30.1 +- 0.5", 30.1, 0.1, "", 0.5),
        ("300.63 +/- 53.21", 300.63, 0.01, "", 53.21),
        ("7.05±0.2", 7.05, 0.01, "", 0.2),
        ("1,234", 1234, 1, "", None),
        ("1,234,567.5", 1234567.5, 0.1, "", None),
        ("4K", 4, 1, "K", None),
        ("64 KB", 64, 1, "KB", None),
        ("12.5%", 12.5, 0.1, "%", None),
        ("12.5 %", 12.5, 0.1, "%", None),
        ("+42.9%", 42.9, 0.1, "%", None),
        ("-1.4 %", -1.4, 0.1, "%", None),
        ("−1.4%", -1.4, 0.1, "%", None),
        ("(-3%)", -3, 1, "%", None),
        ("( +3.5 % )", 3.5, 0.1, "%", None),
        ("116.2 Gbps", 116.2, 0.1, "Gbps", None),
        ("40 Gb/s", 40, 1, "Gb/s", None),
        ("12 µs", 12, 1, "µs", None),
        ("2.50x", 2.5, 0.01, "x", None),
        (".5", 0.5, 0.1, "", None),
        ("200 +- 5%", 200, 1, "", None),
        ("200 Gbps +- 5%", 200, 1, "Gbps", 10),
        ("54.1% +- 5.0%", 54.1, 0.1, "%", 5.0),
        ("54.1 +- 5.0 ms", 54.1, 0.1, "ms", 5.0),
        ("**60.0**", 60, 0.1, "", None),
        ("1500000", 1500000, 100000, "", None),
        ("1500", 1500, 1, "", None),
    ],
)
def test_numbers(text: str, value: float, ulp: float, unit: str, spread: float | None) -> None:
    number = read_number(text)
    assert number is not None
    assert number.value == pytest.approx(value)
    assert number.ulp == pytest.approx(ulp)
    assert (number.unit, number.spread) == (unit, spread if spread is None else pytest.approx(spread))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n/a",
        "-",
        "patched",
        "6.12.1",
        "0x10",
        "1:23",
        "xas_store",
        "10.94% xas_store",
        "1,5",
        "12 13",
        "v2",
        "9" * 300,
    ],
)
def test_no_numbers(text: str) -> None:
    assert read_cell(text).number is None


def test_arrows_and_brackets() -> None:
    cell = read_cell("300 -> 320 (+6.7%)")
    assert cell.number
    assert cell.target
    assert cell.change
    assert (cell.number.value, cell.target.value, cell.change.value) == (300, 320, 6.7)
    assert cell.change.bracketed
    assert cell.change.signed
    assert (cell.number.text, cell.change.text) == ("300", "+6.7%")
    assert read_number("300 -> 320") is None
    alone = read_cell("116.2 Gbps (41%)")
    assert alone.number
    assert alone.change
    assert (alone.number.text, alone.change.value, alone.target) == ("116.2 Gbps", 41, None)


def test_about_ranges_and_blanks() -> None:
    about = read_number("~8")
    assert about
    assert about.about
    assert read_cell("16-17").range
    assert read_cell("16-17").number is None
    assert read_cell("16-17").numeric
    assert read_cell("n/a").blank
    assert read_cell("n/a").numeric
    assert not read_cell("").numeric
    assert read_cell("+-").number is None


@given(st.text(max_size=200))
def test_any_text_is_a_cell(text: str) -> None:
    cell = read_cell(text)
    assert cell.numeric in (True, False)


@given(st.integers(0, 999_999), st.integers(0, 4), st.sampled_from(["", "%", "K", "Gbps", " ms"]))
def test_what_is_printed_is_read(whole: int, places: int, unit: str) -> None:
    value = whole / 10**places
    number = read_number(f"{value:,.{places}f}{unit}")
    assert number is not None
    assert number.value == pytest.approx(value)
    assert number.unit == unit.strip()
