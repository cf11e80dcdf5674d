"""DM505: frags of one skb are put into another without asking whether both are readable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, plain
from reviewer.kit.netmem import never_unreadable
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Result, Unit, code

from ._functions import text_of

_COPIES = ("memcpy", "memmove")
_ASKED = ("readable", "unreadable", "skb_copy_header", "skb_zcopy_clone")
_SPARED = frozenset({"skb_gro_receive", "skb_segment", "skb_shift", "pskb_expand_head", "skb_copy_header"})
"""Functions whose callers see to it (RULES.md DM505)."""


class ReadableMergedWithUnreadable(CodeRule):
    """Frags move from one skb to another, and nobody compares whether both can be read.

    What it does: it looks for memcpy() from the frags of one skb to those of another one in a function that is visible
    as a whole and speaks nowhere of readable or unreadable.

    Why it matters: an skb has one bit for all of its frags. A net_iov in an skb that passes for readable is read as a
    page; a page in one that does not is lost for those who want to read it.

    When it stays silent: the function speaks of it; skb_gro_receive(), skb_segment(), skb_shift() and
    pskb_expand_head(), whose callers see to it; frags that move within one skb; drivers of which nothing that is
    visible speaks of unreadable memory.

    Sources: skb_try_coalesce() and tcp_skb_can_collapse() in net/core/skbuff.c and include/net/tcp.h; RULES.md DM505.
    """

    id = "DM505"
    name = "readable-merged-with-unreadable"
    title = "Frags merged without comparing whether they are readable"
    why = "One bit tells for all frags of an skb whether they can be read: it must be the same in both."
    level = "error"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("net/**", "drivers/net/**", "include/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each copy of frags; lack the function when it may be asked out of sight."""
        for call in unit.calls(*_COPIES):
            given = arguments(call)
            if len(given) < 2 or "frags" not in given[1].text or "frags" not in given[0].text:
                continue
            owners = [plain(one).lstrip("&(").partition("->frags")[0] for one in given[:2]]
            function = unit.function_of(call)
            if owners[0] == owners[1] or function is None or function.name in _SPARED or never_unreadable(unit):
                continue
            if any(word in text_of(unit, function) for word in _ASKED):
                continue
            if not function.complete:
                yield from (Lack("function"),) if unit.touched(call) else ()
                continue
            yield Hit(
                at=unit.at(call),
                message=f"`{owners[1]}` may hold device memory and `{owners[0]}` pages, or the other way round: merge "
                "only when skb_frags_readable() is the same for both.",
            )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: frags copied over. Look-alikes: one skb, an exempt function, a driver without devmem."""
        path = "net/core/frob.c"
        asked = "\tif (skb_frags_readable(a) != skb_frags_readable(b))\n\t\treturn false;\n"
        return (
            code("bad", path, _MERGE.replace("ASK", ""), finds=[Find(line="memcpy(")]),
            code("good", path, _MERGE.replace("ASK", asked)),
            code("look-alike", path, _MERGE.replace("ASK", "").replace("from->frags", "to->frags"), note="one skb"),
            code("look-alike", path, _MERGE.replace("ASK", "").replace("frob_merge", "skb_shift"), note="callers ask"),
            code("look-alike", "drivers/net/frob.c", _MERGE.replace("ASK", ""), note="gets no device memory"),
        )


_MERGE = """
bool frob_merge(struct sk_buff *a, struct sk_buff *b)
{
	struct skb_shared_info *to = skb_shinfo(a), *from = skb_shinfo(b);

ASK	memcpy(&to->frags[to->nr_frags], from->frags, from->nr_frags * sizeof(skb_frag_t));
	to->nr_frags += from->nr_frags;
	return true;
}
"""
