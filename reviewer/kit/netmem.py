"""What may be a net_iov, memory that the CPU cannot read, and how a function finds out that it is none.

A frag of an skb and a netmem of a page pool may each be a page or a net_iov. The accessors that give a page or an
address give NULL for a net_iov (include/net/netmem.h, include/linux/skbuff.h). Whether a test holds or fails where the
memory is touched is not followed: a function that asks anywhere is taken to know what it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, called, operator, plain, target, within
from reviewer.kit.taint import scope
from reviewer.rule import Node, Unit

PAGE_PROOFS = ("netmem_is_net_iov", "net_is_devmem_iov", "skb_frag_net_iov", "skb_frag_is_net_iov")
"""Calls that tell a net_iov from a page."""
READABLE_PROOFS = ("skb_frags_readable", "skb_frags_not_readable", "page_pool_is_unreadable", *PAGE_PROOFS)
"""Calls that tell whether the CPU can read a frag, a whole skb or a page pool."""
POOL_PROOFS = ("napi_pp_put_page", "is_pp_netmem", "is_pp_page", "skb_pp_recycle", "page_pool_page_is_pp")
"""Calls that tell what belongs to a page pool from what does not: no net_iov is without a pool."""
_UNREADABLE_WORDS = ("unreadable", "UNREADABLE", "net_iov", "skb_frag_netmem", "netmem_tx", "skb_frags_readable")
PAGE_COUNTING = (
    *("get_page", "put_page", "page_ref_inc", "page_ref_dec", "page_ref_add", "page_ref_sub", "page_ref_count"),
    *("page_count", "compound_head"),
)
"""Calls that count the references of a page, or look for what counts them: DM510's."""
FRAG_MAKERS = ("skb_frag_netmem", "skb_frag_page", "skb_frag_address", "skb_frag_address_safe")
_QUESTIONS = frozenset({"likely", "unlikely", "IS_ERR_OR_NULL", "BUG_ON", "WARN", "WARN_ON", "WARN_ON_ONCE"})
_HARMLESS = frozenset({"skb_can_coalesce", "copy_page_from_iter", "copy_page_from_iter_nocache", "page_to_netmem"})
"""What only compares the pointer, or fills a frag that its owner has just made."""
_TRUTHS = frozenset({"&&", "||", "==", "!="})
_WRAPPERS = frozenset({"parenthesized_expression", "cast_expression"})
_DEREFERENCES = frozenset({"field_expression", "subscript_expression", "pointer_expression"})
_VALUES = ("identifier", "field_expression")


def asks(unit: Unit, node: Node, *names: str) -> bool:
    """Whether what is visible of the function around `node` calls one of `names`."""
    first, last = scope(unit, node)
    return bool(within(unit.calls(*names), first, last))


def says(unit: Unit, node: Node, *words: str) -> bool:
    """Whether what is visible of the function around `node` holds one of `words`, in whatever way."""
    first, last = scope(unit, node)
    rows = range(first, min(last + 1, len(unit.lines)))
    return unit.mentions(*words) and any(word in unit.lines[row].text for row in rows for word in words)


def is_closed(unit: Unit, node: Node) -> bool:
    """Whether the function around `node` is visible from its head to its end."""
    function = unit.function_of(node)
    return function is not None and function.complete


def never_unreadable(unit: Unit) -> bool:
    """Whether this is a driver of which nothing that is visible speaks of memory that the CPU cannot read.

    Neither receives it a net_iov (no PP_FLAG_ALLOW_UNREADABLE_NETMEM), nor is it given one to send (no netmem_tx).
    """
    if not unit.path.startswith("drivers/"):
        return False
    return not any(each.mentions(*_UNREADABLE_WORDS) for each in (unit, *unit.peers))


def untested(unit: Unit, call: Node) -> str | None:
    """What touches the memory behind the pointer that `call` gives, when nobody asks if it is NULL.

    The text of what touches it: the name of a function that takes the pointer, or the variable that holds it and is
    passed on or followed; None when the pointer is tested, stored in a struct, compared or returned.
    """
    held = target(call)
    if held is None:
        return None if _is_asked_again(unit, call) else _taker(call)
    if held.kind != "identifier":
        return None
    uses = _uses(unit, *scope(unit, call)).get(plain(held), ())
    later = [use for use in uses if use.start > call.start]
    if any(_is_question(use) for use in later):
        return None
    return plain(held) if any(_taker(use) is not None for use in later) else None


def _is_asked_again(unit: Unit, call: Node) -> bool:
    """Whether the same call is asked for its truth in the same function."""
    first, last = scope(unit, call)
    same = plain(call)
    return any(plain(other) == same and _is_question(other) for other in within(unit.calls(called(call)), first, last))


@lru_cache(maxsize=32)
def _uses(unit: Unit, first: int, last: int) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for node in within(unit.find(*_VALUES), first, last):
        found.setdefault(plain(node), []).append(node)
    return found


def _outer(node: Node) -> tuple[Node, Node | None]:
    """`node` with the brackets and casts around it, and what holds that."""
    outer = node.parent
    while outer is not None and outer.kind in _WRAPPERS and outer.field != "condition":
        node, outer = outer, outer.parent
    return node, outer


def _is_question(node: Node) -> bool:
    """Whether `node` is asked for its truth."""
    node, outer = _outer(node)
    if outer is None:
        return False
    if outer.kind in ("parenthesized_expression", "condition_clause") or node.field == "condition":
        return True
    if outer.kind == "argument_list":
        return outer.parent is not None and called(outer.parent) in _QUESTIONS
    return (outer.kind == "unary_expression" and operator(outer) == "!") or (
        outer.kind == "binary_expression" and operator(outer) in _TRUTHS
    )


def _taker(node: Node) -> str | None:
    """The function that takes the pointer `node`, or how it is followed."""
    node, outer = _outer(node)
    if outer is None or _is_question(node):
        return None
    if outer.kind == "argument_list":
        name = called(outer.parent) if outer.parent is not None else ""
        if name in _HARMLESS:
            return None
        return f"{name}()" if name else None
    if outer.kind in _DEREFERENCES and node.field in ("argument", None):
        return f"`{plain(outer)}`"
    if outer.kind == "binary_expression" and operator(outer) in ("+", "-"):
        return f"`{plain(outer)}`"
    return None


def frag_loops(unit: Unit) -> Iterator[Node]:
    """The loops over the frags of an skb whose head is visible."""
    for loop in unit.loops:
        condition = loop.node.child("condition")
        if condition is not None and "nr_frags" in condition.text:
            yield loop.node


def from_frag(unit: Unit, value: Node) -> bool:
    """Whether `value` is the page or netmem of a frag, as it stands or through one variable."""
    if _is_of_frag(value):
        return True
    if value.kind != "identifier":
        return False
    values = values_of(unit, value)
    return bool(values) and all(_is_of_frag(each) for each in values)


def _is_of_frag(value: Node) -> bool:
    while value.kind in _WRAPPERS and value.named_children:
        value = value.named_children[-1]
    if called(value) in FRAG_MAKERS:
        return True
    member = value.child("field") if value.kind == "field_expression" else None
    return member is not None and member.text in ("bv_page", "netmem") and "frag" in value.text


def first_argument(call: Node) -> Node | None:
    """The first argument of `call`."""
    return next(iter(arguments(call)), None)


def function_name(unit: Unit, node: Node) -> str:
    """The name of the function around `node`; empty when it is not visible."""
    function = unit.function_of(node)
    return (function.name or "") if function is not None else ""
