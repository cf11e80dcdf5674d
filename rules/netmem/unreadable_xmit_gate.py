"""DM508: the test that keeps unreadable skbs from devices that cannot send them lost one of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Result, Unit, code

from ._functions import text_of

_GATE = "validate_xmit_unreadable_skb"
_PARTS: tuple[tuple[str, str], ...] = (
    (r"skb_frags_readable\(", "skb_frags_readable(), so that others pass"),
    (r"netmem_tx", "dev->netmem_tx, so that devices drop what they cannot send"),
    (r"net_is_devmem_iov\(", "net_is_devmem_iov(), since net_iovs of other providers have no binding"),
    (r"->dev\)? *!= *\w|\w *!= *(?:READ_ONCE\()?[\w()>-]*->dev\b", "the comparison of the binding's device with `dev`"),
)
"""What the gate asks, as a pattern and in words (net/core/dev.c, Documentation/networking/netmem.rst)."""


class UnreadableXmitGate(CodeRule):
    """validate_xmit_unreadable_skb() no longer asks one of the questions that it is there for.

    What it does: in the body of that function it looks for the four questions: is the skb readable, can the device
    send net_iovs, is this one from devmem, and was its dma-buf bound to this device.

    Why it matters: without them a device is given an address that is not mapped for it, or packets with net_iovs of
    another provider are dropped.

    When it stays silent: the function is not visible as a whole.

    Sources: <20250228164301.07af6753@kernel.org>; net/core/dev.c; RULES.md DM508. That `binding->dev` is read with
    READ_ONCE() is another rule's.
    """

    id = "DM508"
    name = "unreadable-xmit-gate"
    title = "The gate for unreadable skbs lost a question"
    why = "A device may only be given device memory that was mapped for it, and only if it can send net_iovs at all."
    level = "error"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("net/core/dev.c",)

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield one hit for what is missing; lack the function when a part of it is out of sight."""
        for function in unit.functions:
            if function.name != _GATE:
                continue
            if function.node is None or not function.complete:
                yield from (Lack("function"),) if unit.touched_rows(function.first_row, function.last_row) else ()
                continue
            text = text_of(unit, function)
            missing = [words for pattern, words in _PARTS if not re.search(pattern, text)]
            if missing:
                yield Hit(
                    at=unit.at(function.node),
                    message=f"{_GATE}() does not ask {', and not '.join(missing)}.",
                    evidence=" ".join(missing),
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: any niov is taken for devmem's; the device is not compared. Look-alike: another function."""
        path = "net/core/dev.c"
        any_niov = _FILE.replace("net_is_devmem_iov(niov) && ", "")
        any_device = _FILE.replace(" && READ_ONCE(net_devmem_iov_binding(niov)->dev) != dev", "")
        head = "static struct sk_buff *validate_xmit_unreadable_skb("
        return (
            code("bad", path, any_niov, before=_FILE, context=20, finds=[Find(line=head)]),
            code("bad", path, any_device, before=_FILE, context=20, finds=[Find(line=head)]),
            code("good", path, _FILE),
            code("look-alike", path, any_niov, before=_FILE, lacks=True, note="a question may be out of sight"),
            code("look-alike", path, any_niov.replace(_GATE, "frob_validate"), note="another function"),
        )


_FILE = """
static struct sk_buff *validate_xmit_unreadable_skb(struct sk_buff *skb, struct net_device *dev)
{
	struct net_iov *niov;

	if (likely(skb_frags_readable(skb)))
		return skb;
	if (!dev->netmem_tx)
		return frob_drop(skb);
	niov = netmem_to_net_iov(skb_frag_netmem(&skb_shinfo(skb)->frags[0]));
	if (net_is_devmem_iov(niov) && READ_ONCE(net_devmem_iov_binding(niov)->dev) != dev)
		return frob_drop(skb);
	return skb;
}
"""
