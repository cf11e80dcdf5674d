"""Changes of percentages that a sentence may speak of, found in the tables of its message."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.kit.numbers import Number
from reviewer.kit.tables import Table, Tables
from reviewer.kit.versus import role
from reviewer.rule import Struct

_WORD = re.compile(r"[a-z0-9_]+(?:[./][a-z0-9_]+)*")
LONGEST_SENTENCE = 1000
"""Characters; what follows is not looked at."""

_EVERYWHERE = frozenset(
    {"the", "of", "in", "on", "and", "or", "per", "to", "with", "for", "a", "by", "at", "avg", "mean", "total"}
)


class Change(Struct, frozen=True, kw_only=True):
    """A percentage before and after, as values and as printed. `metric` is its name in the table, or empty."""

    before: float
    after: float
    shown: tuple[str, str]
    metric: str

    @property
    def relative(self) -> float:
        """The size of the relative change in percent."""
        return 100 * abs(self.after / self.before - 1) if self.before else 100.0


def from_tables(sentence: str, tables: Tables) -> Iterator[Change]:
    """The changes in columns or rows of percentages that `sentence` names."""
    words = _WORD.findall(sentence[:LONGEST_SENTENCE].lower())
    for table in tables.tables:
        yield from _by_column(words, table)
        yield from _by_row(words, table)


def _by_column(words: list[str], table: Table) -> Iterator[Change]:
    """A column of percentages whose whole name stands in the sentence, between the two rows that it names."""
    places = {word: place for place, word in reversed(list(enumerate(words)))}
    labels = [row.label.lower() for row in table.rows]
    named = [index for index, label in enumerate(labels) if label in places]
    if len(labels) == 2 and not named:
        named = [0, 1]
    if len(named) != 2:
        return
    first, last = sorted(named, key=lambda index: places.get(labels[index], index))
    for column, name in enumerate(table.header):
        if column and _is_percent(table, column) and _names(words, name):
            yield from _change(table.rows[first].cells[column].number, table.rows[last].cells[column].number, name)


def _by_row(words: list[str], table: Table) -> Iterator[Change]:
    """A row of percentages, before and after, of whose name two words, or all of it, stand in the sentence."""
    befores = [column for column, name in enumerate(table.header) if role(name) == "before"]
    afters = [column for column, name in enumerate(table.header) if role(name) == "after"]
    if not len(befores) == len(afters) == 1:
        return
    for row in table.rows:
        before, after = (row.cells[column].number for column in (befores[0], afters[0]))
        own = _own_words(row.label)
        if before and after and before.unit == after.unit == "%" and len(own & set(words)) >= min(2, len(own)) > 0:
            yield from _change(before, after, row.label)


def _change(before: Number | None, after: Number | None, metric: str) -> Iterator[Change]:
    if before and after:
        values = (before.text.rstrip("% "), after.text.rstrip("% "))
        yield Change(before=before.value, after=after.value, shown=values, metric=metric)


def _is_percent(table: Table, column: int) -> bool:
    numbers = [number for row in table.rows if (number := row.cells[column].number)]
    return "%" in table.header[column] or (bool(numbers) and all(number.unit == "%" for number in numbers))


def _names(words: list[str], header: str) -> bool:
    """Whether the words of `header` stand in a row in the sentence."""
    own = _WORD.findall(header.lower().replace("%", " "))
    return bool(own) and any(words[at : at + len(own)] == own for at in range(len(words) - len(own) + 1))


def _own_words(label: str) -> set[str]:
    return set(_WORD.findall(label.lower())) - _EVERYWHERE
