"""DM501: the page or the address of a netmem, used as if it could be no net_iov."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called, calls_in, last_values, plain
from reviewer.kit.netmem import (
    PAGE_COUNTING,
    POOL_PROOFS,
    READABLE_PROOFS,
    asks,
    first_argument,
    function_name,
    is_closed,
    never_unreadable,
    untested,
)
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_MAY_FAIL = ("netmem_to_page", "netmem_address")
_UNCHECKED = ("__netmem_to_page", "__netmem_address")
_PROOFS = (*READABLE_PROOFS, *POOL_PROOFS)
_FROM_PAGES = ("page_to_netmem", "virt_to_netmem", "skb_frag_page")
_HEADERS = ("hdr", "head", "linear", "xdp", "xsk")


class NetmemTakenForPage(CodeRule):
    """The page or the address behind a netmem is used, and nothing asks whether the netmem is a net_iov.

    What it does: it looks for netmem_to_page() and netmem_address() whose result is followed or handed on without a
    test for NULL, and for their variants with two underscores, which do not look at all, in functions that never ask
    what the netmem is.

    Why it matters: a net_iov is no page. netmem_to_page() warns and gives NULL for it, netmem_address() gives NULL,
    and the variants with two underscores give a pointer into the net_iov itself.

    When it stays silent: the function calls netmem_is_net_iov() or another test anywhere; the netmem was made from a
    page; header buffers and XDP, where a memory provider is refused; the page pool and the netmem helpers themselves.
    In a driver of which nothing that is visible speaks of unreadable memory, it is a note, since such a driver
    never gets a net_iov.

    Sources: Documentation/networking/netmem.rst; include/net/netmem.h; RULES.md DM501.
    """

    id = "DM501"
    name = "netmem-taken-for-page"
    title = "Netmem taken for a page"
    why = "A netmem may be a net_iov, which has no page and no address: the accessor gives NULL or garbage for it."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = (
        *("drivers/net/**", "net/**", "io_uring/**", "include/linux/skbuff*"),
        *("!net/core/page_pool*", "!net/core/xdp.c", "!net/xdp/**", "!**/libeth/**", "!net/bpf/**"),
    )

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each use; lack the function when the test may stand above what is visible."""
        for call in unit.calls(*_MAY_FAIL, *_UNCHECKED):
            netmem = first_argument(call)
            if netmem is None or _is_page(unit, call, netmem) or asks(unit, call, *_PROOFS):
                continue
            use = untested(unit, call) if called(call) in _MAY_FAIL else called(call)
            if use is None or use.removesuffix("()") in PAGE_COUNTING:
                continue
            if is_closed(unit, call):
                yield _hit(unit, call, netmem, use)
            elif unit.touched(call):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: an address, a page, a variant that does not look. Look-alikes: tested, made from a page, headers."""
        path = "net/core/frob.c"
        use = "memcpy(to, page_address(netmem_to_page(rxb->nm)), rxb->len);"
        return (
            code("bad", path, _COPY.replace("BODY", use), finds=[Find(line="netmem_to_page(")]),
            code("bad", path, _HELD, finds=[Find(line="va = netmem_address(")]),
            code("bad", path, _COPY.replace("BODY", _BLIND), finds=[Find(line="__netmem_address(")]),
            code(
                "bad",
                "drivers/net/frob.c",
                _COPY.replace("BODY", use),
                finds=[Find(line="netmem_to_page(", level="note")],
                note="nothing shows that this driver may get unreadable memory",
            ),
            code("good", path, _HELD.replace("\tmemcpy", "\tif (!va)\n\t\treturn -EFAULT;\n\tmemcpy")),
            code("look-alike", path, _COPY.replace("BODY", f"if (!netmem_is_net_iov(rxb->nm))\n\t\t{use}")),
            code("look-alike", path, _MADE, note="made from a page"),
            code("look-alike", path, _COPY.replace("BODY", use.replace("nm", "hdr_nm")), note="a header buffer"),
            code("look-alike", path, _GIVEN, note="the caller gets the NULL"),
            code("look-alike", "net/core/page_pool.c", _COPY.replace("BODY", use), note="the page pool itself"),
            code("look-alike", path, _LONG.replace("OLD", use), before=_LONG.replace("OLD", ""), lacks=True),
        )


def _is_page(unit: Unit, call: Node, netmem: Node) -> bool:
    """Whether the netmem was made from a page, or is by its name one that is always a page."""
    text = f"{plain(netmem)} {function_name(unit, call)}".lower()
    if any(word in text for word in _HEADERS):
        return True
    values = (netmem, *last_values(unit, plain(netmem), call))
    return any(True for value in values for _ in calls_in(value, *_FROM_PAGES))


def _hit(unit: Unit, call: Node, netmem: Node, use: str) -> Hit:
    name = called(call)
    if name in _UNCHECKED:
        what = f"{name}() does not look whether `{netmem.text}` is a net_iov, and gives a wild pointer when it is"
    else:
        what = f"{name}() gives NULL when `{netmem.text}` is a net_iov, and {use} uses the result untested"
    alone = never_unreadable(unit)
    return Hit(
        at=unit.at(call),
        message=f"{what}: ask netmem_is_net_iov() first, or test netmem_address() for NULL.",
        level="note" if alone else None,
        confidence="low" if alone else None,
    )


_COPY = """
int frob_copy(struct frob_buf *rxb, void *to)
{
	BODY
	return 0;
}
"""
_BLIND = "memcpy(to, __netmem_address(rxb->nm), rxb->len);"
_HELD = """
int frob_copy(struct frob_buf *rxb, void *to)
{
	void *va;

	va = netmem_address(rxb->nm);
	memcpy(to, va, rxb->len);
	return 0;
}
"""
_MADE = """
int frob_copy(struct frob_buf *rxb, struct page *page, void *to)
{
	netmem_ref nm = page_to_netmem(page);

	memcpy(to, netmem_address(nm), rxb->len);
	return 0;
}
"""
_GIVEN = """
struct page *frob_page(struct frob_buf *rxb)
{
	return netmem_to_page(rxb->nm);
}
"""
_LONG = """
int frob_copy(struct frob_buf *rxb, void *to)
{
	frob_one(rxb);
	frob_two(rxb);
	frob_three(rxb);
	frob_four(rxb);
	frob_five(rxb);
	OLD
	frob_six(rxb);
	frob_seven(rxb);
	frob_eight(rxb);
	frob_nine(rxb);
	return 0;
}
"""
