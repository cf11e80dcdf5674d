"""DM506: a netmem is put into a frag by a helper that does not mark the skb as unreadable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called, calls_in, last_values, plain
from reviewer.kit.netmem import is_closed, never_unreadable, says
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_SILENT_HELPERS = {"skb_frag_fill_netmem_desc": 1, "__skb_fill_netmem_desc_noacc": 2}
"""Helpers that do not set the bit, and which argument the netmem is."""
_SETTERS = (
    *("unreadable", "skb_add_rx_frag_netmem(", "skb_fill_netmem_desc(", "xdp_buff_add_frag", "skb_copy_header"),
    *("skb_frags_readable", "netmem_is_net_iov", "net_is_devmem_iov", "devmem"),
)
_FROM_PAGES = ("page_to_netmem", "virt_to_netmem")
_HEADERS = ("hdr", "head")


class UnreadableBitMissing(CodeRule):
    """A netmem becomes a frag by a helper that leaves `skb->unreadable` alone, and nothing else sets it.

    What it does: it looks for skb_frag_fill_netmem_desc() and __skb_fill_netmem_desc_noacc(), in functions that
    neither speak of `unreadable` nor call a helper that sets it.

    Why it matters: everybody asks the skb, not its frags, whether they are readable. A net_iov in an skb without the
    bit is read as a page.

    When it stays silent: the bit or a setter is named anywhere in the function; the netmem was made from a page; the
    helpers themselves (include/); drivers of which nothing that is visible speaks of unreadable memory.

    Sources: include/linux/skbuff.h (__skb_fill_netmem_desc); RULES.md DM506.
    """

    id = "DM506"
    name = "unreadable-bit-missing"
    title = "Net_iov added without marking the skb unreadable"
    why = "Readers ask skb->unreadable, not the frags: a net_iov in an skb without that bit is read as a page."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("drivers/net/**", "net/**", "io_uring/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call; lack the function when the bit may be set out of sight."""
        for call in unit.calls(*_SILENT_HELPERS):
            given = arguments(call)
            place = _SILENT_HELPERS[called(call)]
            if len(given) <= place or _is_page(unit, call, given[place]):
                continue
            if says(unit, call, *_SETTERS) or never_unreadable(unit):
                continue
            if is_closed(unit, call):
                yield Hit(
                    at=unit.at(call),
                    message=f"{called(call)}() does not set skb->unreadable: with a net_iov in `{given[place].text}` "
                    "the skb passes for readable. skb_add_rx_frag_netmem() sets it; else set it here.",
                )
            elif unit.touched(call):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a frag filled by hand. Look-alikes: the bit is set, the netmem is a page."""
        path = "net/core/frob.c"
        fill = "skb_frag_fill_netmem_desc(&sh->frags[sh->nr_frags++], nm, off, len);"
        adds = "skb_add_rx_frag_netmem(skb, sh->nr_frags, nm, off, len, len);"
        page = fill.replace("nm,", "page_to_netmem(page),")
        return (
            code("bad", path, _ADD.replace("BODY", fill), finds=[Find(line="skb_frag_fill_netmem_desc(")]),
            code("good", path, _ADD.replace("BODY", adds)),
            code("look-alike", path, _ADD.replace("BODY", f"{fill}\n\tskb->unreadable = frob_is_niov(nm);")),
            code("look-alike", path, _ADD.replace("BODY", page), note="made from a page"),
            code("look-alike", "drivers/net/frob.c", _ADD.replace("BODY", fill), note="gets no unreadable memory"),
        )


def _is_page(unit: Unit, call: Node, netmem: Node) -> bool:
    if any(word in plain(netmem) for word in _HEADERS):
        return True
    values = (netmem, *last_values(unit, plain(netmem), call))
    return any(True for value in values for _ in calls_in(value, *_FROM_PAGES))


_ADD = """
void frob_add(struct sk_buff *skb, netmem_ref nm, struct page *page, u32 off, u32 len)
{
	struct skb_shared_info *sh = skb_shinfo(skb);

	BODY
	skb->len += len;
}
"""
