"""DM513: frags are added to an skb in a loop that nothing stops at MAX_SKB_FRAGS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called
from reviewer.kit.netmem import is_closed, says
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Result, Unit, code

_ADDERS = (
    *("skb_add_rx_frag_netmem", "skb_add_rx_frag", "skb_fill_netmem_desc", "skb_fill_page_desc"),
    *("__skb_fill_netmem_desc", "__skb_fill_page_desc", "skb_fill_page_desc_noacc", "skb_frag_fill_netmem_desc"),
)
_BOUNDS = ("MAX_SKB_FRAGS", "sysctl_max_skb_frags", "nr_frags", "skb_can_coalesce", "alloc_skb_with_frags")


class FragsNotBounded(CodeRule):
    """A loop adds frags to an skb, and nothing compares their number with MAX_SKB_FRAGS.

    What it does: it looks for the functions that add a frag, inside a loop of the network core, in functions that
    name no bound for the number of frags.

    Why it matters: `frags[]` has MAX_SKB_FRAGS entries and the helpers do not look: one more overwrites what lies
    behind the skb. How many frags a user's buffer needs is up to the user.

    When it stays silent: the function speaks of MAX_SKB_FRAGS, of the number of frags that the skb has or of a limit
    by that name anywhere; drivers, whose descriptors bound the number.

    Sources: include/linux/skbuff.h (MAX_SKB_FRAGS); RULES.md DM513.
    """

    id = "DM513"
    name = "frags-not-bounded"
    title = "Frags added without a bound"
    why = "An skb has room for MAX_SKB_FRAGS frags, and the helpers that add one do not look."
    level = "warning"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("function", "hunk")
    paths = ("net/**", "io_uring/**", "!net/xdp/**", "!net/bpf/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call; lack the function when the test may stand above what is visible."""
        for call in unit.calls(*_ADDERS):
            if unit.loop_of(call) is None or says(unit, call, *_BOUNDS, "max_frags", "MAX_FRAGS"):
                continue
            if is_closed(unit, call):
                yield Hit(
                    at=unit.at(call),
                    message=f"Nothing stops this loop at MAX_SKB_FRAGS, and {called(call)}() does not look: with one "
                    "frag more it writes behind `frags[]`. Test for `MAX_SKB_FRAGS` before the frag is added.",
                )
            elif unit.touched(call):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: as many as the length asks for. Look-alikes: a bound, one frag, a driver."""
        path, test = "net/core/frob.c", "if (i == MAX_SKB_FRAGS)\n\t\t\treturn -EMSGSIZE;\n\t\t"
        add = "skb_add_rx_frag_netmem(skb, i++, nm, off, n, n);"
        return (
            code("bad", path, _FILL.replace("BODY", add), finds=[Find(line="skb_add_rx_frag_netmem(")]),
            code("good", path, _FILL.replace("BODY", test + add)),
            code("look-alike", path, _ONE, note="one frag"),
            code("look-alike", "drivers/net/frob.c", _FILL.replace("BODY", add), note="bounded by the hardware"),
            code(
                "look-alike",
                path,
                _FILL.replace("BODY", f"if (skb_shinfo(skb)->nr_frags > 3)\n\t\t\tbreak;\n\t\t{add}"),
                note="another bound",
            ),
        )


_FILL = """
int frob_fill(struct sk_buff *skb, netmem_ref nm, u32 off, size_t len, size_t n)
{
	int i = 0;

	while (len) {
		BODY
		len -= n;
	}
	return 0;
}
"""
_ONE = """
int frob_fill(struct sk_buff *skb, netmem_ref nm, u32 off, size_t len)
{
	skb_add_rx_frag_netmem(skb, 0, nm, off, len, len);
	return 0;
}
"""
