"""How far a series converts its files from pages to the size of a niov: function by function, as far as they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reviewer.kit.expressions import bare, operator
from reviewer.kit.series_code import units_of
from reviewer.kit.units import PAGE_CALLS, PAGE_NAMES, is_niov_name, page_names
from reviewer.rule import Location, Node, Patch, Series, SeriesChanges, Struct, Unit

from ._shapes import PATHS, niov_expression

FOLLOWERS: Mapping[str, tuple[str, ...]] = {
    "net/core/devmem.c": (
        *("net_devmem_get_dma_addr", "net_devmem_alloc_dmabuf", "net_devmem_free_dmabuf", "net_devmem_bind_dmabuf"),
        *("net_devmem_get_niov_at", "mp_dmabuf_devmem_init"),
    ),
    "io_uring/zcrx.c": (
        *("io_populate_area_dma", "io_zcrx_iov_page", "io_zcrx_sync_for_device", "io_zcrx_create_area"),
        *("io_pp_zc_init", "io_zcrx_queue_cqe"),
    ),
}
"""The functions whose arithmetic follows the size of a niov (RULES.md 0.1, shift-following set) in files that have all
of theirs in one place. tcp.c and datagram.c are not here: their tokens are indexes, and offsets come from devmem.c."""


class Place(Struct, frozen=True, kw_only=True):
    """A line of a function that counts in niovs, or in pages: where, and what it says."""

    patch: Patch
    path: str
    at: Location
    shown: str


class Conversion(Struct, frozen=True, kw_only=True):
    """The functions by what became of them. `enabled` is the first line that lets a niov be larger than a page.

    `converted` gives the first line that brings niovs to a function, `left` the first that still counts in pages;
    `fine` are functions that use pages in ways that do not count niovs; `unseen` those that nothing shows.
    """

    converted: Mapping[str, Place]
    left: Mapping[str, Place]
    fine: tuple[str, ...]
    unseen: tuple[str, ...]
    enabled: Place | None


def conversion(series: Series, changes: SeriesChanges) -> Conversion | None:
    """What the series converts, None when it converts nothing."""
    if not _begins(series):
        return None
    converted: dict[str, Place] = {}
    left: dict[str, Place] = {}
    named: dict[str, None] = {}
    seen: set[str] = set()
    enabled: Place | None = None
    removed = _removed(changes)
    taken_out = _removals(series)
    for patch, unit in units_of(changes, "new", _paths(series), "_shift", "niov_size", *PAGE_NAMES, *PAGE_CALLS):
        for node, function in _niov_names(unit):
            if (unit.path, function) in removed:
                converted.setdefault(function, _place(patch, unit, node))
            if enabled is None and _enables(node):
                enabled = _place(patch, unit, node)
        if unit.path not in PATHS:
            continue
        seen |= {function.name for function in unit.functions}
        for page in page_names(unit.root):
            holder = unit.function_of(page)
            expression = niov_expression(unit, page)
            text = unit.lines[page.row].text.strip()
            if holder is None or taken_out.get((unit.path, text), 0) > patch.number:
                continue
            if expression is None:
                named.setdefault(holder.name)
            else:
                left.setdefault(holder.name, _place(patch, unit, expression))
    if not converted:
        return None
    files = {place.path for place in converted.values()}
    return Conversion(
        converted=converted,
        left={name: place for name, place in left.items() if name not in converted},
        fine=tuple(name for name in named if name not in converted and name not in left),
        unseen=tuple(name for path in sorted(files) for name in FOLLOWERS.get(path, ()) if name not in seen),
        enabled=enabled,
    )


def _begins(series: Series) -> bool:
    """Whether some patch takes a PAGE name out of one of the files and brings the name of a niov's shift to it."""
    for patch in series.patches:
        for file in patch.files:
            lines = [line for hunk in file.hunks for line in hunk.lines] if file.path in PATHS else []
            if any(line.mark == "-" and "PAGE_" in line.text for line in lines) and any(
                line.mark == "+" and ("_shift" in line.text or "niov_size" in line.text) for line in lines
            ):
                return True
    return False


def _paths(series: Series) -> frozenset[str]:
    """The files whose code counts in niovs, and those where the series sets some shift."""
    sets = {
        file.path
        for patch in series.patches
        for file in patch.files
        if any(line.mark == "+" and "_shift =" in line.text for hunk in file.hunks for line in hunk.lines)
    }
    return frozenset(sets.union(PATHS))


def _removed(changes: SeriesChanges) -> frozenset[tuple[str, str]]:
    """(path, function) where some patch takes out a line that names pages."""
    found: set[tuple[str, str]] = set()
    for _, unit in units_of(changes, "old", frozenset(PATHS), *PAGE_NAMES, *PAGE_CALLS):
        for page in page_names(unit.root):
            holder = unit.function_of(page) if unit.touched(page) else None
            if holder is not None:
                found.add((unit.path, holder.name))
    return frozenset(found)


def _removals(series: Series) -> Mapping[tuple[str, str], int]:
    """The number of the last patch that takes out a line, by path and text, of lines that name pages."""
    found: dict[tuple[str, str], int] = {}
    for patch in series.patches:
        for file in patch.files:
            for line in (line for hunk in file.hunks for line in hunk.lines if line.mark == "-"):
                if file.path in PATHS and ("PAGE_" in line.text or "offset_in_page" in line.text):
                    key = file.path, line.text.strip()
                    found[key] = max(patch.number, found.get(key, 0))
    return found


def _niov_names(unit: Unit) -> Iterator[tuple[Node, str]]:
    """The names of a niov's shift or size on added lines in functions."""
    for node in unit.find("identifier", "field_identifier"):
        if is_niov_name(node.text) and unit.touched(node):
            holder = unit.function_of(node)
            if holder is not None:
                yield node, holder.name


def _enables(name: Node) -> bool:
    """Whether `name`, the name of a niov's shift, is given a value that is neither PAGE_SHIFT nor such a name."""
    inner = name
    for outer in name.ancestors():
        if outer.kind == "assignment_expression" and operator(outer) == "=":
            value = outer.child("right")
            if value is None or inner.field != "left":
                return False
            value = bare(value)
            field = value.child("field")
            last = field if field is not None else value
            return not (last.text == "PAGE_SHIFT" or is_niov_name(last.text)) and name.text.endswith("_shift")
        if outer.kind != "field_expression":
            return False
        inner = outer
    return False


def _place(patch: Patch, unit: Unit, node: Node) -> Place:
    return Place(patch=patch, path=unit.path, at=unit.at(node), shown=" ".join(node.text.split()))
