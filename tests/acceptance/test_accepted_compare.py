"""What is accepted is accepted in `reviewer compare` as in `reviewer review`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import main


class Beside:
    """Runs the comparison of the mails that the desk reviewed last."""

    def __init__(self, desk: Any, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        self.desk = desk
        self._capture = capsysbinary

    def text(self, mails: list[str], *options: str, code: int = 0) -> str:
        self.desk.text(mails)
        given = ["compare", str(self.desk.folder / "thread.mbox"), "--select", "DM302,DM303", *options]
        assert main(given) == code
        said = self._capture.readouterr()
        return (said.err if code else said.out).decode()

    def json(self, mails: list[str], *options: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.text(mails, "--format", "json", *options))
        return document

    def accepted(self, mails: list[str], *options: str) -> Counter[str]:
        """The Message-ID or baseline by which each finding of the newer version was accepted."""
        (pair,) = self.json(mails, *options)["pairs"]
        found = [one["new"]["accepted"] for one in pair["findings"] if one["new"]]
        return Counter((one["source"] or one["by"]) if one else "" for one in found)


@pytest.fixture
def beside(desk: Any, capsysbinary: pytest.CaptureFixture[bytes]) -> Beside:
    return Beside(desk, capsysbinary)


@pytest.fixture
def versions(desk: Any) -> list[str]:
    """v1 with an error and two warnings, v2 with these and one more file that has the warning."""
    more = desk.patch(name="lock")
    both = f"{desk.patch('-ENOTSUPP', name='close')}{more[more.index('diff --git') :]}"
    return [*desk.series(), *desk.series(2, day=9, second=both)]


def test_a_baseline_holds(beside: Beside, versions: list[str], desk: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.toml"
    desk.text(desk.series(), "--write-baseline", str(kept))
    text = beside.text(versions, "--baseline", str(kept))
    assert "findings, besides 3 accepted: --show-accepted\n  new: warning DM302" in text
    assert text.count("DM30") == 1
    assert beside.accepted(versions, "--baseline", str(kept)) == {"kept.toml": 3, "": 1}
    assert beside.json(versions, "--baseline", str(kept))["notices"] == []


def test_the_configuration_names_a_baseline(beside: Beside, versions: list[str], desk: Any, tmp_path: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(tmp_path / "kept.toml"))
    config = tmp_path / "own.toml"
    config.write_text('[review]\nbaseline = "kept.toml"\n')
    assert beside.accepted(versions, "--config", str(config)) == {"kept.toml": 3, "": 1}
    assert "no such baseline" in beside.text(versions, "--baseline", str(tmp_path / "none.toml"), code=2)


def test_a_steering_line_holds_for_both_versions(beside: Beside, versions: list[str], desk: Any) -> None:
    mails = [*versions, desk.reply("reviewer: ignore DM302 -- it is documented")]
    assert beside.accepted(mails) == {"r1@x.example": 1, "": 3}
    assert "findings, besides 2 as before; 1 accepted: --show-accepted\n" in beside.text(mails)
    shown = beside.text(mails, "--show-accepted")
    assert "findings, besides 3 as before; 1 accepted\n" in shown


def test_an_accepted_finding_that_is_new_or_gone_is_shown_on_demand(beside: Beside, desk: Any) -> None:
    said = desk.reply("reviewer: ignore DM302 -- it is documented", "v2-1@frob.example")
    mended = desk.patch("-E2BIG").replace("-\t\treturn -E2BIG;\n+\t\treturn -E2BIG;\n", " \t\treturn -E2BIG;\n")
    mails = [*desk.series(first=mended), *desk.series(2, day=4), said]
    assert "findings: the same 2 as before; 1 accepted: --show-accepted\n" in beside.text(mails)
    shown = beside.text(mails, "--show-accepted")
    assert "  new: warning DM302" in shown
    assert "    accepted by Ada Example <ada@frob.example>: it is documented\n" in shown
    assert "accepted by" in beside.text(mails, "--show-accepted", "--format", "markdown")


def test_when_all_is_accepted_there_is_still_a_line(beside: Beside, desk: Any) -> None:
    mails = [*desk.series(), *desk.series(2, day=9)]
    said = desk.reply("reviewer: ignore all -- known", "v1-0@frob.example", by="Mia Example <mia@tree.example>")
    text = beside.text([*mails, said], *desk.maintained())
    assert "findings: 3 accepted: --show-accepted\n" in text


def test_what_may_not_be_accepted_is_told(beside: Beside, versions: list[str], desk: Any) -> None:
    said = desk.reply("reviewer: ignore DM302 -- no", by="Otto Example <otto@x.example>")
    document = beside.json([*versions, said])
    assert [one["code"] for one in document["notices"]] == ["steering-refused"]
    assert beside.accepted([*versions, said]) == {"": 4}


def test_what_is_of_no_use_is_left_to_a_review(beside: Beside, versions: list[str], desk: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.toml"
    desk.text(versions, "--write-baseline", str(kept), "--revision", "all")
    kept.write_text(kept.read_text().replace('fingerprint = "', 'fingerprint = "0'))
    said = desk.reply("reviewer: ignore DM303 -- it is documented")
    assert set(desk.notices([*versions, said], "--baseline", str(kept), "--revision", "all")) == {
        "baseline-unused",
        "steering-unused",
    }
    assert beside.json([*versions, said], "--baseline", str(kept))["notices"] == []
