"""DM504: a function that only touches headers refuses skbs whose frags cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import calls_in, enclosing
from reviewer.kit.guards import leaves
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Node, Result, Unit, code

from ._functions import text_of

_READABLE = "skb_frags_readable"
_PULLS = ("pskb_may_pull", "skb_ensure_writable", "pskb_network_may_pull", "pskb_inet_may_pull")
_BEYOND = (
    *(
        "frag",
        "skb_shinfo",
        "skb_linearize",
        "skb_copy",
        "skb_checksum",
        "csum",
        "skb_store_bits",
        "skb_header_pointer",
    ),
    *("skb_to_sgvec", "skb_seq_read", "skb_walk", "pskb_expand", "pskb_copy", "pskb_pull", "pskb_trim", "skb_segment"),
)
"""What may reach for more than the headers."""


class HeadersOfUnreadableSkb(CodeRule):
    """A test for readable frags stands where only headers are touched.

    What it does: in functions that pull headers (pskb_may_pull(), skb_ensure_writable()) and name nothing that reaches
    into frags it looks for an early exit on !skb_frags_readable().

    Why it matters: the headers of an skb with device memory lie in its linear part and may be read and written. A
    function that gives up there breaks marking, NAT and the like for devmem flows.

    When it stays silent: the function is not visible as a whole, or names frags, checksums, copies or the like.

    Sources: <20250614113713.46b69771@kernel.org>; RULES.md DM504.
    """

    id = "DM504"
    name = "headers-of-unreadable-skb"
    title = "Frags have to be readable where only headers are touched"
    why = "Headers are in the linear part: device memory in the frags is no reason not to touch them."
    level = "note"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("net/**", "include/net/**", "include/linux/skbuff.h")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each early exit."""
        for call in unit.calls(_READABLE):
            function = unit.function_of(call)
            if function is None or not function.complete or not _refuses(call):
                continue
            if _only_headers(unit, function):
                yield Hit(
                    at=unit.at(call),
                    message=f"{function.name}() touches headers only, which are readable in any skb: this turns "
                    "packets with device memory away for no reason.",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: an exit before a header is written. Look-alikes: frags are read, too; another way on."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _SET.replace("GATE", _GATE), finds=[Find(line="if (!skb_frags_readable(skb))")]),
            code("good", path, _SET.replace("GATE", "")),
            code(
                "look-alike",
                path,
                _SET.replace("GATE", _GATE).replace("frob_set_tos(", "frob_read(skb_shinfo(skb)->frags, "),
                note="frags are read",
            ),
            code(
                "look-alike",
                path,
                _SET.replace("GATE", "\tif (!skb_frags_readable(skb))\n\t\tfrob_count(skb);\n"),
                note="it goes on",
            ),
        )


def _refuses(call: Node) -> bool:
    """Whether `call` stands negated in the condition of an `if` that leaves."""
    test = enclosing(call, "if_statement")
    condition = test.child("condition") if test is not None else None
    if test is None or condition is None or not any(inner == call for inner in calls_in(condition, _READABLE)):
        return False
    return f"!{_READABLE}(" in condition.text and leaves(test.child("consequence"))


def _only_headers(unit: Unit, function: Function) -> bool:
    text = text_of(unit, function).replace(_READABLE, "")
    return any(f"{name}(" in text for name in _PULLS) and not any(word in text for word in _BEYOND)


_GATE = "\tif (!skb_frags_readable(skb))\n\t\treturn -EFAULT;\n"
_SET = """
int frob_mark(struct sk_buff *skb, unsigned int hlen, u8 tos)
{
	if (!pskb_may_pull(skb, hlen))
		return -ENOMEM;
GATE	frob_set_tos(skb_network_header(skb), tos);
	return 0;
}
"""
