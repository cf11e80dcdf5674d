"""DM210: a 64-bit value is divided by a variable, which 32-bit kernels cannot link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import bare
from reviewer.kit.types import ctype
from reviewer.kit.units import measure, operands
from reviewer.kit.widths import written_type
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_ALWAYS_64 = frozenset(
    {
        *("u64", "__u64", "s64", "__s64", "uint64_t", "int64_t", "loff_t", "dma_addr_t", "phys_addr_t", "sector_t"),
        *("unsigned long long", "long long", "long long int", "resource_size_t", "ktime_t"),
    }
)
_SUMS = frozenset({"+", "-", "*", "|", "&"})
_CONSTANT = frozenset({"number_literal", "sizeof_expression", "char_literal", "string_literal"})


class DivisionByUnit(CodeRule):
    """Addresses and offsets of 64 bits are not divided by variables; a shift or a mask does it for a power of two.

    What it does: finds `/` and `%` whose operands are of a type that is 64 bits wide (in 32-bit kernels, too) on one
    side, and whose right side is no constant.

    Why it matters: the compiler calls __udivdi3(), which the kernel does not have: 32-bit builds do not link. And the
    unit is a power of two, for which the shift is there.

    When it stays silent: the types are not visible; constants, sizeof and macros in capitals; a size_t or unsigned long
    (a note where it is divided by the size of a niov, outside of io_uring, which keeps `%` for its checks).

    Sources: RULES.md DM210; include/linux/math64.h.
    """

    id = "DM210"
    name = "division-by-unit"
    title = "64-bit division by a variable"
    why = "32-bit kernels have no 64-bit division operator, and a size that is a power of two has a shift."
    level = "error"
    confidence = "medium"
    category = "build-config"
    needs = ("function", "hunk")
    paths = ("net/core/**", "net/ipv4/**", "include/net/**", "io_uring/**", "drivers/dma-buf/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each division that 32-bit kernels cannot do, and for those that are better a shift."""
        if not unit.mentions(" / ", " % ", "/= ", "%= "):
            return
        for node in unit.find("binary_expression"):
            left, right, sign = operands(node)
            if sign not in ("/", "%") or left is None or right is None or _is_constant(right):
                continue
            wide = _wide(unit, left) or _wide(unit, right)
            by_niov = measure(unit, right) == "niov"
            instead = ">> shift" if sign == "/" else "& (unit - 1)"
            if wide is not None:
                helper = "div64_u64()" if sign == "/" else "div64_u64_rem()"
                other = f"{left.text} {instead}" if by_niov else f"{helper}, or a shift if it is a power of two"
                message = f"{node.text} divides a {wide} by a variable, which 32-bit kernels cannot link. Use {other}."
                yield Hit(at=unit.at(node), message=message)
            elif by_niov and not unit.path.startswith("io_uring/"):
                message = f"{right.text} is a power of two: {left.text} {instead} does without a division."
                yield Hit(at=unit.at(node), message=message, level="note")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a quotient, a remainder, a long by a niov. Good: shift and mask. Look-alikes: constants, longs."""
        path = "net/core/frob.c"
        return (
            code(
                "bad",
                path,
                """
static size_t frob_index(struct frob *fb, dma_addr_t addr, u64 off, unsigned int slot, size_t virt)
{
	size_t niov_size = 1UL << fb->niov_shift;
	size_t rest = (off + 1) % slot;

	return (addr - fb->base) / slot + rest + virt / niov_size;
}
""",
                finds=[Find(line="size_t rest = "), Find(line="(addr - fb->base) / slot")],
            ),
            code(
                "bad",
                path,
                """
static size_t frob_index(struct frob *fb, size_t virt)
{
	size_t niov_size = 1UL << fb->niov_shift;

	return virt / niov_size;
}
""",
                finds=[Find(line="return virt / niov_size;", level="note")],
            ),
            code(
                "good",
                path,
                """
static size_t frob_index(struct frob *fb, dma_addr_t addr, u64 off)
{
	size_t rest = off & ((1UL << fb->slot_shift) - 1);

	return ((addr - fb->base) >> fb->slot_shift) + rest;
}
""",
            ),
            code(
                "look-alike",
                path,
                """
static size_t frob_index(struct frob *fb, u64 off, size_t len, unsigned int slot)
{
	return off / PAGE_SIZE + off % 4096 + off / sizeof(*fb) + len / slot + fb->end / slot;
}
""",
                note="constants, a long, a member whose type is not visible",
            ),
        )


def _is_constant(node: Node) -> bool:
    """Whether nothing in `node` is known at run time only, by its looks."""
    node = bare(node)
    if node.kind in _CONSTANT:
        return True
    names = [each.text for each in node.walk() if each.kind in ("identifier", "field_identifier")]
    return all(name.isupper() for name in names)


def _wide(unit: Unit, node: Node) -> str | None:
    """The type of `node` when it is 64 bits wide in every kernel, as written."""
    pending = [node]
    while pending:
        inner = pending.pop()
        while inner.kind == "parenthesized_expression" and len(inner.named_children) == 1:
            inner = inner.named_children[0]
        left, right, sign = operands(inner)
        if left is not None and right is not None:
            pending += [right, left] if sign in _SUMS else [left] if sign == ">>" else []
            continue
        written = written_type(unit, inner)
        if written is not None and ctype(written) is not None and written.removeprefix("const ") in _ALWAYS_64:
            return written
    return None
