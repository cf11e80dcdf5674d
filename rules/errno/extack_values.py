"""DM306: extack messages that leave out the values, print them wrongly, or do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from reviewer.kit.expressions import arguments, callee, declared_type, plain
from reviewer.kit.formats import NETLINK_MAX_FMTMSG_LEN, Conversion, literal, mismatch, parse_format
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._compared import values_compared

_PLAIN: Mapping[str, int] = {"NL_SET_ERR_MSG": 1, "NL_SET_ERR_MSG_MOD": 1}
_FORMATTED: Mapping[str, int] = {
    "NL_SET_ERR_MSG_FMT": 1,
    "NL_SET_ERR_MSG_FMT_MOD": 1,
    "NL_SET_ERR_MSG_ATTR_FMT": 2,
    "NL_SET_ERR_MSG_ATTR_POL_FMT": 3,
}
"""Where the text stands among the arguments (include/linux/netlink.h)."""
_RANGE = re.compile(r"\bindex\b|out of range|\bqueues?\b", re.IGNORECASE)


class ExtackValues(CodeRule):
    """An extack message does not say what was wrong with which value, or user space cannot read what it says.

    What it does: (a) notes a fixed text behind a test that asks whether one run-time value is a multiple of another,
    or that holds a value from user space against the page size, and, as a guess, behind other comparisons of run-time
    values, which merged code often leaves without values; (b) warns of a conversion that is not that of its
    argument's declared type; (c) warns of a formatted text that with usual values (18 characters for a DMA address, 7
    digits for a size) outgrows the buffer.

    Why it matters: the message is all that user space learns. Formatted texts are cut at 80 bytes and the kernel then
    logs "truncated extack".

    When it stays silent: constant conditions; equality; indices, counts and lengths of messages out of range, where
    the text says it all; types that are not visible; fixed texts, which have no limit.

    Sources: include/linux/netlink.h; Documentation/core-api/printk-formats.rst; RULES.md DM306.
    """

    id = "DM306"
    name = "extack-values"
    title = "An extack message lacks values, misprints them, or is too long"
    why = "Besides the errno, the extack text is all that user space learns of a failure."
    level = "warning"
    confidence = "high"
    category = "extack"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each message that leaves out values, prints them wrongly, or does not fit."""
        for call in unit.calls(*_PLAIN):
            yield from _without_values(unit, call)
        for call in unit.calls(*_FORMATTED):
            yield from _formatted(unit, call)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: values left out, wrong conversion, too long. Look-alikes: constants, ranges, fixed texts."""
        path = "net/core/frob.c"
        long_text = "frob segment at %pad with length %zu is not a multiple of slot size %zu"
        return (
            code("bad", path, _ALIGNED, finds=[Find(line='"segment is not', level="note")]),
            code("bad", path, _ATTRIBUTE, finds=[Find(line='"slot size must', level="note")]),
            code("bad", path, _FORMAT.replace("TEXT", long_text), finds=[Find(line='"frob segment')]),
            code("bad", path, _FORMAT.replace("TEXT", "seg %pad+%lu not %zu"), finds=[Find(line='"seg %pad+%lu')]),
            code("good", path, _FORMAT.replace("TEXT", "frob seg %pad+%zu not %zu aligned")),
            code("look-alike", path, _CONSTANT, note="nothing to print"),
            code("look-alike", path, _QUEUE, note="an index out of range: the text says it all"),
        )


def _without_values(unit: Unit, call: Node) -> Iterator[Hit]:
    text = _text_of(call, _PLAIN)
    if text is None or _RANGE.search(literal(text) or ""):
        return
    compared = values_compared(unit, call)
    if compared is not None:
        listed = [f"`{value}`" for value in compared.values]
        values = " and ".join(part for part in (", ".join(listed[:-1]), listed[-1]) if part)
        yield Hit(
            at=unit.at(text),
            message=f"This says what is wrong, but not with which values: {_formatted_name(call)} could print "
            f"{values}.",
            level="note",
            confidence=None if compared.aligned else "low",
        )


def _formatted_name(call: Node) -> str:
    return "NL_SET_ERR_MSG_FMT_MOD()" if callee(call) == "NL_SET_ERR_MSG_MOD" else "NL_SET_ERR_MSG_FMT()"


def _formatted(unit: Unit, call: Node) -> Iterator[Hit]:
    text = _text_of(call, _FORMATTED)
    whole = literal(text) if text is not None else None
    if text is None or whole is None:
        return
    form = parse_format(whole)
    given = arguments(call)[_FORMATTED[callee(call) or ""] + 1 :]
    if form.usual >= NETLINK_MAX_FMTMSG_LEN:
        yield Hit(
            at=unit.at(text),
            message=f"With usual values this text is {form.usual} characters long ({form.fixed} of them fixed), but a "
            f"formatted extack message holds {NETLINK_MAX_FMTMSG_LEN - 1}: user space gets it cut off, and the kernel "
            "logs a truncated extack. Could it be shorter?",
        )
    if sum(conversion.arguments for conversion in form.conversions) == len(given):
        yield from _mismatches(unit, text, form.conversions, given)


def _mismatches(unit: Unit, text: Node, conversions: tuple[Conversion, ...], given: tuple[Node, ...]) -> Iterator[Hit]:
    place = 0
    for conversion in conversions:
        place += conversion.arguments
        value = given[place - 1]
        kind = declared_type(unit, value, value) if value.kind == "identifier" else None
        wanted = mismatch(conversion, kind) if kind is not None else None
        if wanted is not None:
            yield Hit(
                at=unit.at(text),
                message=f"`{plain(value)}` is {kind}, which {conversion.text} does not print on every architecture; "
                f"{wanted} does.",
                evidence=f"{literal(text)} {plain(value)}",
            )


def _text_of(call: Node, places: Mapping[str, int]) -> Node | None:
    given = arguments(call)
    place = places[callee(call) or ""]
    return given[place] if len(given) > place else None


_ALIGNED = """
int frob_map(struct frob *fb, size_t len, size_t slot, struct netlink_ext_ack *extack)
{
	if (!IS_ALIGNED(len, slot)) {
		NL_SET_ERR_MSG(extack,
			"segment is not aligned to the slot size");
		return -EINVAL;
	}
	return 0;
}
"""
_ATTRIBUTE = """
int frob_doit(struct sk_buff *skb, struct genl_info *info)
{
	u32 slot = nla_get_u32(info->attrs[FROB_A_SLOT]);

	if (!is_power_of_2(slot) || slot < PAGE_SIZE) {
		NL_SET_ERR_MSG(info->extack,
			"slot size must be a power of 2 >= PAGE_SIZE");
		return -EINVAL;
	}
	return frob_set(slot);
}
"""
_FORMAT = """
int frob_map(struct frob *fb, size_t len, size_t slot, struct netlink_ext_ack *extack)
{
	dma_addr_t addr = fb->addr;

	if (!IS_ALIGNED(addr, slot) || !IS_ALIGNED(len, slot)) {
		NL_SET_ERR_MSG_FMT(extack,
				"TEXT",
				&addr, len, slot);
		return -EINVAL;
	}
	return 0;
}
"""
_CONSTANT = """
int frob_check(struct frob *fb, struct frob_dev *dev, struct netlink_ext_ack *extack)
{
	if (fb->mode != FROB_SPLIT) {
		NL_SET_ERR_MSG(extack, "the split mode is disabled");
		return -EINVAL;
	}
	if (fb->dev != dev) {
		NL_SET_ERR_MSG(extack, "bound to another device, whose name says nothing here and which has no size at all");
		return -EINVAL;
	}
	return 0;
}
"""
_QUEUE = """
int frob_queue(struct frob *fb, u32 rxq, struct netlink_ext_ack *extack)
{
	if (rxq >= fb->real_num_rx_queues) {
		NL_SET_ERR_MSG(extack, "rx queue index out of range");
		return -ERANGE;
	}
	return 0;
}
"""
