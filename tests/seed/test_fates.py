"""What became of the remarks on the five versions of one seed series, as the command tells when all are given together.

Each fate that was asked for by name, on the mails as posted and on a copy in which people and identifiers are others.
A remark is known by its version, its patch and its line in the reply.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from disguise import disguised

from reviewer.cli import main

COVER = 0
ERRNO, EXTACK = (1, 1, 261), (1, 1, 209)
TREES = ((2, 1, 340), (2, 3, 132))
UDMABUF = 2
TYPE_CHANGE = ((4, 1, 124), (4, 1, 42))
SEPARATOR = (4, 1, 17)


@pytest.fixture(scope="module", params=["as posted", "disguised"])
def report(request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("fates")
    paths: list[str] = []
    for path in sorted((corpus / "seed").glob("rx-buf-size-v*.mbox")):
        data = path.read_bytes()
        (folder / path.name).write_bytes(data if request.param == "as posted" else disguised(data))
        paths.append(str(folder / path.name))
    assert len(paths) == 5
    output = folder / "report.json"
    assert main(["review", *paths, "--revision", "all", "--format", "json", "-o", str(output)]) in (0, 1)
    return json.loads(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def versions(report: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {series["version"]: series for series in report["series"]}


def remark(versions: dict[int, dict[str, Any]], place: tuple[int, int, int]) -> dict[str, Any]:
    version, number, line = place
    (found,) = [
        comment
        for comment in versions[version]["comments"]
        if comment["id"].endswith(f"#{line}") and comment["patch"] == message_id(versions, version, number)
    ]
    return found


def message_id(versions: dict[int, dict[str, Any]], version: int, number: int) -> str:
    series = versions[version]
    if number == COVER:
        return series["cover"]
    (found,) = [patch["message_id"] for patch in series["patches"] if patch["number"] == number]
    return found


def evidence(comment: dict[str, Any], words: str) -> list[dict[str, Any]]:
    return [one for one in comment["evidence"] if words in one["why"]]


def test_all_five_versions_are_one_lineage(report, versions):
    assert sorted(versions) == [1, 2, 3, 4, 5]
    assert report["complete"]


def test_each_human_remark_has_a_fate_and_evidence(versions):
    remarks = [one for series in versions.values() for one in series["comments"] if one["kind"] != "answer"]
    assert len(remarks) == 27
    without = [one for one in remarks if not one["evidence"]]
    assert [(one["kind"], one["state"]) for one in without] == [("information", "open")]


def test_the_errno_question_is_answered_and_the_old_errno_is_back(versions):
    comment = remark(versions, ERRNO)
    assert (comment["kind"], comment["state"]) == ("question", "changed")
    (change,) = evidence(comment, "v2 has `return -E2BIG;` in place of `return -EINVAL;`")
    assert change["message_id"] == message_id(versions, 2, 1)
    assert change["line"]
    (answer,) = evidence(comment, "the author answers")
    replies = {one["reply"] for one in versions[1]["comments"] if one["kind"] == "answer"}
    assert answer["message_id"] in replies


def test_the_values_in_extack_came_and_are_in_the_changelog(versions):
    comment = remark(versions, EXTACK)
    assert comment["state"] == "changed"
    assert any(one["message_id"] == message_id(versions, 2, 1) for one in evidence(comment, "v2 has "))
    assert evidence(comment, "changelog of v2")


def test_the_christmas_trees_of_v2_are_put_right_in_v3(versions):
    for place in TREES:
        comment = remark(versions, place)
        assert comment["state"] == "changed"
        assert comment["evidence"][0]["message_id"] == message_id(versions, 3, place[1])
        assert comment["evidence"][0]["why"].startswith("v3 ")


def test_the_udmabuf_patch_is_dropped_in_v4_with_the_reason(versions):
    remarks = [
        one
        for version in (1, 2, 3)
        for one in versions[version]["comments"]
        if one["patch"] == message_id(versions, version, UDMABUF) and one["kind"] != "answer"
    ]
    assert len(remarks) == 9
    for comment in remarks:
        assert comment["state"] == "changed"
        (gone,) = evidence(comment, "the patch is not in v4")
        assert gone["message_id"] == message_id(versions, 4, COVER)
        assert any(one["message_id"] == message_id(versions, 4, COVER) for one in evidence(comment, "says why"))


def test_the_acknowledgement_in_prose_is_found_and_lapses(versions):
    (approval,) = [
        one
        for one in versions[3]["comments"]
        if one["kind"] == "approval" and one["patch"] == message_id(versions, 3, UDMABUF)
    ]
    assert "Feel free to add" in approval["text"]
    assert evidence(approval, "what was said of it lapses")
    (patch,) = [one for one in versions[3]["patches"] if one["number"] == UDMABUF]
    given = [tag for tag in patch["tags"] if tag["from"] == approval["reply"]]
    assert [(tag["name"], tag["counted"]) for tag in given] == [("Acked-by", True)]
    acknowledged = given[0]["value"]
    for version in (4, 5):
        assert acknowledged not in [tag["value"] for patch in versions[version]["patches"] for tag in patch["tags"]]


def test_the_type_change_of_v4_is_reverted_in_v5(versions):
    for place in TYPE_CHANGE:
        comment = remark(versions, place)
        assert comment["state"] == "changed"
        (change,) = evidence(comment, "v5 has `ssize_t ")
        assert "in place of `size_t " in change["why"]
        assert change["message_id"] == message_id(versions, 5, 1)


def test_the_separator_line_is_gone_in_v5(report, versions):
    comment = remark(versions, SEPARATOR)
    assert (comment["state"], comment["location"]["kind"]) == ("changed", "message")
    assert any(one["message_id"] == message_id(versions, 5, 1) for one in comment["evidence"])
    found = [one for one in report["findings"] if one["patch"] == message_id(versions, 4, 1) and one["rule"] == "DM008"]
    assert [one["gone_in"]["version"] for one in found] == [5]
