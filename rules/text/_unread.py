"""What a block that looks like a table and could not be read may have held."""

from __future__ import annotations

from reviewer.kit.versus import role
from reviewer.rule import TextLine


def could_hold_a_change(block: tuple[TextLine, ...]) -> bool:
    """Whether a percentage or the name of a change column stands in `block`."""
    return could_hold_percent(block) or any(role(word) == "change" for line in block for word in line.text.split())


def could_hold_percent(block: tuple[TextLine, ...]) -> bool:
    """Whether a percentage stands in `block`."""
    return any("%" in line.text for line in block)
