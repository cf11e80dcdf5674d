"""Things followed from version to version: chains made of pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
Step = tuple[T | None, T | None, str]
"""What was, what became of it, and the word for that."""
Track = dict[int, tuple[T | None, str]]
"""By version (from 0): the thing there, None where it has just gone, and the word for what became of it."""


def tracks_of(
    versions: Sequence[Sequence[T]], steps: Sequence[Iterable[Step[T]]], key: Callable[[T], Hashable]
) -> list[Track[T]]:
    """The tracks of all things in `versions`; `steps` lead from each version to the next one."""
    tracks: list[Track[T]] = [{0: (thing, "")} for thing in versions[0]]
    here = {key(thing): track for track, thing in zip(tracks, versions[0], strict=True)}
    for at, (step, things) in enumerate(zip(steps, versions[1:], strict=True), 1):
        there: dict[Hashable, Track[T]] = {}
        for old, new, word in step:
            known = here.get(key(old)) if old is not None else None
            track: Track[T] = {} if known is None else known
            if known is None:
                tracks.append(track)
            track[at] = (new, word)
            if new is not None:
                there[key(new)] = track
        for thing in things:
            if key(thing) not in there:
                there[key(thing)] = {at: (thing, "")}
                tracks.append(there[key(thing)])
        here = there
    return tracks


def last_of(track: Track[T]) -> tuple[int, T]:
    """The last version that a thing is in, and the thing there."""
    return max(((at, thing) for at, (thing, _) in track.items() if thing is not None), key=lambda one: one[0])
