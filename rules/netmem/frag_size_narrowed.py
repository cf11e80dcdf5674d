"""DM514: the size of a frag to send is put into 16 bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import bare, called, declared_type, target
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._functions import sends_netmem, text_of

_SIZE = "skb_frag_size"
_SHORT = frozenset({"u16", "__u16", "uint16_t", "__le16", "__be16", "unsigned short"})
_TO_SHORT = frozenset({"cpu_to_le16", "cpu_to_be16"})
_LIMITS = ("min(", "min_t(", "MAX", "LIMIT", "SZ_", "U16_MAX", "do {")
"""What tells that the function splits frags or refuses long ones."""


class FragSizeNarrowed(CodeRule):
    """A driver that sends net_iovs writes the size of a frag into a field of 16 bits.

    What it does: in drivers that speak of netmem_tx it looks for skb_frag_size() that is turned into a 16-bit
    descriptor field or kept in a 16-bit variable, in functions that name no limit.

    Why it matters: a frag of device memory may be as long as its net_iov, two megabytes and more; what does not fit is
    cut off, and the device sends something else.

    When it stays silent: the function splits frags or names a limit; drivers that send no net_iovs, whose frags are
    bounded by the page allocator; receiving.

    Sources: Documentation/networking/netmem.rst; RULES.md DM514.
    """

    id = "DM514"
    name = "frag-size-narrowed"
    title = "Size of a frag to send kept in 16 bits"
    why = "A frag of device memory can be far longer than a page, and hardware takes what the descriptor can hold."
    level = "warning"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("hunk",)
    paths = ("drivers/net/**",)

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each size that is narrowed."""
        for call in unit.calls(_SIZE):
            narrowed = _narrowed(unit, call)
            function = unit.function_of(call)
            if narrowed is None or function is None or not sends_netmem(unit):
                continue
            if not any(word in text_of(unit, function) for word in _LIMITS):
                yield Hit(
                    at=unit.at(call),
                    message=f"{narrowed} holds 16 bits, and a frag of device memory may be longer. Split it here, or "
                    "keep longer ones away in ndo_features_check().",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a descriptor field, a variable. Look-alikes: it is split, no net_iovs are sent."""
        path = "drivers/net/frob.c"
        split = _POST.replace("BODY", _SPLIT)
        field = _POST.replace("BODY", "\tbd->len = cpu_to_le16(skb_frag_size(frag));\n")
        return (
            code("bad", path, field + _ENABLE, finds=[Find(line="cpu_to_le16(")]),
            code(
                "bad",
                path,
                _POST.replace("BODY", "\tu16 len = skb_frag_size(frag);\n") + _ENABLE,
                finds=[Find(line="u16")],
            ),
            code("good", path, split + _ENABLE),
            code("look-alike", path, field, note="sends no net_iovs"),
            code("look-alike", path, field.replace("le16", "le32") + _ENABLE, note="32 bits"),
        )


def _narrowed(unit: Unit, call: Node) -> str | None:
    """What keeps 16 bits of the size that `call` gives."""
    outer = call.parent.parent if call.parent is not None and call.parent.kind == "argument_list" else None
    if outer is not None and called(outer) in _TO_SHORT:
        held = target(outer)
        return f"`{held.text}`" if held is not None else f"{called(outer)}()"
    held = target(call)
    if held is None or held.kind != "identifier":
        return None
    kind = declared_type(unit, bare(held), call)
    return f"`{held.text}`" if kind in _SHORT else None


_ENABLE = """
void frob_probe(struct net_device *dev)
{
	dev->netmem_tx = true;
}
"""
_POST = """
void frob_post(struct frob_ring *ring, struct frob_bd *bd, const skb_frag_t *frag)
{
BODY	frob_ring_post(ring, bd);
}
"""
_SPLIT = """	u32 left = skb_frag_size(frag);

	do {
		bd->len = cpu_to_le16(min_t(u32, left, FROB_MAX_BD_LEN));
		left -= le16_to_cpu(bd->len);
	} while (left);
"""
