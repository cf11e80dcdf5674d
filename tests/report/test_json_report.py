from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reviewer.model import Location, Notice, Report
from reviewer.report import render
from reviewer.report.json_report import to_document
from reviewer.sources import RawMail, read_sources

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())


def _json(report: Report) -> dict[str, Any]:
    text = render(report, "json", templates=None, min_confidence="high")
    assert isinstance(text, str)
    document: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document == json.loads(json.dumps(to_document(report)))
    return document


def test_the_schema_is_one_and_allows_nothing_else() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = [SCHEMA, *SCHEMA["$defs"].values()]
    assert all(one["additionalProperties"] is False for one in objects if one.get("type") == "object")
    assert SCHEMA["properties"]["schema"] == {"const": "reviewer/1"}


def test_the_keys_of_the_design_are_there(sample: Any) -> None:
    document = _json(sample.report(sample.series_of(2, missing=(2,))))
    assert [*document] == [
        *("schema", "tool", "complete", "lineages", "series", "mails", "findings", "notices"),
    ]
    assert document["tool"] == {"name": "reviewer", "version": "0.9"}
    series = document["series"][0]
    assert series["id"] == series["cover"] == "v1-0@frob.example"
    assert series["missing"] == [2]
    assert series["version"] == 1
    assert series["date"] == "2026-02-03T09:00:00+01:00"
    assert series["comments"] == []
    patch = series["patches"][0]
    assert patch["files"] == ["drivers/net/frob/main.c"]
    assert patch["context"] == {"drivers/net/frob/main.c": "hunk"}
    assert patch["tags"][0]["name"] == "Signed-off-by"
    assert patch["author"] == "Ada Example <ada@frob.example>"
    assert document["lineages"][0]["series"] == ["v1-0@frob.example"]


def test_every_mail_is_there_once(sample: Any) -> None:
    reply = sample.write(
        "Re: [PATCH net-next 1/1] net: frob: part 1", "Nice.\n", "r@x.example", parent="v1-1@frob.example"
    )
    other = sample.write("Lunch?", "At noon.\n", "lunch@x.example")
    document = _json(sample.report([*sample.series_of(1), reply, other]))
    roles = {mail["message_id"]: (mail["role"], mail["series"]) for mail in document["mails"]}
    assert len(document["mails"]) == len(roles) == 4
    assert roles["v1-0@frob.example"] == ("cover", "v1-0@frob.example")
    assert roles["r@x.example"] == ("reply", "v1-0@frob.example")
    assert roles["lunch@x.example"] == ("other", None)


def test_a_finding_keeps_everything(sample: Any) -> None:
    mails = sample.series_of(1)
    report = sample.report(mails)
    at = sample.at(report, "v1-1@frob.example", "-EINVAL")
    old = sample.at(report, "v1-1@frob.example", "-E2BIG", side="old")
    one = sample.finding(
        "v1-1@frob.example", location=at, related=(old,), confidence="low", gone_in=(2, "v2-0@frob.example")
    )
    found = _json(sample.report(mails, [one]))["findings"][0]
    assert found["confidence"] == "low"
    assert found["since"] == {"version": 1, "message_id": "v1-0@frob.example"}
    assert found["gone_in"] == {"version": 2, "message_id": "v2-0@frob.example"}
    assert found["accepted"] is None
    assert found["location"]["text"] == "+\t\treturn -EINVAL;"
    assert found["location"]["body_line"] == at.body_line
    assert found["related"][0]["side"] == "old"


def test_a_new_file_was_seen_whole(sample: Any) -> None:
    head = "diff --git a/new.c b/new.c\nnew file mode 100644\nindex 000..111\n"
    diff = f"{head}--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+int a;\n"
    report = sample.report([sample.write("[PATCH] net: frob: new", sample.patch_body("New.", diff), "n@frob.example")])
    assert _json(report)["series"][0]["patches"][0]["context"] == {"new.c": "new"}


def test_versions_that_are_only_linked_to_are_told(sample: Any) -> None:
    body = sample.patch_body("It.\n\nLink to v1: https://lore.kernel.org/r/gone-v1@frob.example")
    report = sample.report([sample.write("[PATCH v2] net: frob: it", body, "v2@frob.example")])
    assert _json(report)["lineages"][0]["known_only"] == [{"version": 1, "link": "gone-v1@frob.example"}]


def test_notices_and_an_incomplete_report(sample: Any) -> None:
    notice = Notice(
        code="not-checked", message="DM202 needs it", rule="DM202", needs="function", patches=("v1-1@frob.example",)
    )
    document = _json(sample.report(sample.series_of(1), notices=(notice,), complete=False))
    assert document["complete"] is False
    assert document["notices"][0] == {
        "code": "not-checked",
        "message": "DM202 needs it",
        "rule": "DM202",
        "needs": "function",
        "patches": ["v1-1@frob.example"],
        "source": None,
    }


@pytest.mark.parametrize("text", ["a\udc80b", "a\x1b[31mb", "a\x9bb", "a\u202eb", "a\u2028b", "a\0b", "Größe 😀"])
def test_hostile_text_is_inert_and_kept(sample: Any, text: str) -> None:
    one = sample.finding("v1-1@frob.example", message=text, location=Location(kind="code", text=text))
    report = sample.report(sample.series_of(1), [one])
    printed = render(report, "json", templates=None, min_confidence="low")
    assert isinstance(printed, str)
    assert not set(printed) & set("\x1b\x9b\u202e\u2028\0\udc80")
    assert json.loads(printed)["findings"][0]["message"] == text.replace("\udc80", "\ufffd")


def test_the_same_report_gives_the_same_bytes(sample: Any) -> None:
    report = sample.report(sample.series_of(3), [sample.finding("v1-1@frob.example")])
    first, second = (render(report, "json", templates=None, min_confidence="low") for _ in range(2))
    assert first == second


def test_seeds_meet_the_schema(sample: Any, corpus: Path) -> None:
    for path in sorted((corpus / "seed").glob("*.mbox")):
        raws = [raw.data for raw in read_sources([str(path)], io.BytesIO()) if isinstance(raw, RawMail)]
        assert len(_json(sample.report(raws))["mails"]) == len(raws)
