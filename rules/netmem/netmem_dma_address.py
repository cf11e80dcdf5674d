"""DM511: the DMA address of a netmem, taken or given back as if it were a page's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, called, calls_in
from reviewer.kit.netmem import PAGE_PROOFS, asks, from_frag, never_unreadable
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_OF_PAGE = ("page_pool_get_dma_addr",)
_OF_NETMEM = ("page_pool_get_dma_addr_netmem",)
_MAPS = ("dma_map_page", "dma_map_page_attrs")
_UNMAPS = ("dma_unmap_page", "dma_unmap_page_attrs", "dma_unmap_single", "dma_unmap_single_attrs")
_SYNCS = (
    *("dma_sync_single_for_cpu", "dma_sync_single_for_device"),
    *("dma_sync_single_range_for_cpu", "dma_sync_single_range_for_device"),
)


class NetmemDmaAddress(CodeRule):
    """The DMA address of a netmem is asked of its page, mapped by hand, or synchronised or unmapped by a driver.

    What it does: it looks for page_pool_get_dma_addr() of netmem_to_page(), for dma_map_page() of the page of a frag,
    and in drivers for dma_unmap_*() and dma_sync_*() of what page_pool_get_dma_addr_netmem() gave.

    Why it matters: a net_iov has no page, and its address belongs to the dma-buf: the pool and the exporter map and
    synchronise it. A driver that does so for itself crashes in the first case and corrupts the IOMMU in the second.

    When it stays silent: the function tells net_iovs from pages; the page pool and memory providers themselves; the
    frags of XDP; a variable that also gets an address from elsewhere. dma_map_page() of a frag is a note in a driver
    of which nothing that is visible speaks of unreadable memory.

    Sources: Documentation/networking/netmem.rst (driver requirements); RULES.md DM511, DM518.
    """

    id = "DM511"
    name = "netmem-dma-address"
    title = "DMA address of a netmem taken for a page's"
    why = (
        "A net_iov's DMA address is mapped, synchronised and unmapped by its pool, and there is no page to ask for it."
    )
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("hunk",)
    supersedes = ("DM501", "DM502")
    paths = ("drivers/net/**", "net/**", "!net/core/page_pool*", "!net/core/devmem*", "!net/xdp/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call."""
        for call in unit.calls(*_OF_PAGE, *_MAPS, *_UNMAPS, *_SYNCS):
            message = _message(unit, call)
            if message is not None and not asks(unit, call, *PAGE_PROOFS):
                alone = called(call) in _MAPS and never_unreadable(unit)
                yield Hit(
                    at=unit.at(call),
                    message=message,
                    level="note" if alone else None,
                    confidence="low" if alone else None,
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: each by hand. Look-alikes: the netmem helpers, an own address, pages told from net_iovs."""
        path, core = "drivers/net/frob.c", "net/core/frob.c"
        sync = "dma_sync_single_for_cpu(rxb->dev, addr, rxb->len, DMA_FROM_DEVICE);"
        taken = "addr = page_pool_get_dma_addr_netmem(rxb->nm);\n\t"
        of_page = "addr = page_pool_get_dma_addr(netmem_to_page(rxb->nm));"
        maps = "addr = dma_map_page(rxb->dev, skb_frag_page(frag), 0, rxb->len, DMA_TO_DEVICE);"
        return (
            code("bad", path, _DMA.replace("BODY", of_page), finds=[Find(line="page_pool_get_dma_addr(")]),
            code("bad", path, _DMA.replace("BODY", taken + sync), finds=[Find(line="dma_sync_single_for_cpu(")]),
            code("bad", core, _DMA.replace("BODY", maps), finds=[Find(line="dma_map_page(")]),
            code("bad", path, _DMA.replace("BODY", maps), finds=[Find(line="dma_map_page(", level="note")]),
            code("good", path, _DMA.replace("BODY", taken.strip())),
            code("look-alike", path, _DMA.replace("BODY", f"addr = rxb->addr;\n\t{sync}"), note="an own mapping"),
            code("look-alike", path, _DMA.replace("BODY", maps.replace("skb_frag_page(frag)", "rxb->page"))),
            code("look-alike", path, _DMA.replace("BODY", f"if (!netmem_is_net_iov(rxb->nm))\n\t\t{of_page}")),
            code("look-alike", "net/core/page_pool.c", _DMA.replace("BODY", taken + sync), note="the pool itself"),
        )


def _message(unit: Unit, call: Node) -> str | None:
    """What is wrong with `call`, or None."""
    name, given = called(call), arguments(call)
    if name in _OF_PAGE and given and any(True for _ in calls_in(given[0], "netmem_to_page")):
        return f"`{given[0].text}` is NULL when this is a net_iov: page_pool_get_dma_addr_netmem() knows both."
    if len(given) < 2:
        return None
    if name in _MAPS and from_frag(unit, given[1]) and "xdp" not in call.text:
        return f"`{given[1].text}` is NULL when the frag is a net_iov: skb_frag_dma_map() knows both."
    if name in (*_UNMAPS, *_SYNCS) and unit.path.startswith("drivers/") and _is_of_netmem(unit, given[1]):
        return _not_the_drivers(name, given[1].text)
    return None


def _not_the_drivers(name: str, address: str) -> str:
    if name in _UNMAPS:
        return (
            f"`{address}` is the address of a netmem, which its page pool maps and unmaps: {name}() here takes away a "
            "mapping that is not the driver's."
        )
    instead = "page_pool_dma_sync_netmem_for_cpu()" if name.endswith("cpu") else "the page pool (PP_FLAG_DMA_SYNC_DEV)"
    return f"`{address}` is the address of a netmem, which may not need or allow {name}(): leave it to {instead}."


def _is_of_netmem(unit: Unit, address: Node) -> bool:
    if called(address) in _OF_NETMEM:
        return True
    values = values_of(unit, address) if address.kind == "identifier" else ()
    return bool(values) and all(any(True for _ in calls_in(value, *_OF_NETMEM)) for value in values)


_DMA = """
void frob_dma(struct frob_buf *rxb, skb_frag_t *frag)
{
	dma_addr_t addr;

	BODY
	frob_post(rxb, addr);
}
"""
