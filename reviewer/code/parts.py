"""What a unit is made of: a heading, lines, functions, loops."""

from __future__ import annotations

from msgspec import Struct

from reviewer.code.node import Node


class Heading(Struct, frozen=True, kw_only=True):
    """The section heading of a hunk, and the name of the function in it."""

    section: str = ""
    function: str | None = None


class UnitLine(Struct, frozen=True, kw_only=True):
    """A line of a unit. `number` is the file's line on the unit's side; `body_line` is None outside of the hunks."""

    text: str
    number: int
    body_line: int | None
    touched: bool


class Function(Struct, frozen=True, kw_only=True):
    """A function that the unit shows, at least in part. `node` is its definition, None when the head is not visible.

    Rows are those of the unit, from 0, both included. `complete`: from the name in its head to the closing brace
    everything is visible.
    """

    name: str
    node: Node | None
    first_row: int
    last_row: int
    complete: bool


class Loop(Struct, frozen=True, kw_only=True):
    """A loop. `head` is `for`, `while`, `do`, or the name of an iteration macro.

    `arguments` are those of the macro; of `for` initialiser, condition and update as far as they are there; of `while`
    and `do` the condition. `body` is the statement, None when it is not visible.
    """

    head: str
    node: Node
    arguments: tuple[Node, ...]
    body: Node | None
