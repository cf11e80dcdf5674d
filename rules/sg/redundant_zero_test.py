"""DM112: a test for zero beside a test for a power of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called, plain
from reviewer.kit.failures import alternatives, denied, requirements
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_LOGIC = frozenset({"binary_expression", "parenthesized_expression", "unary_expression"})
_POWER = "is_power_of_2"


class RedundantZeroTest(CodeRule):
    """A value is tested for zero right beside is_power_of_2(), which is false for zero.

    What it does: looks in one condition for `!v || !is_power_of_2(v)`, `v == 0 || ...` and `v && is_power_of_2(v)`.

    Why it matters: the shorter condition says the same, and nobody wonders which case the zero is.

    When it stays silent: zero has a branch of its own, since it may have an errno of its own; other tests of zero.

    Sources: include/linux/log2.h; <20260603-tcpdm-large-niovs-v1-1-f37a4ac6726c@meta.com>; RULES.md DM107.
    """

    id = "DM112"
    name = "redundant-zero-test"
    title = "A test for zero that is_power_of_2() makes too"
    why = "is_power_of_2(0) is false, so a separate test for zero in the same condition says nothing new."
    level = "note"
    confidence = "medium"
    category = "naming/style"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!scripts/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each such condition."""
        for call in unit.calls(_POWER):
            given = arguments(call)
            whole = _condition(call)
            if len(given) != 1 or not unit.touched(whole):
                continue
            value = plain(given[0])
            rejected = any(_is_power(denied(test), value) for test in alternatives(whole))
            wanted = any(_is_power(test, value) for test in requirements(whole))
            zero = (denied(test) for test in alternatives(whole))
            nonzero = requirements(whole)
            if rejected and any(test is not None and plain(test) == value for test in zero):
                yield _hit(unit, call, f"`!{value}` in front of it")
            elif wanted and any(plain(test) == value for test in nonzero):
                yield _hit(unit, call, f"`{value}` in front of it")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: rejected, wanted. Look-alikes: a branch of its own, another value."""
        path = "net/core/frob.c"
        finds = [Find(line="is_power_of_2(")]
        return (
            code("bad", path, _CHECK.replace("TEST", "!size || !is_power_of_2(size)"), finds=finds),
            code("bad", path, _CHECK.replace("TEST", "size == 0 || !is_power_of_2(size) || size < 8"), finds=finds),
            code("bad", path, _CHECK.replace("TEST", "!(size && is_power_of_2(size))"), finds=finds),
            code("good", path, _CHECK.replace("TEST", "!is_power_of_2(size) || size < 8")),
            code(
                "look-alike", path, _CHECK.replace("TEST", "!fb->slots || !is_power_of_2(size)"), note="another value"
            ),
            code("look-alike", path, _CHECK.replace("TEST", "size && !is_power_of_2(size)"), note="zero is allowed"),
            code("look-alike", path, _APART, note="zero has an errno of its own"),
        )


def _condition(call: Node) -> Node:
    """The whole expression of `&&`, `||` and `!` that `call` is an operand of."""
    node = call
    for outer in call.ancestors():
        negated_group = outer.kind == "unary_expression" and node is not call
        if negated_group or outer.kind not in _LOGIC:
            break
        node = outer
    return node


def _is_power(test: Node | None, value: str) -> bool:
    given = arguments(test) if test is not None and called(test) == _POWER else ()
    return len(given) == 1 and plain(given[0]) == value


def _hit(unit: Unit, call: Node, test: str) -> Hit:
    return Hit(at=unit.at(call), message=f"is_power_of_2() is false for 0, so {test} is not needed.")


_CHECK = """
int frob_check(struct frob *fb, u32 size)
{
	if (TEST)
		return -EINVAL;
	fb->size = size;
	return 0;
}
"""
_APART = """
int frob_check(struct frob *fb, u32 size)
{
	if (!size)
		return -ENODATA;
	if (!is_power_of_2(size))
		return -EINVAL;
	fb->size = size;
	return 0;
}
"""
