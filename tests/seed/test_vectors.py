"""K.9 of the rule book: the later versions of a series, and a merged one, give what is written there and no more.

Of families A to E, with all confidences. The first version is in test_seed.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import main

FAMILIES = ("DM1", "DM2", "DM3", "DM4", "DM5")
ALWAYS = {"DM108", "DM109", "DM112", "DM206", "DM509"}
"""Notes on the first patch of all versions: true, and nothing that its author changed."""
SERIES: dict[str, list[set[str]]] = {
    "rx-buf-size-v2": [ALWAYS | {"DM306"}, {"DM407", "DM408"}, set(), set()],
    "rx-buf-size-v3": [ALWAYS | {"DM306"}, {"DM407", "DM408"}, set(), set()],
    "rx-buf-size-v4": [ALWAYS | {"DM209", "DM306"}, set(), set()],
    "rx-buf-size-v5": [ALWAYS | {"DM306"}, set(), set()],
}
ZCRX = "io-uring--20250916-zcrx-for-6-18-updates-v1.mbox.gz"
SIZED = "5d29fc35107408e1d23d4d9e853cccc4e270b0f1.1758030357.git.asml.silence@gmail.com"


def reviewed(mbox: Path, output: Path) -> dict[str, Any]:
    if not mbox.exists():
        pytest.skip(f"{mbox.name} is not in the corpus")
    command = ["review", str(mbox), "--format", "json", "-o", str(output), "--min-confidence", "low"]
    assert main([*command, "--fail-on", "never"]) == 0
    report: dict[str, Any] = json.loads(output.read_text("utf-8"))
    assert report["complete"]
    return report


@pytest.mark.parametrize("name", SERIES)
def test_later_versions(corpus: Path, tmp_path: Path, name: str) -> None:
    report = reviewed(corpus / "seed" / f"{name}.mbox", tmp_path / "report.json")
    (series,) = report["series"]
    for patch, expected in zip(series["patches"], SERIES[name], strict=True):
        found = [one for one in report["findings"] if one["patch"] == patch["message_id"]]
        assert {one["rule"] for one in found if one["rule"].startswith(FAMILIES)} == expected
    (told,) = [one for one in report["findings"] if one["rule"] == "DM306"]
    assert told["level"] == "warning"
    assert "87 characters long (55 of them fixed)" in told["message"]


def test_a_merged_series_with_two_true_findings(corpus: Path, tmp_path: Path) -> None:
    report = reviewed(corpus / "threads" / ZCRX, tmp_path / "report.json")
    found = {(one["patch"], one["rule"], one["level"], one["location"]["line"]) for one in report["findings"]}
    found = {one for one in found if one[1].startswith(FAMILIES)}
    assert found == {(SIZED, "DM302", "warning", 868), (SIZED, "DM205", "warning", 943)}
