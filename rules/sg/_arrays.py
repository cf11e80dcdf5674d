"""Arrays with one slot for each unit of a dma-buf: where they are allocated, and by what the size is divided."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, bare, called, target
from reviewer.kit.sg import dmabuf_sizes
from reviewer.kit.units import division
from reviewer.rule import Node, Struct, Unit

_ALLOCATIONS = ("kmalloc", "kvmalloc", "kzalloc", "kvzalloc", "kcalloc", "kvcalloc", "vmalloc", "vzalloc", "devm_k")
_MOST = 32
"""Rules look through the whole function for each."""
_ZEROED = ("zalloc", "calloc")


class SizedArray(Struct, frozen=True, kw_only=True):
    """`name = alloc(size / by)`: `size` is the member of the dma-buf, `zeroed` whether the slots begin as zeroes."""

    call: Node
    name: str
    size: Node
    divided: Node
    by: Node
    zeroed: bool


def sized_arrays(unit: Unit) -> Iterator[SizedArray]:
    """The allocations of arrays with one slot for each unit of a dma-buf's size; of very many the first."""
    if unit.mentions("->size", ".size") and unit.mentions("alloc"):
        yield from islice(_arrays(unit), _MOST)


def _arrays(unit: Unit) -> Iterator[SizedArray]:
    for call in unit.calls():
        name = called(call)
        if not name.startswith(_ALLOCATIONS):
            continue
        holder = target(call)
        counted = _counted(unit, call) if holder is not None else None
        if holder is None or counted is None:
            continue
        size, divided, by = counted
        member = holder.child("field")
        yield SizedArray(
            call=call,
            name=member.text if member is not None else holder.text,
            size=size,
            divided=divided,
            by=by,
            zeroed=any(word in name for word in _ZEROED) or any("__GFP_ZERO" in one.text for one in arguments(call)),
        )


def _counted(unit: Unit, call: Node) -> tuple[Node, Node, Node] | None:
    """The size of a dma-buf that the arguments of `call` divide, the division, and by what."""
    for given in arguments(call):
        values = values_of(unit, given) if given.kind == "identifier" else (given,)
        for node in (each for value in values for each in value.walk()):
            divided = division(node)
            whole = bare(divided.value) if divided is not None else None
            if divided is None or whole is None:
                continue
            size = next((one for one in dmabuf_sizes(unit, whole) if one is whole), None)
            if size is not None:
                return size, node, divided.by
    return None
