"""The mails of the sources that the user names, whatever their kind."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources.file import UnreadableError, read_stream
from reviewer.sources.folder import read_folder
from reviewer.sources.raw import MAX_UNPACKED, Raw, RawMail

STDIN = "-"
_GIVE = "give an mbox, a mail, a maildir or folder of these, or - for standard input"


def read_sources(
    names: Sequence[str], stdin: BinaryIO | None = None, max_bytes: int = MAX_UNPACKED
) -> Iterator[RawMail | Notice]:
    """The mails of all sources in the order given, streamed; a Notice where one of them is left out or a file ends.

    A name is a path, or `-` for standard input: an mbox or a single mail, plain, gzipped or xz-compressed, or a folder
    of these, a maildir among them. What a compressed file unpacks to is read up to `max_bytes`. Raises InputError for
    a source that is not there, is empty, or holds no mail that can be read.
    """
    if list(names).count(STDIN) > 1:
        raise InputError("standard input (-) is given twice: name it once")
    for name in names:
        shown = "standard input" if name == STDIN else name
        try:
            yield from _source(name, shown, stdin, max_bytes)
        except UnreadableError as error:
            raise InputError(f"{shown} {error}: {_GIVE}") from None


def _source(name: str, shown: str, stdin: BinaryIO | None, max_bytes: int) -> Raw:
    if name != STDIN and os.path.isdir(name):
        yield from read_folder(Path(name), name, max_bytes)
        return
    with _opened(name, stdin) as stream:
        yield from read_stream(stream, name, shown, max_bytes)


@contextmanager
def _opened(name: str, stdin: BinaryIO | None) -> Generator[BinaryIO, None, None]:
    if name == STDIN:
        yield stdin if stdin is not None else sys.stdin.buffer
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below, once errors of opening are told apart
    except FileNotFoundError:
        raise InputError(f"no such file: {name}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"cannot read {name}: {reason or error}") from None
    with stream:
        yield stream
