"""DM517: PP_FLAG_ALLOW_UNREADABLE_NETMEM on a pool that must not have it, or without what it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import enclosing, operator, plain
from reviewer.kit.netmem import function_name
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

from ._functions import text_of

_FLAG = "PP_FLAG_ALLOW_UNREADABLE_NETMEM"
_MAP = "PP_FLAG_DMA_MAP"
_SYNC = "PP_FLAG_DMA_SYNC_DEV"
_HEADERS = re.compile(r"(?:^|_|\b)(?:hdr|head|header)s?(?:_|\b)")


class UnreadablePoolFlags(CodeRule):
    """A page pool allows unreadable memory without DMA flags, or is one for headers.

    What it does: where a driver sets PP_FLAG_ALLOW_UNREADABLE_NETMEM it looks whether the function also sets
    PP_FLAG_DMA_MAP and PP_FLAG_DMA_SYNC_DEV, and whether what gets it is named after headers.

    Why it matters: with a memory provider page_pool_init() refuses a pool without both DMA flags. Headers have to be
    read by the stack: a header pool with device memory drops all packets.

    When it stays silent: flags that are set out of sight; pools for payload. Whether the flag depends on tcp-data-split
    is not asked: drivers create such pools only then, in other functions.

    Sources: Documentation/networking/netmem.rst, driver requirements; page_pool_init() in net/core/page_pool.c;
    RULES.md DM517.
    """

    id = "DM517"
    name = "unreadable-pool-flags"
    title = "Unreadable memory allowed on the wrong pool"
    why = "Only a payload pool whose memory the pool maps and synchronises can hold device memory."
    level = "error"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("drivers/net/**",)

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each use of the flag."""
        if not unit.mentions(_FLAG):
            return
        for name in unit.find("identifier"):
            holder = _holder(name) if name.text == _FLAG else None
            function = unit.function_of(name)
            if holder is None or function is None:
                continue
            if _HEADERS.search(holder) or _HEADERS.search(function_name(unit, name)):
                yield Hit(
                    at=unit.at(name),
                    message=f"`{holder}` is for headers, which the stack has to read: {_FLAG} belongs on the payload "
                    "pool alone.",
                )
                continue
            text = text_of(unit, function)
            missing = [flag for flag in (_MAP, _SYNC) if flag not in text]
            if not missing:
                continue
            if function.complete and _starts(name):
                yield Hit(
                    at=unit.at(name),
                    message=f"page_pool_init() refuses a pool that a memory provider fills without "
                    f"{' and '.join(missing)}.",
                )
            elif unit.touched(name):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: alone, on a header pool. Look-alikes: the flags in another statement, a comparison."""
        path = "drivers/net/frob.c"
        flags = "PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV"
        alone = "pp.flags = PP_FLAG_ALLOW_UNREADABLE_NETMEM;"
        adds = f"pp.flags = {flags};\n\tif (fb->hds)\n\t\tpp.flags |= PP_FLAG_ALLOW_UNREADABLE_NETMEM;"
        return (
            code("bad", path, _POOL.replace("BODY", alone), finds=[Find(line="ALLOW_UNREADABLE")]),
            code("bad", path, _POOL.replace("BODY", adds.replace("pp.", "hdr_pp.")), finds=[Find(line="ALLOW_UNREAD")]),
            code(
                "bad", path, _POOL.replace("BODY", adds).replace("_pool", "_head_pool"), finds=[Find(line="ALLOW_UN")]
            ),
            code("good", path, _POOL.replace("BODY", adds)),
            code(
                "look-alike",
                path,
                _POOL.replace("BODY", "if (pp.flags & PP_FLAG_ALLOW_UNREADABLE_NETMEM)\n\t\tfrob_note(fb);"),
                note="asked, not set",
            ),
            code(
                "look-alike",
                path,
                _POOL.replace("BODY", "frob_defaults(&pp);\n\tpp.flags |= PP_FLAG_ALLOW_UNREADABLE_NETMEM;"),
                note="the others are set elsewhere",
                lacks=True,
            ),
        )


def _holder(name: Node) -> str | None:
    """What the flag is put into; None when it is asked for."""
    outer = enclosing(name, "assignment_expression", "initializer_pair", "init_declarator")
    if outer is None:
        return None
    test = enclosing(name, "binary_expression")
    if test is not None and operator(test) == "&" and test.start >= outer.start:
        return None
    left = outer.child("left") or outer.child("declarator") or outer.child("designator")
    owner = enclosing(outer, "init_declarator") if outer.kind == "initializer_pair" else None
    named = (owner.child("declarator") if owner is not None else None) or left
    return plain(named) if named is not None else None


def _starts(name: Node) -> bool:
    """Whether the flag is part of what the flags are at first, not added to what somebody else set."""
    outer = enclosing(name, "assignment_expression", "initializer_pair", "init_declarator")
    return outer is not None and (outer.kind != "assignment_expression" or operator(outer) == "=")


_POOL = """
int frob_create_pool(struct frob *fb)
{
	struct page_pool_params pp = { }, hdr_pp = { };

	BODY
	fb->pool = page_pool_create(&pp);
	return PTR_ERR_OR_ZERO(fb->pool);
}
"""
