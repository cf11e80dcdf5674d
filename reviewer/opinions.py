"""Which tags tell what people think of a patch."""

from __future__ import annotations

from reviewer.mail.address import name_key, parse_person
from reviewer.model import Tag

PROVENANCE = frozenset(
    {
        "signed-off-by",
        "co-developed-by",
        "suggested-by",
        "reported-by",
        "debugged-by",
        "originally-by",
        "original-patch-by",
    }
)
"""Tags that tell where a patch comes from, not what people think of it."""


def is_opinion(name: str) -> bool:
    """Whether a tag of that name, such as Acked-by, is somebody's opinion of a patch."""
    folded = name.lower()
    return folded.endswith("-by") and folded not in PROVENANCE


def giver(tag: Tag) -> str:
    """Who gave a tag, as people write it: the name, else the address, else the whole value."""
    person = parse_person(tag.value)
    return (person.name or person.email) if person else tag.value


def giver_key(tag: Tag) -> str:
    """Who gave a tag, folded for comparing."""
    return name_key(giver(tag))
