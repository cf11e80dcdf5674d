"""What a function got from a dma-buf: the table it mapped, the entries it walks, the addresses it read.

Only what is visible in one function counts. A name that the function also assigns from somewhere else is left out: on
some path it holds the importer's or the exporter's own table. RULES.md D; by the name of a field alone nothing is
tainted, except where the branch that asks for `is_dmabuf` is visible.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from reviewer.kit.expressions import arguments, assignments, bare, callee, plain, within
from reviewer.kit.guards import enclosing_conditions
from reviewer.kit.resources import ACQUIRED
from reviewer.rule import Loop, Node, Unit

MAPPING_CALLS = ACQUIRED["dma_buf_map_attachment"].acquire
ADDRESS_CALLS = (
    "sg_dma_address",
    "page_pool_get_dma_addr",
    "page_pool_get_dma_addr_netmem",
    "net_devmem_get_dma_addr",
)
SG_LOOPS = ("for_each_sgtable_dma_sg", "for_each_sgtable_sg", "for_each_sg")
_HARMLESS = frozenset({"NULL", "0"})
_ROUNDS = 4


class Mapped(Struct, frozen=True, kw_only=True):
    """What in one function comes from dma_buf_map_attachment(): plain texts of expressions.

    `tables` hold the sg_table, `entries` one of its scatterlist entries. `source` is the call, None when it is not in
    the function.
    """

    tables: frozenset[str]
    entries: frozenset[str]
    source: Node | None


NOTHING = Mapped(tables=frozenset(), entries=frozenset(), source=None)


def scope(unit: Unit, node: Node) -> tuple[int, int]:
    """First and last row of what is visible of the function of `node`, or of the whole unit when none is known."""
    function = unit.function_of(node)
    return (function.first_row, function.last_row) if function is not None else (0, len(unit.lines))


def mapped(unit: Unit, node: Node) -> Mapped:
    """What the function of `node` got from mapping a dma-buf."""
    return _mapped(unit, *scope(unit, node)) if unit.mentions(*MAPPING_CALLS) else NOTHING


@lru_cache(maxsize=32)
def _mapped(unit: Unit, first: int, last: int) -> Mapped:
    sources = within(unit.calls(*MAPPING_CALLS), first, last)
    if not sources:
        return NOTHING
    found = unit.find("assignment_expression", "init_declarator")
    pairs = [(plain(left), bare(right)) for left, right in assignments(within(found, first, last))]
    tables: set[str] = set()
    entries: set[str] = set()
    for _ in range(_ROUNDS):
        before = len(tables) + len(entries)
        for left, right in pairs:
            value = plain(right)
            if value in tables or callee(right) in MAPPING_CALLS:
                tables.add(left)
            elif value in entries or _owner(value) in tables:
                entries.add(left)
        if len(tables) + len(entries) == before:
            break
    foreign = {left for left, right in pairs if not _ours(right, tables, entries)}
    return Mapped(tables=frozenset(tables - foreign), entries=frozenset(entries - foreign), source=sources[0])


def _ours(value: Node, tables: set[str], entries: set[str]) -> bool:
    text = plain(value)
    return (
        callee(value) in (*MAPPING_CALLS, "sg_next", "ERR_PTR", "ERR_CAST")
        or text in tables | entries | _HARMLESS
        or _owner(text) in tables
    )


def comes_from_dmabuf(unit: Unit, value: Node, known: Mapped) -> str | None:
    """The table or entry that `value` (an argument) is, when it is one of a dma-buf's; else None.

    `t->sgl`, `&t`, `sg_next(sg)` and an iterator of a visible loop over the table stand for the table and its entries.
    """
    value = bare(value)
    while callee(value) == "sg_next" and arguments(value):
        value = bare(arguments(value)[0])
    text = _owner(plain(value))
    walked = dict(_iterators(unit, value))
    if text in walked:
        table = walked[text]
        return text if table in known.tables or _is_dmabuf_table(value, table) else None
    if text in known.tables or text in known.entries or _is_dmabuf_table(value, text):
        return text
    return None


def _iterators(unit: Unit, node: Node) -> Iterator[tuple[str, str]]:
    """(iterator, table) of the sg loops around `node`, outermost first; the innermost wins in a dict."""
    loops: list[tuple[str, str]] = []
    loop = unit.loop_of(node)
    while loop is not None:
        walked = _walked(loop)
        if walked is not None:
            loops.append(walked)
        loop = unit.loop_of(loop.node.parent) if loop.node.parent is not None else None
    yield from reversed(loops)


def _walked(loop: Loop) -> tuple[str, str] | None:
    if loop.head not in SG_LOOPS or len(loop.arguments) < 3:
        return None
    return plain(loop.arguments[1]), _owner(plain(bare(loop.arguments[0])))


def _owner(text: str) -> str:
    """The table behind `&t`, `t->sgl` and `t.sgl`; any other plain text as it is."""
    return text.removeprefix("&").removesuffix("->sgl").removesuffix(".sgl")


def _is_dmabuf_table(node: Node, text: str) -> bool:
    """Whether `text` is the `sgt` of something that an enclosing condition says to be a dma-buf."""
    owner, _, field = text.replace("->", ".").rpartition(".")
    if field != "sgt" or not owner:
        return False
    wanted = {f"{owner}.is_dmabuf"}
    return any(
        plain(bare(condition)).replace("->", ".") in wanted and _in_consequence(node, condition)
        for condition in enclosing_conditions(node)
    )


def _in_consequence(node: Node, condition: Node) -> bool:
    branch = condition.parent.child("consequence") if condition.parent is not None else None
    return branch is not None and branch.start <= node.start < branch.end


def bus_addresses(unit: Unit, node: Node) -> frozenset[str]:
    """The variables that hold a DMA address in the function of `node`, and nothing else on any path."""
    return _bus_addresses(unit, *scope(unit, node))


@lru_cache(maxsize=32)
def _bus_addresses(unit: Unit, first: int, last: int) -> frozenset[str]:
    held: set[str] = set()
    other: set[str] = set()
    found = unit.find("assignment_expression", "init_declarator")
    for left, right in assignments(within(found, first, last)):
        (held if reads_address(right, frozenset(held)) else other).add(plain(left))
    return frozenset(held - other)


def reads_address(value: Node, held: frozenset[str]) -> bool:
    """Whether `value` is a DMA address, or computed from one: of an accessor, of a niov, or of a variable in `held`."""
    pending = [value]
    while pending:
        node = bare(pending.pop())
        if callee(node) in ADDRESS_CALLS:
            return True
        text = plain(node)
        if text in held or text.endswith(("->desc.dma_addr", ".desc.dma_addr")):
            return True
        if node.kind in ("binary_expression", "conditional_expression"):
            pending += [child for child in node.named_children if child.field != "condition"]
    return False
