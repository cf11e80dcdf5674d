"""DM110: an array has a slot for each unit of a dma-buf, and the size was not checked against that unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reviewer.kit.assigned import function_start, values_of
from reviewer.kit.expressions import bare, plain
from reviewer.kit.guards import leaves
from reviewer.kit.remembering import once_a_series
from reviewer.kit.units import AlignmentTest, alignment_tests, measure
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Series, Unit, code

from ._arrays import SizedArray, sized_arrays

_LONGEST = 16
"""Lines of a statement that are looked at."""


class DmabufSizeUnit(CodeRule):
    """The size of a dma-buf is a multiple of the unit that divides it into the slots of an array.

    What it does: finds allocations of `dmabuf->size / unit` or `>> shift` slots, and looks for a rejection of sizes
    that are no multiple of that unit before.

    Why it matters: the lookup takes every offset below the size; with a rest, the offsets of the last, partial unit
    index one slot behind the array.

    When it stays silent: the whole function is not visible, nor a wrong check (then it is not checked); no array is
    made from the size; the division rounds up. A check against pages beside a division by the size of a niov is a
    warning as long as the series shows a caller that passes PAGE_SHIFT: it is right for that one.

    Sources: RULES.md DM110; <20260519203530.66310-1-devnexen@gmail.com>.
    """

    id = "DM110"
    name = "dmabuf-size-unit"
    title = "Array of a dma-buf's units, size not checked against the unit"
    why = "What is looked up by any offset below the size needs a slot for the last, partial unit, or no such unit."
    level = "error"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/dma-buf/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each such array."""
        for array in sized_arrays(unit):
            if "ROUND_UP" in array.call.text:
                continue
            wanted = measure(unit, array.by)
            tests = list(_tests(unit, array))
            if any(test.measure is None or wanted is None or test.measure == wanted for test in tests):
                continue
            function = unit.function_of(array.call)
            if tests or (function is not None and function.complete):
                yield _hit(unit, array, tests, function.name if function is not None else "")
            elif unit.touched(array.call):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: unchecked, checked against pages. Good: the same unit. Look-alikes: other sizes, rounded up."""
        path = "net/core/devmem.c"
        slots = [Find(line="fb->map = ")]
        mild = [Find(line="fb->map = ", level="warning")]
        niov = _BIND.replace("UNIT", "1UL << niov_shift")
        return (
            code("bad", path, _BIND.replace("if (!IS_ALIGNED(dmabuf->size, UNIT))", "if (!dmabuf->size)"), finds=slots),
            code("bad", path, _BIND.replace("UNIT", "PAGE_SIZE"), finds=slots),
            code("bad", path, _BIND.replace("UNIT", "PAGE_SIZE") + _CALLER, finds=mild, note="right for this caller"),
            code("good", path, niov),
            code("good", path, niov.replace("!IS_ALIGNED(dmabuf->size, 1UL << niov_shift)", "dmabuf->size & mask")),
            code("look-alike", path, niov.replace("dmabuf->size", "fb->len"), note="not a dma-buf"),
            code("look-alike", path, _ROUNDED, note="the rest has a slot of its own"),
        )


def _tests(unit: Unit, array: SizedArray) -> Iterator[AlignmentTest]:
    """The tests of the size against a unit that make control leave before the allocation, in its function."""
    first = max(function_start(array.call), 0)
    written = plain(array.size)
    for node in unit.find("if_statement"):
        condition = node.child("condition")
        if first <= node.start < array.call.start and condition is not None and leaves(node.child("consequence")):
            for test in alignment_tests(unit, condition):
                if any(plain(bare(value)) == written for value in _values(unit, test.value)):
                    yield test


def _values(unit: Unit, node: Node) -> tuple[Node, ...]:
    node = bare(node)
    return values_of(unit, node) if node.kind == "identifier" else (node,)


def _hit(unit: Unit, array: SizedArray, tests: Sequence[AlignmentTest], function: str) -> Hit:
    size = array.size.text
    passes = bool(tests) and function in _given_pages(unit.series)
    shown = " ".join(array.divided.text.split())
    if tests:
        held = " It holds only while every caller that comes here passes PAGE_SHIFT." if passes else ""
        message = (
            f"{array.name} has {shown} slots, but {size} is only checked with {' '.join(tests[0].node.text.split())}: "
            f"the last, partial unit has none, and a lookup there reads behind the array.{held} Check against the same "
            f"unit."
        )
    else:
        message = (
            f"{array.name} has {shown} slots, and nothing checks that {size} is a multiple of that unit: an offset in "
            "the last, partial one is below the size and behind the array. Reject such sizes before."
        )
    return Hit(
        at=unit.at(array.call),
        message=message,
        level="warning" if passes else None,
        related=tuple(unit.at(one.node) for one in tests),
    )


@once_a_series
def _given_pages(series: Series) -> frozenset[str]:
    """The functions that the series calls with PAGE_SHIFT, as it leaves its files."""
    found: set[str] = set()
    for hunk in (hunk for patch in series.patches for file in patch.files for hunk in file.hunks):
        for statement in _statements(line.text for line in hunk.lines if line.mark != "-"):
            if "PAGE_SHIFT" in statement:
                found.update(words[-1] for part in statement.split("(")[:-1] if (words := part.split()))
    return frozenset(found)


def _statements(lines: Iterable[str]) -> Iterator[str]:
    """The lines up to each that ends a statement, or begins or ends a block, as one text; of long ones the begin."""
    kept: list[str] = []
    for text in lines:
        if len(kept) < _LONGEST:
            kept.append(text)
        if text.rstrip().endswith((";", "{", "}")):
            yield " ".join(kept)
            kept.clear()


_BIND = """
static int frob_bind(struct frob *fb, struct dma_buf *dmabuf, unsigned int niov_shift)
{
	unsigned long mask = (1UL << niov_shift) - 1;

	if (!IS_ALIGNED(dmabuf->size, UNIT))
		return -EINVAL;
	fb->mask = mask;
	fb->map = kvmalloc_objs(struct net_iov *, dmabuf->size >> niov_shift);
	return fb->map ? 0 : -ENOMEM;
}
"""
_CALLER = """
int frob_bind_doit(struct frob *fb, struct dma_buf *dmabuf)
{
	return frob_bind(fb, dmabuf, PAGE_SHIFT);
}
"""
_ROUNDED = """
static int frob_bind(struct frob *fb, struct dma_buf *dmabuf)
{
	unsigned int slots = DIV_ROUND_UP(dmabuf->size, PAGE_SIZE);

	fb->bits = kvmalloc(BITS_TO_LONGS(dmabuf->size) * sizeof(long), GFP_KERNEL);
	fb->map = kvmalloc_array(slots, sizeof(void *), GFP_KERNEL);
	return fb->map && fb->bits ? 0 : -ENOMEM;
}
"""
