"""DM205: an index becomes an address or an offset only after the shift that may have lost its top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import bare, called
from reviewer.kit.types import ctype
from reviewer.kit.units import is_niov_name, measure, operands
from reviewer.kit.widths import converted_to, width
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_INDEX_CALLS = frozenset({"net_iov_idx", "page_pool_iov_idx"})
_LIMITS = frozenset({"UINT_MAX", "U32_MAX"})
_OF_BYTES = frozenset({"off", "offset", "addr", "address", "virt"})
_DEVMEM = ("net/core/devmem.c", "net/core/devmem.h", "include/net/netmem.h")


class WidenedAfterShift(CodeRule):
    """An index of 32 bits is cast to the type of the address or offset before it is shifted.

    What it does: finds shifts by PAGE_SHIFT or a niov shift, and products with UINT_MAX, whose left side is a 32-bit
    variable or `net_iov_idx()`, and whose result is cast to, added to, or stored in something of 64 bits.

    Why it matters: the shift is computed in 32 bits: with pages of 4 KiB, index 2^20 is address 0 again.

    When it stays silent: the type of the index, or of where the result goes, is not visible (an offset or address made
    from `net_iov_idx()` tells by its name); the cast comes first; the result indexes an array.

    Sources: RULES DM205; <5d29fc35107408e1d23d4d9e853cccc4e270b0f1.1758030357.git.asml.silence@gmail.com>.
    """

    id = "DM205"
    name = "widened-after-shift"
    title = "Index shifted in 32 bits, widened afterwards"
    why = "C computes in the type of the operands: a 32-bit index loses its top bits before the result is widened."
    level = "error"
    confidence = "high"
    category = "overflow/integer-width"
    needs = ("function", "hunk")
    paths = ("**/*.c", "**/*.h", "!tools/**", "!Documentation/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each shift or product that is widened too late."""
        if not unit.mentions("PAGE_SHIFT", "_shift", *sorted(_LIMITS)):
            return
        for node in unit.find("binary_expression"):
            index = _index(unit, node)
            if index is None:
                continue
            written = converted_to(unit, node)
            kind = ctype(written)
            name = _byte_name(node) if written is None and called(bare(index)) in _INDEX_CALLS else None
            if kind is not None and kind.bits > 32:
                message = (
                    f"{node.text} is computed in 32 bits and only then becomes {written}: from 4 GiB on it wraps. "
                    f"Widen first: ({written}){_widened(node, index)}."
                )
            elif name is not None:
                message = (
                    f"{node.text} is computed in 32 bits: from 4 GiB on {name} is wrong. "
                    f"Widen first: (u64){_widened(node, index)}."
                )
            else:
                continue
            yield Hit(
                at=unit.at(node),
                message=message,
                level=None if unit.path in _DEVMEM else "warning",
                confidence=None if name is None else "medium",
            )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented addresses."""
        return (
            code(
                "bad",
                "net/core/devmem.c",
                """
static dma_addr_t frob_addr(struct frob *fb, unsigned int idx)
{
	dma_addr_t addr;

	addr = fb->base + (dma_addr_t)(idx << fb->slot_shift);
	return addr;
}

static unsigned long frob_virt(struct net_iov *niov, unsigned long base)
{
	return base + (net_iov_idx(niov) << PAGE_SHIFT);
}
""",
                finds=[Find(line="(dma_addr_t)(idx << fb->slot_shift)"), Find(line="return base + (net_iov_idx(niov)")],
            ),
            code(
                "bad",
                "drivers/dma-buf/frob.c",
                """
struct frob_range {
	phys_addr_t base;
	int first;
};

static void frob_fill(struct frob_range *range, dma_addr_t addr, unsigned int nents)
{
	unsigned int i;

	frob_start(range->base + (range->first << PAGE_SHIFT));
	for (i = 0; i < nents; i++)
		frob_post(addr + i * UINT_MAX);
}
""",
                finds=[
                    Find(line="range->base + (range->first << PAGE_SHIFT)", level="warning"),
                    Find(line="addr + i * UINT_MAX", level="warning"),
                ],
            ),
            code(
                "bad",
                "io_uring/zcrx.c",
                """
static void frob_queue(struct frob *fb, struct frob_cqe *cqe, int off)
{
	if (fb->off)
		frob_wait(fb);
	if (!cqe)
		return;
	offset = off + (net_iov_idx(fb->niov) << fb->slot_shift);
	cqe->off = offset;
	frob_post(fb, cqe);
}
""",
                before="""
static void frob_queue(struct frob *fb, struct frob_cqe *cqe, int off)
{
	if (fb->off)
		frob_wait(fb);
	if (!cqe)
		return;
	cqe->off = offset;
	frob_post(fb, cqe);
}
""",
                finds=[Find(line="offset = off + (net_iov_idx", level="warning")],
                note="the declaration of offset is not in the hunk; its name tells",
            ),
            code(
                "good",
                "net/core/devmem.c",
                """
static dma_addr_t frob_addr(struct frob *fb, unsigned int idx)
{
	dma_addr_t addr;

	addr = fb->base + ((dma_addr_t)idx << fb->slot_shift);
	return addr + ((dma_addr_t)(idx + 1) << PAGE_SHIFT);
}
""",
            ),
            code(
                "look-alike",
                "net/core/devmem.c",
                """
static struct page *frob_page(struct frob *fb, struct net_iov *niov, unsigned int order)
{
	unsigned int len = net_iov_idx(niov) << PAGE_SHIFT;
	unsigned long bit = fb->first << fb->slot_shift;

	frob_post(fb, len << fb->slot_shift);
	return fb->pages[net_iov_idx(niov) << order] + bit;
}
""",
                note="a 32-bit target; types that are not visible; an index of an array",
            ),
        )


def _index(unit: Unit, node: Node) -> Node | None:
    """The narrow left side of a shift into bytes, or of a product with the greatest 32-bit number."""
    left, right, operator = operands(node)
    if left is None or right is None:
        return None
    if operator == "<<" and (is_niov_name(right.text) or measure(unit, right) is not None):
        return left if _is_narrow(unit, left) else None
    if operator == "*" and (left.text in _LIMITS or right.text in _LIMITS):
        index = left if right.text in _LIMITS else right
        return index if _is_narrow(unit, index) else None
    return None


def _byte_name(node: Node) -> str | None:
    """The name of the variable that `node` goes into, when it says that it is an offset or an address."""
    for outer in node.ancestors():
        if outer.kind == "assignment_expression":
            target = outer.child("left")
            names = target.text.split("_") if target is not None and target.kind == "identifier" else []
            return "_".join(names) if not _OF_BYTES.isdisjoint(names) else None
        if outer.kind not in ("binary_expression", "parenthesized_expression"):
            break
    return None


def _widened(node: Node, index: Node) -> str:
    """`index << shift` with the index first, to put a cast before it."""
    left, right, operator = operands(node)
    other = left if index is right else right
    return f"{index.text} {operator} {other.text if other is not None else ''}"


def _is_narrow(unit: Unit, index: Node) -> bool:
    if called(bare(index)) in _INDEX_CALLS and index.kind != "cast_expression":
        return True
    if bare(index).kind == "number_literal":
        return False
    bits = width(unit, index)
    return bits is not None and bits <= 32
