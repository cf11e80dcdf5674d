"""How known functions fail."""

from __future__ import annotations

from reviewer.kit.callees import CYCLIC, ERR_PTR, FAILURES, NETMEM, NULL


def test_every_function_fails_in_one_way() -> None:
    groups = (ERR_PTR, NULL, NETMEM, CYCLIC)
    assert sum(len(group) for group in groups) == len(FAILURES)


def test_the_ones_of_the_rule_book() -> None:
    assert FAILURES["dma_buf_map_attachment_unlocked"] == "ERR_PTR"
    assert FAILURES["gen_pool_create"] == "NULL"
    assert FAILURES["page_pool_alloc_netmems"] == "netmem 0"
    assert FAILURES["xa_alloc_cyclic"] == "negative, 1 on wrap"
