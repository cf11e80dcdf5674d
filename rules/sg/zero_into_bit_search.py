"""DM105: a bit search on the length of an entry, or the size of a dma-buf, that may be zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.assigned import values_of
from reviewer.kit.expressions import arguments, bare, called, operator, plain
from reviewer.kit.failures import alternatives, denied, requirements
from reviewer.kit.guards import guards
from reviewer.kit.sg import dmabuf_sizes, entry_parts
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_SEARCHES = ("__ffs", "__ffs64", "__fls", "ilog2")
_ORDERS = frozenset({"<", "<=", ">", ">=", "==", "!="})


class ZeroIntoBitSearch(CodeRule):
    """`__ffs()`, `__fls()` and `ilog2()` are not given the length of an entry that may be zero.

    What it does: finds these calls on `sg_dma_len()` and on the size of a dma-buf, without a test of the value before
    and without a constant that is or-ed in.

    Why it matters: they are undefined for 0; on x86 the result is what the register held.

    When it stays silent: any comparison of the value, or is_power_of_2(), stands before or around it; a constant is
    or-ed in, which caps the result, too; something else is part of the argument. With the address in the argument, both
    would have to be 0: a note, and so it is in io_uring, whose tables were looked at before.

    Sources: RULES.md DM105; include/linux/log2.h; include/asm-generic/bitops/__ffs.h.
    """

    id = "DM105"
    name = "zero-into-bit-search"
    title = "__ffs() or ilog2() of a length that may be zero"
    why = "These searches for a bit are undefined when none is set, and an exporter may hand out an empty entry."
    level = "warning"
    confidence = "medium"
    category = "sg-alignment"
    needs = ("function",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/dma-buf/**", "drivers/infiniband/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each search whose argument may be zero."""
        for call in unit.calls(*_SEARCHES):
            given = arguments(call)
            parts = list(_or_ed(given[0])) if len(given) == 1 else []
            about = [_about(unit, part) for part in parts]
            if not parts or None in about or set(about) == {"address"} or _is_tested(unit, call, parts):
                continue
            function = unit.function_of(call)
            if function is None or not function.complete:
                if unit.touched(call):
                    yield Lack("function")
                continue
            name = next(part.text for part, what in zip(parts, about, strict=True) if what != "address")
            empty = "a dma-buf may be empty" if "size" in about else "an entry may be empty"
            message = (
                f"{call.text} is undefined for 0, and {empty}: reject that first, as in if (!{name}), or put the "
                f"largest unit into the argument with `|`."
            )
            mild = "address" in about or unit.path.startswith("io_uring/")
            yield Hit(at=unit.at(call), message=message, level="note" if mild else None)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a length, both, a size. Good: rejected, capped. Look-alikes: constants, other values."""
        path = "net/core/frob.c"
        search = [Find(line="fb->shift = ")]
        note = [Find(line="fb->shift = ", level="note")]
        both = "sg_dma_address(sg) | sg_dma_len(sg)"
        return (
            code("bad", path, _SEARCH.replace("VALUE", "sg_dma_len(sg)"), finds=search),
            code("bad", path, _SEARCH.replace("VALUE", "fb->dmabuf->size"), finds=search),
            code("bad", path, _SEARCH.replace("VALUE", both), finds=note),
            code("bad", "io_uring/frob.c", _SEARCH.replace("VALUE", "sg_dma_len(sg)"), finds=note),
            code("good", path, _SEARCH.replace("VALUE", "sg_dma_len(sg) | FROB_MAX")),
            code("good", path, _REJECTED),
            code("look-alike", path, _SEARCH.replace("VALUE", "PAGE_SIZE")),
            code("look-alike", path, _SEARCH.replace("VALUE", "sg_dma_len(sg) | fb->mask"), note="another part"),
            code("look-alike", path, _SEARCH.replace("VALUE", "sg_dma_address(sg)"), note="DM104 asks for the length"),
        )


def _or_ed(value: Node) -> Iterator[Node]:
    """The operands of the `|`s of `value`, bare."""
    pending = [value]
    while pending:
        node = bare(pending.pop())
        left, right = node.child("left"), node.child("right")
        if node.kind == "binary_expression" and operator(node) == "|" and left is not None and right is not None:
            pending += [right, left]
        else:
            yield node


def _about(unit: Unit, part: Node) -> str | None:
    """Whether `part` is an "address", a "length" or a "size", as a whole; None for anything else."""
    sources = values_of(unit, part) if part.kind == "identifier" else (part,)
    found: set[str | None] = set()
    for source in map(bare, sources):
        whole = next(dmabuf_sizes(unit, source), None)
        if whole is not None and whole is source:
            found.add("size")
        elif called(source) in ("sg_dma_address", "sg_dma_len"):
            found |= entry_parts(unit, source)
        else:
            found.add(None)
    return found.pop() if len(found) == 1 else None


def _is_tested(unit: Unit, call: Node, parts: Sequence[Node]) -> bool:
    names = frozenset[str]().union(*(_names(unit, part) for part in parts))
    return any(_tells(unit, condition, names) for condition in guards(call))


def _names(unit: Unit, node: Node) -> frozenset[str]:
    """How the value of `node` is written: as it stands, and as what was assigned to it."""
    values = values_of(unit, node) if node.kind == "identifier" else ()
    return frozenset({plain(node), *(plain(bare(value)) for value in values)})


def _tells(unit: Unit, condition: Node, names: frozenset[str]) -> bool:
    """Whether `condition` tells zero from other values of one of `names`."""
    for test in (*alternatives(condition), *requirements(condition)):
        subject = denied(test) or test
        compared = [test.child("left"), test.child("right")] if operator(test) in _ORDERS else []
        tested = [subject, *compared, *(arguments(subject) if called(subject) == "is_power_of_2" else ())]
        if any(not names.isdisjoint(_names(unit, bare(one))) for one in tested if one is not None):
            return True
    return False


_SEARCH = """
static void frob_fit(struct frob *fb, struct scatterlist *sg)
{
	fb->shift = __ffs(VALUE);
}
"""
_REJECTED = """
static int frob_fit(struct frob *fb, struct scatterlist *sg)
{
	unsigned int len = sg_dma_len(sg);

	if (!len)
		return -EINVAL;
	fb->shift = __ffs(sg_dma_len(sg));
	fb->order = ilog2(len);
	return 0;
}
"""
