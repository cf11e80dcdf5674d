"""What the whole series says of a name, or of a driver."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.kit.remembering import once_a_series
from reviewer.rule import Series, Unit


def lines_of(series: Series, folder: str = "") -> Iterator[str]:
    """The lines that stand after the series, as far as its hunks show them, of the files below `folder`."""
    for patch in series.patches:
        for file in patch.files:
            if file.path.startswith(folder):
                for hunk in file.hunks:
                    yield from (line.text for line in hunk.lines if line.mark != "-")


@once_a_series
def mentioned(series: Series, folder: str, word: str) -> bool:
    """Whether `word` stands anywhere in what the series shows of the files below `folder`."""
    return any(word in line for line in lines_of(series, folder))


@once_a_series
def defines(series: Series, name: str) -> bool:
    """Whether the series adds the function `name`: its head, at the start of a line and without a semicolon."""
    for patch in series.patches:
        for file in patch.files:
            for hunk in file.hunks:
                for line in hunk.lines:
                    head = line.mark == "+" and f"{name}(" in line.text and not line.text[:1].isspace()
                    if head and not line.text.rstrip().endswith(";"):
                        return True
    return False


def folder_of(unit: Unit) -> str:
    """The folder of the unit's file, with its last slash."""
    return unit.path[: unit.path.rfind("/") + 1]
