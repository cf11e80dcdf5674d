"""All real threads in one call, when they are there: in time, and without a lost mail."""

from __future__ import annotations

import gzip
import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.mail.header import scan_headers
from reviewer.mail.msgid import own_id
from reviewer.mail.spool import Spool
from reviewer.reading import read_mails
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

CPU_SECONDS = 30
NOTICES = {
    "bad-counter": 1,  # 39/38 of the sg_table series, version 5
    "partial-reroll": 1,  # two patches of its version 7
}
"""Every notice of assembling that the threads give one by one; docs/differences-from-b4.md judges them."""


@pytest.fixture(scope="module")
def threads(corpus: Path) -> list[Path]:
    found = sorted((corpus / "threads").glob("*.mbox.gz"))
    if not found:
        pytest.skip("no threads in the corpus")
    return found


def ids(path: Path) -> set[str]:
    """The Message-IDs in a file, found without any of the reader's splitting."""
    mails = re.split(rb"^From mboxrd@z .*\n", gzip.decompress(path.read_bytes()), flags=re.MULTILINE)[1:]
    found = {own_id(scan_headers(mail)[0].get(b"message-id", b"")) for mail in mails}
    return {one for one in found if one is not None}


def test_a_review_of_everything_accounts_for_every_mail_in_time(threads: list[Path], tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "reviewer", "review", *map(str, threads), "--format", "json", "-o", str(report)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, "--fail-on", "never"], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (0, b"")
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < CPU_SECONDS
    document = json.loads(report.read_bytes())
    assert document["complete"]
    mails = [mail["message_id"] for mail in document["mails"]]
    assert len(mails) == len(set(mails))
    assert set(mails) == set.union(*map(ids, threads))
    known = {series["id"] for series in document["series"]} | {
        one for line in document["lineages"] for one in line["series"]
    }
    assert {mail["series"] for mail in document["mails"]} <= known | {None}


def test_each_thread_alone_is_assembled_without_a_notice_that_is_wrong(threads: list[Path]) -> None:
    told: dict[str, int] = {}
    for path in threads:
        with Spool() as spool:
            notices = [*assemble(read_mails([str(path)], spool, found := [])).notices, *found]
        for notice in notices:
            told[notice.code] = told.get(notice.code, 0) + 1
    assert told == NOTICES


def test_the_odd_mails_that_are_here_are_read_right(threads: list[Path]) -> None:
    """MAIL.md, section 3: the series sent without threading, as its three threads and as one."""
    parts = [path for path in threads if path.name.endswith("-v19.mbox.gz")]
    assert any("20240813211317.3381180-1-almasrymina@google.com" in ids(path) for path in parts)
    with Spool() as spool:
        assembly = assemble(read_mails([str(path) for path in parts], spool, []))
        ((outline,),) = (lineage.outlines for lineage in assembly.lineages)
        series = open_series(outline)
    assert series.cover is not None
    assert series.outline.cover is not None
    assert series.outline.cover.message_id == "20240813211317.3381180-1-almasrymina@google.com"
    assert (series.outline.version, series.outline.total, [patch.number for patch in series.patches]) == (
        19,
        13,
        [6, 9],
    )
