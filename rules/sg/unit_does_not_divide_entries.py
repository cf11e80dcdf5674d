"""DM104: a size or shift is taken from the entries of a table in a way that does not fit all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import bare, called, mentions, plain
from reviewer.kit.sg import SgLoop, entry_parts, sg_loop
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

from ._least import is_least, kept_in, limits, stops

_LOWEST = ("__ffs", "__ffs64", "ffs", "ffs64", "__builtin_ctz", "__builtin_ctzl", "__builtin_ctzll")
_LOGARITHMS = ("ilog2", "fls", "fls64", "__fls", "get_order", "order_base_2")
_ROUNDED = ("rounddown_pow_of_two", "roundup_pow_of_two")
_NO_CAPS = frozenset(
    {
        *("UINT_MAX", "INT_MAX", "ULONG_MAX", "U32_MAX", "U64_MAX", "SIZE_MAX", "~0", "~0U", "~0UL", "~0ULL", "-1"),
        *("-1U", "-1UL", "BITS_PER_LONG", "BITS_PER_LONG-1", "31", "32", "63", "64"),
    }
)
_MOST = 64
"""Calls of one unit: for each the whole function is looked through."""


class UnitDoesNotDivideEntries(CodeRule):
    """A unit that is made to fit a mapped table is the lowest bit of every address and length, with limits.

    What it does: in loops over the mapped entries of a table, follows `__ffs()`, `ilog2()` and their like on an entry
    into a variable that outlives the loop. It wants the lowest set bit of address and length, the least of all
    entries, a cap, and a rejection of what is below a page.

    Why it matters: `ilog2(len)` is a power of two that need not divide the length; without a minimum the last entry
    decides, with a `break` the first; a length alone says nothing about where the entry starts. A table may have any
    entries.

    When it stays silent: the result is used within the round only, or returned, so that the caller has the limits;
    io_uring takes lengths only, by choice (a note there). `__ffs()` of a 64-bit address is not charged when the length
    is in the same argument, unlike in RULES.md: a length is below 4 GiB and not 0, so that its lowest bit is within
    32.

    Sources: RULES.md DM104; <20260616124019.GA3577091@ziepe.ca>; include/linux/log2.h.
    """

    id = "DM104"
    name = "unit-does-not-divide-entries"
    title = "A unit taken from a table does not divide all its entries"
    why = (
        "A table holds entries of any address and length: only the lowest bit set in any of them is a unit that "
        "divides all."
    )
    level = "error"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/dma-buf/**", "drivers/infiniband/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each variable that is taken from the entries in a wrong way."""
        if not unit.mentions(*_LOWEST, *_LOGARITHMS, *_ROUNDED) or not unit.mentions("for_each_sg"):
            return
        for call in islice(unit.calls(*_LOWEST, *_LOGARITHMS, *_ROUNDED), _MOST):
            above = unit.loop_of(call)
            loop = sg_loop(above) if above is not None else None
            if loop is not None and loop.count == "nents" and loop.loop.body is not None:
                yield from _judged(unit, loop, loop.loop.body, call)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: floor, last, first, length only, no cap, no floor. Good: a minimum with limits."""
        path = "net/core/frob.c"
        both = "shift = min_t(unsigned int, shift, __ffs64(sg_dma_address(sg) | sg_dma_len(sg)));"
        length = "shift = min(shift, __ffs(sg_dma_len(sg)));"
        return (
            code("bad", path, _LOOP.replace("STEP", "shift = ilog2(sg_dma_len(sg));"), finds=[Find(line="ilog2")]),
            code(
                "bad", path, _LOOP.replace("STEP", _PLAIN), finds=[Find(line="__ffs64")], note="the last entry decides"
            ),
            code(
                "bad",
                path,
                _LOOP.replace("STEP", f"{both}\n\t\tbreak;"),
                finds=[Find(line="__ffs64")],
                note="the first",
            ),
            code("bad", path, _LOOP.replace("STEP", length), finds=[Find(line="__ffs", level="warning")]),
            code("bad", "io_uring/frob.c", _LOOP.replace("STEP", length), finds=[Find(line="__ffs", level="note")]),
            code(
                "bad",
                path,
                _LOOP.replace("STEP", both).replace("FROB_MAX", "UINT_MAX"),
                finds=[Find(line="__ffs64", level="warning")],
                note="no cap",
            ),
            code(
                "bad",
                path,
                _LOOP.replace("STEP", both).replace("shift < PAGE_SHIFT", "!shift"),
                finds=[Find(line="__ffs64", level="warning")],
                note="nothing rejects units smaller than a page",
            ),
            code("good", path, _LOOP.replace("STEP", both)),
            code("good", path, _LOOP.replace("STEP", _COMPARED)),
            code("look-alike", path, _PER_ENTRY, note="the order of each entry, used within the round"),
            code("look-alike", "io_uring/frob.c", _RETURNED, note="the caller has the limits"),
        )


def _judged(unit: Unit, loop: SgLoop, body: Node, call: Node) -> Iterator[Result]:
    parts = entry_parts(unit, call, loop.iterator)
    found = kept_in(unit, loop, body, call) if "length" in parts or "address" in parts else None
    if found is None:
        return
    target, step = found
    kept = target.text
    least = is_least(step, target)
    if called(call) not in _LOWEST and "length" in parts:
        message = (
            f"{call.text} is a power of two near the length of one entry, which need not divide it. Take the lowest "
            f"bit of address and length, and the least of all entries: "
            f"__ffs64(sg_dma_address({loop.iterator}) | sg_dma_len({loop.iterator}))."
        )
        yield Hit(at=unit.at(call), message=message)
    elif stops(body, step):
        message = f"The loop leaves after the first entry of {loop.table}, so that {kept} need not fit the others."
        yield Hit(at=unit.at(call), message=message)
    elif not least and unit.whole(loop.loop.node):
        message = (
            f"{kept} is what the last entry of {loop.table} gives, and need not fit the others: take the minimum, "
            f"min({kept}, ...)."
        )
        yield Hit(at=unit.at(call), message=message)
    elif len(parts) < 2:
        other = "address" if "length" in parts else "length"
        message = (
            f"{kept} fits the {next(iter(parts))} of the entries only; one whose DMA {other} is less aligned is cut "
            f"into units that are not aligned. Take the lowest bit of both, address | length."
        )
        yield Hit(at=unit.at(call), message=message, level="note" if unit.path.startswith("io_uring/") else "warning")
    else:
        yield from _limited(unit, loop, call, target)


def _limited(unit: Unit, loop: SgLoop, call: Node, target: Node) -> Iterator[Result]:
    """What is wrong with the limits of `target`, which is taken from all entries as it should be."""
    function = unit.function_of(call)
    if function is None or not function.complete or function.node is None:
        if unit.touched(call):
            yield Lack("function")
        return
    if target.kind != "identifier" or _is_returned(function.node, target.text):
        return
    name = target.text
    capped, floored = limits(function.node, name, loop.loop.node.end)
    outside = [value for value in values_of(unit, target) if value.start < loop.loop.node.start]
    if not capped and outside and plain(bare(outside[-1])) in _NO_CAPS:
        message = f"Nothing caps {name}: one large entry makes it any size. Start the minimum from the largest unit."
        yield Hit(at=unit.at(call), message=message, level="warning")
    elif not floored:
        message = (
            f"Nothing rejects a {name} that is less than a page: a table with one odd entry makes units that small. "
            f"Check it after the loop, as in if ({name} < PAGE_SHIFT)."
        )
        yield Hit(at=unit.at(call), message=message, level="warning")


def _is_returned(function: Node, name: str) -> bool:
    return any(node.kind == "return_statement" and mentions(node, name) for node in function.walk())


_PLAIN = "shift = __ffs64(sg_dma_address(sg) | sg_dma_len(sg));"
_COMPARED = """u64 addr = sg_dma_address(sg);
		unsigned int fits = __ffs64(addr | sg_dma_len(sg));

		if (fits < shift)
			shift = fits;"""
_LOOP = """
static int frob_fit(struct frob *fb)
{
	unsigned int shift = FROB_MAX;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		STEP
	}
	if (shift < PAGE_SHIFT)
		return -EINVAL;
	fb->slot_shift = shift;
	return 0;
}
"""
_PER_ENTRY = """
static void frob_trace_all(struct frob *fb)
{
	unsigned int order;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		order = get_order(sg_dma_len(sg));
		frob_trace(fb, order);
	}
}
"""
_RETURNED = """
static unsigned int frob_max_shift(struct frob *fb)
{
	unsigned int shift = UINT_MAX;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i)
		shift = min(shift, __ffs64(sg_dma_address(sg) | sg_dma_len(sg)));
	return shift;
}
"""
