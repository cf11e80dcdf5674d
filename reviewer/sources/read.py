"""The mails of the sources that the user names, whatever their kind."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources.file import UnreadableError, read_stream
from reviewer.sources.folder import read_folder
from reviewer.sources.lore import is_address
from reviewer.sources.raw import MAX_UNPACKED, Raw, RawMail

if TYPE_CHECKING:
    from reviewer.sources.fetch import Fetcher

STDIN = "-"
_COMMITS = "git:"
_REACH = timedelta(days=60)
"""How long before a mail the older mails of its series may have come in."""
_GIVE = (
    "give an mbox, a mail, a saved page, a folder of these, a public-inbox archive, a Message-ID or address, "
    "git:BASE..HEAD, or - for standard input"
)


def is_fetched(name: str) -> bool:
    """Tell whether a source lies in the network."""
    return name != STDIN and not name.startswith(_COMMITS) and is_address(name)


def read_sources(
    names: Sequence[str],
    stdin: BinaryIO | None = None,
    max_bytes: int = MAX_UNPACKED,
    fetcher: Fetcher | None = None,
    since: datetime | None = None,
    tree: Path | None = None,
) -> Iterator[RawMail | Notice]:
    """The mails of all sources in the order given, streamed; a Notice where one of them is left out or a file ends.

    A name is a path, or `-` for standard input: an mbox, a single mail, a saved page of an archive or an Atom feed,
    plain, gzipped or xz-compressed, or a folder of these, a maildir among them. An address, `<Message-ID>`, or
    `id@host` that looks like one and names no file, is fetched: by `fetcher`, else with a cache in the user's folder. A
    folder may also be a public-inbox archive in git, of which only what came in after `since`, and what it may answer,
    is read; and `git:BASE..HEAD` names commits of the clone `tree` (else of the current folder). What a compressed file
    unpacks to is read up to `max_bytes`. Raises InputError for a source that is not there, is empty, or holds no mail
    that can be read.
    """
    if list(names).count(STDIN) > 1:
        raise InputError("standard input (-) is given twice: name it once")
    for name in names:
        shown = "standard input" if name == STDIN else name
        try:
            if name.startswith(_COMMITS):
                yield from _commits(name, tree)
            elif is_fetched(name):
                yield from read_stream(BytesIO(_fetched(name, fetcher)), name, shown, max_bytes)
            else:
                yield from _source(name, shown, stdin, max_bytes, since)
        except UnreadableError as error:
            raise InputError(f"{shown} {error}: {_GIVE}") from None


def _source(name: str, shown: str, stdin: BinaryIO | None, max_bytes: int, since: datetime | None) -> Raw:
    if name != STDIN and os.path.isdir(name):
        yield from _folder(Path(name), name, max_bytes, since)
        return
    with _opened(name, stdin) as stream:
        yield from read_stream(stream, name, shown, max_bytes)


def _folder(path: Path, name: str, max_bytes: int, since: datetime | None) -> Raw:
    from reviewer.sources.inbox import is_inbox, read_inbox

    if is_inbox(path):
        yield from read_inbox(path, name, since=None if since is None else since - _REACH)
    elif (path / "HEAD").is_file() and (path / "objects").is_dir():
        raise InputError(f"{name} is a repository of code: give git:BASE..HEAD with it as the tree")
    else:
        yield from read_folder(path, name, max_bytes)


def _commits(name: str, tree: Path | None) -> Raw:
    from reviewer.sources.commits import read_commits

    yield from read_commits(name, tree if tree is not None else Path())


def _fetched(name: str, fetcher: Fetcher | None) -> bytes:
    if fetcher is None:
        from reviewer.sources.cache import default_cache_dir
        from reviewer.sources.fetch import Fetcher

        fetcher = Fetcher(cache_dir=default_cache_dir())
    return fetcher.fetch(name)


def _way_out(name: str) -> str:
    """What else may be given where there is no file of that name."""
    known = "@" in name and is_address(f"<{name}>")
    return f"if it is a Message-ID, write '<{name}>'" if known else _GIVE


@contextmanager
def _opened(name: str, stdin: BinaryIO | None) -> Generator[BinaryIO, None, None]:
    if name == STDIN:
        yield stdin if stdin is not None else sys.stdin.buffer
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below, once errors of opening are told apart
    except FileNotFoundError:
        raise InputError(f"no such file: {name}; {_way_out(name)}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"cannot read {name}: {reason or error}") from None
    with stream:
        yield stream
