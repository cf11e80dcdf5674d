"""Values that user space gives: netlink attributes, and members of structs that were copied from it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, bare, called, calls_in, last_values, mentions, plain
from reviewer.kit.types import declared_type
from reviewer.kit.units import operands
from reviewer.rule import Node, Unit

ATTRIBUTES = ("nla_get_u8", "nla_get_u16", "nla_get_u32", "nla_get_u64", "nla_get_uint", "nla_get_s32")
COPIES = ("copy_from_user", "copy_struct_from_user", "copy_from_sockptr", "copy_from_iter", "get_user")
LOGARITHMS = ("ilog2", "order_base_2", "fls", "fls64", "__fls", "__ffs", "__ffs64")
_POWER_TESTS = ("is_power_of_2", "hweight32", "hweight64", "hweight_long")


def user_source(unit: Unit, value: Node) -> Node | None:
    """Where user space comes into `value` (bare), or None: the value itself, or the call that last set it."""
    if any(calls_in(value, *ATTRIBUTES)):
        return value
    if value.kind == "identifier":
        set_before = [one for one in values_of(unit, value) if one.start < value.start]
        last = set_before[-1] if set_before else None
        return last if last is not None and called(bare(last)) in ATTRIBUTES else None
    if value.kind == "field_expression":
        return _copied(unit, value)
    return None


def _copied(unit: Unit, member: Node) -> Node | None:
    """The call that copied the struct of `member` from user space, when nothing set the member afterwards."""
    owner = member.child("argument")
    if owner is None or owner.kind != "identifier" or last_values(unit, plain(member), member, most=1):
        return None
    copy = _copies(unit).get(owner.text)
    if copy is not None and copy.start < member.start:
        return copy
    declared = declared_type(unit, owner.text, owner) or ""
    return member if declared.startswith("struct ") and declared.endswith("_reg *") else None


@lru_cache(maxsize=16)
def _copies(unit: Unit) -> Mapping[str, Node]:
    """The first call that copies from user space into each variable, by its name."""
    found: dict[str, Node] = {}
    for call in unit.calls(*COPIES):
        given = arguments(call)
        if given:
            found.setdefault(plain(given[0]).lstrip("&"), call)
    return found


def tests_power(condition: Node, value: Node) -> bool:
    """Whether `condition` tests `value` for a power of two."""
    written = plain(value)
    if any(mentions(call, written) for call in calls_in(condition, *_POWER_TESTS)):
        return True
    for node in condition.walk():
        left, right, operator = operands(node)
        if operator == "&" and left is not None and right is not None:
            sides = {plain(bare(left)), plain(bare(right))}
            if sides == {written, f"{written}-1"}:
                return True
    return False


def cut_off(unit: Unit, node: Node, value: Node, source: Node) -> bool:
    """Whether a check of `value` at `node` may stand above what is visible: it came into the function as a member."""
    function = unit.function_of(node)
    return source is value and value.kind == "field_expression" and (function is None or function.node is None)
