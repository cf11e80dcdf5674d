"""DM212: the build breaks, or would, where PAGE_SIZE is not the size that somebody had in mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, operator
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_BREAKS = {"BUILD_BUG_ON": "!=", "BUILD_BUG_ON_MSG": "!=", "static_assert": "==", "_Static_assert": "=="}
_PAGES = frozenset({"PAGE_SIZE", "PAGE_SHIFT"})


class PageSizeAssumed(CodeRule):
    """Code that works with pages of one size only does not break the build for all others.

    What it does: finds BUILD_BUG_ON() and static_assert() that want PAGE_SIZE or PAGE_SHIFT to equal something else.

    Why it matters: arm64, powerpc and others have pages of 16 and 64 KiB, and `make allmodconfig` then fails. The unit
    of a device is no page of the CPU: a loop that counts in the device's unit works with both.

    When it stays silent: orders (`<`, `>`, a remainder), which hold for larger pages too; architecture code, which
    knows its pages.

    Sources: <fe224152-b621-d96e-b432-bf837d320210@arm.com>; Documentation/admin-guide/mm/concepts.rst.
    """

    id = "DM212"
    name = "page-size-assumed"
    title = "The build breaks for pages of another size"
    why = "PAGE_SIZE is 4, 16 or 64 KiB by the configuration; what a device needs is a size of its own."
    level = "warning"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!arch/**", "!tools/**", "!mm/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each assertion that PAGE_SIZE is equal to something."""
        for call in unit.calls(*_BREAKS):
            given = arguments(call)
            test = bare(given[0]) if given else None
            other = _other(test) if test is not None else None
            function = call.child("function")
            if test is None or other is None or function is None or operator(test) != _BREAKS[function.text]:
                continue
            if other.text in _PAGES:
                continue
            if other.text.endswith("_SHIFT") != (_page(test) == "PAGE_SHIFT") and other.text.isupper():
                message = f"{test.text} compares a shift with a size, which are never equal: the build breaks."
                yield Hit(at=unit.at(call), message=message)
                continue
            message = (
                f"This breaks the build where {_page(test)} is not {other.text}, as with pages of 16 or 64 KiB. Count "
                f"in {other.text} within a page instead, or let Kconfig say what the driver depends on."
            )
            yield Hit(at=unit.at(call), message=message)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: either order. Good: a remainder. Look-alikes: orders."""
        path = "drivers/gpu/drm/frob.c"
        breaks = [Find(line="BUILD_BUG_ON(")]
        return (
            code("bad", path, _ASSERT.replace("TEST", "FROB_PAGE_SIZE != PAGE_SIZE"), finds=breaks),
            code("bad", path, _ASSERT.replace("TEST", "PAGE_SHIFT != FROB_PAGE_SHIFT"), finds=breaks),
            code("bad", path, _ASSERT.replace("TEST", "FROB_PAGE_SHIFT != PAGE_SIZE"), finds=breaks),
            code("good", path, _ASSERT.replace("TEST", "PAGE_SIZE % FROB_PAGE_SIZE")),
            code("look-alike", path, _ASSERT.replace("TEST", "FROB_PAGE_SIZE > PAGE_SIZE")),
            code("look-alike", path, _ASSERT.replace("TEST", "PAGE_SIZE != (1UL << PAGE_SHIFT)")),
        )


def _other(test: Node) -> Node | None:
    """What PAGE_SIZE or PAGE_SHIFT is compared with, when one side of `test` is one of these and the other is not."""
    left, right = test.child("left"), test.child("right")
    if left is None or right is None:
        return None
    sides = [bare(left), bare(right)]
    mine = [side for side in sides if side.text in _PAGES]
    if len(mine) != 1:
        return None
    other = next(side for side in sides if side is not mine[0])
    return None if any(name.text in _PAGES for name in other.walk() if name.kind == "identifier") else other


def _page(test: Node) -> str:
    return next(node.text for node in test.walk() if node.text in _PAGES)


_ASSERT = """
static void frob_map(struct frob *fb, dma_addr_t addr)
{
	BUILD_BUG_ON(TEST);
	frob_write(fb, addr);
}
"""
