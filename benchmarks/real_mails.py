"""A large mbox of real mails: a folder of threads, repeated under new Message-IDs until there are enough."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

_START = re.compile(rb"^(?=From mboxrd@z )", re.MULTILINE)
_FIELD = re.compile(rb"\n(?![ \t])")
_ID = re.compile(rb"<(?=[^<>\s@]+@)")
_NAMED = (b"message-id:", b"references:", b"in-reply-to:")


def write_mbox(folder: Path, mails: int, target: Path) -> int:
    """Write `mails` mails of the threads in `folder` (*.mbox.gz, mboxrd) to `target`; returns the bytes written."""
    threads = [_START.split(gzip.decompress(path.read_bytes())) for path in sorted(folder.glob("*.mbox.gz"))]
    originals = [mail for thread in threads for mail in thread if mail]
    if not originals:
        raise SystemExit(f"{folder} holds no *.mbox.gz with mails")
    with target.open("wb") as out:
        return sum(out.write(mail) for mail in islice(_rounds(originals), mails))


def _rounds(originals: list[bytes]) -> Iterator[bytes]:
    yield from originals
    for turn in count(1):
        mark = b"<again%d." % turn
        for mail in originals:
            head, blank, body = mail.partition(b"\n\n")
            fields = [
                _ID.sub(mark, field) if field.lower().startswith(_NAMED) else field for field in _FIELD.split(head)
            ]
            yield b"\n".join(fields) + blank + body
