"""Loops over scatter-gather tables: who iterates over what, and which accessors go with which count.

Source: include/linux/scatterlist.h. `nents` entries are DMA mapped, `orig_nents` entries hold pages; the iterator of
the first kind has an address and a length for the device, that of the second a page, a length and an offset.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, bare, called, calls_in, declared_type
from reviewer.rule import Loop, Node, Unit

DMA_ACCESSORS = ("sg_dma_address", "sg_dma_len")
PAGE_ACCESSORS = ("sg_page", "sg_virt", "sg_phys", "sg_set_page", "sg_set_buf", "sg_set_folio", "sg_assign_page")
CPU_FIELDS = frozenset({"length", "offset"})
_PARTS = {"sg_dma_address": "address", "sg_dma_len": "length"}
_DMABUFS = frozenset({"dmabuf", "dma_buf"})

Count = Literal["nents", "orig_nents"]

_DMA_LOOP = "for_each_sgtable_dma_sg"
_PAGE_LOOP = "for_each_sgtable_sg"
_COUNTED_LOOP = "for_each_sg"
_LOOPS = frozenset({_DMA_LOOP, _PAGE_LOOP, _COUNTED_LOOP})


class SgLoop(Struct, frozen=True, kw_only=True):
    """A loop over an sg table. `count` is None when the count is neither `nents` nor `orig_nents` of a table."""

    loop: Loop
    iterator: str
    table: str
    count: Count | None

    @property
    def mapped(self) -> bool:
        """Whether the loop says by its very name that it walks the mapped entries."""
        return self.loop.head == _DMA_LOOP


def sg_loop(loop: Loop) -> SgLoop | None:
    """What `loop` iterates over, if it is a loop over an sg table with all its arguments visible."""
    if loop.head not in _LOOPS or len(loop.arguments) < (4 if loop.head == _COUNTED_LOOP else 3):
        return None
    table, iterator = loop.arguments[0], loop.arguments[1]
    if iterator.kind != "identifier":
        return None
    count: Count | None = "nents" if loop.head == _DMA_LOOP else "orig_nents"
    if loop.head == _COUNTED_LOOP:
        count = _count(loop.arguments[2])
    return SgLoop(loop=loop, iterator=iterator.text, table=_table(table), count=count)


def sg_loops(unit: Unit) -> Iterator[SgLoop]:
    """The loops over sg tables of `unit`, in order."""
    for loop in unit.loops:
        found = sg_loop(loop)
        if found is not None:
            yield found


def walking(unit: Unit, iterator: Node) -> SgLoop | None:
    """The sg loop whose iterator the identifier `iterator` is, innermost first, when its head is visible."""
    name = iterator.text
    loop = unit.loop_of(iterator)
    while loop is not None:
        found = sg_loop(loop)
        if found is not None and found.iterator == name:
            return found
        if loop.node.parent is None:
            return None
        loop = unit.loop_of(loop.node.parent)
    return None


def accesses(body: Node, iterator: str, names: tuple[str, ...]) -> Iterator[Node]:
    """The calls in `body` of one of `names` whose first argument is `iterator`."""
    for call in calls_in(body, *names):
        given = arguments(call)
        if given and given[0].text == iterator:
            yield call


def _count(argument: Node) -> Count | None:
    field = argument.child("field") if argument.kind == "field_expression" else None
    if field is None or field.text not in ("nents", "orig_nents"):
        return None
    return "nents" if field.text == "nents" else "orig_nents"


def _table(argument: Node) -> str:
    """The table behind `t->sgl` or `&t`, as written."""
    if argument.kind == "field_expression":
        field, owner = argument.child("field"), argument.child("argument")
        if field is not None and owner is not None and field.text == "sgl":
            return owner.text
    return argument.text.removeprefix("&")


def entry_parts(unit: Unit, node: Node, iterator: str | None = None) -> frozenset[str]:
    """Which of "address" and "length" of a mapped entry `node` is made of, directly or through one variable.

    With `iterator`, only of that entry.
    """
    found: set[str] = set()
    for each in node.walk():
        for source in values_of(unit, each) if each.kind == "identifier" else (each,):
            call = bare(source)
            part = _PARTS.get(called(call))
            given = arguments(call) if part is not None else ()
            if part is not None and given and iterator in (None, given[0].text):
                found.add(part)
    return frozenset(found)


def dmabuf_sizes(unit: Unit, node: Node) -> Iterator[Node]:
    """The members in `node` that are the size of a dma-buf: `dmabuf->size`, `x->dmabuf->size`."""
    for each in node.walk():
        field = each.child("field") if each.kind == "field_expression" else None
        owner = each.child("argument")
        if field is None or owner is None or field.text != "size":
            continue
        last = owner.child("field") if owner.kind == "field_expression" else owner
        name = last.text if last is not None else ""
        if name in _DMABUFS or (owner.kind == "identifier" and declared_type(unit, name, owner) == "struct dma_buf *"):
            yield each
