"""docs/missed.md and docs/noise.md say what the real threads still give, when they are there."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.body import text_parts
from reviewer.mail.spool import Spool
from reviewer.model import CONFIDENCES, LEVELS, Finding
from reviewer.reading import read_mails
from reviewer.registry import load_rules
from reviewer.rule import Rule
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

DOCS = Path(__file__).parents[2] / "docs"
ROW = re.compile(r"^\| `<(?P<patch>[^>]+)>` \| (?P<cells>.*) \|$", re.MULTILINE)
FAMILIES = ("DM1", "DM2", "DM3", "DM4", "DM5")
NEAR = 3
SHOWN = 8
"""Findings of a patch that a reader sees."""

Lines = tuple[str, ...]


@pytest.fixture(scope="module")
def rules() -> tuple[Rule, ...]:
    return load_rules((shipped("rules"),), installed=False)


def entries(corpus: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (corpus / name).read_text("utf-8").splitlines()]


def rows(text: str) -> Iterator[tuple[str, list[str]]]:
    """The patch and the other cells of each row of the page's tables."""
    for row in ROW.finditer(text):
        yield row["patch"], row["cells"].split(" | ")


def judged(
    path: Path, wanted: Iterable[str], rules: tuple[Rule, ...]
) -> Iterator[tuple[str, Lines, tuple[Finding, ...]]]:
    """Of each wanted patch in the thread: its Message-ID, the lines of its mail, and what is found on it."""
    with Spool() as spool:
        assembly = assemble(read_mails([str(path)], spool, []))
        opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
        report = review(assembly, opened, rules, ())
        for one in sorted(set(wanted)):
            mail = next(
                (patch.mail for series in opened for patch in series.patches if patch.mail.message_id == one), None
            )
            if mail is not None:
                lines = tuple(text_parts(mail)[0].text.split("\n"))
                yield one, lines, tuple(finding for finding in report.findings if finding.patch == one)


def loud(findings: Iterable[Finding]) -> list[Finding]:
    return [one for one in findings if one.level != "note" or one.confidence == "high"]


def shown(findings: Iterable[Finding]) -> list[Finding]:
    """What a reader sees of the findings on one patch."""

    def rank(one: Finding) -> tuple[int, int, int, str]:
        return LEVELS.index(one.level), CONFIDENCES.index(one.confidence), one.location.body_line or 0, one.rule

    return sorted(loud(findings), key=rank)[:SHOWN]


def squeezed(line: str) -> str:
    return re.sub(r"\s+", "", line.lstrip("+- ") if line[:1] in ("+", "-", " ") else line)


def meeting(label: Mapping[str, Any], lines: Lines, findings: Iterable[Finding]) -> str:
    """The rules whose findings meet the remark."""
    code = squeezed(label["code"])
    where = [number for number, line in enumerate(lines, 1) if squeezed(line) == code]
    met = {
        one.rule
        for one in shown(findings)
        if one.category == label["category"]
        and (
            not label["file"]
            or (one.location.kind == "code" and any(abs((one.location.body_line or -9) - at) <= NEAR for at in where))
        )
    }
    return ", ".join(sorted(met))


def test_the_remarks_that_are_met_are_those_of_the_page(corpus: Path, rules: tuple[Rule, ...]) -> None:
    page = (DOCS / "missed.md").read_text("utf-8")
    told_met, told_missed = page.split("## Missed")
    labels = [one for one in entries(corpus, "labels.jsonl") if (one.get("rule") or "").startswith(FAMILIES)]
    met: Counter[tuple[str, ...]] = Counter()
    missed: Counter[tuple[str, ...]] = Counter()
    for thread in sorted({label["thread"] for label in labels}):
        path = corpus / "threads" / f"{thread}.gz"
        here = [label for label in labels if label["thread"] == thread]
        for patch, lines, findings in judged(path, (label["patch_msgid"] for label in here), rules):
            for label in here:
                if label["patch_msgid"] == patch:
                    row = (patch, label["category"], label["kind"], label["rule"])
                    by = meeting(label, lines, findings)
                    (met if by else missed).update([(*row, by) if by else row])
    assert met == Counter((patch, *cells) for patch, cells in rows(told_met))
    assert missed == Counter((patch, *cells[:3]) for patch, cells in rows(told_missed))
    assert f"{met.total()} of {met.total() + missed.total()} are met" in page


def test_what_is_said_of_merged_patches_is_what_the_page_judges(corpus: Path, rules: tuple[Rule, ...]) -> None:
    page = (DOCS / "noise.md").read_text("utf-8")
    merged = [
        one
        for one in entries(corpus, "clean.jsonl")
        if one.get("project", "linux") == "linux" and not one.get("later_fixes")
    ]
    found: Counter[tuple[str, ...]] = Counter()
    read = 0
    for thread in sorted({one["thread"] for one in merged}):
        wanted = (one["patch_msgid"] for one in merged if one["thread"] == thread)
        for patch, _, findings in judged(corpus / "threads" / f"{thread}.gz", wanted, rules):
            read += 1
            found.update((patch, one.rule, one.location.file or "", one.level) for one in loud(findings))
    assert f"{read} of the patches at hand" in page
    assert found == Counter((patch, *cells[:3]) for patch, cells in rows(page))
    assert len({patch for patch, _, _, level in found if level != "note"}) <= 4
    assert sum(count for (*_, level), count in found.items() if level == "note") <= 25
    assert not any("false" in cells[3].lower() for _, cells in rows(page) if cells[2] == "error")
