"""DM102: what belongs to the pages of an sg entry is read from an entry that is mapped for a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.sg import CPU_FIELDS, DMA_ACCESSORS, SgLoop, accesses, walking
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_INSTEAD = {"length": "sg_dma_len()", "offset": "sg_dma_address()"}


class CpuFieldsOfMappedSg(CodeRule):
    """`sg->length` and `sg->offset` are not read in a loop over the DMA mapped entries of a table.

    What it does: in a loop over `nents` entries, finds reads of the fields that describe the CPU side of an entry.

    Why it matters: after an IOMMU merged entries, entry i of the mapped list and entry i of the page list are different
    ranges. With CONFIG_DMABUF_DEBUG the importer's table has length and offset 0.

    When it stays silent: the head of the loop is not visible; the fields are written; the entry is not the loop's own;
    the loop counts `nents` by hand and nothing in it shows that the table is mapped.

    Sources: include/linux/scatterlist.h; <20251205130604.1582-1-christian.koenig@amd.com>; commit 8c0cab0b7bf7.
    """

    id = "DM102"
    name = "cpu-fields-of-mapped-sg"
    title = "sg->length or sg->offset read on a DMA mapped entry"
    why = (
        "length and offset describe the pages behind an entry; once the table is mapped, entries may have been merged, "
        "and only sg_dma_address() and sg_dma_len() describe what the device sees."
    )
    level = "error"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function", "hunk")
    paths = ("**/*.c", "**/*.h", "!tools/**", "!Documentation/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each read of a CPU field of the iterator of a loop over mapped entries."""
        if not unit.mentions("for_each_sg") or not unit.mentions(*sorted(CPU_FIELDS)):
            return
        for node in unit.find("field_expression"):
            owner, field = node.child("argument"), node.child("field")
            if owner is None or field is None or field.text not in CPU_FIELDS or owner.kind != "identifier":
                continue
            loop = walking(unit, owner)
            if loop is None or not _walks_mapped_entries(loop) or _is_written(node):
                continue
            message = (
                f"{node.text} belongs to the pages of the entry, but this loop walks the mapped entries of "
                f"{loop.table}: after a merge they are different ranges. Use {_INSTEAD[field.text]}."
            )
            yield Hit(at=unit.at(node), message=message, level=None if loop.mapped else "warning")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented importers and exporters."""
        return (
            code(
                "bad",
                "drivers/net/frob.c",
                """
static size_t frob_total(struct frob_buf *fb)
{
	struct scatterlist *sg;
	size_t total = 0;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		total += sg->length;
	return total;
}
""",
                finds=[Find(line="total += sg->length;")],
            ),
            code(
                "bad",
                "io_uring/frob.c",
                """
static unsigned int frob_max_shift(struct frob_mem *mem)
{
	unsigned int shift = mem->shift;
	struct scatterlist *sg;
	int i;

	for_each_sg(mem->sgt->sgl, sg, mem->sgt->nents, i) {
		frob_trace(mem, sg_dma_address(sg));
		shift = min(shift, __ffs(sg->length));
	}
	return shift;
}
""",
                finds=[Find(line="__ffs(sg->length)", level="warning")],
                note="nents counted by hand; that the table is mapped shows in the body",
            ),
            code(
                "good",
                "drivers/net/frob.c",
                """
static size_t frob_total(struct frob_buf *fb)
{
	struct scatterlist *sg;
	size_t total = 0;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		total += sg_dma_len(sg);
	return total;
}
""",
            ),
            code(
                "look-alike",
                "drivers/dma-buf/frob.c",
                """
static void frob_wrap(struct sg_table *from, struct sg_table *to)
{
	struct scatterlist *src, *dst = to->sgl;
	int i;

	for_each_sgtable_dma_sg(from, src, i) {
		sg_dma_address(dst) = sg_dma_address(src);
		dst->length = 0;
		dst = sg_next(dst);
	}
}
""",
                note="the field is written, and not the iterator's",
            ),
            code(
                "look-alike",
                "drivers/dma-buf/frob.c",
                """
static size_t frob_pinned(struct frob_buf *fb)
{
	struct scatterlist *sg;
	size_t total = 0;
	int i;

	for_each_sgtable_sg(fb->sgt, sg, i)
		total += sg->length;
	for_each_sg(fb->list, sg, fb->table.nents, i)
		total += sg->length;
	return total;
}
""",
                note="the page side of a table; a list of which nothing says that it is mapped",
            ),
        )


def _walks_mapped_entries(loop: SgLoop) -> bool:
    if loop.count != "nents":
        return False
    body = loop.loop.body
    return loop.mapped or (body is not None and any(accesses(body, loop.iterator, DMA_ACCESSORS)))


def _is_written(field: Node) -> bool:
    parent = field.parent
    if parent is None or parent.kind != "assignment_expression" or field.field != "left":
        return False
    operator = parent.child("operator")
    return operator is None or operator.text == "="
