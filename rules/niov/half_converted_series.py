"""DM203: a series makes niovs count in their own size, and leaves functions that count them in pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reviewer.rule import (
    Cover,
    Example,
    Find,
    Hit,
    Lack,
    Patch,
    PatchExample,
    Result,
    Series,
    SeriesChanges,
    SeriesRule,
    series,
)

from ._conversion import Conversion, Place, conversion

_MOST = 6
_FILE = "net/core/devmem.h"


class HalfConvertedSeries(SeriesRule):
    """A series that converts functions from pages to niovs converts all that count niovs, before the shift may differ.

    What it does: sorts the functions that a series shows, or all of its files where they are known, into converted
    ones, ones that still count niovs in pages, and ones that use pages otherwise, and prints this table when something
    is left; and compares where the conversions stand with the patch that lets a niov be larger than a page.

    Why it matters: as soon as a shift differs from PAGE_SHIFT, the two kinds of functions disagree about where a niov
    is. Between two patches that is a kernel that breaks in a bisection.

    When it stays silent: nothing is converted; everything that is shown is. Functions that are not shown are named when
    something else is wrong, else the rule counts as not checked. What is left may be right while all its callers pass
    PAGE_SHIFT: a note as long as nothing in the series sets another shift. tcp.c and datagram.c are not expected to
    change, unlike in RULES.md: their tokens are indexes, and their offsets come from functions of devmem.c.

    Sources: RULES.md DM203; <CAHS8izNdJ1LTOr_pLjXef6Yv-=JOFPe1GcZtcbStD93Tkpy1XQ@mail.gmail.com>;
    <5d29fc35107408e1d23d4d9e853cccc4e270b0f1.1758030357.git.asml.silence@gmail.com> shows a whole list.
    """

    id = "DM203"
    name = "half-converted-series"
    title = "A series counts niovs in their size here, in pages there"
    why = "All functions that turn a niov into an offset and back must use one unit before the size may change."
    level = "warning"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("series",)

    def check(self, series: Series, changes: SeriesChanges) -> Iterator[tuple[Cover | Patch, Result]]:
        """Yield a hit on the first conversion when functions are left, and one on conversions that come too late."""
        found = conversion(series, changes)
        if found is None:
            return
        first = next(iter(found.converted.values()))
        late = list(_late(found))
        if found.left:
            yield first.patch, _left(found, first)
        elif found.unseen and not late:
            yield first.patch, Lack("file")
        yield from late

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a lookup is left; it comes late. Good: all, then the shift. Look-alikes: pages that are pages."""
        address = _patch(_ADDRESS, _ADDRESS_NIOV)
        both = _patch(_ADDRESS + _LOOKUP, _ADDRESS_NIOV + _LOOKUP_NIOV)
        moved = PatchExample(files=((_FILE, _LOOKUP, _LOOKUP.replace("frob_trace", "frob_note")),))
        lookup = _patch(_LOOKUP, _LOOKUP_NIOV)
        enable = PatchExample(files=((_FILE, _SETUP, _SETUP_LARGER),))
        at = "return fb->base + ((dma_addr_t)net_iov_idx(niov) << fb->niov_shift)"
        return (
            series("bad", [address, moved], finds=[Find(line=at, level="note")]),
            series("bad", [address, moved, enable], finds=[Find(line=at)]),
            series(
                "bad", [address, enable, lookup], finds=[Find(line="return fb->map[virt >> fb->niov_shift]", patch=3)]
            ),
            series("good", [both, enable]),
            series("good", [address, lookup, enable]),
            series("look-alike", [address, _patch(_PAGES, _PAGES.replace("frob_trace", "frob_note"))]),
        )


def _left(found: Conversion, first: Place) -> Hit:
    shown = "; ".join(f"{name}() (`{place.shown}`)" for name, place in _some(found.left))
    lacking = f" Not shown: {_names(found.unseen)}." if found.unseen else ""
    fine = f" With pages, but not for niovs: {_names(found.fine)}." if found.fine else ""
    until = (
        f"{found.enabled.shown} is set to another value in this series"
        if found.enabled is not None
        else "it is right only while every caller passes PAGE_SHIFT"
    )
    message = (
        f"The series counts in niovs here, and still in pages in {shown}: {until}. Converted: "
        f"{_names(found.converted)}.{fine}{lacking}"
    )
    related = tuple(place.at for place in found.left.values() if place.patch is first.patch)
    return Hit(
        at=first.at,
        message=message,
        level=None if found.enabled is not None else "note",
        related=related[:_MOST],
        evidence=f"left: {' '.join(found.left)}",
    )


def _late(found: Conversion) -> Iterator[tuple[Patch, Hit]]:
    """Conversions in patches behind the one that lets a niov be larger than a page: one remark for each patch."""
    if found.enabled is None:
        return
    late: dict[int, list[tuple[str, Place]]] = {}
    for name, place in found.converted.items():
        if place.patch.number > found.enabled.patch.number:
            late.setdefault(place.patch.number, []).append((name, place))
    for places in late.values():
        names, first = [name for name, _ in places], places[0][1]
        message = (
            f"Patch {found.enabled.patch.number} already lets {found.enabled.shown} differ from PAGE_SHIFT, and "
            f"{_names(names)} {'is' if len(names) == 1 else 'are'} converted only here: in between, the units differ. "
            "Move the conversion before."
        )
        yield first.patch, Hit(at=first.at, message=message)


def _some(places: Mapping[str, Place]) -> list[tuple[str, Place]]:
    return list(places.items())[:_MOST]


def _names(names: Iterable[str]) -> str:
    listed = [f"{name}()" for name in names]
    more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    return ", ".join(listed[:_MOST]) + more


def _patch(before: str, after: str) -> PatchExample:
    return PatchExample(files=((_FILE, before, after),))


_ADDRESS = """
static dma_addr_t net_devmem_get_dma_addr(struct frob *fb, struct net_iov *niov)
{
	return fb->base + ((dma_addr_t)net_iov_idx(niov) << PAGE_SHIFT);
}
"""
_ADDRESS_NIOV = _ADDRESS.replace("PAGE_SHIFT", "fb->niov_shift")
_LOOKUP = """
static struct net_iov *net_devmem_get_niov_at(struct frob *fb, size_t virt)
{
	frob_trace(fb, virt);
	return fb->map[virt / PAGE_SIZE];
}
"""
_LOOKUP_NIOV = _LOOKUP.replace("/ PAGE_SIZE", ">> fb->niov_shift")
_SETUP = """
static void frob_setup(struct frob *fb, u32 size)
{
	fb->niov_shift = PAGE_SHIFT;
}
"""
_SETUP_LARGER = _SETUP.replace("PAGE_SHIFT", "ilog2(size)")
_PAGES = """
static void frob_fill(struct frob *fb, size_t size)
{
	fb->nr_pages = size >> PAGE_SHIFT;
	frob_trace(fb, size);
}
"""
