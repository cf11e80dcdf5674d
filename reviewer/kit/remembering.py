"""Answers about a whole series, found once although every hunk asks for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import TypeVar, TypeVarTuple

from reviewer.rule import Series

_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")


def once_a_series(ask: Callable[[Series, *_Asked], _Answer]) -> Callable[[Series, *_Asked], _Answer]:
    """`ask` with its answers kept for the series last asked about; what else it is asked by must be hashable.

    A series is known by its identity: to hash it, as functools.lru_cache does, costs as much as to read it.
    """
    last: list[Series] = []
    answers: dict[Hashable, _Answer] = {}

    @wraps(ask)
    def remembered(series: Series, *asked: *_Asked) -> _Answer:
        if not last or last[0] is not series:
            last[:] = [series]
            answers.clear()
        if asked not in answers:
            answers[asked] = ask(series, *asked)
        return answers[asked]

    return remembered
