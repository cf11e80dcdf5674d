"""DM402: CPU access to a dma-buf past vmap and the begin and end of CPU access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called, within
from reviewer.kit.taint import bus_addresses, mapped, reads_address
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Lack, Node, Result, Unit, code

_CONVERSIONS = (
    "phys_to_virt",
    "phys_to_page",
    "phys_to_pfn",
    "pfn_to_page",
    "pfn_to_kaddr",
    "memremap",
    "devm_memremap",
    "ioremap",
    "ioremap_wc",
    "ioremap_cache",
    "__va",
)
_DEVICE_FIRST = frozenset({"devm_memremap"})
_MAPS = ("dma_buf_vmap", "dma_buf_vmap_unlocked")
_BEGIN = "dma_buf_begin_cpu_access"
_IMPORTERS = ("net/", "io_uring/", "drivers/net/")


class DmabufCpuAccess(CodeRule):
    """The kernel reads or writes a dma-buf by another way than the one that its exporter offers.

    What it does: reports conversions of a DMA address into a physical one, a page or a pointer, in net code and
    io_uring and wherever the function maps a dma-buf; and in net code and io_uring dma_buf_vmap() in a function that
    never begins CPU access.

    Why it matters: a DMA address is an address of the bus, behind an IOMMU or on a device; taken for a physical one
    it points anywhere. Without begin and end of CPU access caches are stale.

    When it stays silent: exporters; addresses that do not come from a visible accessor; vmap where the whole function
    is not visible (then it says so).

    Sources: Documentation/driver-api/dma-buf.rst, "CPU Access to DMA Buffer Objects"; RULES.md DM402.
    """

    id = "DM402"
    name = "dmabuf-cpu-access"
    title = "CPU access to a dma-buf past its exporter"
    why = "A DMA address belongs to the bus: the CPU gets at a dma-buf by vmap only, between begin and end of access."
    level = "error"
    confidence = "medium"
    category = "sg-page-access"
    needs = ("function", "hunk")
    paths = (
        "**/*.c",
        "**/*.h",
        "!drivers/dma-buf/**",
        "!drivers/iommu/*",
        "!kernel/**",
        "!lib/**",
        "!arch/**",
        "!mm/**",
    )

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each conversion of a DMA address, and each map without the begin of access."""
        importer = unit.path.startswith(_IMPORTERS)
        for call in unit.calls(*_CONVERSIONS):
            place = 1 if called(call) in _DEVICE_FIRST else 0
            given = arguments(call)
            if len(given) > place and (importer or mapped(unit, call).source is not None):
                yield from _converted(unit, call, given[place])
        if importer:
            for call in unit.calls(*_MAPS):
                yield from _unbegun(unit, call)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: addresses converted, access not begun. Look-alikes: physical addresses, exporters."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _VIRT, finds=[Find(line="phys_to_virt(sg_dma_address(sg))")]),
            code("bad", path, _VARIABLE, finds=[Find(line="pfn_to_page(")]),
            code("bad", path, _VMAP, finds=[Find(line="dma_buf_vmap_unlocked(", level="warning")]),
            code("good", path, _VMAP.replace("	ret = dma_buf_vmap", _BEGUN + "	ret = dma_buf_vmap")),
            code("look-alike", path, _PHYSICAL, note="a physical address"),
            code("look-alike", "drivers/dma-buf/heaps/frob.c", _VMAP, note="an exporter"),
            code("look-alike", path, _CUT_AFTER, before=_CUT_BEFORE, lacks=True, note="the begin may be out of sight"),
        )


def _converted(unit: Unit, call: Node, value: Node) -> Iterator[Hit]:
    if reads_address(value, bus_addresses(unit, call)):
        yield Hit(
            at=unit.at(call),
            message=f"{called(call)}() takes a DMA address for a physical one. It is an address of the bus and may lie "
            "behind an IOMMU or on a device: the CPU gets at a dma-buf by dma_buf_vmap() only.",
        )


def _unbegun(unit: Unit, call: Node) -> Iterator[Result]:
    function = unit.function_of(call)
    if function is not None and _begins(unit, function):
        return
    if function is None or not function.complete:
        if unit.touched(call):
            yield Lack("function")
        return
    yield Hit(
        at=unit.at(call),
        message=f"{function.name}() maps the buffer for the CPU but never calls {_BEGIN}(), so what it reads may be "
        "stale and what it writes may not arrive.",
        level="warning",
    )


def _begins(unit: Unit, function: Function) -> bool:
    return bool(within(unit.calls(_BEGIN), function.first_row, function.last_row))


_VIRT = """
void *frob_peek(struct frob *fb)
{
	struct scatterlist *sg = fb->table->sgl;

	return phys_to_virt(sg_dma_address(sg));
}
"""
_VARIABLE = """
struct page *frob_page(struct frob *fb, struct scatterlist *sg)
{
	dma_addr_t addr;

	addr = sg_dma_address(sg) + fb->offset;
	return pfn_to_page(addr >> PAGE_SHIFT);
}
"""
_VMAP = """
int frob_read(struct frob *fb, struct dma_buf *dmabuf, void *to)
{
	struct iosys_map map;
	int ret;

	ret = dma_buf_vmap_unlocked(dmabuf, &map);
	if (ret)
		return ret;
	iosys_map_memcpy_from(to, &map, 0, fb->len);
	dma_buf_vunmap_unlocked(dmabuf, &map);
	return 0;
}
"""
_BEGUN = """	ret = dma_buf_begin_cpu_access(dmabuf, DMA_FROM_DEVICE);
	if (ret)
		return ret;
"""
_PHYSICAL = """
void *frob_regs(struct frob *fb, struct resource *res)
{
	phys_addr_t addr = res->start;

	fb->bus = sg_dma_address(fb->sg);
	return ioremap(addr, resource_size(res));
}
"""
_CUT_BEFORE = """
int frob_long(struct frob *fb, struct dma_buf *dmabuf)
{
	int ret;

	ret = frob_first(fb);
	if (ret)
		return ret;
	ret = frob_second(fb);
	if (ret)
		return ret;
	ret = frob_third(fb);
	if (ret)
		return ret;
	return frob_fourth(fb);
}
"""
_CUT_AFTER = _CUT_BEFORE.replace(
    "	return frob_fourth", "	ret = dma_buf_vmap(dmabuf, &fb->map);\n	return frob_fourth"
)
