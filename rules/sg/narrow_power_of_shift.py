"""DM106: a size made from a variable shift is computed in a type narrower than the one it is used in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.kit.types import ctype
from reviewer.kit.units import is_niov_name, operands
from reviewer.kit.widths import converted_to
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_SHIFT = re.compile(r"shift|shft")
_ORDER = re.compile(r"(?:^|_)order$")
_ONE = ("1", "1U", "1u")
_LONG_LONG = frozenset({"u64", "__u64", "s64", "__s64", "uint64_t", "dma_addr_t", "phys_addr_t", "loff_t"})


class NarrowPowerOfShift(CodeRule):
    """A power of two that goes into a 64-bit size is shifted as one.

    What it does: finds `1 << shift` and `1U << shift` with a variable shift whose value ends in a 64-bit variable or
    meets a 64-bit operand, and `1 << niov_shift` wherever it ends. An error for the size of a niov, which a user may
    choose; a warning for other shifts; a note for orders, and for the number of elements of an array (times sizeof).

    Why it matters: `1 << shift` is an int, negative at 31 and undefined above; assigned to a size_t it is sign-extended
    to an address near the top. A u32 attribute that must be a power of two allows 31.

    When it stays silent: constant shifts; the target is known to be 32 bits wide; `1U <<` or `1 << order` whose target
    is not visible; page counts.

    Sources: RULES DM106; <5d29fc35107408e1d23d4d9e853cccc4e270b0f1.1758030357.git.asml.silence@gmail.com>.
    """

    id = "DM106"
    name = "narrow-power-of-shift"
    title = "1 << shift is narrower than the size that it makes"
    why = "An int shifted by 31 is negative and sign-extends when it is widened; the 1 must have the type of the size."
    level = "error"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("function", "hunk")
    paths = ("**/*.c", "**/*.h", "!tools/**", "!Documentation/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each power of two that is too narrow."""
        if not unit.mentions("1 <<", "1U <<", "1u <<", "1<<", "1U<<"):
            return
        for node in unit.find("binary_expression"):
            left, right, operator = operands(node)
            if operator != "<<" or left is None or right is None or left.text not in _ONE:
                continue
            name = _variable_shift(right)
            if name is not None:
                yield from _judged(unit, node, right, unsigned=left.text != "1", name=name)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented sizes."""
        return (
            code(
                "bad",
                "net/core/frob.c",
                """
static int frob_carve(struct frob *fb, dma_addr_t base)
{
	size_t slot = 1 << fb->slot_shift;
	dma_addr_t last;

	last = base + (1U << fb->slot_shift) - 1;
	return frob_add(fb, last, slot, 1 << fb->slot_shift);
}

static size_t frob_table_size(struct frob *fb, unsigned int order)
{
	size_t size = (1 << order) * PAGE_SIZE;

	return size + (1 << fb->hash_shift);
}

static size_t frob_hash_size(unsigned int shift)
{
	return (1 << shift) * sizeof(struct frob *);
}
""",
                finds=[
                    Find(line="size_t size = (1 << order)", level="note"),
                    Find(line="return size + (1 << fb->hash_shift);", level="warning"),
                    Find(line="return (1 << shift) * sizeof", level="note"),
                    Find(line="size_t slot = 1 << fb->slot_shift;"),
                    Find(line="last = base +", level="warning"),
                    Find(line="return frob_add", level="warning"),
                ],
            ),
            code(
                "good",
                "net/core/frob.c",
                """
static int frob_carve(struct frob *fb, dma_addr_t base)
{
	size_t slot = 1UL << fb->slot_shift;
	dma_addr_t last;

	last = base + (1ULL << fb->slot_shift) - 1;
	return frob_add(fb, last, slot, BIT(fb->slot_shift));
}
""",
            ),
            code(
                "look-alike",
                "net/core/frob.c",
                """
#define FROB_FLAG (1 << FROB_FLAG_SHIFT)

static unsigned long frob_pages(struct frob *fb, struct frob_params *p, unsigned int order)
{
	unsigned int slot = 1U << fb->slot_shift;
	unsigned long nr = 1UL << 3;

	p->rx_page_size = 1U << fb->slot_shift;
	frob_account(fb, slot, 1 << order);
	return nr + (1 << PAGE_SHIFT);
}
""",
                note="a u32 for a u32, a field whose type is not visible, a page count, constants",
            ),
        )


def _variable_shift(shift: Node) -> str | None:
    """The name that makes `shift` a variable one: of a shift, or of an order."""
    names = [node.text for node in shift.walk() if node.kind in ("identifier", "field_identifier")]
    for name in names:
        if not name.isupper() and (_SHIFT.search(name) or _ORDER.search(name)):
            return name
    return None


def _judged(unit: Unit, node: Node, shift: Node, *, unsigned: bool, name: str) -> Iterator[Hit]:
    target = converted_to(unit, node)
    kind = ctype(target)
    is_order = _ORDER.search(name) is not None
    if kind is None:
        if not unsigned and is_niov_name(name):
            message = f"{node.text} is an int, negative from a shift of 31 on; write 1UL << {shift.text}."
            yield Hit(at=unit.at(node), message=message, level="warning")
    elif kind.bits > 32 and not (unsigned and is_order):
        one = "1ULL" if target in _LONG_LONG else "1UL"
        wrong = "lost from a shift of 32 on" if unsigned else "negative at a shift of 31, and sign-extends"
        message = f"{node.text} is only widened to {target} afterwards: it is {wrong}. Write {one} << {shift.text}."
        mild = unsigned or not is_niov_name(name)
        faint = mild and (is_order or _elements(node))
        yield Hit(at=unit.at(node), message=message, level="note" if faint else "warning" if mild else None)


def _elements(node: Node) -> bool:
    """Whether `node` counts the elements of an array: 2 ** 31 of them hardly fit into memory."""
    outer = next((one for one in node.ancestors() if one.kind != "parenthesized_expression"), None)
    if outer is None or outer.kind != "binary_expression":
        return False
    left, right, operator = operands(outer)
    return operator == "*" and any(one is not None and one.kind == "sizeof_expression" for one in (left, right))
