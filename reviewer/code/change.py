"""A change: what a patch does to one file, with the code of each hunk before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from reviewer.code.node import Node
from reviewer.code.parts import Heading
from reviewer.code.unit import Unit, UnitLine
from reviewer.model import DiffLine, FileDiff, Hunk, Location, Patch, Rung, Series, Side

__all__ = ["Change", "ChangeGroup", "changes_of"]

_C = (".c", ".h")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGroup:
    """Removed and added lines of a hunk without a context line between them."""

    hunk: Hunk
    removed: tuple[DiffLine, ...]
    added: tuple[DiffLine, ...]


class Change:
    """What a patch does to one file."""

    def __init__(self, *, file: FileDiff, patch: Patch, series: Series) -> None:
        """Nothing is parsed yet."""
        self.file = file
        self.patch = patch
        self.series = series

    @cached_property
    def units(self) -> tuple[tuple[Unit, Unit], ...]:
        """Before and after, for each hunk, in order; none for a file that is not C.

        A new file is one pair, with all of it after and nothing before.
        """
        if not self.file.path.endswith(_C):
            return ()
        if self.file.status == "added":
            lines = tuple(line for hunk in self.file.hunks for line in hunk.lines)
            return ((self._unit("old", (), None, "new"), self._unit("new", lines, None, "new")),)
        return tuple((self._of_hunk(hunk, "old"), self._of_hunk(hunk, "new")) for hunk in self.file.hunks)

    def _of_hunk(self, hunk: Hunk, side: Side) -> Unit:
        return self._unit(side, hunk.lines, Heading(section=hunk.section, function=hunk.function), "hunk")

    def _unit(self, side: Side, lines: tuple[DiffLine, ...], heading: Heading | None, rung: Rung) -> Unit:
        return Unit(
            file=self.file,
            patch=self.patch,
            series=self.series,
            side=side,
            rung=rung,
            lines=_side(lines, side),
            heading=heading,
            peers=self._peers(side),
        )

    def _peers(self, side: Side) -> Callable[[], tuple[Unit, ...]]:
        return lambda: tuple(pair[side == "new"] for pair in self.units)

    @cached_property
    def groups(self) -> tuple[ChangeGroup, ...]:
        """The groups of changed lines, in order, of any file."""
        return tuple(group for hunk in self.file.hunks for group in _groups(hunk))

    @cached_property
    def _rows(self) -> Mapping[tuple[Side, int], tuple[Unit, int]]:
        """Unit and row of each line, by side and line of the mail."""
        sides: tuple[Side, Side] = ("old", "new")
        return {
            (side, line.body_line): (unit, row)
            for pair in self.units
            for side, unit in zip(sides, pair, strict=True)
            for row, line in enumerate(unit.lines)
            if line.body_line is not None
        }

    def place_of(self, line: DiffLine) -> tuple[Unit, int] | None:
        """The unit and the row of `line`, on the old side when it was removed; None when the file is not C."""
        return self._rows.get(("old" if line.mark == "-" else "new", line.body_line))

    def at(self, line: DiffLine) -> Location:
        """The location of `line`."""
        return Location(
            kind="code",
            file=self.file.path,
            line=line.old if line.mark == "-" else line.new,
            side="old" if line.mark == "-" else "new",
            function=self.function_of(line),
            part=self.patch.text.part,
            body_line=line.body_line,
            text=line.text,
        )

    def function_of(self, line: DiffLine) -> str | None:
        """The function that `line` stands in: that of the last visible head, else of the section heading."""
        place = self.place_of(line)
        if place is None:
            return None
        unit, row = place
        function = unit.function_at(row)
        return function.name if function else None

    def nodes(self, lines: tuple[DiffLine, ...], *kinds: str) -> tuple[Node, ...]:
        """The nodes of these kinds (all, without kinds) that begin on `lines`, in document order.

        `lines` are of one hunk and have one mark.
        """
        places = [place for line in lines if (place := self.place_of(line)) is not None]
        if not places:
            return ()
        unit = places[0][0]
        rows = {row for _, row in places}
        found = unit.find(*kinds) if kinds else tuple(unit.root.walk())[1:]
        return tuple(node for node in found if node.row in rows)


def changes_of(patch: Patch, series: Series) -> tuple[Change, ...]:
    """What `patch` does to each of its files, in order."""
    return tuple(Change(file=file, patch=patch, series=series) for file in patch.files)


def _side(lines: tuple[DiffLine, ...], side: Side) -> tuple[UnitLine, ...]:
    mark = "-" if side == "old" else "+"
    found: list[UnitLine] = []
    for line in lines:
        number = line.old if side == "old" else line.new
        if line.mark in (" ", mark) and number is not None:
            found.append(UnitLine(text=line.text, number=number, body_line=line.body_line, touched=line.mark == mark))
    return tuple(found)


def _groups(hunk: Hunk) -> list[ChangeGroup]:
    groups: list[ChangeGroup] = []
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in (*hunk.lines, None):
        if line is not None and line.mark != " ":
            (removed if line.mark == "-" else added).append(line)
        elif removed or added:
            groups.append(ChangeGroup(hunk=hunk, removed=tuple(removed), added=tuple(added)))
            removed, added = [], []
    return groups
