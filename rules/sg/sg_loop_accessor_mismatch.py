"""DM103: a loop over one side of an sg table uses accessors of the other, or steps by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, bare, called, calls_in, operator
from reviewer.kit.sg import DMA_ACCESSORS, PAGE_ACCESSORS, SgLoop, accesses, walking
from reviewer.kit.types import declared_type
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_PAGE_LOOPS = ("for_each_sgtable_dma_page", "for_each_sg_dma_page")
_PAGE_ADDRESS = "sg_page_iter_dma_address"


class SgLoopAccessorMismatch(CodeRule):
    """`for_each_sgtable_dma_sg()` goes with `sg_dma_*()`, `for_each_sgtable_sg()` with pages and lengths.

    What it does: finds `sg_dma_address()` and `sg_dma_len()` of the iterator of a loop over `orig_nents` entries,
    `sg_page()` and its like of the iterator of a loop over the mapped ones, and tables that are indexed or stepped
    through with `++`. A loop over DMA pages that only looks whether each begins where the last one ended is one that
    should walk the entries, too.

    Why it matters: the two loops have different counts. Past `nents` the DMA fields are stale or zero; and tables are
    chained, so that the next entry is not always the next in memory. Page steps within an entry say nothing that the
    entry does not say, and take lengths for whole pages that are none.

    When it stays silent: the head of the loop is not visible; the accessor is given another entry than the loop's; the
    loop itself maps or unmaps each entry, which then are as many as the pages'; the list is an array of the function
    itself; entry 0 of a list.

    Sources: include/linux/scatterlist.h; <aigqFQWzPkiSh3ie@devvm29614.prn0.facebook.com>;
    <968a920c-83b7-a0e5-8d0d-fa8486816b01@arm.com> (the page steps).
    """

    id = "DM103"
    name = "sg-loop-accessor-mismatch"
    title = "Loop over one side of an sg table, accessor of the other"
    why = (
        "An sg table has orig_nents entries with pages and nents entries with DMA ranges, and mapping may merge: the "
        "loop macro and the accessor must be of the same side."
    )
    level = "error"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function", "hunk")
    paths = ("**/*.c", "**/*.h", "!tools/**", "!Documentation/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each accessor of the wrong side and each step that ignores chains."""
        for call in unit.calls(*DMA_ACCESSORS, *PAGE_ACCESSORS):
            loop = _loop_over_argument(unit, call)
            if loop is None:
                continue
            if called(call) in DMA_ACCESSORS and loop.count == "orig_nents" and not _maps_itself(loop):
                yield _hit(
                    unit,
                    loop,
                    call,
                    f"This loop walks all orig_nents entries of {loop.table}, but {call.text} is only set for the "
                    f"nents entries that mapping left. {_instead(loop)}",
                )
            elif called(call) in PAGE_ACCESSORS and loop.mapped:
                yield _hit(
                    unit,
                    loop,
                    call,
                    f"This loop walks the mapped entries of {loop.table}, but {called(call)}() belongs to the entries "
                    "before mapping, which may have been merged. Use for_each_sgtable_sg().",
                )
        yield from _steps(unit)
        yield from _page_steps(unit)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented importers and exporters."""
        return (
            code(
                "bad",
                "drivers/net/frob.c",
                """
static void frob_fill(struct frob_buf *fb)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_sg(fb->sgt, sg, i)
		frob_post(fb, sg_dma_address(sg));
}

static void frob_pages(struct frob_buf *fb)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		frob_keep(fb, sg_page(sg));
}
""",
                finds=[Find(line="sg_dma_address(sg)"), Find(line="sg_page(sg)")],
            ),
            code(
                "bad",
                "drivers/net/frob.c",
                """
static dma_addr_t frob_nth(struct frob_buf *fb, unsigned int n)
{
	struct scatterlist *sg = fb->sgt->sgl;

	while (n--)
		sg++;
	return sg_dma_address(sg) + sg_dma_len(&fb->sgt->sgl[n]);
}
""",
                finds=[Find(line="sg++;", level="warning"), Find(line="sgl[n]", level="warning")],
            ),
            code("bad", "drivers/gpu/drm/frob.c", _CONTIGUOUS, finds=[Find(line="for_each_sg", level="warning")]),
            code(
                "look-alike",
                "drivers/gpu/drm/frob.c",
                _CONTIGUOUS.replace("size += PAGE_SIZE;", "frob_map(size, sg_page_iter_dma_address(&iter));"),
                note="the device is given pages",
            ),
            code(
                "good",
                "drivers/net/frob.c",
                """
static void frob_fill(struct frob_buf *fb)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		frob_post(fb, sg_dma_address(sg), sg_dma_len(sg));
	for_each_sgtable_sg(fb->sgt, sg, i)
		frob_keep(fb, sg_page(sg), sg->length);
}
""",
            ),
            code(
                "look-alike",
                "drivers/dma-buf/frob.c",
                """
static void frob_wrap(struct frob_buf *fb, struct sg_table *from, struct sg_table *to)
{
	struct scatterlist *src, *dst = to->sgl, *own = fb->entries;
	struct frob_desc *desc = fb->desc;
	int i;

	frob_start(desc->sgl[1], fb->queue.sgl[2]);

	for_each_sgtable_dma_sg(from, src, i) {
		sg_set_page(dst, NULL, 0, 0);
		dst = sg_next(dst);
	}
	for_each_sg(fb->list, dst, fb->count, i)
		sg_set_folio(dst, fb->folios[i], PAGE_SIZE, 0);
	frob_post(fb, sg_dma_address(fb->sgt->sgl), sg_dma_len(&fb->sgt->sgl[0]));
	for (i = 0; i < 2; i++, own++)
		sg_init_one(own, fb->data, fb->size);
	for_each_sgtable_sg(to, dst, i)
		dma_unmap_resource(fb->dev, sg_dma_address(dst), sg_dma_len(dst), fb->dir, 0);
}
""",
                note="another entry than the loop's; a count of its own; entry 0; other arrays; mapped one by one",
            ),
        )


def _hit(unit: Unit, loop: SgLoop, call: Node, message: str) -> Hit:
    """On the call, or on the head of the loop when only that was changed."""
    head = loop.loop.arguments[0]
    at, other = (head, call) if unit.touched(head) and not unit.touched(call) else (call, head)
    return Hit(at=unit.at(at), message=message, related=(unit.at(other),), evidence=f"{loop.count} {call.text}")


def _instead(loop: SgLoop) -> str:
    body = loop.loop.body
    if body is not None and any(accesses(body, loop.iterator, PAGE_ACCESSORS)):
        return "Walk the two sides in a loop each, for_each_sgtable_sg() and for_each_sgtable_dma_sg()."
    return "Use for_each_sgtable_dma_sg()."


def _loop_over_argument(unit: Unit, call: Node) -> SgLoop | None:
    given = arguments(call)
    return walking(unit, given[0]) if given and given[0].kind == "identifier" else None


def _maps_itself(loop: SgLoop) -> bool:
    """Whether the body fills in DMA addresses, or takes back mappings that were made entry by entry."""
    body = loop.loop.body
    if body is None:
        return False
    calls = [node for node in body.walk() if node.kind == "call_expression"]
    return any(
        called(call).startswith(("dma_map_", "dma_unmap_")) or (called(call) in DMA_ACCESSORS and call.field == "left")
        for call in calls
    )


def _steps(unit: Unit) -> Iterator[Hit]:
    if not unit.mentions("sgl"):
        return
    for node in unit.find("subscript_expression"):
        table, index = node.child("argument"), node.child("index")
        if table is not None and index is not None and _is_list_of_table(unit, table) and index.text != "0":
            message = (
                f"{node.text} takes the entries for an array, but an sg list may be chained. "
                "Walk it with for_each_sgtable_dma_sg() or sg_next()."
            )
            yield Hit(at=unit.at(node), message=message, level="warning")
    for node in unit.find("update_expression"):
        entry = node.child("argument")
        if entry is not None and entry.kind == "identifier" and _starts_at_list(unit, entry):
            message = f"{node.text} steps over the end of a chained sg list; use {entry.text} = sg_next({entry.text})."
            yield Hit(at=unit.at(node), message=message, level="warning")


def _page_steps(unit: Unit) -> Iterator[Hit]:
    """Loops over DMA pages that compare the address of each with a sum of pages, and use it for nothing else."""
    if not unit.mentions(_PAGE_ADDRESS):
        return
    for loop in unit.loops:
        body = loop.body
        if body is None or loop.head not in _PAGE_LOOPS:
            continue
        addresses = list(calls_in(body, _PAGE_ADDRESS))
        compared = [call.parent for call in addresses if call.parent and operator(call.parent) in ("!=", "==")]
        others = [node for node in body.walk() if node.kind == "call_expression" and called(node) != _PAGE_ADDRESS]
        if not addresses or others or len(compared) < len(addresses):
            continue
        message = (
            "This looks at the mapped entries page by page, which finds nothing inside of an entry and takes a length "
            "that is no multiple of a page for whole pages. Walk the entries: for_each_sgtable_dma_sg() with "
            "sg_dma_address() and sg_dma_len()."
        )
        yield Hit(at=unit.at(loop.node), message=message, level="warning", related=(unit.at(compared[0]),))


def _is_list(node: Node) -> bool:
    node = bare(node)
    field = node.child("field") if node.kind == "field_expression" else None
    return field is not None and field.text == "sgl"


def _is_list_of_table(unit: Unit, node: Node) -> bool:
    """Whether `node` is the list of an sg_table, by the type of its owner or by its name."""
    owner = node.child("argument") if _is_list(node) else None
    if owner is None:
        return False
    declared = declared_type(unit, owner.text, owner) if owner.kind == "identifier" else None
    if declared is not None:
        return declared.startswith("struct sg_table")
    name = owner.child("field") if owner.kind == "field_expression" else owner
    return name is not None and name.text.removeprefix("sg_") in ("sgt", "table")


def _starts_at_list(unit: Unit, entry: Node) -> bool:
    declared = declared_type(unit, entry.text, entry)
    return declared == "struct scatterlist *" and any(_is_list(value) for value in values_of(unit, entry))


_CONTIGUOUS = """
static unsigned long frob_contiguous(struct sg_table *sgt)
{
	dma_addr_t expected = sg_dma_address(sgt->sgl);
	struct sg_dma_page_iter iter;
	unsigned long size = 0;

	for_each_sgtable_dma_page(sgt, &iter, 0) {
		if (sg_page_iter_dma_address(&iter) != expected)
			break;
		expected += PAGE_SIZE;
		size += PAGE_SIZE;
	}
	return size;
}
"""
