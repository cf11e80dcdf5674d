"""DM111: an alignment macro is given a user's value that nothing says to be a power of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, called
from reviewer.kit.guards import guards
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Result, Unit, code

from ._user_values import cut_off, tests_power, user_source

_MACROS = ("IS_ALIGNED", "ALIGN", "ALIGN_DOWN", "PTR_ALIGN", "PTR_ALIGN_DOWN", "round_up", "round_down")
_INSTEAD = {"IS_ALIGNED": "% (or div_u64_rem())", "round_up": "roundup()", "round_down": "rounddown()"}


class AlignmentToNoPower(CodeRule):
    """`IS_ALIGNED()`, `ALIGN()` and `round_up()` are given powers of two.

    What it does: finds these macros with a second argument that comes from user space and that no is_power_of_2()
    tested before.

    Why it matters: they compute `a - 1` as a mask, so that any other value gives a wrong answer without a warning.

    When it stays silent: where the value comes from is not visible; it is tested for a power of two. The widths of both
    arguments are left out, unlike in RULES.md: a value that is cut to 0 makes a mask of all bits, so that the test
    refuses, and the sign of `1 << shift` is DM106's.

    Sources: RULES.md DM111; include/linux/align.h; include/linux/math.h.
    """

    id = "DM111"
    name = "alignment-to-no-power"
    title = "Alignment macro with a value that need not be a power of two"
    why = "The alignment macros use a - 1 as a mask, which is one for powers of two only."
    level = "warning"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!scripts/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each macro that is given an untested value of user space."""
        for call in unit.calls(*_MACROS):
            given = arguments(call)
            by = bare(given[1]) if len(given) == 2 else None
            source = user_source(unit, by) if by is not None else None
            if by is None or source is None or any(tests_power(condition, by) for condition in guards(call)):
                continue
            if cut_off(unit, call, by, source):
                if unit.touched(call):
                    yield Lack("function")
                continue
            name = called(call)
            other = f", or use {_INSTEAD[name]}" if name in _INSTEAD else ""
            message = (
                f"{by.text} comes from user space, and {name}() is right for powers of two only: reject it first with "
                f"!is_power_of_2(){other}."
            )
            yield Hit(at=unit.at(call), message=message)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: an attribute, a member. Good: tested. Look-alikes: values of the kernel, other macros."""
        return (
            code("bad", "net/core/frob.c", _CHECK.replace("TEST", ""), finds=[Find(line="IS_ALIGNED(len, chunk)")]),
            code("bad", "io_uring/frob.c", _MEMBER, finds=[Find(line="ALIGN(fb->len, reg.chunk)")]),
            code("good", "net/core/frob.c", _CHECK.replace("TEST", "!is_power_of_2(chunk) || ")),
            code("good", "net/core/frob.c", _CHECK.replace("TEST", "chunk & (chunk - 1) || ")),
            code("look-alike", "net/core/frob.c", _OTHERS, note="a value of the kernel; roundup() takes any"),
        )


_CHECK = """
int frob_bind_doit(struct genl_info *info, size_t len)
{
	u32 chunk = nla_get_u32(info->attrs[FROB_A_CHUNK]);

	if (TEST!IS_ALIGNED(len, chunk))
		return -EINVAL;
	return 0;
}
"""
_MEMBER = """
static int frob_create(struct frob *fb, struct frob_reg __user *arg)
{
	struct frob_reg reg;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	fb->len = ALIGN(fb->len, reg.chunk);
	return 0;
}
"""
_OTHERS = """
int frob_bind_doit(struct genl_info *info, struct frob *fb, size_t len)
{
	u32 chunk = nla_get_u32(info->attrs[FROB_A_CHUNK]);

	len = roundup(len, chunk);
	return IS_ALIGNED(len, fb->chunk) && IS_ALIGNED(len, PAGE_SIZE);
}
"""
