"""The threads that the project was created from: series lines and the findings of RULES.md section K.

Each runs on the mails as posted and on a copy in which authors, addresses, Message-IDs and identifiers are others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from disguise import disguised

from reviewer.cli import main

SERIES = {
    "rx-buf-size-v1": (1, 4, ()),
    "rx-buf-size-v2": (2, 4, ()),
    "rx-buf-size-v3": (3, 4, ()),
    "rx-buf-size-v4": (4, 3, ()),
    "rx-buf-size-v5": (5, 3, ()),
    "token-refill-v1": (1, 1, ()),
    "tx-niov-size-v1-cover": (1, 0, (1, 2, 3, 4, 5, 6, 7)),
    "tx-niov-size-v4-cover": (4, 0, (1, 2, 3, 4, 5)),
}


@pytest.fixture(scope="module", params=["as posted", "disguised"])
def seeds(request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "as posted":
        return corpus / "seed"
    folder = tmp_path_factory.mktemp("seed")
    for path in sorted((corpus / "seed").glob("*.mbox")):
        (folder / path.name).write_bytes(disguised(path.read_bytes()))
    return folder


@pytest.fixture(scope="module")
def reviewed(seeds: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict]:
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def run(name: str) -> dict:
        output = folder / f"{name}.json"
        assert main(["review", str(seeds / f"{name}.mbox"), "--format", "json", "-o", str(output)]) in (0, 1)
        return json.loads(output.read_text(encoding="utf-8"))

    return run


def findings(report: dict, number: int) -> set[tuple[str, int]]:
    """(rule, body line) of the findings on patch `number`, or on the cover for 0."""
    (series,) = report["series"]
    patches = {patch["number"]: patch["message_id"] for patch in series["patches"]}
    wanted = patches[number] if number else series["cover"]
    return {(one["rule"], one["location"]["body_line"]) for one in report["findings"] if one["patch"] == wanted}


@pytest.mark.parametrize("name", SERIES)
def test_series_line(reviewed, name):
    report = reviewed(name)
    version, patches, missing = SERIES[name]
    (series,) = report["series"]
    assert report["complete"]
    assert series["version"] == version
    assert len(series["patches"]) == patches
    assert tuple(series["missing"]) == missing
    assert {mail["message_id"] for mail in report["mails"]} >= {patch["message_id"] for patch in series["patches"]}


def test_tags_given_on_a_cover(reviewed):
    (series,) = reviewed("tx-niov-size-v4-cover")["series"]
    given = {tag["name"]: tag["counted"] for tag in series["tags"]}
    assert given == {"Tested-by": True, "Reviewed-by": True}


def test_rx_buf_size_v1_first_patch(reviewed):
    found = findings(reviewed("rx-buf-size-v1"), 1)
    assert {("DM302", 254), ("DM008", 12), ("DM002", 26), ("DM016", 338)} <= found
    assert {line for rule, line in found if rule == "DM306"} == {206, 352}
    assert {("DM509", 287), ("DM112", 349)} <= found
    assert {("DM108", 355), ("DM109", 180), ("DM206", 253)} <= found
    expected = {"DM302", "DM306", "DM008", "DM002", "DM016", "DM509", "DM112", "DM108", "DM109", "DM206"}
    assert {rule for rule, _ in found} == expected


def test_rx_buf_size_v1_cover_and_the_others(reviewed):
    report = reviewed("rx-buf-size-v1")
    assert {rule for rule, _ in findings(report, 0)} == {"DM002", "DM008"}
    assert findings(report, 2) == {("DM407", 84), ("DM408", 84)}
    assert {rule for rule, _ in findings(report, 3)} == {"DM016"}
    assert findings(report, 4) == set()


@pytest.mark.parametrize("name", ["rx-buf-size-v2", "rx-buf-size-v3", "rx-buf-size-v4", "rx-buf-size-v5"])
def test_the_errno_is_back_from_v2_on(reviewed, name):
    rules = {rule for rule, _ in findings(reviewed(name), 1)}
    assert "DM302" not in rules
    assert {"DM002", "DM306"} <= rules
    assert ("DM008" in rules) == (name != "rx-buf-size-v5")  # the line of dashes went in v5


def test_types_change_in_passing_in_v4_only(reviewed):
    names = [f"rx-buf-size-v{version}" for version in range(1, 6)]
    told = [name for name in names if "DM209" in {rule for rule, _ in findings(reviewed(name), 1)}]
    assert told == ["rx-buf-size-v4"]


def test_christmas_tree_until_v2(reviewed):
    assert "DM016" in {rule for rule, _ in findings(reviewed("rx-buf-size-v2"), 1)}
    assert "DM016" not in {rule for rule, _ in findings(reviewed("rx-buf-size-v3"), 1)}


@pytest.mark.parametrize("name", ["tx-niov-size-v1-cover", "tx-niov-size-v4-cover"])
def test_covers_without_a_fault(reviewed, name):
    assert reviewed(name)["findings"] == []


def test_token_refill_has_nothing_but_a_guess(reviewed):
    assert [(one["rule"], one["confidence"]) for one in reviewed("token-refill-v1")["findings"]] == [("DM308", "low")]


def test_the_table_of_token_refill_was_read(reviewed):
    notices = reviewed("token-refill-v1")["notices"]
    assert not [one for one in notices if one["rule"] == "DM001"]
