"""DM519: a memory provider does not keep its contract with the page pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import enclosing
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Node, Result, Unit, code

from ._functions import text_of
from ._series import mentioned

_OPS = "struct memory_provider_ops"
_ALWAYS = ("init", "destroy", "alloc_", "release_")
"""Members that it always had; the last two by their beginning, since they gave pages at first."""
_SINCE = ("nl_fill", "uninstall")
"""Members that later kernels have; they are asked for where something in the series names them."""
_RELEASE, _ALLOC = "release_netmem", "alloc_netmems"


class ProviderContract(CodeRule):
    """The ops of a memory provider are incomplete or writable, or a net_iov is handed to put_page().

    What it does: it looks at initialisers of struct memory_provider_ops: they are const and have all members; and at
    functions that are in them, or named after a member, for `return true` in release_netmem() and for allocation
    that neither sets the pool of a netmem nor counts it.

    Why it matters: page_pool_init() refuses ops outside of read-only memory, and calls all members without asking.
    What release_netmem() answers tells the pool to put_page() the netmem, which for a net_iov is no page. A netmem that
    was not counted leaves the pool waiting for ever.

    When it stays silent: nl_fill and uninstall where nothing names them, since earlier kernels had none; allocation
    that leaves it to a helper; functions that are not visible as a whole.

    Sources: net/core/page_pool.c; include/net/page_pool/memory_provider.h; RULES.md DM519.
    """

    id = "DM519"
    name = "provider-contract"
    title = "Contract of a memory provider broken"
    why = "The page pool calls the members of a provider without asking, and does with a netmem what they answer."
    level = "error"
    confidence = "medium"
    category = "refcount/leak-on-error"
    needs = ("function", "hunk")
    paths = ("net/**", "io_uring/**", "drivers/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each initialiser and each function that breaks the contract."""
        members: dict[str, str] = {}
        for node in unit.find("init_declarator") if unit.mentions(_OPS) else ():
            given = _members(node)
            if given is not None:
                members |= {function: member for member, function in given.items()}
                yield from _initialiser(unit, node, given)
        if not unit.mentions(_RELEASE, _ALLOC, *members):
            return
        for function in unit.functions:
            member = members.get(function.name) or next(
                (one for one in (_RELEASE, _ALLOC) if function.name.endswith(f"_{one}")), ""
            )
            if function.complete and function.node is not None:
                yield from _function(unit, function, member)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: writable, incomplete, put_page(), uncounted. Look-alikes: helpers, other ops."""
        path = "net/core/frob.c"
        count = "\tpool->pages_state_hold_cnt++;\n"
        release = _RELEASES
        return (
            code("bad", path, _TABLE.replace("const ", ""), finds=[Find(line="memory_provider_ops frob_ops")]),
            code("bad", path, _TABLE.replace("\t.destroy = frob_destroy,\n", ""), finds=[Find(line="frob_ops = {")]),
            code("bad", path, release.replace("ANSWER", "true"), finds=[Find(line="return true;")]),
            code("bad", path, _ALLOCATES.replace(count, ""), finds=[Find(line="frob_alloc_netmems(")]),
            code("good", path, _TABLE + _ALLOCATES + release.replace("ANSWER", "false")),
            code("look-alike", path, _TABLE.replace("memory_provider_ops", "frob_ops").replace("const ", "")),
            code(
                "look-alike",
                path,
                _ALLOCATES.replace("page_pool_set_pp_info(pool, nm);\n" + count, "frob_set_page_pool(pool, niov);\n"),
                note="a helper does it",
            ),
        )


def _members(node: Node) -> dict[str, str] | None:
    """The members that `node` initialises with their values, when it declares the ops of a provider."""
    declaration, value = node.parent, node.child("value")
    if declaration is None or value is None or value.kind != "initializer_list" or value.broken or value.cut:
        return None
    kind = declaration.child("type")
    if kind is None or " ".join(kind.text.split()) != _OPS:
        return None
    found: dict[str, str] = {}
    for pair in value.named_children:
        place, given = pair.child("designator"), pair.child("value")
        if pair.kind == "initializer_pair" and place is not None and given is not None:
            found[place.text.lstrip(".")] = given.text
    return found


def _initialiser(unit: Unit, node: Node, given: dict[str, str]) -> Iterator[Hit]:
    declaration = node.parent
    head = declaration.text.partition("=")[0] if declaration is not None else ""
    name = head.split()[-1]
    if "const" not in head.split():
        yield Hit(
            at=unit.at(node),
            message=f"page_pool_init() takes ops from read-only memory only: `{name}` has to be const.",
        )
    wanted = (
        *_ALWAYS,
        *(member for member in _SINCE if mentioned(unit.series, "", f"{member})(") or _named(unit, member)),
    )
    missing = [member for member in wanted if not any(one.startswith(member) for one in given)]
    if given and missing:
        yield Hit(
            at=unit.at(node),
            message=f"`{name}` has no {_listed(missing)}: the page pool calls it without asking.",
            evidence=" ".join(missing),
        )


def _listed(members: Sequence[str]) -> str:
    return ", ".join(member.rstrip("_") for member in members)


def _named(unit: Unit, member: str) -> bool:
    """Whether other ops in sight have `member`."""
    return any(each.mentions(f".{member} ", f".{member}\t", f".{member}=") for each in unit.peers)


def _function(unit: Unit, function: Function, member: str) -> Iterator[Hit]:
    if member == _RELEASE:
        for node in unit.find("return_statement"):
            if enclosing(node, "function_definition") == function.node and node.text.split() == ["return", "true;"]:
                yield Hit(
                    at=unit.at(node),
                    message="true makes the page pool put_page() the netmem, and a net_iov is no page: return false.",
                )
    if member == _ALLOC and function.node is not None:
        text = text_of(unit, function)
        makes = "net_iov_to_netmem(" in text
        missing = [
            words
            for signs, words in (
                (("set_pp_info", "set_page_pool"), "page_pool_set_pp_info()"),
                (("hold_cnt", "set_page_pool"), "pages_state_hold_cnt++"),
            )
            if not any(sign in text for sign in signs)
        ]
        if makes and missing:
            yield Hit(
                at=unit.at(function.node),
                message=f"{function.name}() hands a net_iov to the pool without {' and '.join(missing)}: the pool "
                "neither knows it nor waits for it.",
                evidence=" ".join(missing),
            )


_TABLE = """
static const struct memory_provider_ops frob_ops = {
	.init = frob_init,
	.destroy = frob_destroy,
	.alloc_netmems = frob_alloc_netmems,
	.release_netmem = frob_release_netmem,
};
"""
_RELEASES = """
static bool frob_release_netmem(struct page_pool *pool, netmem_ref nm)
{
	frob_put(nm);
	return ANSWER;
}
"""
_ALLOCATES = """
static netmem_ref frob_alloc_netmems(struct page_pool *pool, gfp_t gfp)
{
	struct net_iov *niov = frob_take(pool->mp_priv);
	netmem_ref nm;

	if (!niov)
		return 0;
	nm = net_iov_to_netmem(niov);
	page_pool_set_pp_info(pool, nm);
	pool->pages_state_hold_cnt++;
	return nm;
}
"""
