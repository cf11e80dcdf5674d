"""DM207: rx_page_size is set although nobody asked for another size than the default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import plain
from reviewer.kit.guards import guards
from reviewer.kit.types import declared_type
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_FIELD = "rx_page_size"
_PARAMETERS = "struct pp_memory_provider_params"
_NOTHING = frozenset({"0", "0U", "0UL"})


class RxPageSizeNotRequested(CodeRule):
    """`rx_page_size` of a memory provider is only set when the user asked for a size, or it is not the default.

    What it does: finds assignments and initialisers of `rx_page_size` of memory provider parameters that no condition
    guards.

    Why it matters: with a value other than 0 the core requires QCFG_RX_PAGE_SIZE of the driver and refuses the binding
    with -EOPNOTSUPP: users of the default size lose drivers that worked before.

    When it stays silent: any condition on a size or shift stands over it or before it; zero is stored; another
    `rx_page_size` is copied; drivers; the block around it is not visible (then it is not checked).

    Sources: RULES DM207; commit 3d17d76d1ffb.
    """

    id = "DM207"
    name = "rx-page-size-not-requested"
    title = "rx_page_size set for the default size, too"
    why = (
        "0 means the default; any other value makes the core demand support for rx_page_size from the driver, so that "
        "bindings which do not need it fail."
    )
    level = "error"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("function",)
    paths = ("net/core/**", "io_uring/**", "!net/core/netdev_rx_queue.c", "!net/core/netdev_config.c")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each unconditional assignment."""
        if not unit.mentions(_FIELD):
            return
        for place, value in _assignments(unit):
            if value.text in _NOTHING or _FIELD in value.text or value.kind == "conditional_expression":
                continue
            if any(_is_about_size(condition) for condition in guards(place)):
                continue
            if not _sees_block(unit, place):
                if unit.touched(place):
                    yield Lack("function")
                continue
            message = (
                f"{_FIELD} is set even when nobody asked for another size than the default, and drivers without "
                f"QCFG_RX_PAGE_SIZE then refuse the binding. Set it under a condition, such as shift != PAGE_SHIFT."
            )
            yield Hit(at=unit.at(place), message=message)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented bindings."""
        return (
            code(
                "bad",
                "net/core/frob.c",
                """
int frob_bind(struct frob *fb, u32 rxq)
{
	struct pp_memory_provider_params mp_params = {
		.mp_priv = fb,
		.rx_page_size = 1U << fb->slot_shift,
	};
	struct pp_memory_provider_params p = {};

	p.rx_page_size = fb->slot_size;
	return frob_open(fb, rxq, &mp_params, &p);
}
""",
                finds=[Find(line=".rx_page_size = 1U << fb->slot_shift")],
                note="told once",
            ),
            code(
                "good",
                "net/core/frob.c",
                """
int frob_bind(struct frob *fb, u32 rxq)
{
	struct pp_memory_provider_params p = {};

	if (fb->slot_shift != PAGE_SHIFT)
		p.rx_page_size = 1U << fb->slot_shift;
	return frob_open(fb, rxq, &p);
}
""",
            ),
            code(
                "look-alike",
                "net/core/frob.c",
                """
int frob_bind(struct frob *fb, struct frob_reg *reg, u32 rxq)
{
	struct pp_memory_provider_params p = { .rx_page_size = 0, };
	struct netdev_queue_config *qcfg = fb->qcfg;

	if (reg->rx_buf_len) {
		frob_trace(fb);
		p.rx_page_size = reg->rx_buf_len;
	}
	qcfg->rx_page_size = PAGE_SIZE;
	qcfg->rx_page_size = p.rx_page_size;
	p.rx_page_size = fb->slot_shift > PAGE_SHIFT ? 1U << fb->slot_shift : 0;
	return frob_open(fb, rxq, &p);
}
""",
                note="asked for by the user; a queue's configuration, which is another struct; a copy",
            ),
        )


def _assignments(unit: Unit) -> Iterator[tuple[Node, Node]]:
    """Where `rx_page_size` of memory provider parameters gets a value, and which."""
    for node in unit.find("initializer_pair"):
        designator, value = node.child("designator"), node.child("value")
        if designator is not None and value is not None and designator.text == f".{_FIELD}" and _declares(node):
            yield node, value
    for node in unit.find("assignment_expression"):
        target, value = node.child("left"), node.child("right")
        if target is not None and value is not None and _is_parameter(unit, target):
            yield node, value


def _declares(pair: Node) -> bool:
    declaration = next((holder for holder in pair.ancestors() if holder.kind == "declaration"), None)
    declared = declaration.child("type") if declaration is not None else None
    return declared is not None and declared.text == _PARAMETERS


def _is_parameter(unit: Unit, target: Node) -> bool:
    field, owner = target.child("field"), target.child("argument")
    if field is None or owner is None or field.text != _FIELD:
        return False
    declared = declared_type(unit, owner.text, owner) if owner.kind == "identifier" else None
    if declared is not None:
        return declared.startswith(_PARAMETERS)
    return plain(owner).endswith(("mp_params", "mp_param"))


def _is_about_size(condition: Node) -> bool:
    words = {word for node in condition.walk() if not node.children for word in node.text.lower().split("_")}
    return not words.isdisjoint({"shift", "size", "len", "order", "buf"})


def _sees_block(unit: Unit, place: Node) -> bool:
    """Whether no condition can stand above what is visible."""
    function = unit.function_of(place)
    if function is not None and function.node is not None:
        return True
    return unit.lines[place.row].text.startswith("\t") and not unit.lines[place.row].text.startswith("\t\t")
