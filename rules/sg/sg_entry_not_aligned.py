"""DM101: an entry of a mapped table is cut into units without checking that it consists of whole ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.assigned import function_start
from reviewer.kit.expressions import arguments, called, calls_in
from reviewer.kit.guards import leaves
from reviewer.kit.sg import SgLoop, entry_parts, sg_loops
from reviewer.kit.units import AlignmentTest, Measure, alignment_tests, division, measure
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Struct, Unit, code

_POOL_FILLS = ("gen_pool_add", "gen_pool_add_virt", "gen_pool_add_owner")
_NIOV_FILLS = ("net_mp_niov_set_dma_addr",)


class _Carving(Struct, frozen=True):
    """Where the length of an entry becomes a number of units, or an entry becomes many."""

    node: Node
    unit: Measure | None


class SgEntryNotAligned(CodeRule):
    """Both the DMA address and the DMA length of an entry are multiples of the unit that it is cut into.

    What it does: in a loop over a mapped table that carves entries into units (divides their length, feeds a gen_pool,
    sets addresses of niovs), looks for rejections by the alignment of address and length to that unit.

    Why it matters: a partial last unit makes the count of niovs and the region of the pool disagree, and moves later
    offsets that count units; a start that is not aligned hands the NIC a buffer that its page size does not allow. The
    DMA API promises pages at most.

    When it stays silent: loops that sum or take a minimum; the loop is not wholly visible (then it is not checked);
    pages are checked by length only. What is cut into pages is a warning at most, since dma-buf.h asks exporters for
    whole pages. io_uring checks the length only, by design: a note there.

    Sources: RULES DM101; <20260519203530.66310-1-devnexen@gmail.com>; <ak13k4XZsHnGKIOb@devvm29614.prn0.facebook.com>.
    """

    id = "DM101"
    name = "sg-entry-not-aligned"
    title = "sg entry cut into units without an alignment check"
    why = (
        "An exporter may hand out entries of any address and length: one that is no multiple of the unit leaves a "
        "partial unit behind, and what is counted no longer agrees with what is mapped."
    )
    level = "error"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function",)
    paths = ("net/**", "io_uring/**", "drivers/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each loop that carves entries which nothing checked."""
        if not unit.mentions("sg_dma_len"):
            return
        for loop in sg_loops(unit):
            carving = _carving(unit, loop) if loop.count == "nents" else None
            if carving is None:
                continue
            if unit.whole(loop.loop.node):
                yield from _judged(unit, loop, carving)
            elif unit.touched(carving.node):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented importers."""
        return (
            code(
                "bad",
                "net/core/frob.c",
                """
static int frob_carve(struct frob *fb)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		size_t len = sg_dma_len(sg);

		if (!IS_ALIGNED(len, 1UL << fb->slot_shift))
			return -EINVAL;
		frob_add_slots(fb, sg_dma_address(sg), len >> fb->slot_shift);
	}
	return 0;
}

static int frob_carve_unchecked(struct frob *fb)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		frob_add_pages(fb, sg_dma_address(sg), sg_dma_len(sg) / PAGE_SIZE);
	return 0;
}
""",
                finds=[Find(line="len >> fb->slot_shift"), Find(line="sg_dma_len(sg) / PAGE_SIZE", level="warning")],
            ),
            code(
                "bad",
                "net/core/frob.c",
                """
static int frob_carve(struct frob *fb)
{
	size_t slot = 1UL << fb->slot_shift;
	struct scatterlist *sg;
	int i;

	for_each_sg(fb->sgt->sgl, sg, fb->sgt->nents, i) {
		dma_addr_t addr = sg_dma_address(sg);
		size_t len = sg_dma_len(sg);

		if ((addr | len) & (PAGE_SIZE - 1))
			return -EINVAL;
		fb->area.num_niovs = len / slot;
	}
	return 0;
}
""",
                finds=[Find(line="fb->area.num_niovs = len / slot;")],
                note="checked, but against another unit",
            ),
            code(
                "good",
                "net/core/frob.c",
                """
static int frob_carve(struct frob *fb)
{
	size_t slot = 1UL << fb->slot_shift;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		dma_addr_t addr = sg_dma_address(sg);
		size_t len = sg_dma_len(sg);

		if (!IS_ALIGNED(addr, slot) || !IS_ALIGNED(len, slot)) {
			frob_trace(fb, i);
			return -EINVAL;
		}
		frob_add_slots(fb, addr, len >> fb->slot_shift);
	}
	return 0;
}
""",
            ),
            code(
                "look-alike",
                "net/core/frob.c",
                """
static size_t frob_total(struct frob *fb)
{
	unsigned int shift = fb->slot_shift;
	struct scatterlist *sg;
	size_t total = 0;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		total += sg_dma_len(sg);
		shift = min(shift, __ffs(sg_dma_address(sg) | sg_dma_len(sg)));
	}
	return total >> shift;
}
""",
                note="a sum and a minimum carve nothing",
            ),
            code(
                "look-alike",
                "net/core/frob.c",
                """
static int frob_carve(struct frob *fb)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		size_t len = sg_dma_len(sg);

		if (len % PAGE_SIZE)
			return -EINVAL;
		frob_add_pages(fb, sg_dma_address(sg), len >> PAGE_SHIFT);
	}
	return 0;
}
""",
                note="pages: what the DMA API itself promises for the address",
            ),
        )


def _carving(unit: Unit, loop: SgLoop) -> _Carving | None:
    body = loop.loop.body
    if body is None:
        return None
    for node in body.walk():
        divided = division(node)
        if divided is None or (divided.by.text.isupper() and measure(unit, divided.by) is None):
            continue
        if divided.by.kind != "number_literal" and "length" in entry_parts(unit, divided.value, loop.iterator):
            return _Carving(node, measure(unit, divided.by))
    for call in calls_in(body, *_POOL_FILLS, *_NIOV_FILLS):
        fed = {part for given in arguments(call) for part in entry_parts(unit, given, loop.iterator)}
        if "length" in fed or (called(call) in _NIOV_FILLS and fed):
            return _Carving(call, None)
    return None


def _judged(unit: Unit, loop: SgLoop, carving: _Carving) -> Iterator[Hit]:
    checked: set[str] = set()
    foreign: set[str] = set()
    for test in _tests(unit, loop):
        parts = entry_parts(unit, test.value, loop.iterator)
        same = test.measure is None or carving.unit is None or test.measure == carving.unit
        (checked if same else foreign).update(parts)
    entry = f"entry {loop.iterator} of {loop.table}"
    if "length" not in checked:
        how = "is checked against another unit than" if "length" in foreign else "is not checked before"
        message = (
            f"The length of {entry} {how} {carving.node.text}: a partial unit at its end is lost, and the units no "
            "longer add up to the buffer. Reject an entry whose address or length is no multiple of the unit."
        )
        yield Hit(at=unit.at(carving.node), message=message, level="warning" if carving.unit == "page" else None)
    elif "address" not in checked and carving.unit != "page":
        message = (
            f"The length of {entry} is checked, its DMA address is not: the device may be handed a buffer that is not "
            "aligned to the unit. Check both."
        )
        by_design = unit.path.startswith("io_uring/")
        sure = carving.unit == "niov"
        yield Hit(at=unit.at(carving.node), message=message, level="note" if by_design else None if sure else "warning")


def _tests(unit: Unit, loop: SgLoop) -> Iterator[AlignmentTest]:
    """Alignment tests of the function up to the end of the loop that make control leave."""
    first = max(function_start(loop.loop.node), 0)
    for node in unit.find("if_statement"):
        condition = node.child("condition")
        if first <= node.start < loop.loop.node.end and condition is not None and leaves(node.child("consequence")):
            yield from alignment_tests(unit, condition)
