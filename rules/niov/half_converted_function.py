"""DM202: a function is converted to niov units, and a part of it still counts in pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reviewer.kit.expressions import arguments, called, enclosing
from reviewer.kit.sg import dmabuf_sizes
from reviewer.kit.units import PAGE_CALLS, is_niov_name, page_names
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Lack, Node, Result, Unit, code

from ._shapes import PATHS, POOL_SIZES, assignment_of, niov_expression

_COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_SCALING = frozenset({">>", "<<", "/", "%", "&"})
_SCALING_ASSIGNMENTS = frozenset({"+=", "-=", ">>=", "<<=", "/=", "&="})
_OF_PAGES = frozenset({"page", "pages", "folio", "folios", "umem", "npages", "order"})


class HalfConvertedFunction(CodeRule):
    """A function to which a patch brings niov units keeps no PAGE units of the old days.

    What it does: in a function that a patch makes count in niovs, looks among the lines that it left alone for sizes,
    offsets and indexes that are still divided, masked or aligned by pages.

    Why it matters: the two halves agree only while a niov is a page, which is what the patch ends.

    When it stays silent: PAGE_SHIFT as a default, in a validation, or as an argument; the difference of two shifts;
    pages and folios; the check of a dma-buf's size, which is DM110's. When the patch does not show the whole function,
    the rule counts as not checked, unless it finds something in what is shown.

    Sources: RULES DM202, DM110; <20260603-tcpdm-large-niovs-v1-1-f37a4ac6726c@meta.com>.
    """

    id = "DM202"
    name = "half-converted-function"
    title = "A function counts in niovs, and still in pages"
    why = "What was left in pages agrees with what was converted only as long as the shift is PAGE_SHIFT."
    level = "error"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("function",)
    paths = PATHS

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each function that is half converted."""
        if not unit.mentions("_shift", "niov_size"):
            return
        names = unit.find("identifier", "field_identifier")
        converted = _by_function(unit, (node for node in names if is_niov_name(node.text)))
        if not converted:
            return
        pages = (page for page in page_names(unit.root) if _is_left(unit, page))
        left = _by_function(unit, pages)
        for function in unit.functions:
            here = converted.get(function.first_row)
            if here and function.first_row in left:
                yield _hit(unit, function, here, left[function.first_row])
            elif here and not function.complete and any(unit.touched(node) for node in here):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented conversions."""
        before = """
static int frob_bind(struct frob *fb, size_t size, size_t off)
{
	if (!IS_ALIGNED(size, PAGE_SIZE))
		return -EINVAL;

	fb->count = size / PAGE_SIZE;
	fb->map = frob_map(fb);
	if (!fb->map)
		return -ENOMEM;

	fb->niovs = fb->map[off >> PAGE_SHIFT];
	return 0;
}
"""
        return (
            code(
                "bad",
                "net/core/devmem.c",
                """
static int frob_bind(struct frob *fb, size_t size, size_t off)
{
	if (!IS_ALIGNED(size, PAGE_SIZE))
		return -EINVAL;

	fb->count = size >> fb->slot_shift;
	fb->map = frob_map(fb);
	if (!fb->map)
		return -ENOMEM;

	fb->niovs = fb->map[off >> fb->slot_shift];
	return 0;
}
""",
                before=before,
                context=20,
                finds=[Find(line="fb->count = size >> fb->slot_shift;", level="warning")],
            ),
            code(
                "bad",
                "net/core/devmem.c",
                """
static int frob_bind(struct frob *fb, size_t size, size_t off)
{
	if (!IS_ALIGNED(size, 1UL << fb->slot_shift))
		return -EINVAL;

	fb->count = size >> fb->slot_shift;
	fb->map = frob_map(fb);
	if (!fb->map)
		return -ENOMEM;

	fb->niovs = fb->map[off >> PAGE_SHIFT];
	return 0;
}
""",
                before=before,
                context=20,
                finds=[Find(line="if (!IS_ALIGNED(size, 1UL << fb->slot_shift))")],
                note="what is left is itself an index of niovs",
            ),
            code(
                "good",
                "net/core/devmem.c",
                """
static int frob_bind(struct frob *fb, size_t size, size_t off)
{
	if (!IS_ALIGNED(size, 1UL << fb->slot_shift))
		return -EINVAL;

	fb->count = size >> fb->slot_shift;
	fb->map = frob_map(fb);
	if (!fb->map)
		return -ENOMEM;

	fb->niovs = fb->map[off >> fb->slot_shift];
	return 0;
}
""",
                before=before,
                context=20,
            ),
            code(
                "look-alike",
                "io_uring/zcrx.c",
                """
static struct page *frob_page(struct frob *fb, struct net_iov *niov)
{
	unsigned int shift;

	if (fb->slot_shift < PAGE_SHIFT || fb->size < PAGE_SIZE)
		return NULL;
	shift = fb->slot_shift - PAGE_SHIFT;
	frob_trace(fb, PAGE_SIZE);
	return fb->pages[net_iov_idx(niov) << shift];
}
""",
                before="""
static struct page *frob_page(struct frob *fb, struct net_iov *niov)
{
	unsigned int shift;

	if (fb->slot_shift < PAGE_SHIFT || fb->size < PAGE_SIZE)
		return NULL;
	shift = 0;
	frob_trace(fb, PAGE_SIZE);
	return fb->pages[net_iov_idx(niov) << shift];
}
""",
                context=20,
                note="validation, the difference of two shifts, an argument",
            ),
        )


def _by_function(unit: Unit, nodes: Iterable[Node]) -> Mapping[int, list[Node]]:
    """`nodes` by the first row of the function that they stand in."""
    found: defaultdict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        function = unit.function_of(node)
        if function is not None:
            found[function.first_row].append(node)
    return found


def _is_left(unit: Unit, page: Node) -> bool:
    """Whether `page` was left alone, scales something, and does not check the size of a dma-buf, which DM110 judges."""
    if unit.touched(page) or not _is_left_over(page):
        return False
    test = enclosing(page, "if_statement")
    condition = test.child("condition") if test is not None else None
    return condition is None or not (
        condition.start <= page.start < condition.end and any(dmabuf_sizes(unit, condition))
    )


def _is_left_over(page: Node) -> bool:
    """Whether a PAGE name scales something: neither a default, nor a validation, nor an argument, nor about pages."""
    inner = page
    for outer in page.ancestors():
        verdict = _verdict(page, inner, outer)
        if verdict is not None:
            return verdict and not _speaks_of_pages(outer)
        inner = outer
    return False


def _verdict(page: Node, inner: Node, outer: Node) -> bool | None:
    """Whether `outer` scales by `page`, which is in its part `inner`; None when that depends on what is around."""
    operator = outer.child("operator")
    mark = operator.text if operator is not None else ""
    if outer.kind == "argument_list":
        return outer.parent is not None and _is_unit_of(outer.parent, inner)
    if outer.kind == "call_expression":
        return called(outer) in PAGE_CALLS
    if outer.kind == "assignment_expression":
        return mark in _SCALING_ASSIGNMENTS
    if outer.kind == "binary_expression":
        if mark in _COMPARISONS or (mark in "+-" and page.text == "PAGE_SHIFT"):
            return False
        return True if mark in _SCALING else None
    return None if outer.kind in ("parenthesized_expression", "unary_expression", "cast_expression") else False


def _is_unit_of(call: Node, inner: Node) -> bool:
    place = 1 if called(call) == "IS_ALIGNED" else POOL_SIZES.get(called(call))
    given = arguments(call)
    return place is not None and len(given) > place and given[place] is inner


def _speaks_of_pages(node: Node) -> bool:
    whole = assignment_of(node)
    names = (each.text for each in whole.walk() if each.kind in ("identifier", "field_identifier"))
    return any(
        not name.isupper() and name not in PAGE_CALLS and not _OF_PAGES.isdisjoint(name.split("_")) for name in names
    )


def _hit(unit: Unit, function: Function, converted: list[Node], left: list[Node]) -> Hit:
    at = next((node for node in converted if unit.touched(node)), converted[0])
    lines = sorted({page.row: page for page in left}.items())
    shown = "; ".join(unit.lines[row].text.strip() for row, _ in lines[:3])
    shapes = any(niov_expression(unit, page) is not None for page in left)
    message = (
        f"{function.name}() now counts in niovs here, but still in pages in `{shown}`. The two agree only while the "
        "shift is PAGE_SHIFT."
    )
    return Hit(
        at=unit.at(at),
        message=message,
        level="error" if shapes else "warning",
        related=tuple(unit.at(page) for _, page in lines),
        evidence=f"{function.name}: {shown}",
    )
