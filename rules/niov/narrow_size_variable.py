"""DM208: the size of a dma-buf, of a niov, or a sum of lengths is kept in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import bare, called, operator
from reviewer.kit.sg import dmabuf_sizes, sg_loop
from reviewer.kit.types import ctype
from reviewer.kit.units import operands
from reviewer.kit.widths import written_type
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_LONG_ONES = frozenset({"1UL", "1ul", "1ULL", "1ull"})


class NarrowSizeVariable(CodeRule):
    """Sizes of dma-bufs and niovs, and sums of the lengths of entries, are kept in a size_t or wider.

    What it does: finds 32-bit variables and members that are given the size of a dma-buf, or `1UL <<` a variable shift,
    and such that `sg_dma_len()` or the length of an entry is added to.

    Why it matters: a dma-buf of 4 GiB has the size 0 in 32 bits; the length of an entry is an unsigned int, but the sum
    of several is not.

    When it stays silent: the type is not visible; the sum is not made in a loop over a table; the value is divided
    first, so that it is a count; `1U <<` into 32 bits, where the author chose the width on both sides.

    Sources: RULES.md DM208; include/linux/dma-buf.h; include/linux/scatterlist.h.
    """

    id = "DM208"
    name = "narrow-size-variable"
    title = "Size of a dma-buf, or sum of lengths, in 32 bits"
    why = "dma-bufs larger than 4 GiB exist, and so do tables of many entries: what holds their size must be that wide."
    level = "warning"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("function", "hunk")
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/dma-buf/**", "drivers/infiniband/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each value that is kept too narrow."""
        if not unit.mentions("size", "sg_dma_len", "length", *_LONG_ONES):
            return
        for node in unit.find("assignment_expression", "init_declarator"):
            target, value = _parts(node)
            given = ctype(written_type(unit, target)) if target is not None else None
            if target is None or value is None or given is None or given.bits > 32:
                continue
            if node.kind == "init_declarator" or operator(node) == "=":
                yield from _stored(unit, target, bare(value))
            elif operator(node) == "+=" and _is_length(unit, value) and _walks(unit, node):
                message = (
                    f"{target.text} adds up lengths of entries in {given.bits} bits, which wraps from 4 GiB on; make "
                    "it a size_t."
                )
                yield Hit(at=unit.at(node), message=message)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: sum, size, power. Good: size_t. Look-alikes: counts, indexes, 32 bits on both sides."""
        path = "net/core/frob.c"
        return (
            code(
                "bad",
                path,
                _SIZES.replace("TYPE", "u32"),
                finds=[Find(line="total +="), Find(line="TYPE size =".replace("TYPE", "u32")), Find(line="slot = 1UL")],
            ),
            code("good", path, _SIZES.replace("TYPE", "size_t")),
            code("look-alike", path, _COUNTS, note="counts of units, an index, a shift in 32 bits, other lengths"),
        )


def _parts(node: Node) -> tuple[Node | None, Node | None]:
    """(target, value) of an assignment of any kind, or of an initialiser."""
    if node.kind == "init_declarator":
        name = node.child("declarator")
        return (name if name is not None and name.kind == "identifier" else None), node.child("value")
    return node.child("left"), node.child("right")


def _stored(unit: Unit, target: Node, value: Node) -> Iterator[Hit]:
    size = next(dmabuf_sizes(unit, value), None)
    left, right, sign = operands(value)
    if size is not None and size is value:
        message = f"{size.text} is a size_t, and {target.text} keeps 32 bits of it: a dma-buf of 4 GiB has size 0 here."
        yield Hit(at=unit.at(value), message=message)
    elif sign == "<<" and left is not None and right is not None and left.text in _LONG_ONES and _varies(right):
        message = f"{value.text} is computed in 64 bits and kept in the 32 of {target.text}; make it a size_t."
        yield Hit(at=unit.at(value), message=message)


def _varies(shift: Node) -> bool:
    """Whether `shift` is a variable that is called a shift or an order; other powers of two are bits of a mask."""
    names = [node.text for node in shift.walk() if node.kind in ("identifier", "field_identifier")]
    return any(not name.isupper() and name.endswith(("shift", "order")) for name in names)


def _walks(unit: Unit, node: Node) -> bool:
    loop = unit.loop_of(node)
    return loop is not None and sg_loop(loop) is not None


def _is_length(unit: Unit, value: Node) -> bool:
    value = bare(value)
    sources = values_of(unit, value) if value.kind == "identifier" else (value,)
    return bool(sources) and all(called(bare(source)) == "sg_dma_len" for source in sources)


_SIZES = """
static size_t frob_measure(struct frob *fb, struct dma_buf *dmabuf)
{
	struct scatterlist *sg;
	TYPE size = dmabuf->size;
	TYPE total = 0, slot;
	int i;

	slot = 1UL << fb->slot_shift;
	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		total += sg_dma_len(sg);
	return total + size + slot;
}
"""
_COUNTS = """
static size_t frob_measure(struct frob *fb, struct dma_buf *dmabuf, unsigned int left)
{
	unsigned int slots = dmabuf->size >> fb->slot_shift, copied = 0;
	unsigned int slot = 1U << fb->slot_shift;
	unsigned int page = 1UL << PAGE_SHIFT;
	size_t total = fb->sgt->nents;
	u32 index = fb->size, mask;

	mask = 1UL << fb->bit;
	copied += left;
	copied += sg_dma_len(fb->sgt->sgl);
	total += sg_dma_len(fb->sgt->sgl);
	fb->size = dmabuf->size;
	return total + slots + slot + page + index + copied + mask;
}
"""
