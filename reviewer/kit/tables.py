"""The one reader of tables of numbers in commit messages and cover letters.

It reads pipe tables (Markdown, psql, grids, box drawing), columns under dashed rules, aligned or tabbed columns under
a header, and tables that lost their alignment where header and cells still tell the columns. What looks like a table
and does not fit is counted, never guessed. Diffstats, traces, dumps, profiles and other output of tools are no tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from reviewer.kit.aligned import aligned_tables
from reviewer.kit.piped import is_piped, piped_table
from reviewer.kit.table import Table, Tables
from reviewer.rule import TextLine

__all__ = ["Table", "Tables", "read_tables"]

LONGEST_LINE = 400
"""Characters; longer lines belong to no table."""
LONGEST_TEXT = 5000
"""Lines; no table is looked for behind them."""

_BOX = str.maketrans({
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("─━═", "-"),
    **dict.fromkeys("┌┬┐└┴┘├┼┤╔╦╗╚╩╝╠╬╣", "+"),
})  # fmt: skip

_OUTPUT = re.compile(
    r"""
      ^[^|]*\|\s+(?:\d+\s[+-]+|Bin\b.*)$                       # a diffstat
    | \+0x[0-9a-f]+/0x[0-9a-f] | ^\s*(?:R[A-Z0-9]{2}|CR2):\s  # traces and registers
    | ^\s*\d+\.\d+%\s+[A-Za-z_\[]                             # a profile: parts of a whole
    | ^\s*\[[^\]]{1,12}\]\s                                   # kernel log, iperf
    | ^\s*\#(?:define|if|include)\b | /\* | [;{}]$            # code, pahole
    | ^\s*(?:0x)?[0-9a-f]{4,16}:?(?:\s[0-9a-f]{2}){4}         # dumps
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=4)  # several rules read the same message one after the other
def read_tables(lines: tuple[TextLine, ...]) -> Tables:
    """The tables in `lines`, in time linear in their size; lines that do not follow each other are of two blocks."""
    tables: list[Table] = []
    blocks: list[tuple[TextLine, ...]] = []
    for block in _blocks(lines[:LONGEST_TEXT]):
        for piped, run in groupby(block, key=lambda line: is_piped(line.text)):
            for found in piped_table(tuple(run)) if piped else aligned_tables(tuple(run)):
                if isinstance(found, Table):
                    tables.append(found)
                else:
                    blocks.append(found)
    return Tables(tables=tuple(tables), blocks=tuple(blocks))


def _blocks(lines: tuple[TextLine, ...]) -> Iterator[tuple[TextLine, ...]]:
    """The runs of lines without an empty one that hold digits and are no output of a tool; boxes drawn in ASCII."""
    placed = enumerate(lines)
    for (is_text, _), run in groupby(placed, key=lambda one: (_is_text(one[1]), one[1].body_line - one[0])):
        block = [line for _, line in run]
        if is_text and any(map(str.isdigit, "".join(line.text for line in block))) and not _is_output(block):
            yield tuple(TextLine(text=line.text.translate(_BOX), body_line=line.body_line) for line in block)


def _is_text(line: TextLine) -> bool:
    return bool(line.text.strip()) and len(line.text) <= LONGEST_LINE


def _is_output(block: list[TextLine]) -> bool:
    hits = sum(_OUTPUT.search(line.text) is not None for line in block)
    if hits >= 2 or hits * 2 > len(block):
        return True
    prefixes = {line.text.split(None, 1)[0] for line in block}
    return len(block) > 1 and len(prefixes) == 1 and prefixes.pop().endswith(":")
