"""A change: what a patch does to one file, with the code of each hunk before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import repeat

from msgspec import Struct

from reviewer.code.cache import Trees
from reviewer.code.node import Node
from reviewer.code.parts import Heading
from reviewer.code.rows import content_of, shown_rows
from reviewer.code.unit import Unit, UnitLine, whole_file_unit
from reviewer.code.versions import FileCode
from reviewer.model import DiffLine, FileDiff, Hunk, Location, Patch, Rung, Series, Side

__all__ = ["Change", "ChangeGroup", "changes_of"]

_C = (".c", ".h")
_NEAR = 64
"""How many hunks before and behind one are its peers: rules ask each hunk for them, so all would be quadratic."""


class ChangeGroup(Struct, frozen=True, kw_only=True):
    """Removed and added lines of a hunk without a context line between them."""

    hunk: Hunk
    removed: tuple[DiffLine, ...]
    added: tuple[DiffLine, ...]


class Change:
    """What a patch does to one file."""

    def __init__(
        self,
        *,
        file: FileDiff,
        patch: Patch,
        series: Series,
        code: FileCode | None = None,
        focused: bool = True,
        trees: Trees | None = None,
    ) -> None:
        """Nothing is parsed yet. `code` is the whole file when it is known; see `whole_file_unit` for the others."""
        self.file = file
        self._trees = trees
        self._code = code
        self._focused = focused
        self.patch = patch
        self.series = series

    @cached_property
    def units(self) -> tuple[tuple[Unit, Unit], ...]:
        """Before and after, for each hunk, in order; none for a file that is not C.

        A file that is known whole is one pair, and so is a new one, with all of it after and nothing before.
        """
        if not self.file.path.endswith(_C):
            return ()
        if self.file.status == "added":
            lines = tuple(line for hunk in self.file.hunks for line in hunk.lines)
            return ((self._unit("old", (), None, "new"), self._unit("new", lines, None, "new")),)
        if self._code is not None and self.is_whole:
            return ((self._whole(self._code, "old"), self._whole(self._code, "new")),)
        return tuple(
            (self._of_hunk(hunk, "old", number), self._of_hunk(hunk, "new", number))
            for number, hunk in enumerate(self.file.hunks)
        )

    def _whole(self, code: FileCode, side: Side) -> Unit:
        data = code.before if side == "old" else code.after
        if not data:
            return self._unit(side, (), None, code.rung)
        return whole_file_unit(
            content_of(data),
            file=self.file,
            patch=self.patch,
            series=self.series,
            side=side,
            rung=code.rung,
            shown=_shown(self.file.hunks, code.shifts, side),
            focused=self._focused,
            trees=self._trees,
        )

    def _of_hunk(self, hunk: Hunk, side: Side, number: int) -> Unit:
        return self._unit(side, hunk.lines, Heading(section=hunk.section, function=hunk.function), "hunk", number)

    def _unit(
        self, side: Side, lines: tuple[DiffLine, ...], heading: Heading | None, rung: Rung, number: int = 0
    ) -> Unit:
        return Unit(
            file=self.file,
            patch=self.patch,
            series=self.series,
            side=side,
            rung=rung,
            lines=_side(lines, side),
            heading=heading,
            peers=self._peers(side, number),
        )

    def _peers(self, side: Side, number: int) -> Callable[[], tuple[Unit, ...]]:
        near = slice(max(0, number - _NEAR), number + _NEAR + 1)
        return lambda: tuple(pair[side == "new"] for pair in self.units[near])

    @property
    def is_whole(self) -> bool:
        """Whether all of the file is known, before and after."""
        return self._code is not None and bool(self.file.hunks) and self.file.status != "added"

    @property
    def shifts(self) -> tuple[int, ...]:
        """How many lines below its numbers each hunk stands."""
        return self._code.shifts if self._code is not None else (0,) * len(self.file.hunks)

    def forget(self) -> None:
        """Give up the syntax trees; what is asked for afterwards is parsed anew."""
        for unit in (unit for pair in self.__dict__.get("units", ()) for unit in pair):
            unit.forget()

    @cached_property
    def groups(self) -> tuple[ChangeGroup, ...]:
        """The groups of changed lines, in order, of any file."""
        return tuple(group for hunk in self.file.hunks for group in _groups(hunk))

    @cached_property
    def _rows(self) -> Mapping[tuple[Side, int], tuple[Unit, int]]:
        """Unit and row of each line, by side and line of the mail."""
        sides: tuple[Side, Side] = ("old", "new")
        return {
            (side, body_line): (unit, row)
            for pair in self.units
            for side, unit in zip(sides, pair, strict=True)
            for row, body_line in shown_rows(unit.lines)
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


def changes_of(
    patch: Patch,
    series: Series,
    codes: Sequence[FileCode | None] = (),
    *,
    focused: bool = True,
    trees: Trees | None = None,
) -> tuple[Change, ...]:
    """What `patch` does to each of its files, in order. `codes` are these files whole, as far as they are known."""
    return tuple(
        Change(file=file, patch=patch, series=series, code=code, focused=focused, trees=trees)
        for file, code in zip(patch.files, codes or repeat(None), strict=False)
    )


def _shown(hunks: Sequence[Hunk], shifts: Sequence[int], side: Side) -> dict[int, DiffLine]:
    """The lines of the diff on one side by their numbers in the file, `shifts` below those of the diff."""
    mark = "-" if side == "old" else "+"
    return {
        number + shift: line
        for hunk, shift in zip(hunks, shifts, strict=True)
        for line in hunk.lines
        if line.mark in (" ", mark) and (number := line.old if side == "old" else line.new) is not None
    }


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
