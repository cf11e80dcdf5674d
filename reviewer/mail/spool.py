"""Where the raw mails of a run lie while only their headers are in memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Self


class _Loader:
    """Reads one mail back. Raises ValueError when the spool is closed."""

    __slots__ = ("_length", "_offset", "_spool")

    def __init__(self, spool: Spool, offset: int, length: int) -> None:
        self._spool = spool
        self._offset = offset
        self._length = length

    def __call__(self) -> bytes:
        return self._spool.read(self._offset, self._length)


class Spool:
    """An append-only store of raw mails in a temporary file without a name, gone when it is closed."""

    __slots__ = ("_end", "_file")

    def __init__(self) -> None:
        import tempfile  # slow to load

        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by close()
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; loaders raise ValueError from here on."""
        self._file.close()

    def add(self, data: bytes) -> Callable[[], bytes]:
        """Store a mail; what is returned reads it back. Raises OSError when the disk is full."""
        offset, view = self._end, memoryview(data)
        while view:
            view = view[os.pwrite(self._file.fileno(), view, self._end + len(data) - len(view)) :]
        self._end += len(data)
        return _Loader(self, offset, len(data))

    def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`. Raises ValueError when the spool is closed."""
        chunks: list[bytes] = []
        while length > 0:
            chunk = os.pread(self._file.fileno(), length, offset)
            if not chunk:
                break
            chunks.append(chunk)
            offset, length = offset + len(chunk), length - len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)
