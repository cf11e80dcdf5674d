"""DM107: a size from user space goes into ilog2() without being checked for what ilog2() needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, plain
from reviewer.kit.guards import guards
from reviewer.kit.units import operands
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

from ._user_values import LOGARITHMS, cut_off, tests_power, user_source

_BOUNDS = frozenset({"<", "<=", ">", ">="})


class UncheckedSizeBeforeIlog2(CodeRule):
    """A size that user space gives is a power of two, and not too small, before its logarithm becomes a shift.

    What it does: follows values of netlink attributes and of structs copied from user space into `ilog2()` and its
    like, and looks for a rejection by `is_power_of_2()` and for a lower bound on the way.

    Why it matters: `ilog2(0)` is undefined and `ilog2(5000)` rounds down in silence; a shift below PAGE_SHIFT makes
    units smaller than a page, and `shift - PAGE_SHIFT` wraps.

    When it stays silent: where the value comes from is not visible; it was rounded up; the check stands in an enclosing
    condition.

    Sources: RULES DM107; <20260603-tcpdm-large-niovs-v1-1-f37a4ac6726c@meta.com> is the good form.
    """

    id = "DM107"
    name = "unchecked-size-before-ilog2"
    title = "ilog2() of a user's size that was not checked"
    why = "ilog2() is undefined for 0 and rounds down what is no power of two; a user's value has to be rejected first."
    level = "error"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("function",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!Documentation/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each logarithm of a value from user space that nothing rejected before."""
        for call in unit.calls(*LOGARITHMS):
            given = arguments(call)
            value = bare(given[0]) if len(given) == 1 else None
            if value is None:
                continue
            source = user_source(unit, value)
            if source is None:
                continue
            checked = guards(call)
            power = any(tests_power(condition, value) for condition in checked)
            bounded = any(_bounds(condition, value) for condition in checked)
            if power and bounded:
                continue
            if cut_off(unit, call, value, source):
                if unit.touched(call):
                    yield Lack("function")
                continue
            yield _hit(unit, call, value, power=power)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented attributes and ioctls."""
        return (
            code(
                "bad",
                "net/core/frob-genl.c",
                """
int frob_bind_doit(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int shift = PAGE_SHIFT;
	u32 size;

	if (info->attrs[FROB_A_SLOT]) {
		size = nla_get_u32(info->attrs[FROB_A_SLOT]);
		shift = ilog2(size);
	}
	return frob_bind(info, shift);
}
""",
                finds=[Find(line="shift = ilog2(size);")],
            ),
            code(
                "bad",
                "io_uring/frob.c",
                """
static int frob_create(struct frob *fb, struct frob_reg __user *arg)
{
	struct frob_reg reg;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	if (!is_power_of_2(reg.slot_len))
		return -EINVAL;
	fb->slot_shift = ilog2(reg.slot_len);
	return ilog2(nla_get_u32(fb->attr));
}
""",
                finds=[Find(line="fb->slot_shift = ilog2", level="warning"), Find(line="return ilog2(nla_get_u32")],
            ),
            code(
                "good",
                "net/core/frob-genl.c",
                """
int frob_bind_doit(struct sk_buff *skb, struct genl_info *info)
{
	u32 size = nla_get_u32(info->attrs[FROB_A_SLOT]);

	if (!is_power_of_2(size) || size < PAGE_SIZE) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[FROB_A_SLOT]);
		return -EINVAL;
	}
	return frob_bind(info, ilog2(size));
}
""",
            ),
            code(
                "look-alike",
                "io_uring/frob.c",
                """
static int frob_create(struct frob *fb, struct frob_reg __user *arg, unsigned int chunk)
{
	struct frob_reg reg;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	reg.entries = roundup_pow_of_two(reg.entries);
	fb->shift = ilog2(reg.entries) + ilog2(fb->size) + ilog2(chunk);
	if (reg.len >= PAGE_SIZE && !(reg.len & (reg.len - 1)))
		fb->len_shift = ilog2(reg.len);
	return 0;
}
""",
                note="rounded up; not from user space; checked by the condition around",
            ),
        )


def _bounds(condition: Node, value: Node) -> bool:
    written = plain(value)
    for node in condition.walk():
        left, right, operator = operands(node)
        sides = [plain(bare(side)) for side in (left, right) if side is not None]
        if operator in _BOUNDS and written in sides:
            return True
    return False


def _hit(unit: Unit, call: Node, value: Node, *, power: bool) -> Hit:
    name = value.text
    if power:
        message = f"{name} comes from user space and has no lower bound: reject {name} < PAGE_SIZE before {call.text}."
        return Hit(at=unit.at(call), message=message, level="warning")
    wrong = "is undefined for 0 and rounds down what is no power of two"
    if any(node.kind == "call_expression" for node in value.walk()):
        message = (
            f"{name} comes from user space, and ilog2() of it {wrong}. Keep it in a variable and check that first: "
            "is_power_of_2() and a lower bound."
        )
    else:
        message = (
            f"{name} comes from user space, and {call.text} {wrong}: reject it first, as in "
            f"if (!is_power_of_2({name}) || {name} < PAGE_SIZE)."
        )
    return Hit(at=unit.at(call), message=message)
