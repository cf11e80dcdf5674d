"""Each line of MAIL.md, sections 1 to 5, has tests: mail_lines.toml names them. Some of them are here."""

from __future__ import annotations

import ast
import json
import re
import time
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import main
from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Assembly, Mail, Series
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

TESTS = Path(__file__).parents[1]
MAPPING: dict[str, Any] = tomllib.loads((Path(__file__).with_name("mail_lines.toml")).read_text(encoding="utf-8"))
LINES: list[dict[str, Any]] = MAPPING["line"]
SECTIONS = ("1", "2", "3", "4", "5")
JOINTS = frozenset({"and", "headers", "reply", "tags", "cover", "objections", "bots"})

ANN = "Ann Author <ann@dev.example>"
RAY = "Ray Eader <ray@dev.example>"
DIFF = (
    "diff --git a/frob.c b/frob.c\nindex 1111111..2222222 100644\n--- a/frob.c\n+++ b/frob.c\n"
    "@@ -1,3 +1,3 @@ int frob(void)\n \ta;\n-\tb;\n+\tc;\n \td;\n"
)
STAT = " frob.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
BODY = f"Frob it.\n\nSigned-off-by: {ANN}\n---\n{STAT}\n{DIFF}"


@cache
def source_of(path: Path) -> tuple[ast.Module, str]:
    text = path.read_text(encoding="utf-8")
    return ast.parse(text), text


def code_of(test: str) -> str:
    """The code of a test, its parameters too. Raises StopIteration when there is no such test."""
    name, _, function = test.partition("::")
    module, text = source_of(TESTS / name)
    found = next(one for one in module.body if isinstance(one, ast.FunctionDef) and one.name == function)
    first = min([found.lineno, *(one.lineno for one in found.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : found.end_lineno])


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['section']}: {line['says'][:40]}")
def test_every_line_has_tests(line: dict[str, Any]) -> None:
    assert line["tests"]
    codes = [code_of(test) for test in line["tests"]]
    assert line.get("holds", "") in codes[0]


def bullets(page: str) -> dict[str, list[str]]:
    """The bullets of sections 1 to 5, each on one line."""
    parts = re.split(r"^## (\d)\. .*$", page, flags=re.MULTILINE)
    found = {
        number: re.findall(r"^- (.*(?:\n  .*)*)", text, re.MULTILINE)
        for number, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    return {number: [" ".join(one.split()) for one in found[number]] for number in SECTIONS}


def spaced(text: str) -> str:
    """The text as it reads when something was taken out of it."""
    return re.sub(r" +(?=[,.;])", "", re.sub(r" +", " ", text))


def test_nothing_of_the_page_is_left_over(corpus: Path) -> None:
    page = bullets((corpus.parent / "MAIL.md").read_text(encoding="utf-8"))
    for number, lines in page.items():
        said = [spaced(line["says"]) for line in LINES if str(line["section"]) == number]
        rest = "\n".join(lines)
        for aside in MAPPING["asides"]:
            rest = rest.replace(aside, "")
        rest = spaced(rest)
        for one in sorted(said, key=len, reverse=True):
            assert one in rest, one
            rest = rest.replace(one, "", 1)
        words = re.findall(r"\w+", re.sub(r"\*\*[\w ]+\*\*", "", rest))
        assert {word.lower() for word in words} <= JOINTS, rest


def mail(subject: str, number: int, body: str = BODY, *to: int, by: str = ANN, more: str = "") -> bytes:
    above = " ".join(f"<{one}@dev.example>" for one in to)
    answered = f"In-Reply-To: <{to[-1]}@dev.example>\nReferences: {above}\n" if to else ""
    date = f"Date: Mon, 5 Jan 2026 10:{number % 60:02}:00 +0000\n"
    return (
        f"From: {by}\nSubject: {subject}\nMessage-ID: <{number}@dev.example>\n{date}{answered}{more}\n{body}".encode()
    )


def read(*mails: bytes) -> tuple[Assembly, list[Series]]:
    with Spool() as spool:
        parsed = [parse_mail(data, "box", position, spool.add(data)) for position, data in enumerate(mails)]
        assembly = assemble(one for one in parsed if isinstance(one, Mail))
        outlines = [outline for lineage in assembly.lineages for outline in lineage.outlines]
        return assembly, [open_series(outline) for outline in outlines]


@pytest.fixture
def box(tmp_path: Path) -> Path:
    return tmp_path / "thread.mbox"


def fill(box: Path, *mails: bytes) -> str:
    box.write_bytes(b"".join(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + one + b"\n\n" for one in mails))
    return str(box)


def report_on(box: Path, *mails: bytes) -> dict[str, Any]:
    output = box.with_suffix(".json")
    fill(box, *mails)
    assert main(["review", str(box), "--format", "json", "--min-confidence", "low", "-o", str(output)]) in (0, 1)
    return json.loads(output.read_text(encoding="utf-8"))


# 1. One mail


@pytest.mark.parametrize("kind", ["text/plain", "text/x-patch", "text/x-diff"])
def test_the_first_part_of_text_is_read(kind: str) -> None:
    parts = f"--b\nContent-Type: text/html\n\n<p>No.</p>\n--b\nContent-Type: {kind}\n\n{BODY}\n--b--\n"
    _, (series,) = read(mail("[PATCH] frob: mend", 1, parts, more="Content-Type: multipart/mixed; boundary=b\n"))
    (patch,) = series.patches
    assert [file.path for file in patch.files] == ["frob.c"]


def test_thousands_of_series_in_one_file(box: Path) -> None:
    several = [mail(f"[PATCH] frob{number}: mend", number) for number in range(3000)]
    began = time.process_time()
    assembly, opened = read(*several)
    assert time.process_time() - began < 12
    assert (len(assembly.lineages), len(opened)) == (3000, 3000)


# 3. Threads and series


def test_text_rules_run_on_a_cover_letter_alone(box: Path) -> None:
    cover = f"Frob it.\n\nMeasurements\n------------\n\nTime drops from 40.0 to 20.0.\n\n{STAT}"
    report = report_on(box, mail("[PATCH net-next 0/3] frob: faster", 1, cover))
    (series,) = report["series"]
    assert series["missing"] == [1, 2, 3]
    assert {(one["rule"], one["patch"]) for one in report["findings"]} == {("DM008", "1@dev.example")}


def test_a_report_tells_of_a_partial_reroll(box: Path) -> None:
    report = report_on(
        box,
        mail("[PATCH 0/2] frob: both", 1, f"Both.\n\n{STAT}"),
        mail("[PATCH 1/2] frob: one", 2, BODY, 1),
        mail("[PATCH 2/2] frob: two", 3, BODY, 1),
        mail("[PATCH v2 2/2] frob: two", 4, BODY.replace("c;", "e;"), 1, 3),
    )
    (series,) = report["series"]
    assert [patch["message_id"] for patch in series["patches"]] == ["2@dev.example", "4@dev.example"]
    assert "partial-reroll" in {notice["code"] for notice in report["notices"]}


@pytest.mark.parametrize("name", ["base-commit", "Base-Commit", "BASE-COMMIT"])
@pytest.mark.parametrize("holder", [0, 1, 2])
@pytest.mark.parametrize("length", [12, 40])
def test_the_base_comes_from_the_cover_or_any_patch_in_any_case(name: str, holder: int, length: int) -> None:
    base = ("0123456789abcdef" * 3)[:length]
    line = f"\n{name}: {base.upper() if name.isupper() else base}\n"
    bodies = [f"Both.\n\n{STAT}", BODY, BODY]
    bodies[holder] += line
    _, (series,) = read(
        mail("[PATCH 0/2] frob: both", 1, bodies[0]),
        mail("[PATCH 1/2] frob: one", 2, bodies[1], 1),
        mail("[PATCH 2/2] frob: two", 3, bodies[2], 1),
    )
    assert series.base_commit == base


def test_what_a_series_stands_on_is_shown(box: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = {
        "prerequisite-change-id": "20260101-frob-0123456789ab:v3",
        "Depends-on": "<9@dev.example>",
        "Based-on": "<8@dev.example>",
        "Supersedes": "<7@dev.example>",
        "prerequisite-patch-id": "a" * 40,
    }
    cover = f"Both.\n\n{STAT}\n" + "".join(f"{name.lower()}: {value}\n" for name, value in named.items())
    mails = (
        mail("[PATCH 0/1] frob: both", 1, cover),
        mail("[PATCH 1/1] frob: one", 2, f"{BODY}\nprerequisite-patch-id: {'b' * 40}\n", 1),
    )
    (series,) = report_on(box, *mails)["series"]
    assert {(one["name"], one["value"]) for one in series["needs"]} == {
        *named.items(),
        ("prerequisite-patch-id", "b" * 40),
    }
    assert len(series["needs"]) == 6
    assert main(["series", str(box)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"stands on: prerequisite-change-id: {named['prerequisite-change-id']};" in shown
    assert "1 more" in shown


def test_a_series_that_stands_on_nothing_does_not_say_so(box: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["series", fill(box, mail("[PATCH] frob: mend", 1))]) == 0
    assert "stands on" not in capsys.readouterr().out


def test_a_forwarded_review_is_a_reply() -> None:
    review = f"-------- Forwarded Message --------\nSubject: Re: [PATCH] frob: mend\nFrom: {RAY}\n\n{BODY}\nHm.\n"
    assembly, (series,) = read(
        mail("[PATCH] frob: mend", 1), mail("Fwd: Re: [PATCH] frob: mend", 2, review, 1, by="Eve <eve@dev.example>")
    )
    assert dict(assembly.roles) == {"1@dev.example": "patch", "2@dev.example": "reply"}
    assert len(series.patches) == 1


def test_a_second_version_of_nothing_is_a_lineage_of_its_own() -> None:
    assembly, _ = read(
        mail("[PATCH] frob: mend the slots", 1),
        mail("[PATCH v2] widget: open it early", 2, BODY.replace("frob.c", "widget.c")),
    )
    assert [[one.version for one in lineage.outlines] for lineage in assembly.lineages] == [[1], [2]]
