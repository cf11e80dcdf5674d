"""DM206: a memory provider takes page pools of another order than its niovs have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import bare, called, operator, target
from reviewer.kit.guards import leaves
from reviewer.kit.units import is_niov_name
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Lack, Node, Result, Unit, code

from ._shapes import PATHS

_MEMBERS = ("p.order", "->mp_priv")
_GREATER = frozenset({">", ">=", "<", "<="})


class PoolOrderUnchecked(CodeRule):
    """The init of a memory provider refuses every page pool whose order is not that of its niovs, and first of all.

    What it does: in `*_init(struct page_pool *)` functions that take `mp_priv`, looks for the comparison of `p.order`:
    that there is one, that it is for equality, and that no reference is held yet where it refuses.

    Why it matters: the driver posts buffers of the pool's order; when they are larger than a niov, the device writes
    behind it.

    When it stays silent: the function is not visible as a whole (then it is not checked, unless what is visible is
    wrong); functions that do not take a provider's data. `order != shift - PAGE_SHIFT` is right where the shift was
    validated, and a note of low confidence: `order + PAGE_SHIFT != shift` cannot wrap.

    Sources: RULES.md DM206; <5d29fc35107408e1d23d4d9e853cccc4e270b0f1.1758030357.git.asml.silence@gmail.com>.
    """

    id = "DM206"
    name = "pool-order-unchecked"
    title = "Memory provider without a check of the pool's order"
    why = "The driver's buffers have the pool's order: any other than that of the niovs makes the device miss them."
    level = "error"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("function",)
    paths = (*PATHS, "net/core/page_pool.c", "drivers/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each init whose check is missing, weak or late."""
        if not unit.mentions("mp_priv", ".order"):
            return
        members: dict[int, list[Node]] = {}
        for node in unit.find("field_expression"):
            holder = unit.function_of(node) if node.text.endswith(_MEMBERS) else None
            if holder is not None:
                members.setdefault(holder.first_row, []).append(node)
        for function in unit.functions:
            if function.name.endswith("_init") and (function.node is None or _takes_pool(function.node)):
                yield from _judged(unit, function, members.get(function.first_row, ()))

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: missing, weak, late. Good: refused before the reference. Look-alikes: other functions."""
        path = "net/core/devmem.c"
        head = [Find(line="int frob_pool_init(struct page_pool *pool)")]
        weak = [Find(line="pool->p.order > ", level="warning")]
        equal = "pool->p.order + PAGE_SHIFT != fb->slot_shift"
        return (
            code("bad", path, _INIT.replace("CHECK", "!fb->ready").replace("LATE", "0"), finds=head),
            code("bad", path, _INIT.replace("CHECK", "pool->p.order > fb->order").replace("LATE", "0"), finds=weak),
            code(
                "bad",
                path,
                _INIT.replace("CHECK", "!fb->ready").replace("LATE", equal),
                finds=[Find(line="PAGE_SHIFT !=")],
            ),
            code("good", path, _INIT.replace("CHECK", equal).replace("LATE", "0")),
            code("good", path, _INIT.replace("CHECK", "pool->p.order").replace("LATE", "0"), note="pages only"),
            code("look-alike", path, _OTHER, note="no provider's data; no pool"),
        )


def _takes_pool(function: Node) -> bool:
    declarator = function.child("declarator")
    return declarator is not None and "struct page_pool *" in " ".join(declarator.text.split())


def _judged(unit: Unit, function: Function, members: Sequence[Node]) -> Iterator[Result]:
    orders = [node for node in members if node.text.endswith("p.order")]
    taken = [node for node in members if node.text.endswith("->mp_priv") and target(node) is not None]
    if function.complete and not taken:
        return
    tests = [(node, test) for node in orders if (test := _test(node)) is not None]
    if not tests and taken:
        if not function.complete or function.node is None:
            if unit.touched_rows(function.first_row, function.last_row) and any(map(unit.touched, taken)):
                yield Lack("function")
            return
        message = (
            f"{function.name}() takes pools of any order, and the driver's buffers have that of the pool: refuse those "
            "that differ from the size of a niov, as in if (pool->p.order + PAGE_SHIFT != shift)."
        )
        yield Hit(at=unit.at(function.node), message=message)
    exact = any(operator(outer) == "!=" for node, _ in tests for outer in node.ancestors())
    for node, test in tests:
        yield from _form(unit, node, test, exact=exact)


def _test(order: Node) -> Node | None:
    """The `if` whose condition `order` is part of, and which leaves."""
    for outer in order.ancestors():
        if outer.kind == "if_statement":
            condition = outer.child("condition")
            inside = condition is not None and condition.start <= order.start < condition.end
            return outer if inside and leaves(outer.child("consequence")) else None
        if outer.kind.endswith("_statement"):
            return None
    return None


def _form(unit: Unit, order: Node, test: Node, *, exact: bool) -> Iterator[Hit]:
    comparison = next((outer for outer in order.ancestors() if operator(outer) in (*_GREATER, "!=", "==")), None)
    held = _held(test)
    if held is not None:
        message = (
            f"This refuses the pool after {called(held)}() took a reference, which nothing gives back. Check the order "
            "before."
        )
        yield Hit(at=unit.at(order), message=message)
    elif comparison is not None and operator(comparison) in _GREATER and not exact:
        message = (
            f"{comparison.text} lets pools of the other orders pass; only the one of the niovs is right. Refuse "
            "all others with !=."
        )
        yield Hit(at=unit.at(order), message=message, level="warning")
    elif comparison is not None and _subtracts(comparison):
        message = f"{comparison.text} wraps for a shift below PAGE_SHIFT; order + PAGE_SHIFT != shift does not."
        yield Hit(at=unit.at(order), message=message, level="note", confidence="low")


def _held(test: Node) -> Node | None:
    """The call before `test` that takes a reference which the branch of `test` does not put."""
    branch = test.child("consequence")
    block = test.parent
    if block is None or branch is None:
        return None
    puts = [node for node in branch.walk() if node.kind == "call_expression" and "put" in called(node).split("_")]
    jumps = any(node.kind == "goto_statement" for node in branch.walk())
    for statement in block.children:
        if statement.start >= test.start or puts or jumps:
            return None
        call = next(iter(statement.named_children), None) if statement.kind == "expression_statement" else None
        if call is not None and called(call).endswith("_get"):
            return call
    return None


def _subtracts(comparison: Node) -> bool:
    for node in comparison.walk():
        right = node.child("right")
        if operator(node) == "-" and right is not None and bare(right).text == "PAGE_SHIFT":
            return any(is_niov_name(name.text) for name in node.walk() if name.kind.endswith("identifier"))
    return False


_INIT = """
int frob_pool_init(struct page_pool *pool)
{
	struct frob *fb = pool->mp_priv;

	if (CHECK)
		return -E2BIG;
	frob_get(fb);
	if (LATE)
		return -E2BIG;
	return 0;
}
"""
_OTHER = """
int frob_plain_init(struct page_pool *pool)
{
	return pool->p.order > FROB_MAX ? -EINVAL : 0;
}

int frob_other_init(struct frob *fb)
{
	return frob_take(fb->mp_priv);
}
"""
