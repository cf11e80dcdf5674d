"""DM522: a function answers with page frame 0 for a net_iov, which has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import calls_in, statement_of
from reviewer.kit.guards import leaves
from reviewer.kit.netmem import PAGE_PROOFS, function_name
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_FRAMES = ("page_to_pfn", "page_to_phys")
_TRACE = "trace"


class FrameZeroForNiov(CodeRule):
    """A function that gives the page frame or the physical address of a netmem gives 0 for a net_iov.

    What it does: it looks for functions that return 0 where the netmem is a net_iov, and else page_to_pfn() or
    page_to_phys().

    Why it matters: 0 is a frame like any other. The caller cannot tell that there is none, and maps or reads memory
    that has nothing to do with the netmem.

    When it stays silent: the function's name says that it is for tracing, where a 0 does no harm; what it returns is
    no frame; another value stands for no frame.

    Sources: <439590d4-0f05-4f5e-80ec-e7fdf214e307@gmail.com>, <20240710094900.0f808684@kernel.org>. Not in RULES.md:
    it came out of the labels of the corpus.
    """

    id = "DM522"
    name = "frame-zero-for-niov"
    title = "Page frame 0 given for a net_iov"
    why = "A net_iov has no page frame, and 0 is a valid one: the caller cannot tell that there is none."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("hunk",)
    paths = ("net/**", "include/net/**", "include/linux/skbuff*", "drivers/net/**", "io_uring/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each 0, at its return."""
        for call in unit.calls(*_FRAMES):
            answer = statement_of(call)
            if answer.kind != "return_statement" or _TRACE in function_name(unit, call):
                continue
            zero = _zero_before(answer)
            if zero is not None:
                name = function_name(unit, call)
                yield Hit(
                    at=unit.at(zero),
                    message=f"0 is a valid page frame, so callers of {name}() cannot tell that a net_iov has none. "
                    "Fine for tracing, and then the name should say so; else they need a failure that they can see.",
                    related=(unit.at(answer),),
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: 0 for a net_iov. Look-alikes: for tracing, another value, no frame."""
        path = "include/net/frob.h"
        return (
            code("bad", path, _FRAME, finds=[Find(line="return 0;")]),
            code("good", path, _FRAME.replace("frob_frame", "frob_frame_trace")),
            code("look-alike", path, _FRAME.replace("return 0", "return ULONG_MAX"), note="no frame"),
            code("look-alike", path, _FRAME.replace("page_to_pfn", "page_ref_count"), note="a count"),
            code("look-alike", path, _FRAME.replace("netmem_is_net_iov", "frob_is_gone"), note="another question"),
        )


def _zero_before(answer: Node) -> Node | None:
    """The `return 0;` of an `if` before `answer`, in the same block, that asks for a net_iov."""
    siblings = answer.parent.named_children if answer.parent is not None else ()
    for sibling in siblings:
        if sibling.start >= answer.start:
            break
        condition, then = sibling.child("condition"), sibling.child("consequence")
        if sibling.kind != "if_statement" or condition is None or then is None or not leaves(then):
            continue
        if not condition.text.lstrip("( ").startswith("!") and any(True for _ in calls_in(condition, *PAGE_PROOFS)):
            for node in then.walk():
                if node.kind == "return_statement" and "".join(node.text.split()) == "return0;":
                    return node
    return None


_FRAME = """
static inline unsigned long frob_frame(netmem_ref netmem)
{
	if (netmem_is_net_iov(netmem))
		return 0;

	return page_to_pfn(netmem_to_page(netmem));
}
"""
