"""DM407: an exporter builds a scatterlist whose entries are not well formed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, called, last_values, operator, plain
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_DMABUF = "drivers/dma-buf/"
_WITHIN = frozenset({"offset_in_page", "offset_in_folio"})


class MalformedScatterlist(CodeRule):
    """An exporter puts entries into its scatterlist that are not well formed.

    What it does: warns of sg_set_folio() with an offset that is an array element, a member or a sum, none of which
    something cuts down to a page; notes, as a guess, one entry for every page in drivers/dma-buf.

    Why it matters: an entry's offset has to be below PAGE_SIZE, and neighbours in memory belong into one entry: users
    of the list count on it. sg_alloc_table_from_pages() does both.

    When it stays silent: offsets of 0, in a page or a remainder; plain variables, whose value cannot be seen; block
    and crypto code.

    Sources: <0-v1-42779f29381a+4b9-udmabuf_sg_jgg@nvidia.com>,
    <IA0PR11MB71852246277F773AC41DAAA3F8E52@IA0PR11MB7185.namprd11.prod.outlook.com>; RULES.md DM407.
    """

    id = "DM407"
    name = "malformed-scatterlist"
    title = "An exporter's scatterlist is not well formed"
    why = "Users of a scatterlist count on offsets below PAGE_SIZE and on neighbours in memory being one entry."
    level = "warning"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("hunk",)
    paths = (
        "drivers/dma-buf/**",
        "drivers/gpu/**",
        "drivers/accel/**",
        "drivers/media/**",
        "drivers/misc/**",
        "drivers/xen/**",
    )

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each entry with such an offset, and each loop that gives every page its own entry."""
        for call in unit.calls("sg_set_folio", "sg_set_page"):
            given = arguments(call)
            if len(given) != 4 or not unit.touched(call):
                continue
            if called(call) == "sg_set_folio" and not _within_page(unit, given[3]):
                yield Hit(
                    at=unit.at(call),
                    message=f"`{plain(given[3])}` may be PAGE_SIZE or more, which makes the scatterlist malformed. "
                    "sg_alloc_table_from_pages() builds a proper one and merges neighbours.",
                )
            elif unit.path.startswith(_DMABUF) and plain(given[2]) == "PAGE_SIZE" and unit.loop_of(call) is not None:
                yield Hit(
                    at=unit.at(call),
                    message="Every page gets an entry of its own here, also where the next one follows it in memory; "
                    "sg_alloc_table_from_pages() would merge them.",
                    level="note",
                    confidence="low",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: offsets into folios, an entry a page. Look-alikes: offsets in pages, other offsets, other code."""
        path = "drivers/dma-buf/frob.c"
        finds = [Find(line="sg_set_folio(")]
        page = "sg_set_page(sg, fb->pages[i], PAGE_SIZE, 0);"
        folio = "sg_set_folio(sg, fb->folios[i], fb->len, "
        return (
            code("bad", path, _FILL.replace("SET", f"{folio}fb->offsets[i]);"), finds=finds),
            code("bad", path, _FILL.replace("SET", f"{folio}fb->first + fb->step);"), finds=finds),
            code("bad", path, _FILL.replace("SET", page), finds=[Find(line="sg_set_page(", level="note")]),
            code("good", path, _FROM_PAGES),
            code(
                "look-alike", path, _FILL.replace("SET", f"{folio}offset_in_page(fb->offsets[i]));"), note="in a page"
            ),
            code("look-alike", path, _FILL.replace("SET", f"{folio}fb->offsets[i] & ~PAGE_MASK);"), note="in a page"),
            code("look-alike", path, _FILL.replace("SET", f"{folio}start);"), note="who knows"),
            code("look-alike", "block/frob.c", _FILL.replace("SET", f"{folio}fb->offsets[i]);"), note="no exporter"),
        )


def _within_page(unit: Unit, offset: Node) -> bool:
    """Whether `offset` is surely below PAGE_SIZE, or cannot be judged."""
    offset = bare(offset)
    if offset.kind == "number_literal" or called(offset) in _WITHIN or operator(offset) in ("&", "%"):
        return True
    if offset.kind == "identifier":
        values = last_values(unit, offset.text, offset)
        return not values or any(_within_page(unit, value) for value in values if bare(value).text != offset.text)
    return offset.kind not in ("subscript_expression", "field_expression", "binary_expression")


_FILL = """
static void frob_fill(struct frob *fb, struct sg_table *table, size_t start)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(table->sgl, sg, fb->count, i)
		SET
}
"""
_FROM_PAGES = """
static int frob_fill(struct frob *fb, struct sg_table *table)
{
	size_t size = (size_t)fb->count << PAGE_SHIFT;

	return sg_alloc_table_from_pages(table, fb->pages, fb->count, 0, size, GFP_KERNEL);
}
"""
