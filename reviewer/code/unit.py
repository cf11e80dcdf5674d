"""A unit: the code that rules look at, a hunk's fragment on one side or a whole file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from reviewer.code.declarators import KINDS as DECLARATIONS
from reviewer.code.declarators import names
from reviewer.code.focus import focus, spans_of, starts_of
from reviewer.code.functions import functions_of
from reviewer.code.loops import KINDS as LOOPS
from reviewer.code.loops import loop
from reviewer.code.node import Node
from reviewer.code.parts import Function, Heading, Loop, UnitLine
from reviewer.code.rows import Content, Rows, content, touched_rows
from reviewer.model import DiffLine, FileDiff, Location, Patch, Rung, Series, Side

if TYPE_CHECKING:
    from reviewer.code.cache import Trees
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
        trees: Trees | None = None,
    ) -> None:
        """`heading` is the hunk's for a fragment, None for a whole file; `peers` gives all units of file and side.

        `trees` keep those of whole files. Of a file in `Rows` with a focus only what that stands in is parsed, and
        what this names.
        """
        self.file = file
        self.patch = patch
        self.series = series
        self.side: Side = side
        self.rung: Rung = rung
        self.lines = lines
        self._heading = heading
        self._siblings = peers
        self._focus = lines.focus if isinstance(lines, Rows) else None
        self._trees = trees

    def __repr__(self) -> str:
        return f"<Unit {self.path} {self.side} {len(self.lines)} lines>"

    @property
    def path(self) -> str:
        """The file's path in the post-image."""
        return self.file.path

    @cached_property
    def peers(self) -> tuple[Unit, ...]:
        """The other units of the same file, side and patch, in order; of very many the nearest."""
        siblings = self._siblings() if self._siblings else ()
        return tuple(unit for unit in siblings if unit is not self)

    @cached_property
    def text(self) -> str:
        """All lines, each ended by a newline."""
        if isinstance(self.lines, Rows):
            return self.lines.content.text
        return "".join(f"{line.text}\n" for line in self.lines)

    def mentions(self, *words: str) -> bool:
        """Whether the text holds one of `words`, anywhere in what would be parsed; needs no parsing."""
        return any(map(self._seen.__contains__, words))

    def rows(self, pattern: re.Pattern[str]) -> frozenset[int]:
        """The rows that `pattern` is found in, of those that would be parsed; needs no parsing."""
        if not pattern.search(self._seen):
            return frozenset()
        return frozenset(
            row for first, last in self._parsed for row in range(first, last) if pattern.search(self.lines[row].text)
        )

    @cached_property
    def _seen(self) -> str:
        """The text that is parsed."""
        if self._focus is None:
            return self.text
        return b"".join(self._source[start:end] for start, end in self._spans).decode("utf-8", "replace")

    @cached_property
    def _source(self) -> bytes:
        return self.lines.content.source if isinstance(self.lines, Rows) else self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def _starts(self) -> list[int]:
        return starts_of(self._source)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """The bytes of a whole file that are parsed."""
        return focus(self._source, spans_of(self._focus or (), self._starts))

    @cached_property
    def _parsed(self) -> list[tuple[int, int]]:
        """The rows that are parsed, each up to the second."""
        if self._focus is None:
            return [(0, len(self.lines))]
        starts = self._starts
        return [(bisect_right(starts, start) - 1, bisect_left(starts, end)) for start, end in self._spans]

    @cached_property
    def _reading(self) -> Reading:
        from reviewer.code.reading import read_file, read_fragment

        if self._heading is not None:
            return read_fragment(self._source, self._heading)
        return read_file(self._source, None if self._focus is None else self._spans, self._trees)

    def forget(self) -> None:
        """Give up the syntax tree, whose nodes hold each other; what is asked for afterwards is parsed anew."""
        reading = self.__dict__.get("_reading")
        for name in ("_reading", "_index", "_calls", "_asked", "declarations", "functions", "_loops"):
            self.__dict__.pop(name, None)
        pending: list[Node] = [reading.root] if reading is not None else []
        while pending:
            node = pending.pop()
            pending.extend(node.children)
            node.children = ()
            node.parent = None

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
        index: defaultdict[str, list[Node]] = defaultdict(list)
        pending = [self.root]
        while pending:  # as Node.walk(), without a generator: this is done for every node there is
            node = pending.pop()
            index[node.kind].append(node)
            if node.children:
                pending.extend(node.children[::-1])
        return dict(index)

    def find(self, *kinds: str) -> tuple[Node, ...]:
        """All nodes of these kinds, in document order."""
        return self._among(self._index, kinds)

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
        if "_reading" not in self.__dict__ and not self.mentions(*names):
            return ()  # not parsed for that
        return self._among(self._calls, names)

    def _among(self, index: Mapping[str, list[Node]], keys: tuple[str, ...]) -> tuple[Node, ...]:
        """The nodes under some keys, in document order; kept, since rules ask the same of each function of a file."""
        asked = id(index), keys
        found = self._asked.get(asked)
        if found is None:
            nodes = [node for key in dict.fromkeys(keys) for node in index.get(key, ())]
            found = self._asked[asked] = tuple(nodes if len(keys) == 1 else sorted(nodes, key=_order))
        return found

    @cached_property
    def _asked(self) -> dict[tuple[int, tuple[str, ...]], tuple[Node, ...]]:
        return {}

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
        return functions_of(definitions, self.lines, self._reading.place, section, self._parsed)

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
    def touched_lines(self) -> tuple[UnitLine, ...]:
        """The lines that the patch added (removed, on the old side), in order."""
        return tuple(self.lines[row] for row in self._touched)

    @cached_property
    def touched_body_lines(self) -> frozenset[int | None]:
        """Where they stand in the mail."""
        return frozenset(line.body_line for line in self.touched_lines)

    def touched(self, node: Node) -> bool:
        """Whether the patch added (removed, on the old side) a line that `node` stands on."""
        return self.touched_rows(node.row, node.end_row)

    def touched_rows(self, first: int, last: int) -> bool:
        """Whether the patch added (removed, on the old side) one of these rows, `last` included."""
        return bisect_right(self._touched, last) > bisect_left(self._touched, first)

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


def _order(node: Node) -> int:
    return node.order


def whole_file_unit(
    text: str | Content,
    *,
    file: FileDiff,
    patch: Patch,
    series: Series,
    side: Side,
    rung: Rung,
    shown: Mapping[int, DiffLine] | None = None,
    focused: bool = False,
    trees: Trees | None = None,
) -> Unit:
    """The unit of a whole file. `shown` are the diff lines by their number on `side`, from 1.

    With `focused`, only the functions and paragraphs that these stand in are parsed, and what they name. `trees` keep
    what was parsed.
    """
    whole = content(text) if isinstance(text, str) else text
    known = {number - 1: line for number, line in (shown or {}).items() if 0 < number <= len(whole.rows)}
    lines = Rows(whole, known, focused=focused)
    return Unit(file=file, patch=patch, series=series, side=side, rung=rung, lines=lines, trees=trees)
