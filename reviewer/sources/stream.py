"""Bytes as they come: blocks of a file, and what compressed blocks unpack to."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

BLOCK = 1 << 18


class BrokenError(Exception):
    """A stream that ends before its time. Its text says how, fit for the end of a sentence."""


class _Unpacker(Protocol):
    """What zlib, lzma and their kin have in common, once `max_length` is always given."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def more(self, data: bytes) -> bytes: ...

    @property
    def pending(self) -> bool: ...


class _Gzip:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def pending(self) -> bool:
        return bool(self._inner.unconsumed_tail)

    def more(self, data: bytes) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, BLOCK)


class _Xz:
    def __init__(self) -> None:
        import lzma  # only for .xz, and slow to load

        self._error = lzma.LZMAError
        self._inner = lzma.LZMADecompressor(memlimit=256 << 20)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def pending(self) -> bool:
        return not self._inner.eof and not self._inner.needs_input

    def more(self, data: bytes) -> bytes:
        try:
            return self._inner.decompress(data, BLOCK)
        except self._error as error:
            raise BrokenError(f"is damaged ({error})") from None


UNPACKERS: dict[str, tuple[Callable[[], _Unpacker], bytes]] = {"gzip": (_Gzip, b"\x1f\x8b"), "xz": (_Xz, b"\xfd7zXZ")}


def blocks(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in blocks of at most BLOCK bytes. Raises BrokenError when reading fails."""
    while True:
        try:
            block = stream.read(BLOCK)
        except OSError as error:
            raise BrokenError(f"cannot be read ({error.strerror or error})") from None
        if not block:
            return
        yield block


class Counted:
    """Blocks that pass, with the number of their bytes so far in `taken`."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        self._stream = stream
        self.taken = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        block = next(self._stream)
        self.taken += len(block)
        return block


def unpack(packed: Iterator[bytes], kind: str, max_bytes: int) -> Iterator[bytes]:
    """What `packed` ("gzip" or "xz", one member or several) unpacks to, in blocks of at most BLOCK bytes.

    Raises BrokenError, after the last block that could be unpacked, when the data is damaged, breaks off, or unpacks to
    more than `max_bytes`.
    """
    total = 0
    for block in _members(packed, kind):
        total += len(block)
        if total > max_bytes:
            yield block[: len(block) - (total - max_bytes)]
            raise BrokenError(f"unpacks to more than {max_bytes} bytes")
        yield block


def _members(packed: Iterator[bytes], kind: str) -> Iterator[bytes]:
    make, magic = UNPACKERS[kind]
    unpacker = make()
    for block in packed:
        data = block
        while data or unpacker.pending:
            if unpacker.eof:
                if not data.startswith(magic[: len(data)]):
                    return
                unpacker = make()
            yield from _step(unpacker, data)
            data = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise BrokenError("breaks off")


def _step(unpacker: _Unpacker, data: bytes) -> Iterator[bytes]:
    try:
        out = unpacker.more(data)
    except zlib.error as error:
        raise BrokenError(f"is damaged ({error})") from None
    if out:
        yield out
