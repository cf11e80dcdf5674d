"""Comments in the report."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from talk_story import FROB

from reviewer.engine import review
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail
from reviewer.report.json_report import to_json
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

SCHEMA = Path(__file__).parents[2] / "docs" / "report.schema.json"


def test_the_json_report_has_them(story):
    story.patch(1, "1/1", "net: frob: allocate", FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", "> +\t\treturn -EFAULT;\nWhy?\n")
    story.patch(2, "1/1", "net: frob: allocate", FROB.replace("EFAULT", "ENOMEM"))
    read = [parse_mail(data, "x", at, lambda data=data: data) for at, data in enumerate(story.mails)]  # type: ignore[misc]
    assembly = assemble(mail for mail in read if isinstance(mail, Mail))
    opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
    document = json.loads(to_json(review(assembly, opened, (), ())))
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    first, second = document["series"]
    assert second["comments"] == []
    (comment,) = first["comments"]
    assert comment["location"]["text"] == "\t\treturn -EFAULT;"
    comment["location"] = None
    assert comment == {
        "id": "r1@lists.example#2",
        "reply": "r1@lists.example",
        "patch": "v1-1@dev.example",
        "author": "Robert Reader <rob@lists.example>",
        "location": None,
        "kind": "question",
        "text": "Why?",
        "state": "changed",
        "evidence": [
            {
                "message_id": "v2-1@dev.example",
                "line": 24,
                "why": "v2 has `return -ENOMEM;` in place of `return -EFAULT;`",
            }
        ],
    }
