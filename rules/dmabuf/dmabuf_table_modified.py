"""DM406: an importer changes or frees the table of a mapped dma-buf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called, plain
from reviewer.kit.resources import RELEASED, thing
from reviewer.kit.taint import comes_from_dmabuf, mapped
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_ACCESSORS = ("sg_dma_address", "sg_dma_len")
_FIELDS = frozenset({"nents", "orig_nents", "sgl", "length", "offset", "dma_address", "dma_length", "page_link"})
_FREEING = tuple(name for name, given in RELEASED.items() if {one.kind for one in given} & {"memory", "sg table"})
_CHANGING = ("assignment_expression", "update_expression")
_IMPORTERS = ("net/", "io_uring/")


class DmabufTableModified(CodeRule):
    """The table that dma_buf_map_attachment() gave is written to, or freed.

    What it does: in a function that maps a dma-buf it follows the table and its entries and reports assignments to
    them, and kfree() or sg_free_table() of the table. In net/ and io_uring/, where nobody maps entries himself,
    assignments to sg_dma_address() and sg_dma_len() are reported on any entry.

    Why it matters: the exporter owns the table, hands it to others and needs it as it was to unmap it.

    When it stays silent: exporters, the DMA mapping layer, tables of one's own.

    Sources: kernel-doc of dma_buf_map_attachment(); RULES.md DM406.
    """

    id = "DM406"
    name = "dmabuf-table-modified"
    title = "Table of an imported dma-buf modified"
    why = "The exporter owns the sg_table of a mapped dma-buf and needs it unchanged to unmap it."
    level = "error"
    confidence = "medium"
    category = "sg-page-access"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!drivers/dma-buf/**", "!drivers/iommu/*", "!kernel/**", "!lib/**", "!arch/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each assignment to, and each freeing of, an imported table."""
        if unit.mentions(*_ACCESSORS, "dma_buf_map_attachment"):
            for node in unit.find(*_CHANGING):
                entry = _changed(unit, node)
                if entry is not None:
                    yield Hit(
                        at=unit.at(node),
                        message=f"This writes to `{entry}`, but the table of an imported dma-buf is the exporter's and "
                        "read-only: keep the value in a variable of your own.",
                    )
        for call in unit.calls(*_FREEING):
            freed = thing(call)
            table = comes_from_dmabuf(unit, freed, mapped(unit, call)) if freed is not None else None
            if table is not None:
                yield Hit(
                    at=unit.at(call),
                    message=f"{called(call)}() frees `{table}`, which is the exporter's: "
                    "dma_buf_unmap_attachment() gives it back.",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a length cut, a count changed, a table freed. Look-alikes: reading, one's own table."""
        path = "net/core/frob.c"
        cut = "sg_dma_len(sg) = round_down(sg_dma_len(sg), fb->slot);"
        return (
            code("bad", path, _WALK.replace("BODY", cut), finds=[Find(line=cut)]),
            code("bad", "drivers/frob/frob.c", _WALK.replace("BODY", cut), finds=[Find(line=cut)]),
            code("bad", "drivers/frob/frob.c", _COUNT, finds=[Find(line="sgt->nents = 1;"), Find(line="kfree(sgt);")]),
            code("good", path, _WALK.replace("BODY", "frob_post(fb, round_down(sg_dma_len(sg), fb->slot));")),
            code("look-alike", "drivers/frob/frob.c", _OWN, note="a table of its own, which it maps itself"),
            code("look-alike", path, _FREED, note="not the table, but what holds it"),
        )


def _changed(unit: Unit, node: Node) -> str | None:
    """What `node` writes to, when that is part of an imported table."""
    written = node.child("left") or node.child("argument")
    if written is None:
        return None
    if written.kind == "call_expression" and called(written) in _ACCESSORS and arguments(written):
        entry = comes_from_dmabuf(unit, arguments(written)[0], mapped(unit, node))
        anywhere = unit.path.startswith(_IMPORTERS)
        return plain(written) if entry is not None or anywhere else None
    field, owner = written.child("field"), written.child("argument")
    if written.kind != "field_expression" or field is None or owner is None or field.text not in _FIELDS:
        return None
    return plain(written) if comes_from_dmabuf(unit, owner, mapped(unit, node)) is not None else None


_WALK = """
int frob_map(struct frob *fb)
{
	struct scatterlist *sg;
	int i;

	fb->table = dma_buf_map_attachment_unlocked(fb->attachment, DMA_TO_DEVICE);
	if (IS_ERR(fb->table))
		return PTR_ERR(fb->table);
	for_each_sgtable_dma_sg(fb->table, sg, i)
		BODY
	return 0;
}
"""
_COUNT = """
int frob_one(struct frob *fb)
{
	struct sg_table *sgt = dma_buf_map_attachment(fb->attachment, DMA_TO_DEVICE);

	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	sgt->nents = 1;
	frob_post(fb, sg_dma_address(sgt->sgl));
	kfree(sgt);
	return 0;
}
"""
_OWN = """
int frob_fake(struct frob *fb, dma_addr_t addr, unsigned int len)
{
	struct sg_table *sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);

	if (!sgt || sg_alloc_table(sgt, 1, GFP_KERNEL))
		return -ENOMEM;
	sg_dma_address(sgt->sgl) = addr;
	sg_dma_len(sgt->sgl) = len;
	sgt->nents = 1;
	fb->table = sgt;
	return 0;
}
"""
_FREED = """
int frob_drop(struct frob *fb)
{
	struct frob_map *map = fb->map;

	map->table = dma_buf_map_attachment(fb->attachment, DMA_TO_DEVICE);
	if (IS_ERR(map->table)) {
		kfree(map);
		return -ENODEV;
	}
	map->count = map->table->nents;
	return 0;
}
"""
