"""DM503: a loop over the frags that reads their bytes, in a function that takes every skb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called
from reviewer.kit.netmem import READABLE_PROOFS, frag_loops, is_closed, never_unreadable, says
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

_ACCESSORS = frozenset({"skb_frag_page", "skb_frag_address", "skb_frag_address_safe"})
_READING = frozenset({"csum", "checksum", "crc", "crc32", "crc32c", "hash", "crypt", "encrypt", "decrypt"})
_COPYING = frozenset({"copy_to_iter", "copy_page_to_iter", "copy_to_user", "skb_frag_foreach_page"})
_NOT_READING = frozenset({"add", "sub", "unfold", "fold", "block", "size", "len", "dma"})
_OWN = ("alloc_skb", "build_skb", "xdp")
_FRAG_TYPES = ("frag", "frags")


class UnreadablePayloadWalked(CodeRule):
    """A function walks the frags of an skb and reads them, and never asks whether they can be read.

    What it does: in loops over `nr_frags` it looks for functions that by their name checksum, hash, encrypt or copy,
    and that are given the frag of the loop.

    Why it matters: the frags of a devmem skb are device memory. Whoever reads payload has to refuse such an skb, or
    stop at its linear part: skb_copy_bits(), __skb_checksum() and others got such a test when devmem came.

    When it stays silent: the function asks for readable frags anywhere; it made the skb itself; the loop sums sizes,
    maps for DMA or moves frags; XDP; drivers of which nothing that is visible speaks of unreadable memory. Where the
    page is asked for directly, DM502 speaks.

    Sources: Documentation/networking/devmem.rst; <20240903145150.4ffee51b@kernel.org>,
    <20240820081920.6630a73f@kernel.org>; RULES.md DM503.
    """

    id = "DM503"
    name = "unreadable-payload-walked"
    title = "Payload read without asking if it is readable"
    why = "The frags of a devmem skb are device memory: who reads payload has to refuse it, or stop at the linear part."
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("drivers/net/**", "net/**", "include/linux/skbuff*", "!net/xdp/**", "!net/core/xdp.c")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each loop, at its first call that reads."""
        if not unit.mentions("nr_frags") or never_unreadable(unit):
            return
        for loop in frag_loops(unit):
            call = _reader(loop)
            if call is None or says(unit, call, *READABLE_PROOFS, *_OWN):
                continue
            if is_closed(unit, call):
                yield _hit(unit, loop, call)
            elif unit.touched(call):
                yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a checksum, a copy. Look-alikes: refused before, sizes, DMA."""
        path = "net/core/frob.c"
        csum = "sum = csum_add(sum, frob_csum(&sh->frags[i]));"
        test = "if (!skb_frags_readable(skb))\n\t\treturn 0;\n\n\tfor"
        return (
            code("bad", path, _WALK.replace("BODY", csum), finds=[Find(line="frob_csum(")]),
            code("bad", path, _HELD, finds=[Find(line="frob_hash(frag)")]),
            code("good", path, _WALK.replace("BODY", csum).replace("for", test)),
            code("look-alike", path, _WALK.replace("BODY", "sum += skb_frag_size(&sh->frags[i]);"), note="sizes"),
            code("look-alike", path, _WALK.replace("BODY", "frob_post(skb_frag_dma_map(dev, &sh->frags[i]));")),
            code("look-alike", path, _WALK.replace("BODY", "memcpy(&to->frags[i], &sh->frags[i], 16);"), note="moved"),
            code("look-alike", path, _WALK.replace("BODY", "sum = csum_add(sum, frob_csum(&sh->sums[i]));")),
            code("look-alike", "drivers/net/frob.c", _WALK.replace("BODY", csum), note="gets no unreadable memory"),
        )


def _reader(loop: Node) -> Node | None:
    """The first call of the loop that reads the bytes of a frag; None when the page itself is asked for."""
    found: Node | None = None
    for node in loop.walk():
        if node.kind != "call_expression":
            continue
        if called(node) in _ACCESSORS:
            return None
        if found is None and _reads(node):
            found = node
    return found


def _reads(call: Node) -> bool:
    name = called(call)
    words = set(name.lower().split("_"))
    if name not in _COPYING and (not words & _READING or words & _NOT_READING):
        return False
    given = arguments(call)
    return any(_is_frag(argument) for argument in given)


def _is_frag(argument: Node) -> bool:
    """Whether `argument` is a frag itself: `frag`, `&sh->frags[i]`."""
    inner = argument.child("argument") if argument.kind == "pointer_expression" else argument
    if inner is not None and inner.kind == "subscript_expression":
        inner = inner.child("argument")
    member = inner.child("field") if inner is not None and inner.kind == "field_expression" else inner
    return member is not None and member.text in _FRAG_TYPES


def _hit(unit: Unit, loop: Node, call: Node) -> Hit:
    return Hit(
        at=unit.at(call),
        message=f"{called(call)}() reads the frags, which are not readable in a devmem skb: "
        "`if (!skb_frags_readable(skb))` has to refuse those before this loop, or the reading stops at skb_headlen().",
        related=(unit.at(loop),),
    )


_WALK = """
u32 frob_sum(struct sk_buff *skb, struct device *dev, struct skb_shared_info *to)
{
	struct skb_shared_info *sh = skb_shinfo(skb);
	u32 sum = 0;
	int i;

	for (i = 0; i < sh->nr_frags; i++)
		BODY
	return sum;
}
"""
_HELD = """
u32 frob_sum(struct sk_buff *skb)
{
	u32 sum = 0;
	int i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		sum ^= frob_hash(frag);
	}
	return sum;
}
"""
