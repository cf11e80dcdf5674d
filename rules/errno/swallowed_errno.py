"""DM311: a callee says why it failed, and nobody listens or something else is said instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.callees import ERRNO, TRY_GET
from reviewer.kit.expressions import arguments, bare, called, calls_in, last_values, operator, plain
from reviewer.kit.failures import Failure, alternatives, failures
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_DEFERRED = frozenset({"EPROBE_DEFER"})
_UNWRAPPERS = ("PTR_ERR", "PTR_ERR_OR_ZERO", "ERR_CAST", "ERR_PTR_PCPU")
_UNHEARD = tuple(sorted(ERRNO | TRY_GET))


class SwallowedErrno(CodeRule):
    """The errno of a callee is thrown away, or replaced by a constant one.

    What it does: notes a branch that IS_ERR() of a pointer leads to and that gives a constant errno instead of
    PTR_ERR(); the same where the result of a function that is known to give errnos is tested and a constant is given.
    It warns when the result of such a function, or of a try-to-get, is not looked at.

    Why it matters: -EINTR or -EPROBE_DEFER ask the caller to try again, -ENOMEM does not; a constant hides which it
    was. A reference that could not be taken is used nevertheless.

    When it stays silent: the errno is read somewhere in the branch; the function allocates and -ENOMEM is given; the
    function is not in the table; -EPROBE_DEFER, which is always meant.

    Sources: kernel-doc of the functions; <20220805154139.2qkqxwklufjpsfdx@000377403353> and the thread of
    <aDXbbpY6VTWj9PsC@mini-arch>; RULES.md DM311.
    """

    id = "DM311"
    name = "swallowed-errno"
    title = "The errno of a callee is thrown away"
    why = (
        "The callee knows why it failed: an errno that nobody looks at, or a constant in its place, hides that from "
        "everybody above."
    )
    level = "warning"
    confidence = "high"
    category = "errno-choice"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**", "!**/test*/**", "!src/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each errno that is replaced, and each result that nobody looks at."""
        for failure in failures(unit):
            tests = alternatives(failure.condition)
            seen = unit.touched(failure.errno.node) or any(unit.touched(test) for test in tests)
            if len(tests) == 1 and seen and failure.name not in _DEFERRED:
                yield from _replaced(unit, failure, tests[0])
        for call in unit.calls(*_UNHEARD):
            if call.parent is not None and call.parent.kind == "expression_statement" and unit.touched(call):
                yield _unheard(unit, call)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: replaced or not looked at. Look-alikes: read in the branch, allocations, other functions."""
        path = "net/core/frob.c"
        finds = [Find(line="return -EBADFD;", level="note"), Find(line="return -EIO;", level="note")]
        return (
            code("bad", path, _MAP, finds=finds),
            code("bad", path, _ADD, finds=[Find(line="err = -EINVAL;", level="note")]),
            code("bad", path, _GET, finds=[Find(line="percpu_ref_tryget(")]),
            code("good", path, _MAP.replace("-EBADFD", "PTR_ERR(dmabuf)").replace("-EIO", "frob_last_error(fb)")),
            code("good", path, _ADD.replace("\t\terr = -EINVAL;\n", "")),
            code(
                "good",
                path,
                _GET.replace("percpu_ref_tryget(&fb->ref);", "if (!percpu_ref_tryget(&fb->ref))\n\t\tfb = NULL;"),
            ),
            code("look-alike", path, _OTHERS, note="read, allocated, not a function that gives errnos"),
        )


def _replaced(unit: Unit, failure: Failure, test: Node) -> Iterator[Hit]:
    """A hit when `failure` gives a constant in place of the errno that `test` is about."""
    at, name = unit.at(failure.errno.node), failure.name
    if called(test) == "IS_ERR" and len(arguments(test)) == 1:
        pointer = plain(arguments(test)[0])
        if not any(calls_in(failure.branch, *_UNWRAPPERS)):
            cleared = _written(failure.branch, pointer)
            ask = f"Should PTR_ERR({pointer}) be kept before" if cleared else f"Should this be PTR_ERR({pointer})"
            yield Hit(
                at=at,
                message=f"`{pointer}` holds the errno that tells why it failed, which -{name} hides. "
                f"{ask}{' it is cleared' if cleared else ''}?",
                level="note",
                evidence=failure.evidence,
            )
        return
    variable = _tested(test)
    held = last_values(unit, plain(variable), variable, 1) if variable is not None else ()
    source = called(test) or (called(bare(held[0])) if held else "")
    if source not in ERRNO or (name == "ENOMEM" and "alloc" in source):
        return
    if variable is None:
        keep = "Could its result be kept in a variable and given instead?"
    elif _read(failure.branch, plain(variable)):
        return
    else:
        keep = f"Could `{plain(variable)}` stay as it is?"
    yield Hit(
        at=at,
        message=f"{source}() gives an errno of its own, which -{name} replaces. {keep}",
        level="note",
        confidence=None if variable is None else "medium",
        evidence=failure.evidence,
    )


def _written(branch: Node, pointer: str) -> bool:
    """Whether `branch` gives `pointer` another value."""
    assigned = (node.child("left") for node in branch.walk() if node.kind == "assignment_expression")
    return any(left is not None and plain(left) == pointer for left in assigned)


def _tested(test: Node) -> Node | None:
    """The variable of `err`, `err < 0` and `err != 0`."""
    if test.kind == "identifier":
        return test
    left, right = test.child("left"), test.child("right")
    if operator(test) not in ("<", "!=") or left is None or right is None or right.text != "0":
        return None
    return left if left.kind == "identifier" else None


def _read(branch: Node, variable: str) -> bool:
    """Whether `branch` does anything with `variable` but write to it."""
    for node in branch.walk():
        written = node.field == "left" and node.parent is not None and node.parent.kind == "assignment_expression"
        if node.kind == "identifier" and node.text == variable and not written:
            return True
    return False


def _unheard(unit: Unit, call: Node) -> Hit:
    name = called(call)
    if name in TRY_GET:
        message = f"{name}() may fail, and then there is no reference: what follows must not happen. Test its result."
    else:
        message = f"{name}() may fail, and nothing looks at its result here."
    return Hit(at=unit.at(call), message=message, confidence="medium")


_MAP = """
int frob_map(struct frob *fb, int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return -EBADFD;
	if (dma_map_sgtable(fb->dev, fb->table, DMA_TO_DEVICE, 0))
		return -EIO;
	return frob_keep(fb, dmabuf);
}
"""
_ADD = """
int frob_add(struct frob *fb, u64 addr, size_t len)
{
	int err;

	err = gen_pool_add_owner(fb->pool, addr, addr, len, NUMA_NO_NODE, fb);
	if (err) {
		err = -EINVAL;
		goto out;
	}
	frob_added(fb);
out:
	return err;
}
"""
_GET = """
struct frob *frob_get(struct frob *fb)
{
	percpu_ref_tryget(&fb->ref);
	return fb;
}
"""
_OTHERS = """
int frob_all(struct frob *fb, int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	int err;

	if (IS_ERR(dmabuf)) {
		frob_log(fb, PTR_ERR(dmabuf));
		return -EBADFD;
	}
	if (sg_alloc_table(fb->table, 1, GFP_KERNEL))
		return -ENOMEM;
	err = dma_map_sgtable(fb->dev, fb->table, DMA_TO_DEVICE, 0);
	if (err) {
		frob_log(fb, err);
		return -EIO;
	}
	err = frob_wait(fb);
	if (err < 0)
		return -ETIMEDOUT;
	return frob_keep(fb, dmabuf);
}
"""
