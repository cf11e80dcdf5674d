"""Where the raw mails of a run lie while only their headers are in memory."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from typing import Self


class Spool:
    """An append-only store of raw mails in a temporary file without a name, gone when it is closed."""

    __slots__ = ("_ends", "_file", "_loader")

    def __init__(self) -> None:
        import tempfile  # slow to load

        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by close()
        self._ends = array("Q")
        self._loader = _loader_of(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; loaders raise ValueError from here on."""
        self._file.close()

    def add(self, data: bytes) -> Callable[[], bytes]:
        """Store a mail; what is returned reads it back. Raises OSError when the disk is full."""
        start = self._ends[-1] if self._ends else 0
        end, view = start + len(data), memoryview(data)
        while view:
            view = view[os.pwrite(self._file.fileno(), view, end - len(view)) :]
        self._ends.append(end)
        return self._loader(len(self._ends) - 1)

    def read(self, number: int) -> bytes:
        """The mail that was stored after `number` others. Raises ValueError when the spool is closed."""
        at, end = self._ends[number - 1] if number else 0, self._ends[number]
        chunks: list[bytes] = []
        while at < end:
            chunk = os.pread(self._file.fileno(), end - at, at)
            if not chunk:
                break
            chunks.append(chunk)
            at += len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _loader_of(spool: Spool) -> Callable[[int], Callable[[], bytes]]:
    """Makes what reads a mail back: the mail's number in itself, as an archive has hundreds of thousands of them."""

    class Loader(int):
        __slots__ = ()

        def __call__(self) -> bytes:
            return spool.read(int(self))

    return Loader
