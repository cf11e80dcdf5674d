"""DM512: the truesize of a devmem frag to send is not the length that is charged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, plain
from reviewer.kit.netmem import function_name
from reviewer.kit.units import measure
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_ADD = "skb_add_rx_frag_netmem"
_SENDING = ("from_devmem", "devmem_tx", "tx_devmem", "sendmsg")


class TruesizeOfDevmem(CodeRule):
    """A frag of device memory to send is charged with a page or a whole net_iov instead of its length.

    What it does: in functions that by their name fill an skb from devmem it compares the last argument of
    skb_add_rx_frag_netmem(), the truesize, with the length of the frag.

    Why it matters: sending from device memory takes no host memory per frag, and a frag may be smaller or larger than
    a page: a page charges too little for large frags (and warns when the length exceeds the truesize), a whole net_iov
    charges two megabytes for a small one and stalls the socket.

    When it stays silent: receiving, where the truesize is the share of a buffer; filling from host memory; a truesize
    that is neither a page nor a net_iov.

    Sources: RULES.md DM512; the series on TX net_iov sizes (corpus/seed); include/linux/skbuff.h.
    """

    id = "DM512"
    name = "truesize-of-devmem"
    title = "Truesize of a devmem frag is not its length"
    why = "A devmem frag that is sent holds no host memory: what is charged to the socket is its length."
    level = "warning"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("hunk",)
    paths = ("net/**", "io_uring/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each truesize that is a page or a net_iov."""
        for call in unit.calls(_ADD):
            given = arguments(call)
            if len(given) != 6 or not any(word in function_name(unit, call) for word in _SENDING):
                continue
            length, truesize = bare(given[4]), bare(given[5])
            counted = _counted(unit, truesize)
            if counted is not None and plain(length) != plain(truesize):
                yield Hit(
                    at=unit.at(call),
                    message=f"The truesize is {counted} here, whatever the length: the socket is charged too much for "
                    f"short frags{_too_little(counted)}. Charge `{length.text}`.",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a page, a net_iov. Look-alikes: receiving, from host memory."""
        path, name = "net/core/frob.c", "frob_fill_skb_from_devmem"
        return (
            code("bad", path, _FILL.replace("TRUE", "PAGE_SIZE"), finds=[Find(line="PAGE_SIZE")]),
            code("bad", path, _FILL.replace("TRUE", "1UL << fb->niov_shift"), finds=[Find(line="niov_shift")]),
            code("good", path, _FILL.replace("TRUE", "len")),
            code("look-alike", path, _FILL.replace("TRUE", "PAGE_SIZE").replace(name, "frob_receive"), note="receives"),
            code("look-alike", path, _FILL.replace("TRUE", "PAGE_ALIGN(len + off)"), note="at least the length"),
        )


def _counted(unit: Unit, truesize: Node) -> str | None:
    if truesize.kind == "call_expression":
        return None
    found = measure(unit, truesize)
    return {"page": "a page", "niov": "a whole net_iov"}.get(found or "")


def _too_little(counted: str) -> str:
    return " and too little for frags beyond a page" if counted == "a page" else ""


_FILL = """
int frob_fill_skb_from_devmem(struct frob *fb, struct sk_buff *skb, netmem_ref nm, u32 off, size_t len, int i)
{
	skb_add_rx_frag_netmem(skb, i, nm, off, len, TRUE);
	return 0;
}
"""
