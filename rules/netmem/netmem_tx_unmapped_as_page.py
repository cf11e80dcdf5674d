"""DM507: a driver that can send netmems unmaps frags as if all were pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import assignments, called
from reviewer.kit.netmem import says
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._series import folder_of, mentioned

_UNMAPS = ("dma_unmap_page", "dma_unmap_page_attrs")
_OF_FRAGS = ("skb_shinfo", "skb_frag_size", "nr_frags", "frags[", "skb_frag_t")
_AWARE = ("netmem", "net_iov", "xdp", "XDP")
_HELPER = "netmem_dma_unmap"
_OFF = frozenset({"false", "0", "NETMEM_TX_NONE", "NETMEM_TX_NO_DMA"})


class NetmemTxUnmappedAsPage(CodeRule):
    """A driver sets `netmem_tx`, and unmaps the frags that it sent with dma_unmap_page().

    What it does: where a file of a driver sets `netmem_tx`, it looks for dma_unmap_page() in functions that work on
    frags. When the line that sets it is new and nothing that the series shows of the driver unmaps by
    netmem_dma_unmap_page_attrs(), it asks for that in a note.

    Why it matters: the DMA address of a net_iov is the dma-buf's. Who unmaps it takes the mapping away from the
    exporter, which an IOMMU answers with a splat or worse.

    When it stays silent: netmem_tx is off, or says that there is no DMA; the function knows netmems or is about XDP;
    linear parts (dma_unmap_single()).

    Sources: Documentation/networking/netmem.rst (driver TX requirements); <Z7d-7P8kPthyr3bG@mini-arch>;
    RULES.md DM507.
    """

    id = "DM507"
    name = "netmem-tx-unmapped-as-page"
    title = "Driver with netmem_tx unmaps frags as pages"
    why = "The DMA address of a net_iov belongs to the dma-buf: unmapping it takes the mapping from the exporter."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("file", "hunk")
    paths = ("drivers/net/**",)

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each unmapping, and one for a switch that comes without any."""
        switch = next(_switches(unit), None)
        if switch is None and not any(True for each in unit.peers for _ in _switches(each)):
            return
        for call in unit.calls(*_UNMAPS):
            if says(unit, call, *_OF_FRAGS) and not says(unit, call, *_AWARE):
                yield Hit(
                    at=unit.at(call),
                    message=f"This driver sets netmem_tx, so the frag may be a net_iov, whose mapping {called(call)}() "
                    "must not take away: netmem_dma_unmap_page_attrs().",
                    evidence=f"netmem_tx, yet {unit.lines[call.row].text.strip()}",
                    related=() if switch is None else (unit.at(switch),),
                )
        if switch is not None and unit.touched(switch) and not mentioned(unit.series, folder_of(unit), _HELPER):
            yield Hit(
                at=unit.at(switch),
                message="netmem_tx is set, but nothing in this series makes the driver unmap frags by "
                "netmem_dma_unmap_page_attrs(): does it already leave net_iovs mapped?",
                level="note",
            )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: unmapped as pages. Look-alikes: the helper, the linear part, switched off."""
        path = "drivers/net/frob.c"
        on = "netdev->netmem_tx = NETMEM_TX_DMA;"
        unmap = "dma_unmap_page(dev, addr, skb_frag_size(frag), DMA_TO_DEVICE);"
        helper = "netmem_dma_unmap_page_attrs(dev, addr, skb_frag_size(frag), DMA_TO_DEVICE, 0);"
        linear = "dma_unmap_single(dev, addr, skb_frag_size(frag), DMA_TO_DEVICE);"
        bad = _DRIVER.replace("SWITCH", on).replace("BODY", unmap)
        before = bad.replace(f"\t{on}\n", "")
        switch = Find(line=on, level="note")
        return (
            code("bad", path, bad, finds=[Find(line="dma_unmap_page("), switch]),
            code("bad", path, bad, before=before, finds=[Find(line="dma_unmap_page("), switch], context=9),
            code("good", path, bad.replace(unmap, helper)),
            code("look-alike", path, bad.replace(unmap, f"{helper}\n\t{linear}"), note="the linear part"),
            code("look-alike", path, bad.replace("NETMEM_TX_DMA", "NETMEM_TX_NO_DMA"), note="no DMA"),
            code("look-alike", path, bad.replace(f"\t{on}\n", ""), note="never sends netmems"),
        )


def _switches(unit: Unit) -> Iterator[Node]:
    """The places that switch netmem_tx on."""
    if not unit.mentions("netmem_tx"):
        return
    for left, right in assignments(unit.find("assignment_expression")):
        member = left.child("field") if left.kind == "field_expression" else None
        if member is not None and member.text == "netmem_tx" and right.text not in _OFF:
            yield left


_DRIVER = """
void frob_setup(struct net_device *netdev)
{
	netdev->mtu = 1500;
	SWITCH
}

void frob_clean(struct device *dev, const skb_frag_t *frag, dma_addr_t addr)
{
	BODY
	frob_done(dev);
}
"""
