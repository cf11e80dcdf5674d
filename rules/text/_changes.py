"""Whether a printed change can come from the two values that it compares, with all that rounding allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reviewer.kit.comparisons import Compared, Comparison
from reviewer.kit.numbers import Number

Explains = Callable[[float, float], float]
"""A change as it would be printed, from the values before and after; after is above zero."""

GAINS = ("speedup", "speed-up", "gain", "improvement", "improv", "impr", "faster", "reduction", "saving")
TINY = 1e-9


def relative(before: float, after: float) -> float:
    """The relative change in percent."""
    return 100 * (after / before - 1)


def difference(before: float, after: float) -> float:
    """The plain difference, which is in percentage points where the values are percentages."""
    return after - before


def is_percent(one: Compared, comparison: Comparison) -> bool:
    """Whether the change of a row is printed in percent, by itself or by the name of its column."""
    title = comparison.title.lower()
    return "point" not in title and (one.change.unit == "%" or (one.change.unit == "" and "%" in title))


def follows(one: Compared, explains: Explains) -> bool:
    """Whether some values that are printed as those of the row, rounded or cut off, give the printed change."""
    low, high = bounds(one, explains)
    if not one.change.signed and high < 0:  # "44 % less" needs no sign
        low, high = -high, -low
    return _least(one.change) - TINY <= high and low <= _most(one.change) + TINY


def conventions(comparison: Comparison) -> Iterator[Explains]:
    """What changes in percent may mean in a whole comparison, other than the change relative to the value before."""
    if len(comparison.rows) > 1 or any(word in comparison.title.lower() for word in GAINS):
        yield lambda before, after: -relative(before, after)
        yield lambda before, after: relative(after, before)
        yield lambda before, after: -relative(after, before)
        yield lambda before, after: 100 * after / before


def bounds(one: Compared, explains: Explains) -> tuple[float, float]:
    """The least and the greatest change that the values of a row allow, before they were rounded or cut off."""
    befores = (max(_least(one.before), one.before.value / 2), _most(one.before))
    afters = (max(_least(one.after), TINY), _most(one.after))
    corners = [explains(before, after) for before in befores for after in afters]
    return min(corners), max(corners)


def _least(number: Number) -> float:
    return number.value - number.ulp * (1 if number.value <= 0 else 0.5)


def _most(number: Number) -> float:
    return number.value + number.ulp * (1 if number.value >= 0 else 0.5)
