"""DM520: a net_iov is set up member by member where net_iov_init() exists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import assignments, declared_type
from reviewer.kit.netmem import function_name, says
from reviewer.rule import CodeRule, Example, Find, Hit, Result, Unit, code

from ._series import mentioned

_INIT = "net_iov_init"
_MEMBERS = frozenset({"owner", "type"})


class NiovSetUpByHand(CodeRule):
    """The owner or the type of a net_iov is assigned directly, where net_iov_init() exists.

    What it does: it looks for assignments to `owner` and `type` of a struct net_iov, in series of which what is
    visible names net_iov_init().

    Why it matters: net_iov_init() also sets what makes a net_iov no page of a page pool. Arrays of net_iovs are not
    zeroed, so that what nobody sets is garbage when the net_iov is used as a netmem.

    When it stays silent: the function calls net_iov_init(), or is it; nothing that is visible names net_iov_init(), so
    that the tree may not have it; the variable is not visibly a net_iov.

    Sources: include/net/netmem.h (net_iov_init); RULES.md DM520.
    """

    id = "DM520"
    name = "niov-set-up-by-hand"
    title = "net_iov set up without net_iov_init()"
    why = "Arrays of net_iovs are not zeroed: what net_iov_init() sets and an assignment by hand forgets is garbage."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("hunk",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "include/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each assignment."""
        if not unit.mentions("net_iov", "niov") or not unit.mentions(*(f"{name} = " for name in _MEMBERS)):
            return
        if not (any(each.mentions(_INIT) for each in (unit, *unit.peers)) or mentioned(unit.series, "", _INIT)):
            return
        for left, _ in assignments(unit.find("assignment_expression")):
            owner, member = left.child("argument"), left.child("field")
            if left.kind != "field_expression" or owner is None or member is None or member.text not in _MEMBERS:
                continue
            kind = declared_type(unit, owner, left) if owner.kind == "identifier" else None
            if kind != "struct net_iov *" or says(unit, left, f"{_INIT}(") or function_name(unit, left) == _INIT:
                continue
            yield Hit(
                at=unit.at(left),
                message=f"`{left.text}` is set by hand, but net_iov_init() sets more than that, and the rest of "
                f"`{owner.text}` may be garbage: net_iov_init() before it is used as a netmem.",
            )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: by hand beside a function that knows better. Look-alikes: no such helper, another struct."""
        path, by_hand = "net/core/frob.c", "niov->owner = area;"
        init = "net_iov_init(niov, area, NET_IOV_DMABUF);"
        bad = _FILL.replace("BODY", by_hand)
        return (
            code("bad", path, bad + _OTHER, finds=[Find(line=by_hand)]),
            code("good", path, _FILL.replace("BODY", init)),
            code("look-alike", path, bad, note="the tree may not have the helper"),
            code("look-alike", path, bad.replace("struct net_iov *", "struct frob *") + _OTHER, note="another struct"),
        )


_FILL = """
void frob_fill(struct net_iov_area *area, struct net_iov *niov)
{
	BODY
	frob_address(net_iov_to_netmem(niov));
}
"""
_OTHER = """
void frob_other(struct net_iov_area *area, struct net_iov *other)
{
	net_iov_init(other, area, NET_IOV_IOURING);
}
"""
