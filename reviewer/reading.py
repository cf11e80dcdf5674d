"""The mails of the sources that a call names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.config import OPTION, named_in
from reviewer.errors import InputError
from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Mail, Notice
from reviewer.sources import is_fetched, read_sources

if TYPE_CHECKING:
    from reviewer.sources.fetch import Fetcher


def mails_of(
    options: argparse.Namespace, spool: Spool, notices: list[Notice], since: datetime | None
) -> Iterator[Mail]:
    """The mails of the sources that a call names, read as its options say; see `read_mails`.

    Raises InputError when one of them would be fetched and the call is offline.
    """
    # only a tree named here and now is that of git:BASE..HEAD: an author means the clone that he is in
    tree = options.tree if options.origins.get("tree") == OPTION else None
    fetcher = fetcher_of(options)
    return read_mails(options.sources, spool, notices, since=since, tree=tree, fetcher=fetcher)


def fetcher_of(options: argparse.Namespace) -> Fetcher | None:
    """How the sources that lie in the network are fetched; None when there are none. Raises InputError when offline."""
    sources: list[str] = options.sources
    fetched = next(filter(is_fetched, sources), None)
    if fetched is None:
        return None
    if options.offline:
        why = named_in(options, "offline") or " (--offline)"
        raise InputError(f"{fetched} is to be fetched, and this call is offline{why}: give a file with the thread")
    from reviewer.sources.cache import default_cache_dir
    from reviewer.sources.fetch import Fetcher

    folder: bool | Path = options.fetch_cache
    cache = folder if isinstance(folder, Path) else default_cache_dir() if folder else None
    return Fetcher(server=options.server, cache_dir=cache, timeout=options.timeout)


def read_mails(
    sources: list[str],
    spool: Spool,
    notices: list[Notice],
    *,
    since: datetime | None = None,
    tree: Path | None = None,
    fetcher: Fetcher | None = None,
) -> Iterator[Mail]:
    """The mails of all sources in their order, raw text spooled; what cannot be read is added to `notices`.

    `since` shortens the reading of archives, `tree` is the clone that ranges of commits name,
    `fetcher` gets what lies in the network.
    """
    position = 0
    for raw in read_sources(sources, sys.stdin.buffer, fetcher=fetcher, since=since, tree=tree):
        if isinstance(raw, Notice):
            notices.append(raw)
            continue
        mail = parse_mail(raw.data, raw.source, position, spool.add(raw.data))
        if isinstance(mail, Notice):
            notices.append(mail)
        else:
            yield mail
            position += 1
