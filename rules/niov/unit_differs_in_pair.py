"""DM204: two uses of one pool or one array count in different units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called
from reviewer.kit.units import Measure, division, measure
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Struct, Unit, code

from ._shapes import PATHS, POOL_SIZES

_NAMES: dict[Measure, str] = {"page": "pages", "niov": "niovs"}
_PER_CHUNK = frozenset({"niovs"})
_ALLOCATIONS = ("kvmalloc_array", "kvcalloc", "kmalloc_array", "kcalloc", "kvmalloc", "kvzalloc", "kvmalloc_objs")


class _Use(Struct, frozen=True, kw_only=True):
    """A use of `object` (a pool, an array) in `unit`, which counts in `measure`."""

    object: str
    node: Node
    unit: Unit
    measure: Measure


class UnitDiffersInPair(CodeRule):
    """The uses of one gen_pool, and of one array, count in the same unit.

    What it does: collects from the hunks of a file the order that a pool is created with and the sizes that are taken
    from it and given back, the count that an array is allocated with and the indexes into it; and compares pages with
    niovs.

    Why it matters: a pool frees the wrong bits when it is given another size than it handed out, and a page index into
    an array of niovs reads behind its end.

    When it stays silent: sizes whose unit cannot be told; arrays that exist once for each chunk; all uses were changed
    together.

    Sources: RULES DM204; lib/genalloc.c.
    """

    id = "DM204"
    name = "unit-differs-in-pair"
    title = "One pool or array, used in pages and in niovs"
    why = "Creation, allocation, lookup and free of one object must agree on the unit, or they miss each other."
    level = "error"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("file", "hunk")
    paths = PATHS

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each changed use whose unit differs from that of another use."""
        if not unit.mentions("_shift", "niov_size", "PAGE_"):
            return
        elsewhere: dict[str, list[_Use]] | None = None
        for use in _uses(unit):
            if not unit.touched(use.node):
                continue
            if elsewhere is None:
                elsewhere = _all_uses(unit)
            other = next((one for one in elsewhere[use.object] if one.measure != use.measure), None)
            if other is None or (other.unit.touched(other.node) and _comes_first(use, other)):
                continue
            message = (
                f"This counts {use.object} in {_NAMES[use.measure]}, {_shown(other)} counts it in "
                f"{_NAMES[other.measure]}: with a shift other than PAGE_SHIFT they disagree. Use the same unit in both."
            )
            yield Hit(at=unit.at(use.node), message=message, related=(other.unit.at(other.node),))

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented providers."""
        before = """
static int frob_init(struct frob *fb, int nid)
{
	fb->pool = gen_pool_create(PAGE_SHIFT, nid);
	return fb->pool ? 0 : -ENOMEM;
}

static void frob_pause(struct frob *fb)
{
	fb->paused = true;
	frob_sync(fb);
}

static void frob_put(struct frob *fb, unsigned long addr)
{
	gen_pool_free(fb->pool, addr, PAGE_SIZE);
}
"""
        return (
            code(
                "bad",
                "net/core/devmem.c",
                """
static int frob_init(struct frob *fb, int nid)
{
	fb->pool = gen_pool_create(fb->slot_shift, nid);
	return fb->pool ? 0 : -ENOMEM;
}

static void frob_pause(struct frob *fb)
{
	fb->paused = true;
	frob_sync(fb);
}

static void frob_put(struct frob *fb, unsigned long addr)
{
	frob_trace(fb, addr);
	gen_pool_free(fb->pool, addr, PAGE_SIZE);
}
""",
                before=before,
                finds=[Find(line="fb->pool = gen_pool_create(fb->slot_shift, nid);")],
            ),
            code(
                "bad",
                "net/core/devmem.c",
                """
static int frob_map(struct frob *fb, size_t size)
{
	fb->map = kvcalloc(size >> fb->slot_shift, sizeof(void *), GFP_KERNEL);
	return fb->map ? 0 : -ENOMEM;
}

static void *frob_lookup(struct frob *fb, size_t virt)
{
	return fb->map[virt / PAGE_SIZE];
}
""",
                finds=[Find(line="return fb->map[virt / PAGE_SIZE];")],
            ),
            code(
                "good",
                "net/core/devmem.c",
                """
static int frob_init(struct frob *fb, int nid)
{
	fb->pool = gen_pool_create(fb->slot_shift, nid);
	return fb->pool ? 0 : -ENOMEM;
}

static void frob_pause(struct frob *fb)
{
	fb->paused = true;
	frob_sync(fb);
}

static void frob_put(struct frob *fb, unsigned long addr)
{
	gen_pool_free(fb->pool, addr, 1UL << fb->slot_shift);
}
""",
                before=before,
            ),
            code(
                "look-alike",
                "net/core/devmem.c",
                """
static void frob_put(struct frob *fb, struct frob_chunk *chunk, unsigned long addr, size_t len)
{
	gen_pool_free(fb->pool, addr, 1UL << fb->slot_shift);
	gen_pool_free(fb->page_pool, addr, PAGE_SIZE);
	gen_pool_free(fb->pool, addr, len);
	frob_drop(chunk->niovs[addr >> fb->slot_shift], fb->niovs[addr >> PAGE_SHIFT]);
}
""",
                note="two pools; a size of unknown unit; arrays of a chunk",
            ),
        )


def _all_uses(unit: Unit) -> dict[str, list[_Use]]:
    found: defaultdict[str, list[_Use]] = defaultdict(list)
    for each in (unit, *unit.peers):
        for use in _uses(each):
            found[use.object].append(use)
    return found


def _uses(unit: Unit) -> Iterator[_Use]:
    """The uses of pools and arrays whose unit can be told: calls of a pool, allocations, then indexes."""
    for call in unit.calls(*POOL_SIZES):
        given, place = arguments(call), POOL_SIZES[called(call)]
        if len(given) > place:
            creates = called(call).endswith("create")
            holder = _assigned_to(call) if creates else given[0]
            yield from _use(unit, holder, call, given[place])
    for call in unit.calls(*_ALLOCATIONS):
        for node in call.walk():
            divided = division(node)
            if divided is not None:
                yield from _use(unit, _assigned_to(call), node, divided.by)
    for subscript in unit.find("subscript_expression"):
        index = subscript.child("index")
        for node in index.walk() if index is not None else ():
            divided = division(node)
            if divided is not None:
                yield from _use(unit, subscript.child("argument"), node, divided.by)


def _use(unit: Unit, holder: Node | None, node: Node, by: Node) -> Iterator[_Use]:
    member = holder.child("field") if holder is not None and holder.kind == "field_expression" else None
    counted = measure(unit, by)
    if member is not None and counted is not None and member.text not in _PER_CHUNK:
        yield _Use(object=member.text, node=node, unit=unit, measure=counted)


def _assigned_to(call: Node) -> Node | None:
    parent = call.parent
    return parent.child("left") if parent is not None and parent.kind == "assignment_expression" else None


def _comes_first(use: _Use, other: _Use) -> bool:
    """Whether `use` stands before `other`, which is then the one to remark on."""
    return (use.unit.lines[use.node.row].number, use.node.start) < (
        other.unit.lines[other.node.row].number,
        other.node.start,
    )


def _shown(use: _Use) -> str:
    text = " ".join(use.node.text.split())
    if len(text) < 40:
        return text
    return f"{called(use.node)}()" if called(use.node) else "another use"
