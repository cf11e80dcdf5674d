"""DM404: a table is unmapped with another direction than it was mapped with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called, plain
from reviewer.kit.resources import ACQUIRED, RELEASED, RESOURCES, Resource, direction, thing
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Struct, Unit, code

_LITERALS = frozenset({"DMA_BIDIRECTIONAL", "DMA_TO_DEVICE", "DMA_FROM_DEVICE"})
_BOTH = "DMA_BIDIRECTIONAL"
_WITH_DIRECTION = tuple(one for one in RESOURCES if one.direction is not None)
_MAPS = tuple(name for one in _WITH_DIRECTION for name in one.acquire)
_UNMAPS = tuple(name for one in _WITH_DIRECTION for name in one.release)
_ATTACHMENTS = ACQUIRED["dma_buf_map_attachment"]
_MOST = 200
"""Other hunks of the file that are looked at."""
_NICS = ("net/core/", "drivers/net/")


class _Use(Struct, frozen=True, kw_only=True):
    """A map or unmap of `resource`: of which member or variable, in which direction."""

    unit: Unit
    call: Node
    resource: Resource
    table: str
    direction: str


class DmaDirectionDiffers(CodeRule):
    """A table is given back with another direction than it was mapped with, or is mapped for both where one will do.

    What it does: compares the directions of all visible maps and unmaps of one member or variable in a file: of
    dma-buf attachments, of dma_map_sgtable() and of get_sg_table() helpers. It reports a constant that no map has,
    and a constant where every map takes the direction from a parameter or member. In net/core and network drivers it
    notes DMA_BIDIRECTIONAL for a dma-buf: what is received is only written by the device, what is sent only read.

    Why it matters: the direction decides which caches are flushed, and the IOMMU's permissions; dma-debug complains.

    When it stays silent: no map of the same thing is in sight; variables on both sides.

    Sources: Documentation/core-api/dma-api.rst; <c45c5888-497b-4e95-a139-43a05279af65@gmail.com>,
    <da42cea9-c169-599e-f087-d38c419e3dab@huawei.com>, <20260314232722.15555-1-mikhail.v.gavrilov@gmail.com>; RULES.md
    DM404.
    """

    id = "DM404"
    name = "dma-direction-differs"
    title = "Mapped in one DMA direction, unmapped in another"
    why = (
        "Caches are flushed and permissions given by the direction: both ends have to name the same one, and it should "
        "be no wider than what the device does."
    )
    level = "error"
    confidence = "high"
    category = "other"
    needs = ("file", "hunk")
    paths = ("**/*.c", "**/*.h", "!tools/**", "!kernel/dma/**", "!drivers/iommu/*")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each unmap whose direction no map has, and one for a direction too many."""
        if not unit.mentions(*_UNMAPS, *_MAPS):
            return
        ours = list(_uses(unit))
        everywhere = [*ours, *(use for peer in unit.peers[:_MOST] for use in _uses(peer))]
        alike: dict[tuple[str, str, str], list[_Use]] = {}
        for use in ours:
            if called(use.call) in _UNMAPS:
                alike.setdefault((use.resource.kind, use.table, use.direction), []).append(use)
        for uses in alike.values():
            yield from _differs(uses, [one for one in everywhere if _pairs(one, uses[0])])
        if unit.path.startswith(_NICS):
            yield from _both(unit, ours)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: two constants, a constant for a parameter, both ways. Look-alikes: another table, variables."""
        path = "drivers/frob/frob.c"
        free = "dma_buf_unmap_attachment_unlocked(fb->attachment, fb->table, "
        to = _FILE.replace("MAPS", "DMA_TO_DEVICE")
        return (
            code("bad", path, to.replace("UNDOES", "DMA_FROM_DEVICE"), finds=[Find(line=free)]),
            code(
                "bad", path, _FILE.replace("UNDOES", "DMA_FROM_DEVICE").replace("MAPS", "dir"), finds=[Find(line=free)]
            ),
            code("bad", path, _OWN, finds=[Find(line="dma_unmap_sgtable(")]),
            code("bad", path, _OWN + _OWN_AGAIN, finds=[Find(line="BIDIRECTIONAL, 0);")], note="told once"),
            code(
                "bad",
                "net/core/frob.c",
                _FILE.replace("UNDOES", _BOTH).replace("MAPS", _BOTH),
                finds=[Find(line="fb->table = dma_buf_map_attachment_unlocked(", level="note")],
            ),
            code("good", path, to.replace("UNDOES", "DMA_TO_DEVICE")),
            code("look-alike", path, to.replace("UNDOES", "fb->dir"), note="the member may hold just that"),
            code(
                "look-alike",
                path,
                to.replace("UNDOES", "DMA_FROM_DEVICE").replace("fb->table, ", "fb->other, "),
                note="another table",
            ),
            code("look-alike", path, _FILE.replace("UNDOES", _BOTH).replace("MAPS", _BOTH), note="a GPU does both"),
        )


def _uses(unit: Unit) -> Iterator[_Use]:
    """The maps and unmaps in `unit` with a visible table, in order."""
    for call in unit.calls(*_MAPS, *_UNMAPS):
        name, table, way = called(call), thing(call), direction(call)
        if table is not None and way is not None:
            yield _Use(
                unit=unit,
                call=call,
                resource=ACQUIRED[name] if name in _MAPS else RELEASED[name][0],
                table=_last_word(plain(table)),
                direction=plain(way),
            )


def _last_word(expression: str) -> str:
    """The member or variable that `&a->b.c` ends in."""
    return expression.lstrip("&*(").replace("->", ".").rpartition(".")[2].rstrip(")")


def _pairs(one: _Use, use: _Use) -> bool:
    return called(one.call) in _MAPS and one.resource is use.resource and one.table == use.table


def _differs(unmaps: Sequence[_Use], maps: Sequence[_Use]) -> Iterator[Hit]:
    """One hit for `unmaps` of one table in one direction, when none of `maps` has that direction."""
    use, *others = sorted(unmaps, key=lambda one: not one.unit.touched(one.call))
    directions = {one.direction for one in maps}
    if not maps or use.direction not in _LITERALS or use.direction in directions:
        return
    constants = directions & _LITERALS
    if constants and directions != constants:
        return
    if not use.unit.touched(use.call) and not any(one.unit.touched(one.call) for one in maps):
        return
    mapped = " or ".join(sorted(directions))
    yield Hit(
        at=use.unit.at(use.call),
        message=f"`{use.table}` was mapped with {mapped} and is unmapped with {use.direction}; both have to be the "
        "same" + (f", {mapped}." if constants else ", so the direction has to be kept."),
        confidence="medium",
        related=tuple(one.unit.at(one.call) for one in (*maps, *others)),
    )


def _both(unit: Unit, uses: Sequence[_Use]) -> Iterator[Hit]:
    """One hit for the first of the attachments that are mapped both ways."""
    both = [use for use in uses if use.resource is _ATTACHMENTS and use.direction == _BOTH]
    if any(called(use.call) in _MAPS for use in both) and any(unit.touched(use.call) for use in both):
        yield Hit(
            at=unit.at(both[0].call),
            message=f"`{both[0].table}` is mapped with DMA_BIDIRECTIONAL, but memory to receive into is only written "
            "by the device and memory to send from only read. Would DMA_FROM_DEVICE or DMA_TO_DEVICE do?",
            level="note",
            related=tuple(unit.at(use.call) for use in both[1:]),
            evidence="mapped with DMA_BIDIRECTIONAL",
        )


_FILE = """
int frob_map(struct frob *fb, enum dma_data_direction dir)
{
	fb->table = dma_buf_map_attachment_unlocked(fb->attachment, MAPS);
	if (IS_ERR(fb->table))
		return PTR_ERR(fb->table);
	return 0;
}

void frob_unmap(struct frob *fb)
{
	dma_buf_unmap_attachment_unlocked(fb->attachment, fb->table, UNDOES);
}
"""
_OWN = """
int frob_map_own(struct device *dev, struct sg_table *table, enum dma_data_direction dir)
{
	return dma_map_sgtable(dev, table, dir, 0);
}

void frob_unmap_own(struct device *dev, struct frob *fb)
{
	dma_unmap_sgtable(dev, fb->table, DMA_BIDIRECTIONAL, 0);
}
"""
_OWN_AGAIN = """
void frob_drop_own(struct device *dev, struct frob *fb)
{
	dma_unmap_sgtable(dev, fb->table, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
}
"""
