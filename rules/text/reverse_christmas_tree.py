"""DM016: local declarations out of order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.rule import Change, ChangeRule, Example, Find, Hit, Result, Unit, code

from ._declarations import Block, Line, blocks

# What a local declaration begins with: two words, or a macro in capitals. Most patches add none, and need no parsing.
_DECLARES = re.compile(r"[ \t]+(?!return\b|goto\b|else\b|case\b)(?:[A-Za-z_]\w*[ \t*]+[A-Za-z_*(]|[A-Z_]{4}\w*\()")


class ReverseChristmasTree(ChangeRule):
    """A local declaration in net code stands below a shorter one, or above a longer one.

    What it does: compares the lengths (tabs as written) of two neighbouring declarations of which the patch adds at
    least one, in a block whose order was kept before. It speaks once for a block.

    Why it matters: net code orders local variables from the longest to the shortest line, and reviewers ask for it.

    When it stays silent: a line whose initialiser or size needs an earlier one; declarations of several lines; blocks
    that were not in order before; struct members; everything outside of net/, drivers/net/ and their selftests.

    Sources: Documentation/process/maintainer-netdev.rst, "Local variable ordering"; RULES.md DM016.
    """

    id = "DM016"
    name = "reverse-christmas-tree"
    title = "Local declarations not in reverse Christmas tree order"
    why = "Net code orders local variables from the longest line to the shortest (reverse Christmas tree)."
    level = "note"
    confidence = "high"
    category = "naming/style"
    needs = ("function",)
    about_order = True
    paths = (
        "net/**/*.c",
        "drivers/net/**/*.c",
        "tools/testing/selftests/net/**/*.c",
        "tools/testing/selftests/drivers/net/**/*.c",
        "!drivers/net/wireless/**",
    )

    def check(self, change: Change) -> Iterator[Result]:
        """Yield a hit for each block that the patch takes out of order."""
        for before, after in change.units:
            if not any(_DECLARES.match(line.text) for line in after.touched_lines):
                continue
            found = [(block, pair) for block in blocks(after) if (pair := _first(after, block)) is not None]
            disordered = _disordered(before) if found else frozenset[str]()
            for block, (upper, lower) in found:
                kept = (line.row for line in block.lines if not after.lines[line.row].touched)
                if disordered.isdisjoint(after.lines[row].text for row in kept):
                    yield _hit(after, upper, lower)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: added below a shorter one, in a case too. Look-alikes: needed order, old disorder, other folders."""
        path = "net/core/frob.c"
        added = _FUNCTION.replace(
            "\tstruct frob *fb;\n", "\tstruct frob *fb;\n\tunsigned int slot_order = PAGE_SHIFT;\n"
        )
        sorted_ = _FUNCTION.replace("{\n\tstruct", "{\n\tunsigned int slot_order = PAGE_SHIFT;\n\tstruct", 1)
        needed = _FUNCTION.replace(
            "\tstruct frob *fb;\n", "\tstruct frob *fb;\n\tunsigned int slots = first + second;\n"
        )
        lone = _FUNCTION.replace("\tu32 first", "\tint err;\n\tu32 first")
        return (
            code("bad", path, added, before=_FUNCTION, finds=[Find(line="unsigned int slot_order")]),
            code("bad", path, lone, before=_FUNCTION, finds=[Find(line="int err;")]),
            code("bad", "tools/testing/selftests/net/frob.c", _CASE, finds=[Find(line="unsigned long value;")]),
            code("good", path, sorted_, before=_FUNCTION),
            code("look-alike", path, needed, before=_FUNCTION, note="it needs the line above"),
            code("look-alike", path, added + _EMPTY, before=added, note="it was so before"),
            code("look-alike", path, _OTHER.replace("\tint b;", "\tlong c;\n\tint b;"), before=_OTHER, note="no order"),
            code("look-alike", path, _STRUCT, note="members of a struct"),
            code("look-alike", "drivers/dma-buf/frob.c", added, before=_FUNCTION, note="not net code"),
        )


def _first(unit: Unit, block: Block) -> tuple[Line, Line] | None:
    """The first pair of `block` that is out of order and of which the patch added a line."""
    for upper, lower in block.misplaced():
        if unit.lines[upper.row].touched or unit.lines[lower.row].touched:
            return upper, lower
    return None


def _disordered(unit: Unit) -> frozenset[str]:
    """The lines of the blocks that are out of order."""
    return frozenset(
        unit.lines[line.row].text for block in blocks(unit) if any(block.misplaced()) for line in block.lines
    )


def _hit(unit: Unit, upper: Line, lower: Line) -> Hit:
    if unit.lines[lower.row].touched:
        message = f"`{lower.text.strip()}` is longer than the line above it and belongs further up."
    else:
        message = f"`{upper.text.strip()}` is shorter than the line below it and belongs further down."
    row = lower.row if unit.lines[lower.row].touched else upper.row
    return Hit(
        at=unit.at_row(row),
        message=message,
    )


_FUNCTION = """
int frob_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct frob_binding *binding;
	u32 first, second, third;
	struct frob *fb;
	int i;

	first = frob_first(info);
	for (i = 0; i < first; i++)
		frob_step(skb, i);
	return 0;
}
"""
_CASE = """
int main(int argc, char **argv)
{
	switch (argc) {
	case 2: {
		char *endp;
		unsigned long value;

		value = strtoul(argv[1], &endp, 0);
		return value > 7;
	}
	}
	return 0;
}
"""
_EMPTY = """
static void frob_more(void)
{
	frob_step(NULL, 0);
}
"""
_OTHER = """
int frob_odd(void)
{
	int a;
	struct frob_binding *binding;
	int b;

	return frob_all(&a, &b, &binding);
}
"""
_STRUCT = """
struct frob_area {
	int a;
	unsigned long base;
	struct frob_binding *binding;
};

int frob_area(void)
{
	return 0;
}
"""
