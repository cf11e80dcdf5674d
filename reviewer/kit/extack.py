"""Whether code can tell user space why it fails: the extack in reach, by name, and who would hand one in.

Source: include/linux/netlink.h, include/net/genetlink.h.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reviewer.code.change import changes_of
from reviewer.kit.expressions import arguments
from reviewer.rule import Function, Node, Patch, Series, Unit

_HOLDERS = re.compile(r"\bstruct (?P<kind>netlink_ext_ack|genl_info|netdev_bpf) \*(?P<name>\w+)\b")
_USED = re.compile(r"\b(?:\w+->)?extack\b")
_LOCAL = "struct netlink_ext_ack extack"
_SETTERS = re.compile(r"\b(?:NL|GENL)_(?:SET|REQ)_\w+|extack\b")


def extack_at(unit: Unit, node: Node) -> str | None:
    """The extack that the function of `node` can set, as an expression; None when none is in sight.

    It is a parameter, a member of one (`info->extack`), or what other lines of the function use; not one that the
    function keeps itself, for a trace or a log, since that never gets to user space.
    """
    function = unit.function_of(node)
    return None if function is None else _extack_of(unit, function)


@lru_cache(maxsize=64)
def _extack_of(unit: Unit, function: Function) -> str | None:
    found = _HOLDERS.search(_head(unit, function))
    if found is not None:
        return found["name"] if found["kind"] == "netlink_ext_ack" else f"{found['name']}->extack"
    text = _text(unit, function)
    used = None if _LOCAL in text else _USED.search(text)
    return used[0] if used else None


def sets_extack(node: Node) -> bool:
    """Whether `node` sets an extack, or hands one on to what may set it."""
    return _SETTERS.search(node.text) is not None


def netlink_caller(unit: Unit, name: str) -> str | None:
    """A function of the same patch that calls `name` without an extack though it has one; None when there is none."""
    for after in _after(_Patch(unit.patch, unit.series)):
        for call in after.calls(name):
            function = after.function_of(call)
            given = any(sets_extack(argument) for argument in arguments(call))
            if function is not None and function.name != name and not given and extack_at(after, call):
                return function.name
    return None


class _Patch:
    """A patch by identity: its value is too large to be hashed for each question."""

    __slots__ = ("patch", "series")

    def __init__(self, patch: Patch, series: Series) -> None:
        self.patch = patch
        self.series = series

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Patch) and other.patch is self.patch

    def __hash__(self) -> int:
        return hash(self.patch.mail.message_id)


@lru_cache(maxsize=2)
def _after(key: _Patch) -> tuple[Unit, ...]:
    """The post-images of all hunks of a patch."""
    return tuple(after for change in changes_of(key.patch, key.series) for _, after in change.units)


def _head(unit: Unit, function: Function) -> str:
    """The head of `function` as far as it can be seen: in the code, or behind the @@ of its hunk."""
    if function.node is not None:
        body = function.node.child("body")
        end = body.row if body is not None else function.last_row
        return "\n".join(line.text for line in unit.lines[function.first_row : end + 1])
    first = next((line.body_line for line in unit.lines if line.body_line is not None), None)
    for hunk in unit.file.hunks:
        if hunk.lines and first is not None and hunk.lines[0].body_line <= first <= hunk.lines[-1].body_line:
            return hunk.section if hunk.function == function.name else ""
    return ""


def _text(unit: Unit, function: Function) -> str:
    return "\n".join(line.text for line in unit.lines[function.first_row : function.last_row + 1])
