"""DM515: a driver that sends net_iovs linearizes skbs with too many frags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called
from reviewer.kit.guards import enclosing_conditions
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._functions import sends_netmem, text_of

_FALLBACKS = ("skb_linearize", "__skb_linearize", "skb_copy", "skb_linearize_cow")


class UnreadableSkbLinearized(CodeRule):
    """A driver's way out for skbs with too many frags cannot work with device memory.

    What it does: in drivers that speak of netmem_tx it looks for skb_linearize() and skb_copy() that depend on
    nr_frags.

    Why it matters: an unreadable skb cannot be copied, so skb_linearize() gives -ENOMEM and the packet is dropped,
    again and again. ndo_features_check() can take GSO off such an skb, and the stack makes smaller ones.

    When it stays silent: the driver sends no net_iovs; the function asks skb_frags_readable(). A note where an `#if`
    of the function compares MAX_SKB_FRAGS, since the check is then not there in the usual configuration.

    Sources: Documentation/networking/netmem.rst; __skb_linearize() in net/core/skbuff.c; RULES.md DM515.
    """

    id = "DM515"
    name = "unreadable-skb-linearized"
    title = "Too many frags, and skb_linearize() as the way out"
    why = "skbs with device memory cannot be linearized: the stack has to segment them, or they have to be dropped."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("hunk",)
    paths = ("drivers/net/**",)

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each way out."""
        for call in unit.calls(*_FALLBACKS):
            function = unit.function_of(call)
            if function is None or not _of_too_many(call) or not sends_netmem(unit):
                continue
            text = text_of(unit, function)
            if "readable" not in text:
                yield Hit(
                    at=unit.at(call),
                    message=f"{called(call)}() fails for skbs with device memory, so that one with too many frags is "
                    "dropped each time. Take NETIF_F_GSO_MASK off it in ndo_features_check(), and the stack segments.",
                    level="note" if _is_optional(text) else None,
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: in the condition, below it. Look-alikes: no net_iovs, another reason, readable ones only."""
        path = "drivers/net/frob.c"
        at_once = "\tif (skb_shinfo(skb)->nr_frags > FROB_MOST && skb_linearize(skb))\n\t\treturn frob_drop(skb);\n"
        below = "\tif (skb_shinfo(skb)->nr_frags > FROB_MOST) {\n\t\tif (skb_linearize(skb))\n\t\t\treturn 0;\n\t}\n"
        return (
            code("bad", path, _XMIT.replace("BODY", at_once) + _ENABLE, finds=[Find(line="skb_linearize(skb)")]),
            code("bad", path, _XMIT.replace("BODY", below) + _ENABLE, finds=[Find(line="skb_linearize(skb)")]),
            code(
                "bad",
                path,
                _XMIT.replace("BODY", f"#if (MAX_SKB_FRAGS > FROB_MOST)\n{at_once}#endif\n") + _ENABLE,
                finds=[Find(line="skb_linearize(skb)", level="note")],
                note="not compiled with 17 frags an skb, but with more",
            ),
            code("good", path, _FEATURES + _ENABLE),
            code("look-alike", path, _XMIT.replace("BODY", at_once), note="sends no net_iovs"),
            code(
                "look-alike",
                path,
                _XMIT.replace("BODY", "\tif (frob_broken(skb) && skb_linearize(skb))\n\t\treturn 0;\n") + _ENABLE,
                note="another reason",
            ),
            code(
                "look-alike",
                path,
                _XMIT.replace("BODY", "\tif (!skb_frags_readable(skb))\n\t\treturn 0;\n" + at_once) + _ENABLE,
                note="readable ones only",
            ),
        )


def _is_optional(text: str) -> bool:
    """Whether the check is only compiled for configurations with many frags: `#if (MAX_SKB_FRAGS > FROB_MOST)`."""
    return any(line.startswith("#if") and "MAX_SKB_FRAGS" in line for line in text.split("\n"))


def _of_too_many(call: Node) -> bool:
    """Whether `call` is made because of the number of frags."""
    return any("nr_frags" in condition.text for condition in enclosing_conditions(call)[:3])


_ENABLE = """
void frob_probe(struct net_device *dev)
{
	dev->netmem_tx = true;
}
"""
_XMIT = """
netdev_tx_t frob_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
BODY	return frob_queue(skb);
}
"""
_FEATURES = """
netdev_features_t frob_features_check(struct sk_buff *skb, struct net_device *dev, netdev_features_t features)
{
	if (skb_is_gso(skb) && skb_shinfo(skb)->nr_frags > FROB_MOST)
		features &= ~NETIF_F_GSO_MASK;
	return features;
}
"""
