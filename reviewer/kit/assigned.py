"""What the variables of a function hold: the values assigned to them, and the members that they are stored in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from reviewer.kit.expressions import assignments
from reviewer.rule import Node, Unit

_Key = tuple[int, str]
_MOST = 64
"""Values and members of one variable that are kept: rules ask for them wherever it is used."""


class _Assigned(Struct, frozen=True, kw_only=True):
    """By (start of the function, name): values assigned, members stored in."""

    values: Mapping[_Key, tuple[Node, ...]]
    members: Mapping[_Key, tuple[str, ...]]


def values_of(unit: Unit, name: Node) -> tuple[Node, ...]:
    """What the function around the identifier `name` assigns to it, in order, initialisers too; of many the first."""
    return _assigned(unit).values.get((function_start(name), name.text), ())


def members_of(unit: Unit, name: Node) -> tuple[str, ...]:
    """The struct members that the function around the identifier `name` stores it in, in order, each once."""
    return _assigned(unit).members.get((function_start(name), name.text), ())


def function_start(node: Node) -> int:
    """Where the definition around `node` starts, in bytes; -1 when its head is not visible."""
    return next((holder.start for holder in node.ancestors() if holder.kind == "function_definition"), -1)


@lru_cache(maxsize=16)
def _assigned(unit: Unit) -> _Assigned:
    values: defaultdict[_Key, list[Node]] = defaultdict(list)
    members: defaultdict[_Key, list[str]] = defaultdict(list)
    for target, value in assignments(iter(unit.find("init_declarator", "assignment_expression"))):
        start = function_start(target)
        if target.kind == "identifier":
            values[start, target.text].append(value)
        member = target.child("field") if target.kind == "field_expression" else None
        if member is not None and value.kind == "identifier":
            members[start, value.text].append(member.text)
    return _Assigned(
        values={key: tuple(each[:_MOST]) for key, each in values.items()},
        members={key: tuple(dict.fromkeys(each))[:_MOST] for key, each in members.items()},
    )
