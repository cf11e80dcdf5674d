"""What is taken, and how it is given back."""

from __future__ import annotations

import pytest
from kit_unit import body_of

from reviewer.kit.resources import ACQUIRED, RELEASED, RESOURCES, direction, thing


def test_every_call_takes_one_kind_of_thing() -> None:
    assert sum(len(one.acquire) for one in RESOURCES) == len(ACQUIRED)
    assert set(ACQUIRED).isdisjoint(RELEASED)


def test_the_pairs_of_the_rule_book() -> None:
    assert ACQUIRED["dma_buf_get"].release == ("dma_buf_put",)
    assert ACQUIRED["kvmalloc_array"].release == ("kvfree",)
    assert ACQUIRED["gen_pool_create"].release == ("gen_pool_destroy",)
    assert {name for one in RELEASED["kfree"] for name in one.acquire} >= {"kzalloc_node", "kmemdup"}


@pytest.mark.parametrize(
    ("call", "named", "way"),
    [
        ("fb->buf = dma_buf_get(fd);", "fb->buf", None),
        ("dma_buf_put(fb->buf);", "fb->buf", None),
        ("fb->table = dma_buf_map_attachment(fb->at, DMA_TO_DEVICE);", "fb->table", "DMA_TO_DEVICE"),
        ("dma_buf_unmap_attachment_unlocked(fb->at, fb->table, dir);", "fb->table", "dir"),
        ("err = dma_map_sgtable(dev, &fb->own, dir, 0);", "&fb->own", "dir"),
        ("err = xa_alloc_cyclic(&frobs, &fb->id, fb, limit, &next, GFP_KERNEL);", "&fb->id", None),
        ("dma_buf_unmap_attachment(fb->at);", None, None),
        ("dma_buf_get(fd);", None, None),
    ],
)
def test_where_a_call_names_its_thing(call: str, named: str | None, way: str | None) -> None:
    (node,) = body_of(f"\t{call}\n").calls(*ACQUIRED, *RELEASED)
    told, to = thing(node), direction(node)
    assert (told and told.text, to and to.text) == (named, way)
