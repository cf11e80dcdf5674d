"""Where code counts in units of a binding: the expressions of RULES DM201, and whether there is a shift to use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.kit.expressions import arguments, bare, called
from reviewer.kit.remembering import once_a_series
from reviewer.kit.units import Division, division, is_mask, is_niov_name, operands
from reviewer.rule import Node, Series, Unit

PATHS = (
    "net/core/devmem.c",
    "net/core/devmem.h",
    "net/core/datagram.c",
    "net/core/sock.c",
    "net/ipv4/tcp.c",
    "net/core/netmem_priv.h",
    "include/net/netmem.h",
    "io_uring/zcrx.c",
    "io_uring/zcrx.h",
)
POOL_SIZES = {
    "gen_pool_create": 0,
    "devm_gen_pool_create": 1,
    "gen_pool_alloc": 1,
    "gen_pool_alloc_owner": 1,
    "gen_pool_has_addr": 2,
    "gen_pool_free": 2,
    "gen_pool_free_owner": 2,
}
"""The argument of each function of a pool that is a size of what it hands out, or the order of it."""
_SYNCS = frozenset({"dma_sync_single_range_for_device", "dma_sync_single_range_for_cpu", "dma_sync_single_for_device"})
_INDEX_CALLS = frozenset({"net_iov_idx", "page_pool_iov_idx"})
_OF_NIOVS = frozenset({"niov", "niovs", "iovs", "virt", "virtual", "dmabuf", "tx_vec", "vec", "base_dma_addr", "token"})
_OF_PAGES = frozenset({"page", "pages", "folio", "folios", "umem", "npages"})
_SHIFT_NAME = re.compile(r"\b[a-z][a-z0-9_]*_shift\b")


def knows_shift(unit: Unit) -> bool:
    """Whether the file, or an earlier patch of the series in one of `PATHS`, has a niov shift to use."""
    if any(_names_shift(each.text) for each in (unit, *unit.peers)):
        return True
    shown = _first_with_shift(unit.series)
    return any(shown.get(path, unit.patch.number + 1) <= unit.patch.number for path in (*PATHS, unit.path))


@once_a_series
def _first_with_shift(series: Series) -> dict[str, int]:
    """The number of the first patch that shows a niov shift, by the path of the file."""
    found: dict[str, int] = {}
    for patch in sorted(series.patches, key=lambda patch: patch.number):
        for file in patch.files:
            lines = (line for hunk in file.hunks for line in hunk.lines if line.mark != "-")
            if file.path not in found and any(_names_shift(line.text) for line in lines):
                found[file.path] = patch.number
    return found


def _names_shift(text: str) -> bool:
    return "_shift" in text and any(is_niov_name(name) for name in _SHIFT_NAME.findall(text))


def niov_expression(unit: Unit, page: Node) -> Node | None:
    """The expression around a PAGE name that counts niovs by its shape (RULES DM201, a to l), or None.

    `page` is an identifier `PAGE_SIZE`, `PAGE_SHIFT` or `PAGE_MASK`, or the name of a call such as `offset_in_page`.
    """
    for node in _outwards(page):
        divided = division(node)
        if divided is not None and page.start >= divided.by.start and _counts_niovs(divided):
            return node
        left, right, operator = operands(node)
        if left is not None and right is not None:
            if operator == "<<" and called(bare(left)) in _INDEX_CALLS and node.parent is not None:
                return None if _is_index(node) else node
            rest = operator == "%" or (operator == "&" and is_mask(unit, right))
            if rest and page.start >= right.start and _speaks_of(left, _OF_NIOVS):
                return node
        if node.kind == "call_expression":
            return node if _sized_call(node, page) else None
    return None


def _outwards(page: Node) -> Iterator[Node]:
    """The expressions around `page`, innermost first."""
    for holder in page.ancestors():
        if holder.kind.endswith(("_statement", "declaration", "declarator")) or holder.kind == "translation_unit":
            return
        yield holder


def _counts_niovs(divided: Division) -> bool:
    whole = assignment_of(divided.node)
    if _speaks_of(whole, _OF_PAGES):
        return False
    return _speaks_of(whole, _OF_NIOVS) or any(
        holder.field == "index" for holder in (divided.node, *_outwards(divided.node))
    )


def assignment_of(node: Node) -> Node:
    """The assignment or initialiser whose value `node` is part of, else `node`."""
    for holder in node.ancestors():
        if holder.kind in ("assignment_expression", "init_declarator"):
            return holder
        if holder.kind.endswith("_statement") or holder.kind == "argument_list":
            break
    return node


def _speaks_of(node: Node, words: frozenset[str]) -> bool:
    for each in node.walk():
        if each.kind in ("identifier", "field_identifier"):
            name = each.text
            if name.isupper():
                continue
            if name in words or not words.isdisjoint(name.split("_")):
                return True
    return False


def _is_index(node: Node) -> bool:
    return any(holder.kind == "subscript_expression" for holder in _outwards(node))


def _sized_call(call: Node, page: Node) -> bool:
    """Whether `page` is the unit of a pool's call, the length of a niov that is synced, or rounds a virtual address."""
    name, given = called(call), arguments(call)
    if name == "offset_in_page":
        return bool(given) and _speaks_of(given[0], _OF_NIOVS)
    place = POOL_SIZES.get(name)
    if place is not None and len(given) > place:
        return given[place].start <= page.start < given[place].end
    return name in _SYNCS and any(argument.start <= page.start < argument.end for argument in given[2:])


def pool_size(page: Node) -> Node | None:
    """The division of the size of a gen_pool, or of what is free in it, by the PAGE name `page`."""
    for node in _outwards(page):
        divided = division(node)
        if divided is not None:
            counted = called(bare(divided.value)) in ("gen_pool_size", "gen_pool_avail")
            return node if counted and page.start >= divided.by.start else None
    return None
