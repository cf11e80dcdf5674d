"""DM509: what belongs to one memory provider is asked of a net_iov that may be another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called
from reviewer.kit.netmem import first_argument, function_name, is_closed, says
from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Node, Result, Unit, code

from ._series import defines

_DEVMEM = (
    *("net_devmem_iov_binding", "net_devmem_iov_binding_id", "net_devmem_iov_to_chunk_owner"),
    "net_devmem_get_dma_addr",
)
_ZCRX = ("io_zcrx_iov_to_area", "io_zcrx_iov_page")
_PROOFS = ("net_is_devmem_iov", "NET_IOV_DMABUF", "NET_IOV_IOURING", "mp_ops", "is_devmem", "mp_priv")
_HOMES = ("net/core/devmem.", "io_uring/zcrx.", "net/core/mp_dmabuf_devmem.")
_OWN_NAMES = ("net_devmem_", "mp_dmabuf_", "io_zcrx_", "io_pp_", "__net_devmem_")
_NEUTRAL = "net_iov_"


class ProviderTypeUnchecked(CodeRule):
    """A net_iov is taken for one of devmem (or of io_uring) without a test of whose it is.

    What it does: outside the provider's own file it looks for helpers that reach through container_of() to the devmem
    binding or the zcrx area, in functions that never test net_is_devmem_iov(). A helper whose name says that it takes
    any net_iov (`net_iov_*`) and that now calls one of them is a note: its callers have to test.

    Why it matters: each provider embeds struct net_iov_area in another struct. The wrong one gives a pointer to
    memory of another type.

    When it stays silent: the function asks for the type or for the provider anywhere; the provider's own functions,
    which only see its own net_iovs; series that bring the helper themselves, when there was one provider yet.

    Sources: include/net/netmem.h (struct net_iov_area); RULES.md DM509.
    """

    id = "DM509"
    name = "provider-type-unchecked"
    title = "net_iov taken for another provider's"
    why = (
        "Each memory provider embeds net_iov_area in another struct: container_of() on the wrong one is type confusion."
    )
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("function", "hunk")
    paths = ("net/**", "io_uring/**", "drivers/net/**", "include/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call; lack the function when the test may stand above what is visible."""
        for call in unit.calls(*_DEVMEM, *_ZCRX):
            name, within = called(call), function_name(unit, call)
            if says(unit, call, *_PROOFS):
                continue
            if within.startswith(_NEUTRAL):
                yield _neutral(unit, call, within)
            elif not unit.path.startswith(_HOMES) and not within.startswith(_OWN_NAMES):
                if defines(unit.series, name):
                    continue
                if is_closed(unit, call):
                    yield _hit(unit, call)
                elif unit.touched(call):
                    yield Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a frag of any provider, a neutral helper. Look-alikes: asked before, the provider itself."""
        path, test = "net/ipv4/frob.c", "if (!net_is_devmem_iov(niov))\n\t\treturn 0;\n\t"
        ask = "id = net_devmem_iov_binding_id(niov);"
        return (
            code("bad", path, _FRAG.replace("BODY", ask), finds=[Find(line="net_devmem_iov_binding_id(")]),
            code(
                "bad",
                "net/core/frob.h",
                _NEUTRAL_AFTER,
                before=_NEUTRAL_BEFORE,
                finds=[Find(line="net_devmem_iov_binding(niov)", level="note")],
                note="the callers of a neutral helper",
            ),
            code("good", path, _FRAG.replace("BODY", test + ask)),
            code("look-alike", path, _FRAG.replace("BODY", "id = net_iov_type(niov);"), note="provider neutral"),
            code("look-alike", "net/core/devmem.c", _FRAG.replace("BODY", ask), note="the provider's own file"),
            code("look-alike", path, _BROUGHT + _FRAG.replace("BODY", ask), note="the series brings the helper"),
        )


def _hit(unit: Unit, call: Node) -> Hit:
    given = first_argument(call)
    what = given.text if given is not None else "the net_iov"
    owner, test = ("zcrx", "whose it is") if called(call) in _ZCRX else ("devmem", f"`net_is_devmem_iov({what})`")
    return Hit(
        at=unit.at(call),
        message=f"{called(call)}() takes `{what}` for a net_iov of {owner}, but nothing here says that it is not "
        f"another provider's, of which it would read another struct: test {test} first.",
    )


def _neutral(unit: Unit, call: Node, within: str) -> Hit:
    return Hit(
        at=unit.at(call),
        message=f"{within}() takes any net_iov by its name, but now goes through {called(call)}(), which is right for "
        "one provider only: do all of its callers test net_is_devmem_iov() before?",
        level="note",
    )


_FRAG = """
u32 frob_id(const skb_frag_t *frag)
{
	struct net_iov *niov = skb_frag_net_iov(frag);
	u32 id;

	BODY
	return id;
}
"""
_NEUTRAL_BEFORE = """
static inline unsigned long net_iov_frob(const struct net_iov *niov)
{
	return net_iov_idx(niov) << PAGE_SHIFT;
}
"""
_NEUTRAL_AFTER = _NEUTRAL_BEFORE.replace("PAGE_SHIFT", "net_devmem_iov_binding(niov)->shift")
_BROUGHT = """
static inline u32 net_devmem_iov_binding_id(const struct net_iov *niov)
{
	return frob_owner(niov)->id;
}
"""
