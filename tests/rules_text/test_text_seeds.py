"""The text rules on the seed threads, as RULES.md section K has it, and with all numbers of real diffstats shifted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from reviewer.kit.comparisons import comparisons
from reviewer.kit.tables import read_tables
from reviewer.mail.body import text_parts
from reviewer.mail.message import message_text
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Report

Judge = Callable[[str, Iterable[bytes]], Report]


def mails(corpus: Path, name: str) -> list[bytes]:
    data = (corpus / "seed" / f"{name}.mbox").read_bytes()
    return [mail for mail in re.split(rb"(?:\A|(?<=\n\n))From [^\n]*\n", data) if mail.strip()]


def found(report: Report) -> set[tuple[int | None, str]]:
    numbers = {patch.mail.message_id: patch.number for series in report.series for patch in series.patches}
    return {(numbers.get(finding.patch, 0), finding.level) for finding in report.findings}


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_rx_buf_size(judge: Judge, corpus: Path, version: int) -> None:
    seed = mails(corpus, f"rx-buf-size-v{version}")
    assert found(judge("DM001", seed)) == set()
    assert found(judge("DM002", seed)) == {(0, "warning"), (1, "warning")}
    assert found(judge("DM006", seed)) == set()
    assert found(judge("DM008", seed)) == (set() if version == 5 else {(0, "note"), (1, "warning")})


def test_places_in_the_first_version(judge: Judge, corpus: Path) -> None:
    seed = mails(corpus, "rx-buf-size-v1")
    lines = {
        rule: {finding.location.body_line for finding in judge(rule, seed).findings} for rule in ("DM002", "DM008")
    }
    assert lines == {"DM002": {26, 30}, "DM008": {12, 17}}
    assert "18.7 percentage points, or 34.5 % relative" in judge("DM002", seed).findings[0].message


@pytest.mark.parametrize("name", ["tx-niov-size-v1-cover", "tx-niov-size-v4-cover", "token-refill-v1"])
@pytest.mark.parametrize("rule", ["DM001", "DM002", "DM006", "DM008"])
def test_silent_on_the_other_seeds(judge: Judge, corpus: Path, name: str, rule: str) -> None:
    report = judge(rule, mails(corpus, name))
    assert found(report) == set()
    needs = [notice.needs for notice in report.notices if notice.code == "not-checked"]
    assert needs == (["series"] if rule == "DM006" and name != "token-refill-v1" else [])


@pytest.mark.parametrize(
    ("name", "rows"), [("token-refill-v1", 11), ("tx-niov-size-v1-cover", 1), ("tx-niov-size-v4-cover", 1)]
)
def test_silence_is_not_for_want_of_a_table(corpus: Path, name: str, rows: int) -> None:
    data = mails(corpus, name)[0]
    mail = parse_mail(data, "seed", 0, lambda: data)
    assert isinstance(mail, Mail)
    tables = read_tables(message_text(mail, text_parts(mail)).message)
    assert sum(len(one.rows) for table in tables.tables for one in comparisons(table)) == rows
    assert tables.unread == 0


def wrong_deltas(data: bytes) -> Iterator[bytes]:
    for delta in re.findall(rb"[+-]\d+\.\d%", data):
        yield data.replace(delta, b"%+.1f%%" % (float(delta[:-1]) + 1.5))


def test_each_wrong_delta_is_found(judge: Judge, corpus: Path) -> None:
    data = mails(corpus, "token-refill-v1")[0]
    assert [len(judge("DM001", [wrong]).findings) for wrong in wrong_deltas(data)] == [1, 1, 1, 1, 2, 1, 1, 2, 1, 1, 1]


def test_each_wrong_diffstat_is_found(judge: Judge, corpus: Path) -> None:
    seed = mails(corpus, "token-refill-v1")
    wrong = seed[0].replace(b" | 31 ", b" | 32 ")
    assert wrong != seed[0]
    assert found(judge("DM006", [wrong])) == {(1, "error")}
