"""DM309: a result that is tested for another kind of failure than its function has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.kit.callees import CYCLIC, ERR_PTR, FAILURES, NETMEM, NULL
from reviewer.kit.expressions import arguments, bare, called, calls_in, declared_type, last_values, mentions, plain
from reviewer.kit.failures import alternatives, denied
from reviewer.kit.guards import enclosing_conditions
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._outcome import Outcome, asks_for_error, asks_for_null, behind, outcome_of, true_when_positive

_UNWRAPPERS = ("PTR_ERR", "ERR_CAST")
_THROUGH = re.compile(r"^[ \t]*\*\w+ = \w+\(", re.MULTILINE)


class ErrorPointerMixedUp(CodeRule):
    """The result of a well-known function is tested for NULL where it fails with an error pointer, or the other way.

    What it does: for functions of a table it looks at the first `if` that asks for the result. It also knows
    xa_alloc_cyclic(), which gives 1 for a success, PTR_ERR() of another variable than the one that IS_ERR() asked
    for, stubs that give NULL for a function of which callers expect an error pointer, and `p` tested where the result
    went to `*p`.

    Why it matters: the failure is taken for a valid pointer, and is dereferenced.

    When it stays silent: both kinds are asked for (IS_ERR_OR_NULL() too, which is another rule's); the test is not in
    what is visible; the result is stored in something that is no pointer; the two variables hold the same pointer.

    Sources: kernel-doc of the functions; include/linux/err.h; RULES.md DM309.
    """

    id = "DM309"
    name = "error-pointer-mixed-up"
    title = "Error pointer, NULL and number mixed up"
    why = "A failure that is tested in the wrong way passes for success, and the caller then uses a bad pointer."
    level = "error"
    confidence = "medium"
    category = "errno-choice"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each test that does not fit, each wrong unwrapping and each stub."""
        for call in unit.calls(*FAILURES):
            outcome = outcome_of(call)
            message = _misjudged(unit, called(call), outcome) if outcome is not None else None
            if outcome is not None and message is not None:
                yield Hit(at=unit.at(outcome.condition), message=message, related=(unit.at(call),))
        if unit.mentions(*_UNWRAPPERS):
            yield from _other_pointer(unit)
        if unit.mentions(*ERR_PTR):
            yield from _null_stubs(unit)
        if unit.rows(_THROUGH):
            yield from _written_through(unit)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: each mix-up. Look-alikes: ERR_CAST, aliases, both asked for."""
        path = "net/core/frob.c"
        good = _MAP.replace("!sgt", "IS_ERR(sgt)").replace("-ENOMEM", "PTR_ERR(sgt)")
        return (
            code("bad", path, _MAP, finds=[Find(line="if (!sgt)")]),
            code("bad", path, _POOL, finds=[Find(line="if (IS_ERR(fb->pool))")]),
            code("bad", path, _CYCLIC, finds=[Find(line="if (err)")]),
            code("bad", path, _OTHER, finds=[Find(line="return PTR_ERR(dmabuf);")]),
            code("bad", path, _OUT, finds=[Find(line="if (!out)")]),
            code("bad", "include/linux/dma-buf.h", _STUB, finds=[Find(line="return NULL;")]),
            code("good", path, good),
            code("good", path, _POOL.replace("IS_ERR(fb->pool)", "!fb->pool")),
            code("good", path, _CYCLIC.replace("(err)", "(err < 0)")),
            code("good", path, _OUT.replace("!out", "!*out")),
            code("look-alike", path, _CAST, note="the error pointer is handed on under another type"),
            code("look-alike", path, _ALIAS, note="both hold the same pointer"),
            code("look-alike", path, _MAP.replace("!sgt", "IS_ERR_OR_NULL(sgt)"), note="both are asked for"),
        )


def _misjudged(unit: Unit, name: str, outcome: Outcome) -> str | None:
    """What is wrong with how the result of `name` is tested, or None."""
    result, condition = outcome.result, outcome.condition
    null = asks_for_null(condition, result)
    if name in CYCLIC and true_when_positive(condition, result):
        wanted = f"ask for `{result} < 0`" if outcome.target is not None else "ask for `< 0`"
        return f"{name}() gives 1 when the ids have wrapped, which is no failure: {wanted}."
    if name in ERR_PTR and null and _never_an_error(unit, outcome):
        return (
            f"{name}() gives an error pointer when it fails, never NULL, so this test misses every failure: "
            f"ask for IS_ERR({result})."
        )
    if name in NULL | NETMEM and not null and asks_for_error(condition, result, "IS_ERR"):
        what = "NULL" if name in NULL else "0"
        return f"{name}() gives {what} when it fails, which IS_ERR() takes for a success: ask for `!{result}`."
    return None


def _never_an_error(unit: Unit, outcome: Outcome) -> bool:
    """Whether nobody asks if the result, which may be a pointer, is an error."""
    if outcome.target is None or not _is_pointer(unit, outcome.target):
        return False
    return not asks_for_error(outcome.condition, outcome.result) and not outcome.asked_again("IS_ERR")


def _is_pointer(unit: Unit, target: Node) -> bool:
    """Whether `target` may hold a pointer: a member, or a variable that is not visibly declared as something else."""
    kind = declared_type(unit, target, target) if target.kind == "identifier" else None
    return kind is None or "*" in kind


def _other_pointer(unit: Unit) -> Iterator[Hit]:
    """PTR_ERR() of a variable that the IS_ERR() above it did not ask for."""
    for statement in unit.find("if_statement"):
        condition, then = statement.child("condition"), statement.child("consequence")
        asked = list(calls_in(condition, "IS_ERR")) if condition is not None else []
        if condition is None or then is None or len(asked) != 1 or len(arguments(asked[0])) != 1:
            continue
        tested = plain(arguments(asked[0])[0])
        for call in calls_in(then, *_UNWRAPPERS):
            given = arguments(call)
            other = plain(given[0]) if len(given) == 1 else tested
            if other != tested and not _related(unit, condition, call, tested, other):
                yield Hit(
                    at=unit.at(call),
                    message=f"IS_ERR() asks for `{tested}` but {called(call)}() takes `{other}`, which is no error "
                    f"pointer here. Should this be {called(call)}({tested})?",
                    related=(unit.at(condition),),
                )


def _related(unit: Unit, condition: Node, call: Node, tested: str, other: str) -> bool:
    """Whether `other` may well be an error: it was asked for too, or it got the same pointer as `tested`."""
    if mentions(condition, other) or any(mentions(above, other) for above in enclosing_conditions(call)):
        return True
    values = last_values(unit, tested, call)
    held = {plain(bare(value)).partition("=")[0] for value in values}
    copies = {plain(bare(value)).partition("=")[0] for value in last_values(unit, other, call)}
    return not values or other in held or tested in copies


def _written_through(unit: Unit) -> Iterator[Hit]:
    """`if (!p)` right behind `*p = f()`: p was written through, so it is the result that is meant."""
    for node in unit.find("assignment_expression"):
        left, right, statement = node.child("left"), node.child("right"), node.parent
        pointer = left.child("argument") if left is not None and left.kind == "pointer_expression" else None
        if pointer is None or pointer.kind != "identifier" or right is None or not called(bare(right)):
            continue
        following = next(iter(behind(statement)), None) if statement is not None else None
        condition = following.child("condition") if following is not None else None
        if condition is None or following is None or following.kind != "if_statement":
            continue
        for test in alternatives(condition):
            asked = denied(test) or next((one for one in arguments(test) if called(test) == "IS_ERR"), None)
            if asked is not None and asked.text == pointer.text:
                yield Hit(
                    at=unit.at(condition),
                    message=f"The result of {called(bare(right))}() went to `*{pointer.text}`, but `{pointer.text}` is "
                    f"tested, which was just written through. Should this ask for `*{pointer.text}`?",
                    related=(unit.at(node),),
                )


def _null_stubs(unit: Unit) -> Iterator[Hit]:
    """`return NULL;` as all that a function of the table does: a stub for when its option is off."""
    for function in unit.functions:
        if function.name not in ERR_PTR or function.node is None or not function.complete:
            continue
        body = function.node.child("body")
        statements = [child for child in body.named_children if child.kind != "comment"] if body is not None else []
        if len(statements) == 1 and plain(statements[0]) == "returnNULL;":
            yield Hit(
                at=unit.at(statements[0]),
                message=f"Callers of {function.name}() test with IS_ERR(), which takes NULL for a valid pointer: "
                "return ERR_PTR(-EOPNOTSUPP), or whatever errno the callers expect.",
                evidence=f"{function.name} returns NULL",
            )


_MAP = """
int frob_map(struct frob *fb)
{
	struct sg_table *sgt;

	sgt = dma_buf_map_attachment_unlocked(fb->attachment, fb->direction);
	if (!sgt)
		return -ENOMEM;
	fb->table = sgt;
	return 0;
}
"""
_POOL = """
int frob_pool(struct frob *fb, int node)
{
	fb->pool = gen_pool_create(fb->slot_order, node);
	if (IS_ERR(fb->pool))
		return PTR_ERR(fb->pool);
	return 0;
}
"""
_CYCLIC = """
int frob_number(struct frob *fb)
{
	static u32 next;
	int err;

	err = xa_alloc_cyclic(&frobs, &fb->number, fb, xa_limit_32b, &next, GFP_KERNEL);
	if (err)
		return err;
	return 0;
}
"""
_OTHER = """
int frob_attach(struct frob *fb, struct dma_buf *dmabuf, struct device *dev)
{
	struct dma_buf_attachment *attachment;

	attachment = dma_buf_attach(dmabuf, dev);
	if (IS_ERR(attachment))
		return PTR_ERR(dmabuf);
	fb->attachment = attachment;
	return 0;
}
"""
_OUT = """
int frob_provider(struct frob *fb, struct frob_provider **out)
{
	*out = frob_find_provider(fb);
	if (!out)
		return -EINVAL;
	return 0;
}
"""
_STUB = """
static inline struct dma_buf *dma_buf_get(int fd)
{
	return NULL;
}
"""
_CAST = """
struct frob *frob_bind(int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	return frob_new(dmabuf);
}
"""
_ALIAS = """
int frob_open(struct frob *fb, int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	fb->buffer = dmabuf;
	if (IS_ERR(fb->buffer))
		return PTR_ERR(dmabuf);
	return 0;
}
"""
