"""Real patches: read whole, and as many lines as their diffstats say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reviewer.diff.parse import parse_diff
from reviewer.mail.body import parts_of
from reviewer.model import TextLine
from reviewer.sources.mbox import split_mbox

TOTALS = re.compile(r" (\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?")


@pytest.mark.parametrize(
    "name", ["rx-buf-size-v1", "rx-buf-size-v2", "rx-buf-size-v3", "rx-buf-size-v4", "rx-buf-size-v5"]
)
def test_counts_of_real_patches(corpus: Path, name: str) -> None:
    patches = 0
    for mail in split_mbox(iter([(corpus / "seed" / f"{name}.mbox").read_bytes()])):
        lines = parts_of(mail or b"")[0].text.split("\n")
        start = next((at for at, line in enumerate(lines) if line.startswith("diff --git ")), None)
        if start is None:
            continue
        files, notices = parse_diff(
            tuple(TextLine(text=text, body_line=at) for at, text in enumerate(lines[start:], start))
        )
        assert notices == ()
        totals = next(found for line in reversed(lines[:start]) if (found := TOTALS.match(line)))
        expected = [int(total or 0) for total in totals.groups()]
        assert [len(files), sum(file.added for file in files), sum(file.removed for file in files)] == expected
        patches += 1
    assert patches in (3, 4)
