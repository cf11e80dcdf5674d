"""The thread under examples/, which the README reviews."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.body import text_parts
from reviewer.model import Report
from reviewer.registry import load_rules, select_rules
from reviewer.report import FORMATS, render
from reviewer.sources import RawMail, read_sources

THREAD = Path(__file__).parents[2] / "examples" / "thread.mbox"


@pytest.fixture
def report(sample: Any) -> Report:
    mails = [raw.data for raw in read_sources([str(THREAD)], io.BytesIO()) if isinstance(raw, RawMail)]
    read: Report = sample.report(mails)
    rules = select_rules(load_rules([shipped("rules")], installed=False), [], [])
    return review(read.assembly, read.series, rules, [])


def test_it_is_one_whole_series(report: Report) -> None:
    (series,) = report.series
    assert series.outline.version == 2
    assert series.cover is not None
    assert [patch.number for patch in series.patches] == [1, 2, 3]
    assert report.assembly.notices == series.notices == ()
    assert len(series.outline.replies) == 2
    assert sorted(report.assembly.roles.values()) == ["cover", "patch", "patch", "patch", "reply", "reply"]
    assert [tag.name for tag in series.patches[2].tags if tag.source] == ["Reviewed-by"]


def test_its_diffstats_are_right(report: Report) -> None:
    (series,) = report.series
    for patch in series.patches:
        stat = patch.text.diffstat
        assert stat is not None
        assert stat.insertions == sum(file.added for file in patch.files)
        assert stat.deletions == sum(file.removed for file in patch.files)


def test_its_defects_are_found_on_the_right_patches(report: Report) -> None:
    numbers = {patch.mail.message_id: patch.number for patch in report.series[0].patches}
    found = {(finding.rule, numbers.get(finding.patch)) for finding in report.findings}
    assert {("DM107", 1), ("DM303", 1)} <= found
    assert {(rule, 2) for rule in ("DM001", "DM008", "DM102", "DM302", "DM306")} <= found
    assert not any(number in (3, None) for _, number in found)


def test_every_format_shows_it(report: Report) -> None:
    for form in FORMATS:
        shown = render(report, form, templates=None, min_confidence="medium")
        text = shown.decode() if isinstance(shown, bytes) else shown
        assert "DM303" in text
        assert text == text.rstrip("\n") + ("\n\n" if form == "reply" else "\n")


def test_drafts_quote_real_mail_byte_for_byte(sample: Any, corpus: Path) -> None:
    path = corpus / "seed" / "rx-buf-size-v1.mbox"
    mails = [raw.data for raw in read_sources([str(path)], io.BytesIO()) if isinstance(raw, RawMail)]
    read: Report = sample.report(mails)
    rules = select_rules(load_rules([shipped("rules")], installed=False), [], [])
    drafts = render(review(read.assembly, read.series, rules, []), "reply", templates=None, min_confidence="medium")
    assert isinstance(drafts, bytes)
    lines = {
        line
        for patch in read.series[0].patches
        for part in text_parts(patch.mail)
        for line in part.text.encode().split(b"\n")
    }
    quoted = {line[2:] for line in drafts.split(b"\n") if line.startswith(b"> ")} - {b"[ ... ]"}
    assert quoted
    assert quoted <= lines
