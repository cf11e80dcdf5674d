"""The hunks of real threads."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from pathlib import Path

from code_values import changes

from reviewer.code.unit import Unit


def hunks_of(corpus: Path) -> Iterator[Unit]:
    """The post-image of each hunk of C in one thread."""
    data = (corpus / "seed" / "rx-buf-size-v4.mbox").read_bytes()
    for raw in data.split(b"\nFrom "):
        mail = email.message_from_bytes(raw.partition(b"\n")[2], policy=email.policy.compat32)
        for part in mail.walk():
            payload = part.get_payload(decode=True) if part.get_content_maintype() == "text" else None
            text = payload.decode("utf-8", "replace").replace("\r\n", "\n") if isinstance(payload, bytes) else ""
            start = text.find("\ndiff --git ")
            if start >= 0:
                end = text.find("\n-- \n", start)
                diff = text[start + 1 : end if end >= 0 else len(text)] + "\n"
                for change in changes(diff):
                    yield from (after for _, after in change.units)
