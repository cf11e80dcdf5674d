"""The names of tags that people give, and what a misspelt one is likely to mean."""

from __future__ import annotations

NAMES = (
    "Reviewed-by", "Acked-by", "Tested-by", "Reported-by", "Suggested-by", "Co-developed-by", "Signed-off-by",
    "Nacked-by", "Changes-requested-by", "Reviewed-and-tested-by", "Reported-and-tested-by", "Acked-and-tested-by",
)  # fmt: skip
OBJECTIONS = frozenset({"Nacked-by", "Changes-requested-by"})

_BY_KEY = {name.lower(): name for name in NAMES} | {
    "changes-requested": "Changes-requested-by",
    "naked-by": "Nacked-by",
    "nack-by": "Nacked-by",
    "nak-by": "Nacked-by",
    "nak-ed-by": "Nacked-by",
    "nack-ed-by": "Nacked-by",
    "not-acked-by": "Nacked-by",
}
_SHORT = 10


def tag_name(word: str) -> tuple[str, str | None] | None:
    """The tag that `word` (what stands before the colon) names, and `word` itself when it is misspelt; else None."""
    key = word.lower().replace("_", "-").replace(" ", "-")
    exact = _BY_KEY.get(key)
    if exact is not None:
        spelt = key == word.lower() and (exact.lower() == key or key == "changes-requested")
        return exact, None if spelt else word
    if not key.endswith("by") or not 6 <= len(key) <= 24:
        return None
    near = min((_distance(key, name.lower()), name) for name in NAMES)
    allowed = 1 if len(near[1]) < _SHORT else 2
    return (near[1], word) if near[0] <= allowed else None


def _distance(one: str, other: str) -> int:
    """How many letters to insert, drop, change or swap with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, against in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (char != against))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == against:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
