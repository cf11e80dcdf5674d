"""DM510: references counted by the wrong counter: a page's of what may be a net_iov, a page pool's of any page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import bare, called, calls_in
from reviewer.kit.netmem import (
    POOL_PROOFS,
    READABLE_PROOFS,
    first_argument,
    from_frag,
    is_closed,
    never_unreadable,
    says,
)
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_INSTEAD = {
    "get_page": "skb_frag_ref() or get_netmem()",
    "put_page": "skb_frag_unref() or put_netmem()",
    "page_ref_inc": "skb_frag_ref() or get_netmem()",
    "page_ref_dec": "skb_frag_unref() or put_netmem()",
    "page_ref_add": "skb_frag_ref() or get_netmem()",
    "page_ref_sub": "skb_frag_unref() or put_netmem()",
    "page_ref_count": "netmem_ref_count()",
    "page_count": "netmem_ref_count()",
    "compound_head": "netmem_compound_head()",
}
_POOLED = frozenset({"ref", "unref", "get", "put", "fragment"})
_NOT_POOLED = frozenset({"dma", "stats", "netmem"})
_POOL_WORDS = ("recycle", "pp_magic", "is_pp", "net_iov", "is_page_pool", "readable", "devmem", "xdp")


class PageReferenceOnNetmem(CodeRule):
    """A page's reference count is used for a frag or netmem that may be a net_iov, or a page pool's for any frag.

    What it does: it looks for get_page(), put_page(), page_ref_*(), page_count() and compound_head() of the page of a
    frag or netmem, and for the page pool's own counting on the page of a frag, in functions that never ask what the
    frag holds.

    Why it matters: a net_iov has no page: the page is NULL. What comes from a page pool is counted in pp_ref_count,
    everything else in the page: counting in the other one frees memory that is in use, or never frees it.

    When it stays silent: the function speaks of a net_iov, of readable frags, of devmem or of the page pool anywhere,
    or is about XDP; the page is of another origin; the page pool and the netmem helpers themselves. In a driver of
    which nothing that is visible speaks of unreadable memory, it is a note.

    Sources: Documentation/networking/netmem.rst; <adde2b31fdd9e7bb4a09f0073580b840bea0bab1.camel@redhat.com>;
    RULES.md DM510.
    """

    id = "DM510"
    name = "page-reference-on-netmem"
    title = "Page reference on a netmem"
    why = "A net_iov has no page, and a page pool counts its own elsewhere: the wrong counter leaks or frees early."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    supersedes = ("DM501", "DM502")
    paths = ("drivers/net/**", "net/**", "io_uring/**", "include/linux/skbuff*", "!net/core/page_pool*", "!net/xdp/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call; lack the function when the test may stand above what is visible."""
        for call in unit.calls(*_INSTEAD):
            counted = first_argument(call)
            if counted is not None and _is_netmem(unit, counted) and not says(unit, call, *_PROOFS, *_POOL_WORDS):
                yield from _result(unit, call, _page_message(call, counted))
        if unit.mentions("page_pool_"):
            for call in unit.calls():
                counted = first_argument(call) if _is_pooled(called(call)) else None
                if counted is not None and from_frag(unit, counted) and not says(unit, call, *_POOL_WORDS):
                    yield from _result(unit, call, _pool_message(call, counted))

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: each counter on the wrong thing. Look-alikes: asked before, a page of another origin."""
        path = "net/core/frob.c"
        page, pool = "get_page(skb_frag_page(frag));", "page_pool_ref_page(frag->bv_page);"
        return (
            code("bad", path, _FRAG.replace("BODY", page), finds=[Find(line="get_page(")]),
            code("bad", path, _FRAG.replace("BODY", _HELD), finds=[Find(line="put_page(page)")]),
            code("bad", path, _FRAG.replace("BODY", pool), finds=[Find(line="page_pool_ref_page(")]),
            code(
                "bad",
                "drivers/net/frob.c",
                _FRAG.replace("BODY", page),
                finds=[Find(line="get_page(", level="note")],
                note="nothing shows that this driver may get unreadable memory",
            ),
            code("good", path, _FRAG.replace("BODY", "get_netmem(skb_frag_netmem(frag));")),
            code("look-alike", path, _FRAG.replace("BODY", f"if (!skb_frag_net_iov(frag))\n\t\t{page}"), note="asked"),
            code(
                "look-alike",
                path,
                _FRAG.replace("BODY", f"if (skb->pp_recycle)\n\t\t{pool}"),
                note="asked for the pool",
            ),
            code("look-alike", path, _FRAG.replace("BODY", "get_page(pages[0]);"), note="a page of another origin"),
            code("look-alike", "net/core/page_pool.c", _FRAG.replace("BODY", page)),
        )


_PROOFS = (*READABLE_PROOFS, *POOL_PROOFS)


def _is_netmem(unit: Unit, counted: Node) -> bool:
    return from_frag(unit, counted) or any(True for _ in calls_in(bare(counted), "netmem_to_page"))


def _is_pooled(name: str) -> bool:
    words = set(name.split("_")[2:]) if name.startswith("page_pool_") else set[str]()
    return bool(words & _POOLED) and not words & _NOT_POOLED


def _page_message(call: Node, counted: Node) -> str:
    name = called(call)
    return (
        f"{name}() needs a page, but `{counted.text}` is NULL when this is a net_iov, and what is of a page pool is "
        f"not counted in the page: {_INSTEAD[name]}."
    )


def _pool_message(call: Node, counted: Node) -> str:
    return (
        f"{called(call)}() counts in the page pool's counter, but nothing here says that `{counted.text}` is of a page "
        "pool: test for it first and count the other frags in the page, as skb_frag_ref() does."
    )


def _result(unit: Unit, call: Node, message: str) -> Iterator[Result]:
    if is_closed(unit, call):
        alone = never_unreadable(unit)
        yield Hit(
            at=unit.at(call),
            message=message,
            level="note" if alone else None,
            confidence="low" if alone else None,
        )
    elif unit.touched(call):
        yield Lack("function")


_FRAG = """
void frob_frag(struct sk_buff *skb, skb_frag_t *frag, struct page **pages, bool pool)
{
	BODY
	frob_done(skb);
}
"""
_HELD = "struct page *page = skb_frag_page(frag);\n\n\tput_page(page);"
