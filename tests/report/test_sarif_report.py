from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from sarif import loader
from sarif_kit.validate import validation_errors

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.model import Location, Notice, Report, RuleInfo
from reviewer.registry import load_rules, select_rules
from reviewer.report import render
from reviewer.sources import RawMail, read_sources

PATCH = "v1-1@frob.example"
RULE = RuleInfo(
    id="DM302",
    name="errno-silently-changed",
    title="An errno changed",
    why="Applications tell failures apart by it.",
    help="What it does.\n\nSources: `errno(3)`.",
    level="warning",
    confidence="medium",
    category="errno-choice",
)


def _run(report: Report) -> dict[str, Any]:
    """The only run of the log, which the schema of OASIS allows."""
    text = render(report, "sarif", templates=None, min_confidence="high")
    assert isinstance(text, str)
    log = json.loads(text)
    assert validation_errors(log) == []
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for location in (*result["locations"], *result.get("relatedLocations", ())):
            where = location["physicalLocation"]["artifactLocation"]
            other = run["artifacts"][where["index"]]["location"]
            assert other == {"uri": where["uri"], "uriBaseId": where["uriBaseId"]}
    found: dict[str, Any] = run
    return found


def test_a_finding_in_code(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    at = replace(sample.at(report, PATCH, "return -EINVAL;"), text="\t\treturn -EINVAL; ")
    run = _run(replace(report, findings=(sample.finding(PATCH, location=at),), rules=(RULE,)))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"], result["rank"]) == ("DM302", "warning", 90)
    assert result["partialFingerprints"] == {"devmemReviewer/v1": "0123456789abcdef"}
    (location,) = result["locations"]
    assert location["logicalLocations"] == [{"name": "frob_open", "kind": "function"}]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "drivers/net/frob/main.c"
    assert physical["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    assert physical["region"] == {
        "startLine": 13,
        "startColumn": 3,
        "endColumn": 18,
        "snippet": {"text": "\t\treturn -EINVAL;"},
    }
    assert run["columnKind"] == "unicodeCodePoints"
    artifact = run["artifacts"][physical["artifactLocation"]["index"]]
    assert artifact["hashes"] == {"git-blob": "2222222"}
    assert artifact["roles"] == ["analysisTarget", "modified"]
    assert "baselineState" not in result
    assert result["properties"]["patch"] == PATCH
    assert result["properties"]["bodyLine"] == at.body_line


def test_a_rule_tells_what_it_is(sample: Any) -> None:
    (rule,) = _run(sample.report(sample.series_of(1), rules=(RULE,)))["tool"]["driver"]["rules"]
    assert rule["shortDescription"] == {"text": RULE.title}
    assert rule["fullDescription"] == {"text": RULE.why}
    assert rule["help"] == {"text": RULE.help, "markdown": RULE.help}
    assert rule["defaultConfiguration"] == {"level": "warning", "rank": 60}
    assert rule["properties"]["tags"] == ["errno-choice"]


def test_a_rule_that_is_only_known_from_a_finding(sample: Any) -> None:
    report = sample.report(sample.series_of(1), [sample.finding(PATCH, location=Location(kind="series"))])
    run = _run(report)
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["help"]["text"] == report.findings[0].why
    (location,) = run["results"][0]["locations"]
    assert "region" not in location["physicalLocation"]


def test_a_finding_on_a_message_is_in_the_mail(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    at = sample.at(report, PATCH, "Part 1 of it.")
    run = _run(replace(report, findings=(sample.finding(PATCH, location=at),)))
    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "v1-1%40frob.example"
    assert physical["artifactLocation"]["uriBaseId"] == "MAIL"
    assert physical["region"]["startLine"] == at.body_line
    artifact = run["artifacts"][physical["artifactLocation"]["index"]]
    assert artifact["mimeType"] == "message/rfc822"
    assert "part 1" in artifact["description"]["text"]
    assert set(run["originalUriBaseIds"]) == {"MAIL", "%SRCROOT%"}


def test_the_old_side_and_related_places(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    old = sample.at(report, PATCH, "return -E2BIG;", side="old")
    new = sample.at(report, PATCH, "return -EINVAL;")
    unknown = replace(new, file="drivers/net/frob/other.c", text="")
    long = replace(new, line=99, text="x" * 500)
    found = sample.finding(PATCH, location=old, related=(new, unknown, new, long))
    run = _run(replace(report, findings=(found,)))
    (result,) = run["results"]
    where = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert run["artifacts"][where["index"]]["hashes"] == {"git-blob": "1111111"}
    assert [one["id"] for one in result["relatedLocations"]] == [1, 2, 3]
    other = result["relatedLocations"][1]["physicalLocation"]
    assert other["artifactLocation"]["uri"] == "drivers/net/frob/other.c"
    assert other["region"] == result["relatedLocations"][2]["physicalLocation"]["region"] | {"startLine": 13}


def test_files_that_come_and_go(sample: Any) -> None:
    gone = (
        "diff --git a/old.c b/old.c\ndeleted file mode 100644\nindex 3333333..0000000\n"
        "--- a/old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-int a;\n"
    )
    mail = sample.write("[PATCH] frob: drop it", sample.patch_body("Unused.", gone), PATCH)
    artifacts = _run(sample.report([mail]))["artifacts"]
    assert artifacts[1] == {
        "location": {"uri": "old.c", "uriBaseId": "%SRCROOT%"},
        "roles": ["analysisTarget", "deleted"],
        "hashes": {"git-blob": "3333333"},
    }


def test_the_state_over_versions(sample: Any) -> None:
    mails = [*sample.series_of(1), *sample.series_of(1, version=2)]
    first, second = (1, "v1-0@frob.example"), (2, "v2-0@frob.example")
    patch = "v2-1@frob.example"
    findings = [
        sample.finding(PATCH, since=first),
        sample.finding(PATCH, since=first, gone_in=second),
        sample.finding(patch, since=first),
        sample.finding(patch, since=second),
    ]
    report = sample.report(mails, findings)
    assert len(report.assembly.lineages) == 1
    results = _run(report)["results"]
    assert [one["baselineState"] for one in results] == ["new", "absent", "unchanged", "new"]
    assert results[1]["properties"]["goneIn"] == 2


def test_what_went_wrong(sample: Any) -> None:
    notices = (
        Notice(code="rule-crashed", message="DM302 crashed: KeyError", rule="DM302", patches=(PATCH,)),
        Notice(code="not-checked", message="DM999 needs a tree", rule="DM999", needs="tree", patches=("x@y.example",)),
        Notice(code="bad-mail", message="no headers", source="test.mbox:3"),
    )
    report = sample.report(sample.series_of(1), notices=notices, complete=False, rules=(RULE,))
    (invocation,) = _run(report)["invocations"]
    assert invocation["executionSuccessful"] is False
    crash, unchecked, bad = invocation["toolExecutionNotifications"]
    assert (crash["level"], crash["descriptor"]["id"]) == ("error", "rule-crashed")
    assert crash["associatedRule"] == {"id": "DM302", "index": 0}
    assert crash["locations"][0]["physicalLocation"]["artifactLocation"]["index"] == 1
    assert (unchecked["level"], unchecked["associatedRule"]) == ("note", {"id": "DM999"})
    assert "index" not in unchecked["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (bad["level"], bad["properties"]) == ("warning", {"source": "test.mbox:3"})


def test_hostile_text_is_inert(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    at = Location(kind="code", file="../../etc/pass wd", line=1, side="new", text="\x1b[31m\u202e \ud800")
    message = "see [here](https://evil.example) {0} \x1b[2J \u202e \ud800 frob[i](x)"
    run = _run(replace(report, findings=(sample.finding(PATCH, location=at, message=message),)))
    (result,) = run["results"]
    assert result["message"]["text"] == (r"see [here\](https://evil.example) {{0}} \x1b[2J \u202e \ud800 frob[i\](x)")
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "..%2F..%2Fetc%2Fpass%20wd"
    assert physical["region"]["snippet"]["text"] == r"\x1b[31m\u202e \ud800"


def test_it_is_the_same_for_any_confidence_asked_for(sample: Any) -> None:
    report = sample.report(sample.series_of(1), [sample.finding(PATCH, confidence="low")])
    assert len(_run(report)["results"]) == 1
    assert _run(report)["results"][0]["rank"] == 30


def test_a_public_tool_reads_it(sample: Any, tmp_path: Path) -> None:
    thread = Path(__file__).parents[2] / "examples" / "thread.mbox"
    mails = [raw.data for raw in read_sources([str(thread)], io.BytesIO()) if isinstance(raw, RawMail)]
    read: Report = sample.report(mails)
    rules = select_rules(load_rules([shipped("rules")], installed=False), [], [])
    report = review(read.assembly, read.series, rules, [])
    run = _run(report)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [rule.id for rule in rules]
    assert all(len(rule["help"]["text"]) > 50 for rule in run["tool"]["driver"]["rules"])
    assert len(run["results"]) == len(report.findings) > 5
    path = tmp_path / "out.sarif"
    path.write_text(str(render(report, "sarif", templates=None, min_confidence="medium")))
    read_back = loader.load_sarif_files(str(path))
    assert list(read_back.get_distinct_tool_names()) == ["reviewer"]
    records = read_back.get_records()
    assert {(one["Location"], one["Line"], one["Code"]) for one in records} >= {
        ("drivers/net/frob/frob_netlink.c", 18, "DM303"),
        ("drivers/net/frob/frob_dmabuf.c", 24, "DM102"),
    }
    assert sorted(one["Severity"] for one in records) == sorted(finding.level for finding in report.findings)
