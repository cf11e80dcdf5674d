"""DM403: an importer synchronises a dma-buf for CPU or device, or lets its page pool do so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called, plain
from reviewer.kit.taint import comes_from_dmabuf, mapped
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Node, Result, Unit, code

from ._hooks import text_of

_SYNCS = (
    "dma_sync_single_for_cpu",
    "dma_sync_single_for_device",
    "dma_sync_single_range_for_cpu",
    "dma_sync_single_range_for_device",
    "dma_sync_sg_for_cpu",
    "dma_sync_sg_for_device",
    "dma_sync_sgtable_for_cpu",
    "dma_sync_sgtable_for_device",
)
_ADDRESSES = ("sg_dma_address",)
_PROVIDER = re.compile(r"(?:dmabuf|devmem)\w*_init$|_(?:dmabuf|devmem)_init$")
_POOL = re.compile(r"\bstruct page_pool \*(\w+)")
_SYNC_OFF = re.compile(r"->dma_sync\s*=\s*false")
_SYNC_CPU = "dma_sync_for_cpu"
_MORE_THAN_A_STUB = 2
_DEVMEM = "net/core/devmem."


class DmabufSyncedByImporter(CodeRule):
    """The memory of an imported dma-buf is synchronised by DMA address, or a provider's page pool would do it.

    What it does: reports dma_sync_*() of an address that comes from a mapped dma-buf's table, and any of them in
    net/core/devmem.*. In the init function of a page pool's dma-buf provider it warns when nothing turns the pool's
    syncing off (or refuses a pool that syncs), and notes when only one of its two switches is turned.

    Why it matters: the memory may not be CPU memory at all, and its caches are the exporter's; user space brackets its
    accesses with DMA_BUF_IOCTL_SYNC.

    When it stays silent: exporters, which sync their own pages; areas of user memory; init functions that are not
    wholly in sight.

    Sources: Documentation/driver-api/dma-buf.rst; Documentation/networking/netmem.rst; RULES.md DM403.
    """

    id = "DM403"
    name = "dmabuf-synced-by-importer"
    title = "An importer synchronises a dma-buf"
    why = "The caches of a dma-buf are its exporter's business, and its memory may not be reachable by the CPU at all."
    level = "error"
    confidence = "medium"
    category = "sg-page-access"
    needs = ("hunk",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/infiniband/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each sync, and each provider that leaves syncing to the pool."""
        for call in unit.calls(*_SYNCS):
            source = _source(unit, call)
            if source is not None:
                yield Hit(
                    at=unit.at(call),
                    message=f"{called(call)}() gets {source}, but an importer does not sync: user space brackets its "
                    "accesses with DMA_BUF_IOCTL_SYNC.",
                )
        if unit.mentions("page_pool"):
            for function in unit.functions:
                if _PROVIDER.search(function.name) and function.complete and function.node is not None:
                    yield from _provider(unit, function, function.node)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: an entry synced, a provider that lets its pool sync. Look-alikes: other memory, other pools."""
        path = "net/core/frob.c"
        sync = [Find(line="dma_sync_single_for_cpu(")]
        off = "\tpool->dma_sync = false;\n\tpool->dma_sync_for_cpu = false;\n"
        head = "int frob_dmabuf_init("
        return (
            code("bad", path, _SYNC, finds=sync),
            code("bad", path, _INIT.replace("OFF", ""), finds=[Find(line=head, level="warning")]),
            code("bad", path, _INIT.replace("OFF", off[:25]), finds=[Find(line=head, level="note")]),
            code(
                "bad",
                path,
                _INIT.replace("OFF", ""),
                before=_INIT.replace("OFF", off),
                finds=[Find(line=head, level="warning")],
                context=12,
            ),
            code("good", path, _INIT.replace("OFF", off)),
            code("look-alike", path, _SYNC.replace("sg_dma_address(sg)", "fb->ring"), note="memory of its own"),
            code(
                "look-alike",
                path,
                _INIT.replace("OFF", "\tif (pool->dma_sync)\n\t\treturn -EOPNOTSUPP;\n"),
                note="refused",
            ),
            code("look-alike", path, _INIT.replace("OFF", "").replace("dmabuf_init", "umem_init"), note="user memory"),
            code("look-alike", path, _STUB, note="a stub"),
        )


def _source(unit: Unit, call: Node) -> str | None:
    """What of a dma-buf `call` syncs, in words; None when nothing says that it is one."""
    given = arguments(call)
    if len(given) < 2:
        return None
    if unit.path.startswith(_DEVMEM):
        return f"`{plain(given[1])}`"
    known = mapped(unit, call)
    for node in given[1].walk():
        inner = arguments(node) if node.kind == "call_expression" and called(node) in _ADDRESSES else ()
        if len(inner) == 1 and comes_from_dmabuf(unit, inner[0], known) is not None:
            return f"the DMA address of `{plain(inner[0])}`"
    return None


def _provider(unit: Unit, function: Function, node: Node) -> Iterator[Hit]:
    text, body = text_of(unit, function), node.child("body")
    pool = _POOL.search(text)
    if pool is None or body is None or len(body.named_children) < _MORE_THAN_A_STUB:
        return
    evidence = f"{function.name} syncs"
    if "dma_sync" not in text.lower():
        yield Hit(
            at=unit.at(node),
            message=f"{function.name}() leaves {pool[1]}->dma_sync alone, so the pool syncs memory of the dma-buf. "
            f"Both it and {pool[1]}->dma_sync_for_cpu have to be false.",
            level="warning",
            evidence=evidence,
        )
    elif _SYNC_OFF.search(text) and _SYNC_CPU not in text:
        yield Hit(
            at=unit.at(node),
            message=f"{function.name}() turns {pool[1]}->dma_sync off and leaves {pool[1]}->dma_sync_for_cpu: drivers "
            "then still sync for the CPU.",
            level="note",
            confidence="low",
            evidence=evidence,
        )


_SYNC = """
int frob_receive(struct frob *fb, struct device *dev)
{
	struct scatterlist *sg;
	int i;

	fb->table = dma_buf_map_attachment_unlocked(fb->attachment, DMA_FROM_DEVICE);
	if (IS_ERR(fb->table))
		return PTR_ERR(fb->table);
	for_each_sgtable_dma_sg(fb->table, sg, i)
		dma_sync_single_for_cpu(dev, sg_dma_address(sg), sg_dma_len(sg), DMA_FROM_DEVICE);
	return 0;
}
"""
_INIT = """
int frob_dmabuf_init(struct page_pool *pool)
{
	struct frob_binding *binding = pool->mp_priv;

	if (!binding)
		return -EINVAL;
OFF
	frob_binding_get(binding);
	return 0;
}
"""
_STUB = """
static inline int frob_dmabuf_init(struct page_pool *pool)
{
	return -EOPNOTSUPP;
}
"""
