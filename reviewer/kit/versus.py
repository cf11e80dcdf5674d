"""What a column is in a comparison: the state before, the state after, or the change between them."""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["before", "after", "change"]

BEFORE = frozenset(
    {
        "before",
        "base",
        "baseline",
        "vanilla",
        "old",
        "unpatched",
        "stock",
        "mainline",
        "orig",
        "original",
        "upstream",
        "without",
        "w/o",
        "unmodified",
        "pre",
    }
)
AFTER = frozenset(
    {
        "after",
        "patched",
        "new",
        "with",
        "w/",
        "patch",
        "patches",
        "series",
        "optimized",
        "optimised",
        "modified",
        "post",
    }
)
NEGATIONS = frozenset({"without", "w/o", "no", "not", "un", "non", "pre"})
"""Of what comes behind them: "without patch" is before."""
CHANGE = frozenset(
    {
        "delta",
        "diff",
        "difference",
        "change",
        "Δ",
        "δ",
        "gain",
        "improvement",
        "improv",
        "impr",
        "speedup",
        "reduction",
        "saving",
        "savings",
        "increase",
        "decrease",
        "regression",
        "vs",
    }
)
_WORDS = re.compile(r"[a-z/]+|Δ|δ")


def role(header: str) -> Role | None:
    """What `header` says the column is, or None when it says nothing or two things."""
    words = set(_WORDS.findall(header.replace("Δ", " δ ").lower()))
    if words & CHANGE or header.strip() in ("%", "+/-", "+/- %", "%diff"):
        return "change"
    if words & NEGATIONS and (len(words) > 1 or not words & {"no", "not", "un", "non"}):
        return "before"
    found: set[Role] = set()
    if words & BEFORE:
        found.add("before")
    if words & AFTER:
        found.add("after")
    return found.pop() if len(found) == 1 else None
