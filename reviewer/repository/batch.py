"""The contents of objects, out of one long-running `git cat-file --batch`."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha1, sha256
from typing import get_args

from reviewer.errors import InputError
from reviewer.repository.process import Process
from reviewer.repository.values import GitObject, Kind, MissingObject

_KINDS: frozenset[str] = frozenset(get_args(Kind))
_MAX_DEATHS = 16
_BLOCK = 1 << 16
_SLACK = 8192


class Batch:
    """One git that is asked for object after object; `start` starts it when it is first needed.

    Behind each question stands one that is known to have no answer, told by a random word: git gives more or less of a
    damaged object than it announced, and the answers would get out of step. A git that dies costs the object that it
    was asked for; another one is started for the next, a few times.
    """

    def __init__(self, start: Callable[[], Process], shown: str) -> None:
        self._start = start
        self._shown = shown
        self._process: Process | None = None
        self._answered = False
        self._deaths = 0
        self._end = b".." + os.urandom(16).hex().encode("ascii")  # no ref can have this name, so it is not looked for

    def ask(self, name: str, limit: int) -> GitObject | MissingObject:
        """The object that git knows by `name` (one line). Raises InputError when git cannot read the repository."""
        if self._process is None:
            self._process = self._start()
        answer = self._exchange(self._process, name.encode("utf-8", "surrogateescape"), limit)
        if answer is None:
            return self._died(name)
        self._answered = True
        return _read(answer, name, limit)

    def close(self) -> None:
        """End git."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _exchange(self, process: Process, name: bytes, limit: int) -> bytearray | None:
        """What git answers, cut when it is far above the limit, or None when git died of it."""
        stop = b"\n" + self._end + b" missing\n"
        if not process.write(name + b"\n" + self._end + b"\n"):
            return None
        answer = bytearray()
        most = limit + _SLACK
        while not answer.endswith(stop):
            if len(answer) > 2 * most:
                del answer[most : -len(stop)]
            block = os.read(process.stdout.fileno(), _BLOCK)
            if not block:
                return None
            answer += block
        return answer[: -len(stop)]

    def _died(self, name: str) -> MissingObject:
        process, self._process = self._process, None
        complaint = process.stop() if process is not None else ""
        self._deaths += 1
        if not self._answered or self._deaths > _MAX_DEATHS:
            raise InputError(f"{self._shown}: git cannot read it ({complaint})")
        return MissingObject(name=name, why="damaged")


def _read(answer: bytearray, name: str, limit: int) -> GitObject | MissingObject:
    """The object in an answer: `<id> <kind> <size>` and a line end in front of its contents, or why there is none."""
    end = answer.find(b"\n")
    if end < 0:
        return MissingObject(name=name, why="ambiguous" if answer.endswith(b" ambiguous") else "missing")
    words = answer[:end].decode("ascii", "replace").split()
    if len(words) != 3 or words[1] not in _KINDS or not words[2].isdigit():
        return MissingObject(name=name, why="damaged")
    if max(int(words[2]), len(answer) - end - 1) > limit:
        return MissingObject(name=name, why="too-large")
    kind: Kind = words[1]  # type: ignore[assignment]  # looked up in _KINDS above
    found = GitObject(id=words[0], kind=kind, data=bytes(answer[end + 1 :]))
    return found if _is_whole(found) else MissingObject(name=name, why="damaged")


def _is_whole(found: GitObject) -> bool:
    digest = (sha1 if len(found.id) == 40 else sha256)(usedforsecurity=False)
    digest.update(f"{found.kind} {len(found.data)}\0".encode("ascii"))
    digest.update(found.data)
    return digest.hexdigest() == found.id
