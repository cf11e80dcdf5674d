"""How each form of a report treats what was accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sarif_kit.validate import validation_errors

ALL = "v1-0@frob.example"
MIA = "Mia Example <mia@tree.example>"


@pytest.fixture
def thread(desk: Any) -> list[str]:
    return [*desk.series(), desk.reply("reviewer: ignore DM303 -- it\x1b[31m is *fine*", "v1-2@frob.example", by=MIA)]


def test_text_counts_and_shows_on_request(desk: Any, thread: list[str]) -> None:
    text = desk.text(thread, *desk.maintained())
    assert "found: 2 warnings; 1 accepted: --show-accepted\n" in text
    assert "in the way: 2 warnings\n" in text
    assert "error: DM303" not in text
    text = desk.text(thread, *desk.maintained(), "--show-accepted")
    assert "found: 2 warnings; 1 accepted\n" in text
    assert r"error: DM303 errno-kernel-internal (accepted by Mia Example <mia@tree.example>: it\x1b[31m is *fine*)" in (
        " ".join(text.split())
    )


def test_markdown_does_as_well(desk: Any, thread: list[str]) -> None:
    text = desk.text(thread, *desk.maintained(), "--format", "markdown")
    assert "2 warnings; 1 accepted: --show-accepted" in text
    assert "DM303" not in text.partition("Discussion")[0]
    text = desk.text(thread, *desk.maintained(), "--format", "markdown", "--show-accepted")
    assert r"is \*fine\*" in text


def test_the_exit_code_ignores_them(desk: Any, thread: list[str]) -> None:
    desk.text(thread, *desk.maintained())
    assert desk.code == 0
    desk.text(thread, *desk.maintained(), "--show-accepted")
    assert desk.code == 0
    desk.text(thread)
    assert desk.code == 1


def test_a_draft_leaves_them_out_and_counts_them(desk: Any, thread: list[str]) -> None:
    assert desk.text(thread, *desk.maintained(), "--format", "reply") == ""  # it was the only sure one
    two = desk.patch("-ENOTSUPP", name="close") + desk.patch("-ENOTSUPP", name="lock").partition("---\n")[2]
    mails = [
        *desk.series(second=two),
        desk.reply("reviewer: ignore DM303 net/frob/lock.c -- fine", "v1-2@frob.example", by=MIA),
    ]
    text = desk.text(mails, *desk.maintained(), "--format", "reply")
    assert "1 remark that somebody accepted is left out.\n" in text
    assert "net/frob/lock.c" not in text
    assert "net/frob/close.c" in text


def test_tools_that_act_do_not_see_them(desk: Any, thread: list[str]) -> None:
    told = [
        json.loads(line)["code"]["value"]
        for line in desk.text(thread, *desk.maintained(), "--format", "rdjsonl").splitlines()
    ]
    assert told == ["DM302", "DM302"]
    (entry,) = json.loads(desk.text(thread, *desk.maintained(), "--format", "b4"))
    assert (entry["status"], entry["summary"]) == ("warn", "2 warnings")
    assert "DM303" not in entry["details"]


def test_sarif_has_them_suppressed(desk: Any, thread: list[str]) -> None:
    log = json.loads(desk.text(thread, *desk.maintained(), "--format", "sarif"))
    assert validation_errors(log) == []
    found = {one["ruleId"]: one["suppressions"] for one in log["runs"][0]["results"]}
    assert found == {
        "DM302": [],
        "DM303": [
            {
                "kind": "external",
                "status": "accepted",
                "justification": "Mia Example <mia@tree.example>: it\\x1b[31m is *fine*",
                "properties": {"by": "Mia Example <mia@tree.example>", "source": "r1@x.example"},
            }
        ],
    }
    log = json.loads(desk.text(desk.series(), "--format", "sarif"))
    assert "suppressions" not in log["runs"][0]["results"][0]


def test_sarif_of_a_baseline(desk: Any) -> None:
    path = desk.folder / "kept.toml"
    desk.text(desk.series(), "--write-baseline", str(path))
    path.write_text(path.read_text().replace('reason = ""', 'reason = "old"\nexpires = 2027-01-01'))
    log = json.loads(desk.text(desk.series(), "--baseline", str(path), "--format", "sarif"))
    assert validation_errors(log) == []
    (one,) = log["runs"][0]["results"][0]["suppressions"]
    assert one["justification"] == "kept.toml: old"
    assert one["properties"] == {"by": "kept.toml", "expires": "2027-01-01"}


def test_the_verdict_counts_them_apart(desk: Any, thread: list[str]) -> None:
    verdict = desk.json(thread, *desk.maintained())["series"][0]["verdict"]
    assert (verdict["levels"], verdict["accepted"]) == ({"warning": 2}, 1)


def test_confidence_still_decides_what_is_counted(desk: Any, thread: list[str]) -> None:
    thread.append(desk.reply("reviewer: ignore DM302", "v1-0@frob.example", ident="r2@x.example"))
    text = desk.text(thread, *desk.maintained(), "--min-confidence", "high")
    assert "found: nothing; 1 accepted: --show-accepted" in text
    text = desk.text(thread, *desk.maintained())
    assert "found: nothing; 3 accepted: --show-accepted" in text


def test_the_same_input_gives_the_same_bytes(desk: Any, thread: list[str]) -> None:
    for form in ("json", "sarif", "text"):
        first = desk.text(thread, *desk.maintained(), "--format", form)
        assert first == desk.text(thread, *desk.maintained(), "--format", form)
