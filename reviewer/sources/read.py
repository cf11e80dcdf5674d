"""The mails of the sources that the user names, whatever their kind."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources.detect import HEAD, Kind, detect, skip_blank, starts_as_mail
from reviewer.sources.mbox import split_mbox
from reviewer.sources.raw import MAX_MAIL, MAX_UNPACKED, Raw, RawMail, bad_mail, truncated
from reviewer.sources.stream import BrokenError, blocks, unpack

STDIN = "-"
_GIVE = "give an mbox, a mail, or - for standard input"


def read_sources(
    names: Sequence[str], stdin: BinaryIO | None = None, max_bytes: int = MAX_UNPACKED
) -> Iterator[RawMail | Notice]:
    """The mails of all sources in the order given, streamed; a Notice where one of them is left out or a file ends.

    A name is a path, or `-` for standard input: an mbox or a single mail, plain, gzipped or xz-compressed. What a
    compressed source unpacks to is read up to `max_bytes`. Raises InputError for a source that is not there, is
    empty, holds no mail, or whose first mail cannot be read.
    """
    if list(names).count(STDIN) > 1:
        raise InputError("standard input (-) is given twice: name it once")
    for name in names:
        with _opened(name, stdin) as stream:
            yield from _read(stream, name, max_bytes)


@contextmanager
def _opened(name: str, stdin: BinaryIO | None) -> Generator[BinaryIO, None, None]:
    if name == STDIN:
        yield stdin if stdin is not None else sys.stdin.buffer
        return
    try:
        if Path(name).is_dir():
            raise InputError(f"{name} is a directory: {_GIVE}")
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below, once errors of opening are told apart
    except FileNotFoundError:
        raise InputError(f"no such file: {name}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"cannot read {name}: {reason or error}") from None
    with stream:
        yield stream


def _read(stream: BinaryIO, name: str, max_bytes: int) -> Raw:
    shown = "standard input" if name == STDIN else name
    try:
        kind, data = _unpacked(blocks(stream), shown, max_bytes)
    except BrokenError as error:
        raise InputError(f"{shown} {error}: {_GIVE}") from None
    yield from _checked(_mails(kind, data), name, shown)


def _unpacked(data: Iterator[bytes], shown: str, max_bytes: int) -> tuple[Kind, Iterator[bytes]]:
    """The kind of what is left when a compression is taken off, and its blocks, blank lines in front cut."""
    head, data = _peek(data)
    kind = detect(head)
    if kind in ("gzip", "xz"):
        head, data = _peek(unpack(data, kind, max_bytes))
        kind = detect(head)
    if kind == "empty":
        raise InputError(f"{shown} is empty: {_GIVE}")
    if kind not in ("mbox", "mail"):
        raise InputError(f"{shown} holds no mail: {_GIVE}")
    first = next(data)
    return kind, chain((skip_blank(first),), data)


def _peek(data: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first HEAD bytes, and all blocks again, the first of them at least that long if there is as much.

    What breaks off before that raises BrokenError, unless something came before it.
    """
    head = b""
    broken: BrokenError | None = None
    try:
        while len(head) < HEAD or not head.strip():
            block = next(data, b"")
            head += block
            if not block or len(head) > MAX_MAIL:
                break
    except BrokenError as error:
        if not head:
            raise
        broken = error
    return head[:HEAD] if head[:HEAD].strip() else skip_blank(head)[:HEAD], chain((head,), _rest(data, broken))


def _rest(data: Iterator[bytes], broken: BrokenError | None) -> Iterator[bytes]:
    if broken is not None:
        raise broken
    yield from data


def _mails(kind: Kind, data: Iterator[bytes]) -> Iterator[bytes | None]:
    if kind == "mbox":
        yield from split_mbox(data)
        return
    mail = bytearray()
    for block in data:
        mail += block
        if len(mail) > MAX_MAIL:
            yield None
            return
    yield bytes(mail)


def _checked(mails: Iterator[bytes | None], name: str, shown: str) -> Raw:
    number = 0
    try:
        for number, data in enumerate(mails, 1):
            reason = _fault(data)
            if data is not None and not reason:
                yield RawMail(data=data, source=name)
            elif number == 1:
                raise InputError(f"{shown}: the first mail {reason}: {_GIVE}")
            else:
                yield bad_mail(shown, number, reason)
    except BrokenError as error:
        if number == 0:
            raise InputError(f"{shown} {error} before its first mail ends: get the file again") from None
        yield truncated(shown, str(error))


def _fault(data: bytes | None) -> str:
    """Why a mail cannot be read, or an empty string."""
    if data is None:
        return f"is larger than {MAX_MAIL >> 20} MiB"
    if b"\0" in data:
        return "holds NUL bytes"
    return "" if starts_as_mail(data) else "has no headers"
