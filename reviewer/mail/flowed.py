"""format=flowed (RFC 3676): paragraphs put together again, for replies."""

from __future__ import annotations

from collections.abc import Iterable

from reviewer.model import TextLine


def unflow(lines: Iterable[str], *, delsp: bool = False) -> tuple[TextLine, ...]:
    """The lines of a flowed text, unwrapped; each keeps the place (from 1) of its first line in the mail.

    A line that ends in a space goes on in the next one of the same quote depth; a signature line does not. Quoted
    lines come out as `>` per level, a space, and the text.
    """
    out: list[TextLine] = []
    held: list[str] = []
    held_depth, held_at = 0, 0

    def release() -> None:
        if held:
            mark = ">" * held_depth + " " if held_depth else ""
            out.append(TextLine(text=mark + "".join(held), body_line=held_at))
            held.clear()

    for number, line in enumerate(lines, 1):
        text = line.lstrip(">")
        depth = len(line) - len(text)
        text = text.removeprefix(" ")
        if held and (depth != held_depth or text == "-- "):
            release()
        if not held:
            held_depth, held_at = depth, number
        flows = text.endswith(" ") and text != "-- "
        held.append(text[:-1] if flows and delsp else text)
        if not flows:
            release()
    release()
    return tuple(out)
