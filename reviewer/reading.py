"""The mails of the sources that a call names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Mail, Notice
from reviewer.sources import read_sources


def read_mails(
    sources: list[str], spool: Spool, notices: list[Notice], *, since: datetime | None = None, tree: Path | None = None
) -> Iterator[Mail]:
    """The mails of all sources in their order, raw text spooled; what cannot be read is added to `notices`.

    `since` shortens the reading of archives, `tree` is the clone that ranges of commits name.
    """
    position = 0
    for raw in read_sources(sources, sys.stdin.buffer, since=since, tree=tree):
        if isinstance(raw, Notice):
            notices.append(raw)
            continue
        mail = parse_mail(raw.data, raw.source, position, spool.add(raw.data))
        if isinstance(mail, Notice):
            notices.append(mail)
        else:
            yield mail
            position += 1
