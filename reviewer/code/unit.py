"""A unit: the code that rules look at, a hunk's fragment on one side or a whole file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from reviewer.code.declarators import KINDS as DECLARATIONS
from reviewer.code.declarators import names
from reviewer.code.functions import functions_of
from reviewer.code.loops import KINDS as LOOPS
from reviewer.code.loops import loop
from reviewer.code.node import Node
from reviewer.code.parts import Function, Heading, Loop, UnitLine
from reviewer.code.rows import Rows, rows_of, touched_rows
from reviewer.model import DiffLine, FileDiff, Location, Patch, Rung, Series, Side

if TYPE_CHECKING:
    from reviewer.code.reading import Reading

__all__ = ["Function", "Loop", "Unit", "UnitLine", "whole_file_unit"]


class Unit:
    """Code on one side of a patch. Nothing is parsed before a rule asks; what it asks is kept.

    `lines` are what is visible; rows count them from 0. `path` is the post-image's. `peers` are the other units of the
    same file, side and patch.
    """

    def __init__(
        self,
        *,
        file: FileDiff,
        patch: Patch,
        series: Series,
        side: Side,
        rung: Rung,
        lines: Sequence[UnitLine],
        heading: Heading | None = None,
        peers: Callable[[], tuple[Unit, ...]] | None = None,
        focus: tuple[int, ...] | None = None,
    ) -> None:
        """`heading` is the hunk's for a fragment, None for a whole file; `peers` gives all units of file and side.

        `focus` are rows, in order: of a whole file only what they stand in is parsed, and what that names.
        """
        self.file = file
        self.patch = patch
        self.series = series
        self.side: Side = side
        self.rung: Rung = rung
        self.lines = lines
        self._heading = heading
        self._siblings = peers
        self._focus = focus
        self._parsed_rows = [(0, len(lines))]

    def __repr__(self) -> str:
        return f"<Unit {self.path} {self.side} {len(self.lines)} lines>"

    @property
    def path(self) -> str:
        """The file's path in the post-image."""
        return self.file.path

    @cached_property
    def peers(self) -> tuple[Unit, ...]:
        """The other units of the same file, side and patch, in order."""
        siblings = self._siblings() if self._siblings else ()
        return tuple(unit for unit in siblings if unit is not self)

    @cached_property
    def text(self) -> str:
        """All lines, each ended by a newline."""
        if isinstance(self.lines, Rows):
            return "\n".join((*self.lines.texts, ""))
        return "".join(f"{line.text}\n" for line in self.lines)

    def mentions(self, *words: str) -> bool:
        """Whether the text holds one of `words`, anywhere; needs no parsing."""
        return any(word in self.text for word in words)

    @cached_property
    def _reading(self) -> Reading:
        from reviewer.code.focus import focus, spans_of, starts_of
        from reviewer.code.reading import read_file, read_fragment, read_spans

        source = self.text.encode("utf-8", "surrogatepass")
        if self._heading is not None:
            return read_fragment(source, self._heading)
        if self._focus is None:
            return read_file(source)
        starts = starts_of(source)
        spans = focus(source, spans_of(self._focus, starts))
        self._parsed_rows = [(bisect_right(starts, start) - 1, bisect_left(starts, end)) for start, end in spans]
        return read_spans(source, spans)

    @property
    def root(self) -> Node:
        """The tree: a `translation_unit`."""
        return self._reading.root

    @property
    def errors(self) -> int:
        """How much of the code could not be parsed: about its bytes; 0 when all of it could."""
        return self._reading.errors

    @cached_property
    def _index(self) -> Mapping[str, list[Node]]:
        index: dict[str, list[Node]] = {}
        for node in self.root.walk():
            index.setdefault(node.kind, []).append(node)
        return index

    def find(self, *kinds: str) -> tuple[Node, ...]:
        """All nodes of these kinds, in document order."""
        if len(kinds) == 1:
            return tuple(self._index.get(kinds[0], ()))
        found = [node for kind in dict.fromkeys(kinds) for node in self._index.get(kind, ())]
        return tuple(sorted(found, key=lambda node: node.order))

    @cached_property
    def _calls(self) -> Mapping[str, list[Node]]:
        calls: dict[str, list[Node]] = {}
        for node in self._index.get("call_expression", ()):
            callee = node.child("function")
            if callee is not None and callee.kind == "identifier":
                calls.setdefault(callee.text, []).append(node)
        return calls

    def calls(self, *names: str) -> tuple[Node, ...]:
        """The `call_expression`s of these functions or macros, in document order; without names, of all."""
        if not names:
            return self.find("call_expression")
        if not self.mentions(*names):
            return ()
        found = [node for name in dict.fromkeys(names) for node in self._calls.get(name, ())]
        return tuple(sorted(found, key=lambda node: node.order))

    @cached_property
    def declarations(self) -> Mapping[str, list[Node]]:
        """The declarations of variables and parameters by the names that they declare, in document order."""
        found: dict[str, list[Node]] = {}
        for node in self.find(*DECLARATIONS):
            for name in names(node):
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The functions that are visible at least in part, by their first line."""
        section = self._heading.function if self._heading else None
        definitions = self.find("function_definition")
        return functions_of(definitions, self.lines, self._reading.place, section, self._parsed_rows)

    @cached_property
    def _first_rows(self) -> list[int]:
        return [function.first_row for function in self.functions]

    def function_at(self, row: int) -> Function | None:
        """The function that row `row` belongs to."""
        place = bisect_right(self._first_rows, row) - 1
        if place < 0 or self.functions[place].last_row < row:
            return None
        return self.functions[place]

    def function_of(self, node: Node) -> Function | None:
        """The function that `node` stands in."""
        return self.function_at(node.row)

    @cached_property
    def _loops(self) -> Mapping[Node, Loop]:
        return {node: found for node in self.find(*LOOPS) if (found := loop(node)) is not None}

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops whose head is visible, in document order; scoped guards are none."""
        return tuple(self._loops.values())

    def loop_of(self, node: Node) -> Loop | None:
        """The innermost loop whose head is visible and that holds `node`, in its head or its body."""
        for above in node.ancestors():
            found = self._loops.get(above)
            if found is not None:
                return found
        return None

    @cached_property
    def _touched(self) -> list[int]:
        return touched_rows(self.lines)

    @cached_property
    def touched_body_lines(self) -> frozenset[int | None]:
        """The lines of the mail that the patch added (removed, on the old side)."""
        return frozenset(self.lines[row].body_line for row in self._touched)

    def touched(self, node: Node) -> bool:
        """Whether the patch added (removed, on the old side) a line that `node` stands on."""
        return bisect_right(self._touched, node.end_row) > bisect_left(self._touched, node.row)

    def whole(self, node: Node) -> bool:
        """Whether `node` begins and ends in the visible lines, and all of it could be parsed."""
        return not node.cut and not node.broken

    def at(self, node: Node) -> Location:
        """Where `node` begins."""
        return self.at_row(node.row)

    def at_row(self, row: int) -> Location:
        """The location of row `row`."""
        line = self.lines[row]
        function = self.function_at(row)
        return Location(
            kind="code",
            file=self.path,
            line=line.number,
            side=self.side,
            function=function.name if function else None,
            part=self.patch.text.part,
            body_line=line.body_line,
            text=line.text,
        )


def whole_file_unit(
    text: str,
    *,
    file: FileDiff,
    patch: Patch,
    series: Series,
    side: Side,
    rung: Rung,
    shown: Mapping[int, DiffLine] | None = None,
    focused: bool = False,
) -> Unit:
    """The unit of a whole file. `shown` are the diff lines by their number on `side`, from 1.

    With `focused`, only the functions and paragraphs that these stand in are parsed, and what they name.
    """
    rows = rows_of(text)
    known = {number - 1: line for number, line in (shown or {}).items() if 0 < number <= len(rows)}
    lines = Rows(rows, known)
    seen = tuple(sorted(known)) if focused else None
    return Unit(file=file, patch=patch, series=series, side=side, rung=rung, lines=lines, focus=seen)
