"""DM109: an array is sized by a dma-buf and filled by the entries of its table; nobody compares the two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import operator, plain
from reviewer.kit.sg import dmabuf_sizes, entry_parts
from reviewer.kit.units import division
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Node, Result, Unit, code

from ._arrays import sized_arrays

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


class ArrayNotCovered(CodeRule):
    """An array with a slot for each unit of a dma-buf is filled wholly by the entries of the table.

    What it does: finds an array that is allocated by the size of a dma-buf without being zeroed, and stores into it at
    an offset that grows by the lengths of the entries; and looks for a comparison of that offset, or of another sum of
    the lengths, with anything.

    Why it matters: entries that are longer together than the size write behind the array; with shorter ones, slots
    stay as they were in memory, and a lookup follows what is there.

    When it stays silent: the array is zeroed; something compares the offset, or the size with a sum. It is a note where
    the function is not visible as a whole, for the comparison may be in what is not shown, and where the patch only
    changes the unit of an array that was there.

    Sources: RULES.md DM109; <e15dea1bae569f620c28edc887596470f3f37322.1758030357.git.asml.silence@gmail.com>.
    """

    id = "DM109"
    name = "array-not-covered"
    title = "Array sized by the dma-buf, filled by the entries"
    why = "Nothing promises that the entries of a table are together as long as the dma-buf, neither more nor less."
    level = "warning"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function", "hunk")
    paths = ("net/**", "io_uring/**", "drivers/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each array that may be filled in part, or too far."""
        told: dict[int, bool] = {}
        for array in sized_arrays(unit):
            if array.zeroed:
                continue
            function = unit.function_of(array.call)
            complete = function is not None and function.complete
            seen = (unit,) if complete else (unit, *unit.peers)
            shown = (each for each in seen if each.mentions(array.name))
            stores = [(each, store) for each in shown if (store := _stores(each).get(array.name)) is not None]
            if not stores:
                continue
            whole = complete and unit.function_of(stores[0][1]) is function
            scope = function.first_row if function is not None and whole else -1
            if scope not in told:
                told[scope] = any(_compares(each, function if whole else None) for each in seen)
            if told[scope]:
                continue
            place, store = stores[0]
            message = (
                f"{array.name} has {' '.join(array.divided.text.split())} slots that are not zeroed, and is filled as "
                f"far as the entries of the table go: nothing compares their sum with {array.size.text}. Reject a "
                "table whose lengths do not add up to it, or zero the array."
            )
            new = whole and unit.touched_rows(array.call.row, array.call.row)
            related = (place.at(store),)
            yield Hit(at=unit.at(array.divided), message=message, level=None if new else "note", related=related)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: not compared. Good: compared, zeroed. Look-alikes: an index of its own."""
        path = "net/core/frob.c"
        slots = [Find(line="fb->map = ")]
        return (
            code("bad", path, _FILL.replace("CHECK", "0"), finds=slots),
            code("good", path, _FILL.replace("CHECK", "virt != dmabuf->size")),
            code("good", path, _FILL.replace("CHECK", "0").replace("kvmalloc_array", "kvcalloc")),
            code("look-alike", path, _FILL.replace("CHECK", "0").replace("virt >> fb->shift", "i"), note="an index"),
        )


@lru_cache(maxsize=160)
def _stores(unit: Unit) -> Mapping[str, Node]:
    """The first assignment to a slot of each array whose index is an offset divided by a unit, by its name."""
    found: dict[str, Node] = {}
    for node in unit.find("assignment_expression"):
        slot = node.child("left")
        held = slot.child("argument") if slot is not None and slot.kind == "subscript_expression" else None
        index = slot.child("index") if slot is not None else None
        if held is not None and index is not None and any(division(each) is not None for each in index.walk()):
            found.setdefault(plain(held).replace(".", "->").rpartition("->")[2], node)
    return found


def _compares(unit: Unit, function: Function | None) -> bool:
    """Whether a sum of lengths of entries, or the size of a dma-buf, is compared with anything."""
    sums = _sums(unit)
    for node in unit.find("binary_expression"):
        if operator(node) not in _COMPARISONS:
            continue
        if function is not None and not function.first_row <= node.row <= function.last_row:
            continue
        sides = [side for side in (node.child("left"), node.child("right")) if side is not None]
        if any(plain(side) in sums for side in sides):
            return True
        known = function is not None and any(any(dmabuf_sizes(unit, side)) for side in sides)
        if known and not any(side.kind == "number_literal" for side in sides):
            return True
    return False


@lru_cache(maxsize=160)
def _sums(unit: Unit) -> frozenset[str]:
    """The variables and members that grow by lengths of entries."""
    found: set[str] = set()
    for node in unit.find("assignment_expression"):
        left, right = node.child("left"), node.child("right")
        if operator(node) == "+=" and left is not None and right is not None:
            lengths = values_of(unit, right) if right.kind == "identifier" else (right,)
            if any("length" in entry_parts(unit, length) for length in lengths):
                found.add(plain(left))
    return frozenset(found)


_FILL = """
static int frob_fill(struct frob *fb, struct dma_buf *dmabuf)
{
	struct scatterlist *sg;
	size_t virt = 0;
	int i;

	if (!IS_ALIGNED(dmabuf->size, 1UL << fb->shift))
		return -EINVAL;
	fb->map = kvmalloc_array(dmabuf->size >> fb->shift, sizeof(void *), GFP_KERNEL);
	if (!fb->map)
		return -ENOMEM;
	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		size_t len = sg_dma_len(sg);

		fb->map[virt >> fb->shift] = frob_slot(fb, sg);
		virt += len;
	}
	if (CHECK)
		return -EINVAL;
	return 0;
}
"""
