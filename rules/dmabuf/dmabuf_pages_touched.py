"""DM401: an importer reaches for the pages of a mapped dma-buf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reviewer.kit.expressions import arguments, called
from reviewer.kit.taint import comes_from_dmabuf, mapped
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_PAGE_CALLS: Mapping[str, int] = {
    **dict.fromkeys(
        ("sg_page", "sg_virt", "sg_phys", "sg_assign_page", "sg_set_page", "sg_set_buf", "sg_set_folio"), 0
    ),
    **dict.fromkeys(("sg_copy_to_buffer", "sg_copy_from_buffer", "sg_pcopy_to_buffer", "sg_pcopy_from_buffer"), 0),
    **dict.fromkeys(("sg_zero_buffer", "sg_alloc_table", "sg_alloc_table_from_pages"), 0),
    **dict.fromkeys(("sg_miter_start", "dma_sync_sgtable_for_cpu", "dma_sync_sgtable_for_device"), 1),
    **dict.fromkeys(("dma_sync_sg_for_cpu", "dma_sync_sg_for_device", "dma_map_sgtable", "dma_unmap_sgtable"), 1),
    **dict.fromkeys(("dma_map_sg", "dma_unmap_sg"), 1),
}
"""Which argument is the table or its entry."""
_PAGE_LOOPS = ("for_each_sg_page", "for_each_sgtable_page")
_IMPORTERS = ("net/core/devmem.",)


class DmabufPagesTouched(CodeRule):
    """The pages behind a table that dma_buf_map_attachment() gave are touched.

    What it does: in a function that maps a dma-buf it follows the table and its entries, and reports every call that
    asks for pages or CPU addresses, synchronises, copies or maps again. In net/core/devmem.*, which only imports, the
    calls are wrong on any table.

    Why it matters: the table holds DMA addresses and lengths and nothing else. The exporter may move the pages, or
    have none; with CONFIG_DMABUF_DEBUG the importer gets a copy without pages, and the call ends in a NULL
    dereference.

    When it stays silent: exporters and their own tables; names that the function also assigns from elsewhere; fields
    that merely have the name of a table, unless the branch for dma-bufs is visible.

    Sources: <0c86f5d3-b5e9-4cac-aa9d-30c5c8ecca66@amd.com>, <20251217102522.2790298-1-lukas.bulwahn@redhat.com>;
    Documentation/driver-api/dma-buf.rst; RULES.md DM401.
    """

    id = "DM401"
    name = "dmabuf-pages-touched"
    title = "Pages of an imported dma-buf touched"
    why = "The sg_table of a mapped dma-buf holds DMA addresses only: its pages are the exporter's, or do not exist."
    level = "error"
    confidence = "medium"
    category = "sg-page-access"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!drivers/dma-buf/**", "!tools/**", "!lib/**", "!kernel/dma/**", "!drivers/iommu/*")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call that touches pages of an imported table."""
        anywhere = unit.path.startswith(_IMPORTERS)
        for call in unit.calls(*_PAGE_CALLS):
            given, place = arguments(call), _PAGE_CALLS[called(call)]
            if len(given) > place:
                table = comes_from_dmabuf(unit, given[place], mapped(unit, call))
                if table is not None or anywhere:
                    yield _hit(unit, call, called(call), table or given[place].text)
        for loop in unit.loops:
            if loop.head in _PAGE_LOOPS and loop.arguments:
                table = comes_from_dmabuf(unit, loop.arguments[0], mapped(unit, loop.node))
                if table is not None or anywhere:
                    yield _hit(unit, loop.node, loop.head, table or loop.arguments[0].text)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: pages by entry, by iterator, by loop, in the branch for dma-bufs. Look-alikes: own tables."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _WALK.replace("BODY", _COPY), finds=[Find(line="page_address(sg_page(sg))")]),
            code("bad", path, _SYNC, finds=[Find(line="dma_sync_sgtable_for_cpu(")]),
            code("bad", path, _PAGES, finds=[Find(line="for_each_sgtable_page(")]),
            code("bad", "io_uring/frob.c", _BRANCH, finds=[Find(line="sg_page(fb->sgt->sgl)")]),
            code("good", path, _WALK.replace("BODY", "frob_post(fb, sg_dma_address(sg), sg_dma_len(sg));")),
            code("look-alike", path, _OWN, note="a table of its own"),
            code("look-alike", path, _BOTH, note="the table may be the driver's own"),
            code("look-alike", "io_uring/frob.c", _BRANCH.replace("(fb->is", "(!fb->is"), note="not a dma-buf"),
            code("look-alike", "drivers/dma-buf/frob.c", _SYNC, note="the core of dma-buf"),
        )


def _hit(unit: Unit, node: Node, name: str, table: str) -> Hit:
    what = "synchronises" if "_sync_" in name else "maps" if "map_sg" in name else "touches the pages of"
    return Hit(
        at=unit.at(node),
        message=f"{name}() {what} `{table}`, but the table of an imported dma-buf is only good for sg_dma_address() "
        "and sg_dma_len(): the pages are the exporter's, or there are none (CONFIG_DMABUF_DEBUG takes them away).",
    )


_WALK = """
int frob_map(struct frob *fb, void *to)
{
	struct scatterlist *sg;
	struct sg_table *sgt;
	int i;

	sgt = dma_buf_map_attachment_unlocked(fb->attachment, DMA_TO_DEVICE);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	fb->table = sgt;
	for_each_sgtable_dma_sg(fb->table, sg, i)
		BODY
	return 0;
}
"""
_COPY = "memcpy(to, page_address(sg_page(sg)), sg_dma_len(sg));"
_SYNC = """
int frob_read(struct frob *fb, struct device *dev)
{
	fb->table = dma_buf_map_attachment(fb->attachment, DMA_FROM_DEVICE);
	if (IS_ERR(fb->table))
		return PTR_ERR(fb->table);
	dma_sync_sgtable_for_cpu(dev, fb->table, DMA_FROM_DEVICE);
	return 0;
}
"""
_PAGES = """
int frob_pages(struct frob *fb)
{
	struct sg_table *sgt = dma_buf_map_attachment(fb->attachment, DMA_FROM_DEVICE);
	struct sg_page_iter piter;

	for_each_sgtable_page(sgt, &piter, 0)
		frob_page(fb, sg_page_iter_page(&piter));
	return 0;
}
"""
_BRANCH = """
static void frob_show(struct frob *fb)
{
	if (fb->is_dmabuf)
		frob_page(fb, sg_page(fb->sgt->sgl));
}
"""
_OWN = """
int frob_build(struct frob *fb, struct page **pages, unsigned int count)
{
	struct scatterlist *sg;
	int i;

	if (sg_alloc_table(&fb->table, count, GFP_KERNEL))
		return -ENOMEM;
	for_each_sgtable_sg(&fb->table, sg, i)
		sg_set_page(sg, pages[i], PAGE_SIZE, 0);
	dma_sync_sgtable_for_device(fb->dev, &fb->table, DMA_TO_DEVICE);
	return 0;
}
"""
_BOTH = """
int frob_table(struct frob *fb)
{
	struct sg_table *sgt;

	if (fb->attachment)
		sgt = dma_buf_map_attachment(fb->attachment, DMA_TO_DEVICE);
	else
		sgt = frob_own_table(fb);
	return frob_page(fb, sg_page(sgt->sgl));
}
"""
