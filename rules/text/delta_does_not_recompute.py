"""DM001: the delta column of a table does not follow from the two columns that it compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.comparisons import Compared, Comparison, comparisons
from reviewer.kit.tables import read_tables
from reviewer.rule import Example, Find, Hit, Lack, Message, MessageRule, Result, message

from ._changes import bounds, conventions, difference, follows, is_percent, relative
from ._unread import could_hold_a_change


class DeltaDoesNotRecompute(MessageRule):
    """Recomputes each change of a table from its row, with the rounding that the printed places allow.

    A row is believed when any value before and after that rounds (or is cut off) to the printed ones gives the printed
    change. Of percentages, percentage points are accepted as well, and where a whole column follows another convention
    (share, speed-up, gains printed as positive, relative to the value after), that.

    Silent on changes that are not in percent, on values marked as approximate, on columns whose units differ, on tables
    whose header does not tell what is before and after unless most rows confirm the obvious order, on profiles (shares
    of a whole), and on text without tables. Says that it could not check when a block that may hold such a column
    cannot be read as a table.

    Sources: RULES.md DM001; submitting-patches.rst, "Describe your changes" (claims are backed up with numbers).
    """

    id = "DM001"
    name = "delta-does-not-recompute"
    title = "A printed change does not follow from the values in its row"
    why = (
        "The delta column is what readers quote. When it does not follow from the values beside it, one of the three "
        "numbers is from another run or mistyped, and none of them can be relied upon."
    )
    level = "error"
    confidence = "medium"
    category = "bench-claim"
    needs = ("mail",)

    def check(self, message: Message) -> Iterator[Result]:
        """Yield a hit for each row whose change cannot come from its values."""
        lines = (*message.text.message, *message.text.notes)
        tables = read_tables(lines)
        for table in tables.tables:
            for comparison in comparisons(table):
                yield from _judged(message, comparison)
        unread = sum(map(could_hold_a_change, tables.blocks))
        if unread:
            yield Lack("mail", tables=unread)

    @staticmethod
    def examples() -> Sequence[Example]:
        """One wrong row, a table whose rounding explains everything, and tables with other conventions."""
        return [
            message(
                "bad",
                """
Throughput, mean of five runs:

| size | base Gbps | patched Gbps | delta  |
|------|-----------|--------------|--------|
| 4K   |      50.0 |         60.0 | +20.0% |
| 8K   |      64.0 |         80.0 | +35.0% |
| 16K  |      90.1 |         90.0 |  -0.1% |
""",
                finds=[Find(line="| 8K ")],
            ),
            message(
                "bad",
                """
              before    after
requests/s     1,200    1,500   (+35%)
""",
                finds=[Find(line="requests/s")],
            ),
            message(
                "good",
                """
  size         before          after    delta
  ----  -------------  -------------  -------
  4K      29.3 +- 0.4    41.8 +- 2.1   +42.9%
  64K     87.0 +- 1.2    86.4 +- 0.8    -0.7%
""",
                note="29.3 to 41.8 is 42.66 %, and 42.4 to 42.9 before rounding",
            ),
            message(
                "look-alike",
                """
frobs per second, and time for one:

          old     new    speedup
frob      100     250      2.50x
unfrob    200     300      1.50x

ns per frob, improvement is positive:

          old     new    improvement
frob     50.0    40.0    +20.0%
unfrob   40.0    44.0    -10.0%
""",
            ),
            message(
                "look-alike",
                """
Before on the left, after on the right:

  10.94% frob_store        5.06% frob_store
   3.74% frob_find         1.49% frob_find
   2.33% frob_alloc        0.91% frob_alloc
""",
                note="a profile: parts of a whole that itself got smaller",
            ),
        ]


def _judged(message: Message, comparison: Comparison) -> Iterator[Result]:
    rows = [one for one in comparison.rows if is_percent(one, comparison)]
    wrong = [one for one in rows if not _is_right(one, comparison)]
    if not wrong or any(all(follows(one, other) for one in rows) for other in conventions(comparison)):
        return
    if len(wrong) == len(rows) > 1:
        if comparison.named:
            yield _none_follows(message, wrong)
        return
    if comparison.named or len(rows) - len(wrong) > max(2 * len(wrong), 1):
        for one in wrong:
            yield Hit(message.at(one.row.line), _told(one))


def _is_right(one: Compared, comparison: Comparison) -> bool:
    """Whether the change is the relative one, or of percentages the difference, as percentage points."""
    points = comparison.percent or one.before.unit == "%"
    return follows(one, relative) or (points and follows(one, difference))


def _told(one: Compared) -> str:
    true = relative(one.before.value, one.after.value)
    low, high = bounds(one, relative)
    label = f"{one.row.label}: " if one.row.cells[0].number is not one.before and one.row.label else ""
    return (
        f"{label}{one.before.text} to {one.after.text} is {true:+.1f} % ({low:+.1f} to {high:+.1f} before rounding), "
        f"but the table says {one.change.text}; one of the three numbers is wrong."
    )


def _none_follows(message: Message, rows: Sequence[Compared]) -> Hit:
    first = rows[0]
    true = relative(first.before.value, first.after.value)
    return Hit(
        message.at(first.row.line),
        f"None of the {len(rows)} changes follows from the values in its row: {first.before.text} to "
        f"{first.after.text} is {true:+.1f} %, but the table says {first.change.text}. How was the column computed?",
        level="warning",
        related=tuple(message.at(one.row.line) for one in rows[1:]),
    )
