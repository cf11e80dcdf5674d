"""DM502: the page or the address of a frag, used as if every frag had one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called
from reviewer.kit.netmem import (
    PAGE_COUNTING,
    READABLE_PROOFS,
    first_argument,
    is_closed,
    never_unreadable,
    says,
    untested,
)
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_ACCESSORS = ("skb_frag_page", "skb_frag_address", "skb_frag_address_safe")
_OWN = ("alloc_skb", "build_skb", "skb_copy(", "xdp", "is_dma_buf_page", "page_pool_iov")
"""What tells that the frags are of the function's own making, or are those of XDP."""


class UnreadableFragRead(CodeRule):
    """The page or the address of a frag is used, and nothing asks whether the frag has one.

    What it does: it looks for skb_frag_page(), skb_frag_address() and skb_frag_address_safe() whose result is followed
    or handed on without a test for NULL, in functions that never ask whether the frags are readable.

    Why it matters: a frag may be a net_iov, device memory without a page. The accessors then give NULL, and the next
    step is a NULL dereference that only happens to users of devmem.

    When it stays silent: the function calls skb_frags_readable() or skb_frag_net_iov(), or tests the result, anywhere;
    it made the skb itself; XDP, where a memory provider is refused. In a driver of which nothing that is visible
    speaks of unreadable memory, it is a note.

    Sources: include/linux/skbuff.h (skb_frag_page); <7e851882-9a85-3672-c3d5-73b47599873c@huawei.com>,
    <20240820081920.6630a73f@kernel.org>; RULES.md DM502.
    """

    id = "DM502"
    name = "unreadable-frag-read"
    title = "Frag read that may be unreadable"
    why = (
        "A frag of a devmem skb is a net_iov and has no page: skb_frag_page() and skb_frag_address() give NULL for it."
    )
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("drivers/net/**", "net/**", "include/linux/skbuff*", "include/net/**", "!net/xdp/**", "!net/core/xdp.c")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each use; lack the function when the test may stand above what is visible."""
        for call in unit.calls(*_ACCESSORS):
            if says(unit, call, *READABLE_PROOFS, *_OWN):
                continue
            use = untested(unit, call)
            if use is None or use.removesuffix("()") in PAGE_COUNTING:
                continue
            if is_closed(unit, call):
                yield _hit(unit, call, use)
            elif unit.touched(call):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a page mapped, an address copied from. Look-alikes: asked before, tested, the function's own skb."""
        path = "net/core/frob.c"
        map_it, test = (
            "p = kmap_local_page(skb_frag_page(frag));",
            "if (!skb_frags_readable(skb))\n\t\treturn -EFAULT;\n\t",
        )
        return (
            code("bad", path, _READ.replace("BODY", map_it), finds=[Find(line="kmap_local_page(")]),
            code("bad", path, _READ.replace("BODY", _HELD), finds=[Find(line="p = skb_frag_address(")]),
            code(
                "bad",
                "drivers/net/frob.c",
                _READ.replace("BODY", map_it),
                finds=[Find(line="kmap_local_page(", level="note")],
                note="nothing shows that this driver may get unreadable memory",
            ),
            code("good", path, _READ.replace("BODY", test + map_it)),
            code("look-alike", path, _READ.replace("BODY", _HELD.replace("\tmemcpy", "\tif (p)\n\t\tmemcpy"))),
            code("look-alike", path, _READ.replace("BODY", f"skb = alloc_skb(len, GFP_KERNEL);\n\t{map_it}")),
            code("look-alike", path, _READ.replace("BODY", "p = frob_map(frag);"), note="no accessor"),
            code("look-alike", "lib/frob.c", _READ.replace("BODY", map_it), note="not the network"),
            code("look-alike", path, _LONG.replace("OLD", map_it), before=_LONG.replace("OLD", ""), lacks=True),
        )


def _hit(unit: Unit, call: Node, use: str) -> Hit:
    frag = first_argument(call)
    given = frag.text if frag is not None else "it"
    alone = never_unreadable(unit)
    return Hit(
        at=unit.at(call),
        message=f"{called(call)}() gives NULL when `{given}` is a net_iov, and {use} uses the result untested: refuse "
        "such skbs with skb_frags_readable() before the frags are read.",
        level="note" if alone else None,
        confidence="low" if alone else None,
    )


_READ = """
int frob_read(struct sk_buff *skb, skb_frag_t *frag, void *to, size_t len)
{
	void *p;

	BODY
	return 0;
}
"""
_HELD = "p = skb_frag_address(frag);\n\tmemcpy(to, p, len);"
_LONG = """
int frob_read(struct sk_buff *skb, skb_frag_t *frag, void *to)
{
	void *p;

	frob_one(skb);
	frob_two(skb);
	frob_three(skb);
	OLD
	frob_four(skb);
	frob_five(skb);
	frob_six(skb);
	frob_seven(skb);
	return 0;
}
"""
