"""Tables whose cells stand between pipes: Markdown, psql, grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.numbers import Cell, read_cell
from reviewer.kit.table import Found, Row, Table
from reviewer.rule import TextLine

_RULE = frozenset("-=+|: \t")


def is_piped(text: str) -> bool:
    """Whether a line can be one of a pipe table."""
    return "|" in text or is_rule(text)


def is_rule(text: str) -> bool:
    """Whether a line is a rule between rows: `|---|:-:|`, `+----+----+`, `---+---`."""
    return (
        _RULE.issuperset(text)
        and ("---" in text or "===" in text or "-:" in text or "-|" in text)
        and ("|" in text or "+" in text)
    )


def piped_table(lines: tuple[TextLine, ...]) -> Iterator[Found]:
    """The table that `lines`, which are all piped, are; nothing when they are none."""
    content = [(line, _cells(line.text)) for line in lines if not is_rule(line.text)]
    ruled = len(content) < len(lines)
    if not content or not (ruled or all(_closed(line.text) for line, _ in content)):
        return
    head = _head(lines) if ruled else 1
    rows = content[head:]
    numbers = sum(cell.number is not None for _, cells in rows for cell in cells)
    if len({len(cells) for _, cells in content}) == 1 and len(content[0][1]) > 1:
        if numbers and rows:
            yield Table(
                header=_joined([[cell.text for cell in cells] for _, cells in content[:head]]),
                rows=tuple(Row(line=line, cells=tuple(cells)) for line, cells in rows),
            )
    elif sum(sum(cell.numeric for cell in cells) > 1 for _, cells in rows) > 1:
        yield lines


def _head(lines: Sequence[TextLine]) -> int:
    """How many lines are the header: those above the first rule that has any above it, else one."""
    above = 0
    for line in lines:
        if not is_rule(line.text):
            above += 1
        elif above:
            return above
    return 1


def _closed(text: str) -> bool:
    stripped = text.strip()
    return len(stripped) > 2 and stripped[0] == stripped[-1] == "|"


def _cells(text: str) -> list[Cell]:
    return [read_cell(cell) for cell in text.strip().removeprefix("|").removesuffix("|").split("|")]


def _joined(lines: list[list[str]]) -> tuple[str, ...]:
    return tuple(" ".join(part for part in column if part) for column in zip(*lines, strict=True))
