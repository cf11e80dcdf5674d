"""What b4 makes of an mbox: its threads, their versions, patches, covers and the tags that it credits.

python benchmarks/b4_threads.py MBOX       one line of JSON a thread and version
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import b4


def quiet() -> None:
    """Keep b4 from asking anybody: no network, no attestation, no log."""
    b4.can_network = False
    b4.MAIN_CONFIG = {**b4.DEFAULT_CONFIG, "attestation-policy": "off"}
    b4.USER_CONFIG = {}
    b4.logger.setLevel(logging.CRITICAL + 1)


def threads_of(mails: list[EmailMessage]) -> list[list[EmailMessage]]:
    """The mails that References and In-Reply-To connect, in the order of the input."""
    up: dict[str, str] = {}

    def find(one: str) -> str:
        while up.setdefault(one, one) != one:
            up[one] = up[up[one]]
            one = up[one]
        return one

    own: list[str] = []
    for number, mail in enumerate(mails):
        clean = b4.LoreMessage.get_clean_msgid(mail) or f"none-{number}"
        own.append(clean)
        for header in ("References", "In-Reply-To"):
            for word in str(mail.get(header, "")).split():
                up[find(word.strip("<>"))] = find(clean)
    groups: dict[str, list[EmailMessage]] = {}
    for clean, mail in zip(own, mails, strict=True):
        groups.setdefault(find(clean), []).append(mail)
    return list(groups.values())


def series_of(box: Path) -> Iterator[dict[str, object]]:
    """Each version of each thread, as b4 assembles it."""
    quiet()
    for thread in threads_of(b4.get_msgs_from_mailbox_or_maildir(str(box))):
        lore = b4.LoreMailbox()
        for mail in thread:
            lore.add_message(mail)
        for version in sorted(lore.series):
            series = lore.get_series(version, codereview_trailers=False)
            if series is not None:
                yield _told(series)


def _told(series: b4.LoreSeries) -> dict[str, object]:
    cover, *patches = series.patches
    return {
        "version": series.revision,
        "expected": series.expected,
        "cover": cover.msgid if cover is not None else None,
        "patches": {number: patch.msgid for number, patch in enumerate(patches, 1) if patch is not None},
        "tags": sorted(
            (patch.msgid, tag.name.lower(), tag.value, tag.lmsg.msgid if tag.lmsg else "")
            for patch in series.patches
            if patch is not None
            for tag in patch.followup_trailers
        ),
    }


if __name__ == "__main__":
    for told in series_of(Path(sys.argv[1])):
        print(json.dumps(told))
