"""What the kernel hands out and wants back: which calls take a thing, which give it back, and where they name it.

Sources: the kernel-doc of each function; RULES.md DM601 (the table), DM404, DM405.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reviewer.code.node import Node
from reviewer.kit.expressions import arguments, called, target

RESULT = -1
"""The place of a thing that a call returns."""


class Resource(NamedTuple):
    """A kind of thing that is taken and given back.

    `taken` and `given` are where the calls of `acquire` and `release` name it: an argument from 0, or RESULT.
    `direction` are the arguments of both that hold the DMA direction. `null_safe` tells that giving NULL is allowed.
    """

    kind: str
    acquire: tuple[str, ...]
    release: tuple[str, ...]
    taken: int = RESULT
    given: int = 0
    direction: tuple[int, int] | None = None
    null_safe: bool = False


RESOURCES: tuple[Resource, ...] = (
    Resource("dma-buf", ("dma_buf_get",), ("dma_buf_put",)),
    Resource("attachment", ("dma_buf_attach", "dma_buf_dynamic_attach"), ("dma_buf_detach",), given=1),
    Resource(
        "mapping of an attachment",
        ("dma_buf_map_attachment", "dma_buf_map_attachment_unlocked"),
        ("dma_buf_unmap_attachment", "dma_buf_unmap_attachment_unlocked"),
        given=1,
        direction=(1, 2),
    ),
    Resource("mapping of a table", ("dma_map_sgtable",), ("dma_unmap_sgtable",), taken=1, given=1, direction=(2, 2)),
    Resource("mapping of an exporter", ("get_sg_table",), ("put_sg_table",), given=1, direction=(2, 2)),
    Resource("pin", ("dma_buf_pin",), ("dma_buf_unpin",), taken=0),
    Resource("memory", ("kmalloc", "kzalloc", "kcalloc", "kmalloc_array", "kmemdup"), ("kfree",), null_safe=True),
    Resource("memory", ("kzalloc_node", "kmalloc_node"), ("kfree",), null_safe=True),
    Resource("memory", ("kvmalloc", "kvzalloc", "kvcalloc", "kvmalloc_array"), ("kvfree",), null_safe=True),
    Resource("bitmap", ("bitmap_alloc", "bitmap_zalloc"), ("bitmap_free",), null_safe=True),
    Resource("sg table", ("sg_alloc_table", "sg_alloc_table_from_pages"), ("sg_free_table",), taken=0),
    Resource("pool", ("gen_pool_create",), ("gen_pool_destroy",)),
    Resource("reference counter", ("percpu_ref_init",), ("percpu_ref_exit",), taken=0),
    Resource("id", ("xa_alloc", "xa_alloc_cyclic"), ("xa_erase",), taken=1, given=1),
    Resource("message", ("genlmsg_new", "nlmsg_new"), ("nlmsg_free",), null_safe=True),
    Resource("queue", ("netif_mp_open_rxq",), ("netif_mp_close_rxq",), taken=1, given=1),
)

ACQUIRED: Mapping[str, Resource] = {name: one for one in RESOURCES for name in one.acquire}
"""What each call takes."""
RELEASED: Mapping[str, tuple[Resource, ...]] = {
    name: tuple(one for one in RESOURCES if name in one.release) for each in RESOURCES for name in each.release
}
"""What each call may give back: kfree() takes memory of several allocators."""


def thing(call: Node) -> Node | None:
    """The expression that names what `call`, one of ACQUIRED or RELEASED, takes or gives back; None where it is cut."""
    name = called(call)
    place = ACQUIRED[name].taken if name in ACQUIRED else RELEASED[name][0].given
    given = arguments(call)
    if place == RESULT:
        return target(call)
    return given[place] if place < len(given) else None


def direction(call: Node) -> Node | None:
    """The DMA direction that `call`, one of ACQUIRED or RELEASED, names; None where it has none or is cut."""
    name = called(call)
    places = ACQUIRED[name].direction if name in ACQUIRED else RELEASED[name][0].direction
    given = arguments(call)
    place = len(given) if places is None else places[name not in ACQUIRED]
    return given[place] if place < len(given) else None
