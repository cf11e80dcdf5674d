"""DM308: a result that only a loop sets, which may not run at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._loops import Unset, helpers_that_give_zero, unset_after_loop


class ResultOnlySetInLoop(CodeRule):
    """A variable without a first value is set in a loop only, and returned behind it.

    What it does: in a new function it looks for a variable that is declared without a value, that nothing but the body
    of one loop writes, and that is then returned with no way out in between. A note where a parameter bounds the
    loop, since callers may see to it that it runs. In code that is there already it notes a call whose count the
    patch makes the result of a helper that may give 0, when the end of the called function is in sight.

    Why it matters: when the loop does not run, the function returns whatever was on the stack.

    When it stays silent: loops with a constant bound or none; counts that are tested before; variables whose address
    is taken; results that are returned under a condition of their own.

    Sources: <4aa34dd6-f5ea-40cf-8004-bbde053dc143@suswa.mountain>; RULES.md DM308.
    """

    id = "DM308"
    name = "result-only-set-in-loop"
    title = "A result that only a loop sets"
    why = "When the loop does not run once, the function returns what happened to be on the stack."
    level = "warning"
    confidence = "medium"
    category = "errno-choice"
    needs = ("function",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**", "!src/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each such variable, and for each call whose count may now be 0."""
        for found in unset_after_loop(unit):
            if unit.touched(found.declaration) or unit.touched(found.loop.node):
                yield _hit(unit, found)
        for call, count, helper, name in helpers_that_give_zero(unit):
            if unit.touched(count):
                yield _latent(unit, call, count.text, helper, name)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a list, a count. Look-alikes: a first value, a constant bound, a count that is tested."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _LIST, finds=[Find(line="\tint err;")]),
            code("bad", path, _COUNT, finds=[Find(line="\tint err;", level="note")]),
            code("bad", path, _CALL_NEW, before=_CALL_OLD, finds=[Find(line="fb, slots);", level="note")], context=30),
            code("good", path, _LIST.replace("int err;", "int err = 0;")),
            code("good", path, _COUNT.replace("\tfor", "\tif (!want)\n\t\treturn 0;\n\tfor")),
            code("look-alike", path, _COUNT.replace("k < want", "k < FROB_MOST"), note="it runs"),
            code("look-alike", path, _COUNT.replace("k ? 0 : err", "k ? 0 : -ENOSPC"), note="not what is returned"),
            code("look-alike", path, _FOUND, note="returned only when something was found"),
        )


def _hit(unit: Unit, found: Unset) -> Hit:
    bounded = found.bound is not None
    when = f"when `{found.bound}` is 0" if bounded else "when the loop does not run"
    return Hit(
        at=unit.at(found.declaration),
        message=f"Only the loop sets `{found.name}`, so {when} the function returns an uninitialised value. It needs "
        "a first one.",
        level="note" if bounded else None,
        related=(unit.at(found.loop.node), unit.at(found.use)),
    )


def _latent(unit: Unit, call: Node, count: str, helper: str, name: str) -> Hit:
    return Hit(
        at=unit.at(call),
        message=f"{helper}() may give 0, and {name}() then returns a result that only its loop sets: `{count}` of 0 "
        "has to be ruled out here, or the result needs a first value there.",
        level="note",
        confidence="low",
    )


_LIST = """
int frob_all(struct frob *fb)
{
	struct frob_slot *slot;
	int err;

	frob_lock(fb);
	list_for_each_entry(slot, &fb->slots, node) {
		err = frob_one(slot);
		if (err)
			break;
	}
	frob_unlock(fb);
	return err;
}
"""
_COUNT = """
static int frob_refill(struct frob *fb, unsigned int want)
{
	unsigned int k;
	int err;

	for (k = 0; k < want; k++) {
		err = frob_take(fb, &fb->tokens[k]);
		if (err)
			break;
	}
	return k ? 0 : err;
}
"""
_CALL_OLD = """
static int frob_refill(struct frob *fb, unsigned int want)
{
	unsigned int k;
	int err;

	for (k = 0; k < want; k++) {
		err = frob_take(fb, &fb->tokens[k]);
		if (err)
			break;
	}
	return k ? 0 : err;
}

static unsigned int frob_slots(struct frob *fb)
{
	unsigned int free = 0;
	int i;

	for (i = 0; i < fb->count; i++)
		if (fb->tokens[i].free)
			free++;
	return free;
}

int frob_receive(struct frob *fb)
{
	unsigned int slots = 1;

	frob_lock(fb);
	return frob_refill(fb, fb->count - 1);
}
"""
_CALL_NEW = _CALL_OLD.replace("frob_lock(fb);", "frob_lock(fb);\n\tslots = frob_slots(fb);").replace(
    "fb->count - 1)", "slots)"
)
_FOUND = """
int frob_find(struct frob *fb, unsigned int want)
{
	unsigned int k;
	int slot;

	for (k = 0; k < want; k++) {
		if (fb->tokens[k].free) {
			slot = fb->tokens[k].slot;
			break;
		}
	}
	if (k == want)
		return -ENOENT;
	return slot;
}
"""
