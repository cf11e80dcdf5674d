"""DM514: the size of a frag to send is put into 16 bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import (
    arguments,
    bare,
    called,
    declared_type,
    last_values,
    operator,
    plain,
    target,
    within,
)
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._functions import sends_netmem

_SIZE = "skb_frag_size"
_SHORT = frozenset({"u16", "__u16", "uint16_t", "__le16", "__be16", "unsigned short"})
_LONG = frozenset({"u64", "__u64", "uint64_t", "dma_addr_t", "size_t", "unsigned long"})
_TO_SHORT = frozenset({"cpu_to_le16", "cpu_to_be16"})
_BOUNDS = ("min", "min_t", "umin", "min3", "clamp", "clamp_t")
_COMPARES = frozenset({"<", ">", "<=", ">="})
_WIDE = 16
"""Bits that a shift has to take from a descriptor of 32 for a frag to be too long for the rest."""


class FragSizeNarrowed(CodeRule):
    """A driver that sends net_iovs writes the size of a frag into a field of 16 bits.

    What it does: in drivers that speak of netmem_tx it looks for skb_frag_size() that is turned into a 16-bit
    descriptor field, kept in a 16-bit variable or shifted by 16 bits and more, also through one variable. A shift by a
    named constant (`len << FROB_BD_LEN_SHIFT`), whose value is in a header, is a note.

    Why it matters: a frag of device memory may be as long as its net_iov, two megabytes and more; what does not fit is
    cut off, and the device sends something else.

    When it stays silent: the function compares the size with something or takes the smaller of two, as those do that
    split frags; drivers that send no net_iovs, whose frags are bounded by the page allocator; XDP,
    which gets no net_iovs; receiving.

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
        if not unit.mentions(_SIZE) or not sends_netmem(unit):
            return
        for size, narrowed, sure in sorted(_narrowed(unit), key=lambda one: one[0].start):
            if not _is_bounded(unit, size):
                yield Hit(
                    at=unit.at(size),
                    message=f"{narrowed} A frag of device memory may be far longer than a page: split it here, or keep "
                    "long ones away in ndo_features_check().",
                    level=None if sure else "note",
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
            code(
                "bad",
                path,
                _POST.replace(
                    "BODY", "\tu32 len;\n\n\tlen = skb_frag_size(frag);\n\tbd->word = len << FROB_LEN_SHIFT;\n"
                )
                + _ENABLE,
                finds=[Find(line="len << FROB_LEN_SHIFT", level="note")],
                note="how many bits are left is in a header",
            ),
            code("good", path, split + _ENABLE),
            code("look-alike", path, field, note="sends no net_iovs"),
            code("look-alike", path, field.replace("le16", "le32") + _ENABLE, note="32 bits"),
        )


def _narrowed(unit: Unit) -> Iterator[tuple[Node, str, bool]]:
    """(where, what keeps how much of it, whether that is sure) for each size of a frag that loses bits."""
    for call in unit.calls(*_TO_SHORT):
        if any(_is_size(unit, given) for given in arguments(call)):
            held = target(call)
            keeper = f"`{plain(held)}` holds" if held is not None else f"{called(call)}() keeps"
            yield call, f"{keeper} 16 bits.", True
    for call in unit.calls(_SIZE):
        held = target(call)
        if held is not None and held.kind == "identifier" and declared_type(unit, held, call) in _SHORT:
            yield call, f"`{held.text}` holds 16 bits.", True
    for node in unit.find("binary_expression"):
        left, right = node.child("left"), node.child("right")
        if operator(node) == "<<" and left is not None and right is not None and _is_short_size(unit, left):
            bits, name = _number(right), right.text
            if bits is not None and _WIDE <= bits < 32:
                yield node, f"`{left.text} << {name}` keeps {32 - bits} bits of 32.", True
            elif name.isupper() and "LEN" in name:
                yield node, f"Does every size fit into `{left.text} << {name}`?", False


def _is_short_size(unit: Unit, value: Node) -> bool:
    """Whether `value` is the size of a frag in 32 bits."""
    kind = value.child("type") if value.kind == "cast_expression" else None
    given = kind.text if kind is not None else declared_type(unit, value, value) if value.kind == "identifier" else None
    return given not in _LONG and _is_size(unit, value)


def _number(node: Node) -> int | None:
    return int(node.text) if node.kind == "number_literal" and node.text.isdecimal() else None


def _is_size(unit: Unit, value: Node) -> bool:
    """Whether `value` is the size of a frag, as it stands or as what a variable got last."""
    value = bare(value)
    if value.kind == "identifier":
        value = next((bare(last) for last in last_values(unit, value.text, value, 1)), value)
    return called(value) == _SIZE


def _is_bounded(unit: Unit, size: Node) -> bool:
    """Whether the function around `size` takes a smaller part of it, compares it with anything, or sends XDP frames."""
    function = unit.function_of(size)
    if function is None or "xdp" in function.name or "xdp" in unit.path:
        return True
    first, last = function.first_row, function.last_row
    if within(unit.calls(*_BOUNDS), first, last):
        return True
    return any(
        operator(node) in _COMPARES and any(_is_size(unit, side) for side in node.named_children)
        for node in within(unit.find("binary_expression"), first, last)
    )


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
