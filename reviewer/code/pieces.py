"""Long texts in pieces that end where a function, a struct or a paragraph of the file does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.code.lexical import blank

# One newline in front of all: eight times faster than alternatives that begin in different ways.
_END = re.compile(rb"\n(?:\}[^\n{=]*+\n|(?=\n(?:/\*|[A-Za-z_](?!\w*+:))))")
_CONDITIONAL = re.compile(rb"^[ \t]*+#[ \t]*+(?:(if)|el|(endif))[^\n\\]*+(?:\\.[^\n\\]*+)*+", re.MULTILINE | re.DOTALL)


def pieces(text: bytes, size: int) -> list[bytes]:
    """`text` in pieces of at most `size` bytes, longer only where no function or paragraph ends before.

    Conditionals of the preprocessor that do not begin and end in one piece are blanked, so that each stands alone.
    """
    found: list[bytes] = []
    start = last = 0
    for match in _END.finditer(text):
        end = match.end()
        if end - start > size and last > start:
            found.append(_alone(text[start:last]))
            start = last
        last = end
    if len(text) - start > size and last > start:
        found.append(_alone(text[start:last]))
        start = last
    found.append(_alone(text[start:]))
    return found


def ends(text: bytes) -> Iterator[int]:
    """Where a function, a struct or a paragraph ends, in order."""
    return (match.end() for match in _END.finditer(text))


def _alone(piece: bytes) -> bytes:
    cut: list[tuple[int, int]] = []
    open_: list[list[tuple[int, int]]] = []
    for match in _CONDITIONAL.finditer(piece):
        if match.group(1):
            open_.append([])
        if open_:
            open_[-1].append(match.span())
        else:
            cut.append(match.span())
        if match.group(2) and open_:
            open_.pop()
    cut += [span for group in open_ for span in group]
    if not cut:
        return piece
    whole = bytearray(piece)
    for start, end in cut:
        whole[start:end] = blank(piece[start:end])
    return bytes(whole)
