"""What a series says that it stands on or takes the place of, beside its base commit."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.model import MessageText, Series

_PATCH = "prerequisite-patch-id"
_NAMES = {name.lower(): name for name in (_PATCH, "prerequisite-change-id", "Depends-on", "Based-on", "Supersedes")}
_MOST = 100
_LONGEST = 200

Need = tuple[str, str]
"""The name, spelt as the documents spell it, and the value."""


def needs_of(series: Series) -> tuple[Need, ...]:
    """What the cover letter and the patches name, each once and in order, a hundred at most.

    Values are cut at 200 characters.
    """
    texts = [*([series.cover.text] if series.cover else []), *(patch.text for patch in series.patches)]
    found = dict.fromkeys(need for text in texts for need in _needs(text))
    return tuple(found)[:_MOST]


def _needs(text: MessageText) -> Iterator[Need]:
    for line in (*text.message, *text.notes):
        name, colon, value = line.text.partition(":")
        spelt = _NAMES.get(name.strip().lower()) if colon and len(name) < _LONGEST else None
        if spelt == _PATCH:
            continue  # read already, also from below the diff
        if spelt and value.strip():
            yield spelt, value.strip()[:_LONGEST]
    yield from ((_PATCH, one) for one in text.prerequisites)
