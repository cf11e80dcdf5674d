"""All real threads in one call, when they are there: in time, and without a lost mail."""

from __future__ import annotations

import gzip
import json
import re
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

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

TWO_REASONS = {
    ("DM206", "DM403"),  # a provider's init that neither compares the order nor switches the syncing off
    ("DM301", "DM304"),  # an errno that says something else, and no extack beside it
    ("DM404", "DM405"),  # the direction of an unmap, and the lock that it needs
    ("DM407", "DM408"),  # the offset of an entry, and its length
}
"""Rules that may speak of one line, since each of them remains true when the other one is heeded."""


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


class Reviewed(NamedTuple):
    """A report as JSON, and the CPU seconds that it took."""

    document: dict[str, Any]
    cpu: float


def reviewed(paths: list[Path], report: Path, *options: str) -> Reviewed:
    command = [sys.executable, "-m", "reviewer", "review", *map(str, paths), "--format", "json", "-o", str(report)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, "--fail-on", "never", *options], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (0, b"")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Reviewed(json.loads(report.read_bytes()), cpu)


@pytest.fixture(scope="module")
def everything(threads: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    return reviewed(threads, tmp_path_factory.mktemp("everything") / "report.json")


def test_a_review_of_everything_accounts_for_every_mail_in_time(threads: list[Path], everything: Reviewed) -> None:
    document, cpu = everything
    assert cpu < CPU_SECONDS
    assert document["complete"]
    mails = [mail["message_id"] for mail in document["mails"]]
    assert len(mails) == len(set(mails))
    assert set(mails) == set.union(*map(ids, threads))
    known = {series["id"] for series in document["series"]} | {
        one for line in document["lineages"] for one in line["series"]
    }
    assert {mail["series"] for mail in document["mails"]} <= known | {None}


def check_that_nothing_is_said_twice(document: dict[str, Any]) -> None:
    lines: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    words: Counter[tuple[object, ...]] = Counter()
    for finding in document["findings"]:
        at = finding["location"]
        lines[finding["patch"], at["part"], at["body_line"], at["file"], at["line"]].append(finding["rule"])
        if at["function"]:
            words[finding["patch"], finding["rule"], at["file"], at["function"], finding["message"]] += 1
    pairs = {pair for rules in lines.values() for pair in combinations(sorted(rules), 2)}
    assert pairs <= TWO_REASONS
    assert [key for key, count in words.items() if count > 1] == []


def test_no_reason_has_two_findings(everything: Reviewed, corpus: Path, tmp_path: Path) -> None:
    seeds = reviewed(sorted((corpus / "seed").glob("*.mbox")), tmp_path / "seeds.json", "--revision", "all")
    assert seeds.document["findings"]
    check_that_nothing_is_said_twice(seeds.document)
    check_that_nothing_is_said_twice(everything.document)


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
