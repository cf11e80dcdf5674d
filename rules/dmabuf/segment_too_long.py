"""DM408: a scatterlist entry is made longer than its length, or the device, can take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, plain
from reviewer.kit.types import ctype, declared_type
from reviewer.kit.units import operands
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._hooks import text_of

_SETTERS = ("sg_set_page", "sg_set_folio", "sg_set_buf")
_BOUND = re.compile(r"\bmin(?:_t|3|_not_zero)?\(|\bumin\(|\bclamp|\bUINT_MAX\b|\bSIZE_MAX\b|max_seg|MAX_SEG|overflow")


class SegmentTooLong(CodeRule):
    """The length of a scatterlist entry is computed in pages from a 64-bit count that nothing bounds.

    What it does: looks for `n << PAGE_SHIFT` as the length of sg_set_page() and its like where `n` is declared with 64
    bits and the visible function has neither a minimum nor a segment limit.

    Why it matters: the length is an unsigned int, so from 4 GiB on it is cut; long before, the device's
    dma_get_max_seg_size() is passed, of which dma-debug warns.

    When it stays silent: a constant length; a type that is not in sight or has 32 bits; any bound in the function.

    Sources: include/linux/scatterlist.h; <20260603-tcpdm-large-niovs-v1-2-f37a4ac6726c@meta.com> and its discussion;
    RULES.md DM408.
    """

    id = "DM408"
    name = "segment-too-long"
    title = "A segment that outgrows its length"
    why = "The length of a scatterlist entry has 32 bits, and devices take segments up to a limit of their own only."
    level = "note"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!lib/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each length that may be cut."""
        for call in unit.calls(*_SETTERS):
            given = arguments(call)
            count = _pages(bare(given[2])) if len(given) > 2 and unit.touched(call) else None
            function = unit.function_of(call)
            if count is None or function is None or not _wide(unit, count):
                continue
            if not _BOUND.search(text_of(unit, function)):
                yield Hit(
                    at=unit.at(call),
                    message=f"The length of an entry is an unsigned int, and devices take less than that. What "
                    f"bounds `{plain(count)}`? dma_get_max_seg_size() could, or sg_alloc_table_from_pages_segment().",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a run of pages. Look-alikes: a page, a bounded run, a count of 32 bits."""
        path = "drivers/dma-buf/frob.c"
        capped = "\trun = min(run, (pgoff_t)(dma_get_max_seg_size(fb->dev) >> PAGE_SHIFT));\n"
        return (
            code("bad", path, _RUN, finds=[Find(line="sg_set_folio(")]),
            code("bad", path, _RUN.replace("run << PAGE_SHIFT", "run * PAGE_SIZE"), finds=[Find(line="sg_set_folio(")]),
            code("good", path, _RUN.replace("\tsg_set", capped + "\tsg_set")),
            code("look-alike", path, _RUN.replace("run << PAGE_SHIFT", "PAGE_SIZE"), note="one page"),
            code(
                "look-alike", path, _RUN.replace("pgoff_t", "unsigned int"), note="4 GiB at most is the caller's care"
            ),
        )


def _pages(length: Node) -> Node | None:
    """The count in `count << PAGE_SHIFT` and `count * PAGE_SIZE`."""
    left, right, operator = operands(length)
    if left is None or right is None or (operator, right.text) not in (("<<", "PAGE_SHIFT"), ("*", "PAGE_SIZE")):
        return None
    return left


def _wide(unit: Unit, count: Node) -> bool:
    inner = bare(count)
    kind = ctype(declared_type(unit, inner.text, inner)) if inner.kind == "identifier" else None
    return kind is not None and kind.bits == 64


_RUN = """
static void frob_entry(struct frob *fb, struct scatterlist *sg, pgoff_t first)
{
	pgoff_t run = frob_run(fb, first);

	sg_set_folio(sg, fb->folios[first], run << PAGE_SHIFT, 0);
}
"""
