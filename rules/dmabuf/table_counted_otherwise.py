"""DM409: the entries of a table are counted in other steps than they are filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, called, calls_in, operator, plain
from reviewer.kit.taint import scope
from reviewer.rule import CodeRule, Example, Find, Hit, Loop, Node, Result, Unit, code

_ALLOCATION = "sg_alloc_table"
_SETTERS = ("sg_set_page", "sg_set_folio", "sg_set_buf")


class TableCountedOtherwise(CodeRule):
    """sg_alloc_table() gets a count from one walk, and another walk with other steps fills the entries.

    What it does: takes the loop above that counts the entries up by one each round, and the loop below that sets
    entries, and compares by how much each goes on: by one, by the result of a function, by an expression.

    Why it matters: the walk that fills runs off the end of the table, or leaves entries without a page.

    When it stays silent: the count comes from a function; a loop counts under a condition; the steps cannot be read.

    Sources: include/linux/scatterlist.h; RULES.md DM409.
    """

    id = "DM409"
    name = "table-counted-otherwise"
    title = "Entries counted in one way, filled in another"
    why = "A table that is filled in other steps than it was counted in has too few entries, or empty ones."
    level = "note"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!lib/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each table whose two walks differ."""
        for call in unit.calls(_ALLOCATION):
            given = arguments(call)
            count = plain(given[1]) if len(given) > 1 and given[1].kind == "identifier" else ""
            counting = _counting(unit, call, count) if count else None
            filling = _filling(unit, call)
            if counting is None or filling is None:
                continue
            steps = _step(counting), _step(filling)
            touched = unit.touched(counting.node) or unit.touched(filling.node)
            if touched and steps[0] and steps[1] and steps[0] != steps[1]:
                yield Hit(
                    at=unit.at(filling.node),
                    message=f"`{count}` was counted in steps of {steps[0]}, and this loop fills the table in steps of "
                    f"{steps[1]}, so entries and pages do not match.",
                    related=(unit.at(counting.node), unit.at(call)),
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: runs counted, pages filled. Look-alike: the same helper in both."""
        path = "drivers/dma-buf/frob.c"
        bad = _BUILD.replace("STEP", "i++").replace("RUN", "1")
        good = _BUILD.replace("STEP", "i += run").replace("RUN", "frob_run(fb, i)")
        return (
            code("bad", path, bad, finds=[Find(line="sg = sg_next(sg)")]),
            code("good", path, good),
            code("look-alike", path, bad.replace("\t\tnents++;", "\t\tnents += fb->more;"), note="not one a round"),
            code("look-alike", path, bad.replace("(table, nents,", "(table, fb->nents,"), note="counted elsewhere"),
        )


def _counting(unit: Unit, call: Node, count: str) -> Loop | None:
    """The loop above `call` that adds one to `count` each round."""
    first, _ = scope(unit, call)
    for node in reversed(unit.find("update_expression")):
        argument = node.child("argument")
        loop = unit.loop_of(node)
        if argument is None or plain(argument) != count or loop is None or not first <= node.row < call.row:
            continue
        body, statement = loop.body, node.parent
        in_block = body is not None and body.kind == "compound_statement"
        block = statement.parent if in_block and statement is not None else statement
        return loop if operator(node) == "++" and body is not None and block is body else None
    return None


def _filling(unit: Unit, call: Node) -> Loop | None:
    """The first loop below `call`, in the same function, that sets entries."""
    _, last = scope(unit, call)
    for loop in unit.loops:
        inside = call.row < loop.node.row <= last
        if inside and loop.body is not None and any(calls_in(loop.body, *_SETTERS)):
            return loop
    return None


def _step(loop: Loop) -> str:
    """By how much a `for` goes on: `1`, `frob_run()` or an expression; empty when it cannot be told."""
    update = loop.node.child("update")
    if loop.head != "for" or update is None:
        return ""
    pending, steps = [update], [""]
    while pending:
        node = pending.pop()
        if node.kind == "comma_expression":
            pending += node.named_children
        elif node.kind == "update_expression" and operator(node) == "++":
            steps.append("1")
        elif node.kind == "assignment_expression" and operator(node) == "+=":
            right = node.child("right")
            steps.append(_named(loop, right) if right is not None else "")
    return steps[-1] if len(steps) == 2 else ""


def _named(loop: Loop, step: Node) -> str:
    """A step by name: what the body of the loop puts into the variable, when that is a call."""
    step = bare(step)
    if step.kind == "identifier" and loop.body is not None:
        for node in loop.body.walk():
            left, right = node.child("left"), node.child("right")
            if node.kind == "assignment_expression" and left is not None and right is not None:
                step = bare(right) if plain(left) == step.text else step
    return f"{called(step)}()" if called(step) else plain(step)


_BUILD = """
static int frob_build(struct frob *fb, struct sg_table *table, unsigned int n)
{
	struct scatterlist *sg;
	unsigned int nents = 0;
	unsigned int i, run;

	for (i = 0; i < n; i += frob_run(fb, i))
		nents++;
	if (sg_alloc_table(table, nents, GFP_KERNEL))
		return -ENOMEM;
	sg = table->sgl;
	for (i = 0; i < n; STEP, sg = sg_next(sg)) {
		run = RUN;
		sg_set_page(sg, fb->pages[i], run << PAGE_SHIFT, 0);
	}
	return 0;
}
"""
