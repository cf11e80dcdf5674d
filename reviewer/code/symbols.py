"""Where the patches of a series add, change, use and remove functions, macros, structs, enum members and exports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from reviewer.code.change import Change
from reviewer.code.node import Node
from reviewer.code.series_changes import SeriesChanges
from reviewer.code.unit import Unit
from reviewer.model import Location, Patch

SymbolKind = Literal["function", "prototype", "macro", "struct", "enumerator", "export"]
Act = Literal["added", "changed", "removed", "used", "unused"]

_KINDS: dict[str, SymbolKind] = {
    "preproc_def": "macro",
    "preproc_function_def": "macro",
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "enum_specifier": "struct",
    "enumerator": "enumerator",
}
_EXPORT = re.compile(r"EXPORT_SYMBOL\w*\((\w+)")
_USES = ("identifier", "type_identifier", "field_identifier", "preproc_arg")
_WORD = re.compile(r"[A-Za-z_]\w*")


class SymbolEvent(Struct, frozen=True, kw_only=True):
    """What one patch does with a name. `kind` is that of the definition; for a use, of the one that is known.

    `used` is a line that names it and is added, `unused` one that is removed.
    """

    name: str
    kind: SymbolKind
    act: Act
    patch: Patch
    at: Location


class Symbols(Struct, frozen=True, kw_only=True):
    """The events of a series by name, each in the order of the patches, files and lines."""

    events: Mapping[str, tuple[SymbolEvent, ...]]

    def of(self, name: str, *acts: Act) -> tuple[SymbolEvent, ...]:
        """What happens to `name`: these acts, or all."""
        return tuple(one for one in self.events.get(name, ()) if not acts or one.act in acts)


class _Definition(Struct, frozen=True, kw_only=True):
    name: str
    kind: SymbolKind
    unit: Unit
    first: int
    last: int


def symbols_of(changes: SeriesChanges) -> Symbols:
    """The symbols that the C files of a series define, and what its patches do with them.

    A name that moves between files of one patch is `changed`.
    """
    found: list[tuple[int, SymbolEvent]] = []
    given = [(patch, changes.of(patch)) for patch in changes.series.patches]
    for place, (patch, own) in enumerate(given):
        found += ((place, event) for event in _defined(patch, own))
    kinds: dict[str, SymbolKind] = {event.name: event.kind for _, event in reversed(found)}
    for place, (patch, own) in enumerate(given):
        found += ((place, event) for event in _used(patch, own, kinds))
        for change in own:
            if change.is_whole:
                change.forget()
    events: dict[str, list[SymbolEvent]] = {}
    for _, event in sorted(found, key=lambda one: one[0]):
        events.setdefault(event.name, []).append(event)
    return Symbols(events={name: tuple(events[name]) for name in sorted(events)})


def _defined(patch: Patch, changes: Sequence[Change]) -> Iterator[SymbolEvent]:
    sides: tuple[dict[tuple[str, SymbolKind], _Definition], ...] = ({}, {})
    for change in changes:
        for pair in change.units:
            for side, unit in zip(sides, pair, strict=True):
                for one in _definitions(unit):
                    side.setdefault((one.name, one.kind), one)
    old, new = sides
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before is not None and after is not None:
            if _is_touched(before) or _is_touched(after):
                yield _event(after, "changed", patch)
        elif after is not None and after.unit.touched_rows(after.first, after.first):
            yield _event(after, "added", patch)
        elif before is not None and before.unit.touched_rows(before.first, before.first):
            yield _event(before, "removed", patch)


def _is_touched(one: _Definition) -> bool:
    return one.unit.touched_rows(one.first, one.last)


def _event(one: _Definition, act: Act, patch: Patch) -> SymbolEvent:
    return SymbolEvent(name=one.name, kind=one.kind, act=act, patch=patch, at=one.unit.at_row(one.first))


def _definitions(unit: Unit) -> Iterator[_Definition]:
    for function in unit.functions:
        yield _Definition(
            name=function.name, kind="function", unit=unit, first=function.first_row, last=function.last_row
        )
    for node in unit.find(*_KINDS):
        name = node.child("name")
        if name is not None and (node.kind not in _BODIED or node.child("body") is not None):
            yield _of_node(name.text, _KINDS[node.kind], unit, node)
    for node in unit.find("declaration"):
        declared = _prototype(node)
        if declared:
            yield _of_node(declared, "prototype", unit, node)
    for row in sorted(unit.rows(_EXPORT)):
        match = _EXPORT.search(unit.lines[row].text)
        if match is not None:
            yield _Definition(name=match[1], kind="export", unit=unit, first=row, last=row)


_BODIED = frozenset({"struct_specifier", "union_specifier", "enum_specifier"})


def _of_node(name: str, kind: SymbolKind, unit: Unit, node: Node) -> _Definition:
    last = min(node.end_row, len(unit.lines) - 1)
    return _Definition(name=name, kind=kind, unit=unit, first=node.row, last=last)


def _prototype(node: Node) -> str:
    """The name of the function that a declaration at file level declares, or nothing."""
    if node.parent is None or node.parent.kind == "compound_statement":
        return ""
    current = node.child("declarator")
    while current is not None and current.kind == "pointer_declarator":
        current = current.child("declarator")
    name = current.child("declarator") if current is not None and current.kind == "function_declarator" else None
    return name.text if name is not None and name.kind == "identifier" else ""


def _used(patch: Patch, changes: Sequence[Change], kinds: Mapping[str, SymbolKind]) -> Iterator[SymbolEvent]:
    sides: tuple[Act, Act] = ("unused", "used")
    for change in changes:
        for pair in change.units:
            for act, unit in zip(sides, pair, strict=True):
                for name, node in _uses(unit, kinds):
                    yield SymbolEvent(name=name, kind=kinds[name], act=act, patch=patch, at=unit.at(node))


def _uses(unit: Unit, kinds: Mapping[str, SymbolKind]) -> Iterator[tuple[str, Node]]:
    """The names in `kinds` that touched lines use, each with the node of the use; where it is defined is no use."""
    if not unit.touched_lines or not unit.mentions(*kinds):
        return
    for node in unit.find(*_USES):
        if not unit.touched(node):
            continue
        for name in _WORD.findall(node.text) if node.kind == "preproc_arg" else (node.text,):
            if name in kinds and not _defines(node):
                yield name, node


def _defines(node: Node) -> bool:
    """Whether `node` is the name in a definition, a prototype or an export."""
    parent = node.parent
    if parent is None:
        return False
    if parent.kind in _KINDS and node.field == "name":
        return parent.kind not in _BODIED or parent.child("body") is not None
    if parent.kind == "function_declarator" and node.field == "declarator":
        return True
    return any(above.text.startswith("EXPORT_SYMBOL") for above in (parent, parent.parent) if above is not None)
