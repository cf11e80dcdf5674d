"""DM108: a size from user space is shifted or stored without an upper bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, assignments, bare, called, calls_in, operator, plain
from reviewer.kit.failures import alternatives, requirements
from reviewer.kit.guards import earlier_exits, enclosing_conditions
from reviewer.kit.units import is_niov_name
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

from ._user_values import ATTRIBUTES, cut_off, user_source

_CAPS = ("min", "min_t", "min3", "umin", "clamp", "clamp_t", "clamp_val")
_SIZES = frozenset({"rx_page_size", "order"})
_WIDE = ("nla_get_u64", "nla_get_uint")


class UserSizeUnbounded(CodeRule):
    """A size that user space gives has a largest value before it becomes a shift, an order or a page size.

    What it does: follows values of netlink attributes and of structs copied from user space into `ilog2()`, the
    distance of a shift, and members that hold a shift, an order or a page size, and looks for an upper bound.

    Why it matters: a power of two of 32 bits goes up to 2 GiB, far above what a page pool or a device takes, and a
    larger one loses its top in a u32.

    When it stays silent: `fls()` and `__ffs()`, which search masks; a comparison, min() or clamp() bounds it; where it
    comes from is not visible. A u32 attribute is a note: what is too large for the memory or the device is refused
    later, by the alignment of the entries and by the driver. Allocations are left alone, unlike in RULES.md:
    kvmalloc_array() and its like refuse what overflows, and their counts are bounded elsewhere as a rule.

    Sources: RULES.md DM108; <20260603-tcpdm-large-niovs-v1-1-f37a4ac6726c@meta.com>.
    """

    id = "DM108"
    name = "user-size-unbounded"
    title = "A user's size without an upper bound"
    why = "Nothing but a maximum keeps a user's power of two within what the shift, the field and the device can hold."
    level = "warning"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("function",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/dma-buf/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each size from user space that goes unbounded into one of these."""
        if not unit.mentions(*ATTRIBUTES, "_reg"):
            return
        for value, place in _used(unit):
            source = user_source(unit, value)
            if source is None or _is_bounded(place, value) or _is_capped(unit, value):
                continue
            if cut_off(unit, place, value, source):
                if unit.touched(place):
                    yield Lack("function")
                continue
            whole = bare(source)
            name = "the size" if value.kind == "call_expression" else value.text
            limit = f"reject {name} above the largest that makes sense, with -ERANGE"
            if called(whole) in ATTRIBUTES and called(whole) not in _WIDE:
                message = f"Nothing here limits {name} but the 32 bits of the attribute: consider an explicit maximum."
                yield Hit(at=unit.at(place), message=message, level="note")
            else:
                message = f"{name} comes from user space and has no upper bound here: {limit}."
                yield Hit(at=unit.at(place), message=message)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: an attribute of any width, a register struct. Good: bounded, capped. Look-alikes: other values."""
        path = "net/core/frob-genl.c"
        shift = [Find(line="fb->slot_shift = ilog2(size);")]
        note = [Find(line="fb->slot_shift = ilog2(size);", level="note")]
        return (
            code("bad", path, _ATTRIBUTE.replace("GET", "nla_get_uint").replace("LIMIT", ""), finds=shift),
            code("bad", path, _ATTRIBUTE.replace("GET", "nla_get_u32").replace("LIMIT", ""), finds=note),
            code("bad", "io_uring/frob.c", _COPIED.replace("LIMIT", ""), finds=[Find(line="p->rx_page_size =")]),
            code("good", path, _ATTRIBUTE.replace("GET", "nla_get_uint").replace("LIMIT", " || size > FROB_MAX")),
            code("good", path, _ATTRIBUTE.replace("GET", "nla_get_uint").replace("LIMIT", " || FROB_MAX <= size")),
            code("good", "io_uring/frob.c", _COPIED.replace("LIMIT", "reg.slot > FROB_MAX || ")),
            code("good", path, _CAPPED),
            code("look-alike", path, _KERNEL, note="not from user space"),
        )


def _used(unit: Unit) -> Iterator[tuple[Node, Node]]:
    """(value, place): what becomes a shift, an order or a page size, bare, and where."""
    for call in unit.calls("ilog2", "order_base_2"):
        for given in arguments(call):
            yield bare(given), call
    for node in unit.find("binary_expression"):
        distance = node.child("right")
        if operator(node) == "<<" and distance is not None and distance.kind != "number_literal":
            yield bare(distance), node
    for left, right in assignments(unit.find("assignment_expression")):
        field = left.child("field") if left.kind == "field_expression" else None
        if field is not None and (field.text in _SIZES or is_niov_name(field.text)):
            yield bare(right), right


def _is_bounded(place: Node, value: Node) -> bool:
    """Whether a condition before or around `place` gives `value` a largest value."""
    written = plain(value)
    left = any(_compares(test, written, (">", ">=")) for one in earlier_exits(place) for test in alternatives(one))
    return left or any(
        _compares(test, written, ("<", "<="))
        for one in enclosing_conditions(place)
        for test in (*requirements(one), *alternatives(one))
    )


def _compares(test: Node, written: str, signs: tuple[str, str]) -> bool:
    """Whether `test` is `written` with one of `signs` behind it, or the same turned round."""
    left, right, sign = test.child("left"), test.child("right"), operator(test) or ""
    if left is None or right is None or len(sign) > 2:
        return False
    turned = sign.translate({ord("<"): ">", ord(">"): "<"})
    return (sign in signs and plain(bare(left)) == written) or (turned in signs and plain(bare(right)) == written)


def _is_capped(unit: Unit, value: Node) -> bool:
    sources = values_of(unit, value) if value.kind == "identifier" else (value,)
    return any(any(calls_in(source, *_CAPS)) for source in sources)


_ATTRIBUTE = """
int frob_bind_doit(struct genl_info *info, struct frob *fb)
{
	u64 size = GET(info->attrs[FROB_A_SLOT]);

	if (!is_power_of_2(size) || size < PAGE_SIZELIMIT)
		return -EINVAL;
	fb->slot_shift = ilog2(size);
	return 0;
}
"""
_COPIED = """
static int frob_create(struct frob_params *p, struct frob_reg __user *arg)
{
	struct frob_reg reg;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	if (LIMITreg.flags)
		return -EINVAL;
	p->rx_page_size = reg.slot;
	return 0;
}
"""
_CAPPED = """
int frob_bind_doit(struct genl_info *info, struct frob *fb)
{
	u64 size = nla_get_uint(info->attrs[FROB_A_SLOT]);

	size = min(size, FROB_MAX);
	fb->slot_shift = ilog2(size);
	if (nla_get_u32(info->attrs[FROB_A_ORDER]) <= FROB_MAX_ORDER)
		fb->size = 1UL << nla_get_u32(info->attrs[FROB_A_ORDER]);
	return 0;
}
"""
_KERNEL = """
int frob_bind(struct frob *fb, u64 size, unsigned int order)
{
	fb->slot_shift = ilog2(size);
	fb->size = 1UL << order;
	return nla_get_u32(fb->attr);
}
"""
