"""The contents of objects, out of one long-running `git cat-file --batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from reviewer.errors import InputError
from reviewer.repository.process import Process
from reviewer.repository.values import GitObject, Kind, MissingObject

_KINDS: frozenset[str] = frozenset(get_args(Kind))
_MAX_DEATHS = 16
_BLOCK = 1 << 18


class Batch:
    """One git that is asked for object after object; `start` starts it when it is first needed.

    A git that dies of a damaged object costs that object; another one is started for the next, a few times.
    """

    def __init__(self, start: Callable[[], Process], shown: str) -> None:
        self._start = start
        self._shown = shown
        self._process: Process | None = None
        self._answered = False
        self._deaths = 0

    def ask(self, name: str, limit: int) -> GitObject | MissingObject:
        """The object that git knows by `name` (one line). Raises InputError when git cannot read the repository."""
        line = name.encode("utf-8", "surrogateescape") + b"\n"
        if self._process is None:
            self._process = self._start()
        answer = _exchange(self._process, line, name, limit)
        if answer is None:
            return self._died(name)
        self._answered = True
        return answer

    def close(self) -> None:
        """End git."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _died(self, name: str) -> MissingObject:
        process, self._process = self._process, None
        if process is not None:
            process.stop()
        self._deaths += 1
        if process is not None and (not self._answered or self._deaths > _MAX_DEATHS):
            raise InputError(f"{self._shown}: git cannot read it ({process.complaint()})")
        return MissingObject(name=name, why="damaged")


def _exchange(process: Process, line: bytes, name: str, limit: int) -> GitObject | MissingObject | None:
    """What git answers to one line, or None when it died of it."""
    if process.stdin is None:  # pragma: no cover - it is started to be talked to
        return None
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except BrokenPipeError:
        return None
    words = process.stdout.readline(len(line) + 200).split()
    if not words:
        return None
    if len(words) == 3 and words[1].decode("ascii", "replace") in _KINDS and words[2].isdigit():
        return _contents(process, words, name, limit)
    return MissingObject(name=name, why="ambiguous" if words[-1] == b"ambiguous" else "missing")


def _contents(process: Process, words: list[bytes], name: str, limit: int) -> GitObject | MissingObject | None:
    size = int(words[2])
    if size > limit:
        left = size + 1
        while left:
            block = process.stdout.read(min(left, _BLOCK))
            if not block:
                return None
            left -= len(block)
        return MissingObject(name=name, why="too-large")
    data = process.stdout.read(size + 1)
    if len(data) != size + 1:
        return None
    kind: Kind = words[1].decode("ascii")  # type: ignore[assignment]  # looked up in _KINDS above
    return GitObject(id=words[0].decode("ascii"), kind=kind, data=data[:-1])
