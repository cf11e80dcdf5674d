from __future__ import annotations

import email
import email.policy
import importlib.util
import json
import mailbox
import re
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewer.mail.body import text_parts
from reviewer.mail.replytags import reply_tags
from reviewer.mail.span import diff_span
from reviewer.model import Address, Comment, CommentKind, Location, Report
from reviewer.report import render
from reviewer.report.defuse import defused
from reviewer.report.reply import AIM, to_mbox

P1, P2, COVER = "v1-1@frob.example", "v1-2@frob.example", "v1-0@frob.example"


def _drafts(report: Report, **options: Any) -> list[EmailMessage]:
    data = (
        to_mbox(report, templates=None, **options)
        if options
        else render(report, "reply", templates=None, min_confidence="low")
    )
    assert isinstance(data, bytes)
    raws = re.split(rb"(?:\A|\n)From mboxrd@z [^\n]*\n", data)[1:]
    return [email.message_from_bytes(raw, policy=email.policy.default) for raw in raws]


def _body(mail: EmailMessage) -> list[str]:
    content: str = mail.get_content()
    return content.split("\n")


def _own(mail: EmailMessage) -> list[str]:
    return [line for line in _body(mail) if not line.startswith(">")]


def _quoted(mail: EmailMessage) -> list[str]:
    return [line[2:] for line in _body(mail) if line.startswith("> ")]


def _two(sample: Any) -> Report:
    report: Report = sample.report(sample.series_of(2))
    log = sample.at(report, P1, "frob_log")
    changes = {
        "rule": "DM306",
        "name": "extack-values",
        "level": "note",
        "message": "The log says no values.",
        "why": "",
    }
    findings = (
        sample.finding(P1, location=sample.at(report, P1, "-EINVAL")),
        sample.finding(P1, location=log, **changes),
        sample.finding(P2, location=sample.at(report, P2, "-EINVAL"), confidence="medium"),
    )
    return replace(report, findings=findings)


def test_the_whole_of_a_draft(sample: Any) -> None:
    (mail,) = _drafts(_two(sample))
    assert "\n".join(_body(mail)).rstrip("\n") == (
        "On 2026-02-03, Ada Example wrote:\n"
        "> [ ... ]\n"
        "> diff --git a/drivers/net/frob/main.c b/drivers/net/frob/main.c\n"
        "> index 1111111..2222222 100644\n"
        "> --- a/drivers/net/frob/main.c\n"
        "> +++ b/drivers/net/frob/main.c\n"
        "> @@ -10,7 +10,9 @@ static int frob_open(struct frob *fb)\n"
        ">  \tint err;\n"
        "> \n"
        ">  \tif (!fb->ring)\n"
        "> -\t\treturn -E2BIG;\n"
        "> +\t\treturn -EINVAL;\n"
        "\n"
        "frob_open() gave -E2BIG here and now gives -EINVAL, which the commit\n"
        "message does not mention.\n"
        "\n"
        "Applications distinguish failures by these codes, therefore changes\n"
        "deserve explanation.\n"
        "\n"
        '> +\tfrob_log(fb, "opened",\n'
        "> +\t\t fb->id);\n"
        "\n"
        "The log says no values.\n"
        "\n"
        "-- \n"
        "Written by a program, reviewer 0.9, from the mail alone; all remarks are\n"
        "of high confidence.\n"
        "  DM302 errno-silently-changed (warning)\n"
        "  DM306 extack-values (note)\n"
        "People read the answers in this thread. This line in an answer switches\n"
        "off a remark that is wrong here:\n"
        "  reviewer: ignore DM302 -- reason"
    )


def _comment(report: Report, text: str, *, kind: CommentKind = "nit", author: str = "otto@list.example") -> Comment:
    location = report.findings[0].location
    if text:
        location = replace(location, body_line=(location.body_line or 0) + 1)
    return Comment(
        id="r1#1",
        reply="r1",
        patch=P1,
        author=Address(name="Otto Example", email=author),
        date=None,
        location=location,
        kind=kind,
        text="Is this meant?",
        line=1,
    )


def test_what_somebody_asked_on_the_same_line_is_not_said_again(sample: Any) -> None:
    report = _two(sample)
    series = report.series[0].outline.id
    (mail,) = _drafts(replace(report, comments={series: (_comment(report, ""),)}))
    body = "\n".join(_body(mail))
    assert "The log says no values." in body
    assert "-E2BIG here" not in body
    assert "1 remark on a line that somebody has remarked on already is left out.\n" in body
    assert "DM302" not in body
    alone = replace(report, findings=report.findings[:1], comments={series: (_comment(report, ""),)})
    assert _drafts(alone) == []


@pytest.mark.parametrize("changes", [{"kind": "approval"}, {"author": "ada@frob.example"}, {"text": "below"}])
def test_other_talk_silences_nothing(sample: Any, changes: dict[str, Any]) -> None:
    report = _two(sample)
    options: dict[str, Any] = {"text": "", **changes}
    comment = _comment(report, **options)
    (mail,) = _drafts(replace(report, comments={report.series[0].outline.id: (comment,)}))
    assert "left out" not in "\n".join(_body(mail))
    assert "-E2BIG here" in "\n".join(_body(mail))


def test_the_headers_of_a_draft(sample: Any) -> None:
    (mail,) = _drafts(_two(sample))
    assert mail["Subject"] == "Re: [PATCH net-next 1/2] net: frob: part 1"
    assert mail["In-Reply-To"] == f"<{P1}>"
    assert mail["References"].split() == [f"<{COVER}>", f"<{P1}>"]
    assert mail["To"].addresses[0].addr_spec == "ada@frob.example"
    assert mail["Cc"] is None
    assert mail["From"].addresses[0].addr_spec == "reviewer@reviewer.invalid"
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["Precedence"] == "bulk"
    assert mail["X-Reviewer-Report"] == "0.9"
    assert mail.get_content_type() == "text/plain"


def test_a_second_run_gives_the_same_mail_and_a_new_version_another(sample: Any) -> None:
    report = _two(sample)
    first, second = (render(report, "reply", templates=None, min_confidence="high") for _ in range(2))
    assert first == second
    (mail,), (newer,) = _drafts(report), _drafts(replace(report, version="1.0"))
    assert mail["Message-ID"] != newer["Message-ID"]


def test_the_sender_can_be_set(sample: Any) -> None:
    (mail,) = _drafts(_two(sample), sender=Address(name="Bot", email="bot@bots.example"))
    assert mail["From"].addresses[0].addr_spec == "bot@bots.example"
    assert mail["Message-ID"].endswith("@bots.example>")


def test_only_what_is_sure_and_new_is_said(sample: Any) -> None:
    mails = sample.series_of(1)
    unsure = [sample.finding(P1, confidence=word, level="error") for word in ("medium", "low")]
    old = sample.finding(P1, origin="preexisting")
    gone = sample.finding(P1, gone_in=(2, "v2-0@frob.example"))
    assert render(sample.report(mails, [*unsure, old, gone]), "reply", templates=None, min_confidence="low") == b""


def test_only_the_newest_version_is_answered(sample: Any) -> None:
    mails = [*sample.series_of(1), *sample.series_of(1, version=2)]
    report = sample.report(mails, [sample.finding(P1), sample.finding("v2-1@frob.example")])
    assert len(report.assembly.lineages) == 1
    assert [mail["In-Reply-To"] for mail in _drafts(report)] == ["<v2-1@frob.example>"]
    alone = replace(report, series=report.series[:1])
    assert [mail["In-Reply-To"] for mail in _drafts(alone)] == [f"<{P1}>"]


def test_a_finding_on_the_series_needs_no_quote(sample: Any) -> None:
    (mail,) = _drafts(sample.report(sample.series_of(1), [sample.finding(COVER, location=Location(kind="series"))]))
    assert mail["In-Reply-To"] == f"<{COVER}>"
    assert _quoted(mail) == []


def test_more_than_three_mails_become_one(sample: Any) -> None:
    ids = [COVER, *(f"v1-{number}@frob.example" for number in range(1, 4))]
    mails = sample.series_of(5)
    report = sample.report(mails)
    findings = [
        sample.finding(one, location=sample.at(report, one, "World" if one == COVER else "-EINVAL")) for one in ids
    ]
    assert len(_drafts(sample.report(mails, findings[1:]))) == 3
    (mail,) = _drafts(sample.report(mails, findings))
    assert mail["In-Reply-To"] == f"<{COVER}>"
    body = _body(mail)
    assert body[0] == "On the cover letter:"
    assert body.count("On patch 2/5, net: frob: part 2:") == 1
    assert sum("wrote:" in line for line in body) == 0
    assert body.count("The same here.") == 3


def test_without_a_cover_the_first_patch_is_answered(sample: Any) -> None:
    ids = [f"v1-{number}@frob.example" for number in range(1, 5)]
    (mail,) = _drafts(sample.report(sample.series_of(4, cover=False), [sample.finding(one) for one in ids]))
    assert mail["In-Reply-To"] == "<v1-1@frob.example>"
    assert mail["Subject"] == "Re: [PATCH net-next 1/4] net: frob: part 1"


def test_a_mail_stays_short(sample: Any) -> None:
    mails = sample.series_of(1)
    findings = [sample.finding(P1, message=f"Remark {number}: " + "long " * 200) for number in range(40)]
    (mail,) = _drafts(sample.report(mails, findings))
    assert len(mail.as_bytes()) < AIM + 3000
    left = next(line for line in _own(mail) if "more remark" in line)
    said = sum(line.startswith("Remark ") for line in _own(mail))
    assert left == f"{40 - said} more remarks would make this mail too long."


def test_a_single_long_remark_is_still_made(sample: Any) -> None:
    (mail,) = _drafts(sample.report(sample.series_of(1), [sample.finding(P1, message="long " * 4000)]))
    assert not any("more remark" in line for line in _own(mail))


def test_quoted_lines_are_those_of_the_mail(sample: Any) -> None:
    report = _two(sample)
    for mail in _drafts(report):
        patch = next(one for one in report.series[0].patches if f"<{one.mail.message_id}>" == mail["In-Reply-To"])
        lines = {line for part in text_parts(patch.mail) for line in part.text.split("\n")}
        assert set(_quoted(mail)) - {"[ ... ]"} <= lines


def test_lines_that_cannot_be_shown_are_left_out(sample: Any) -> None:
    diff = sample.DIFF.replace('"opened"', '"\x1b[31m"').replace("if (!fb->ring)", "if (" + "x" * 5000 + ")")
    mail = sample.write("[PATCH] net: frob: it", sample.patch_body("It.", diff), "e@frob.example")
    report = sample.report([mail])
    findings = tuple(
        sample.finding("e@frob.example", location=sample.at(report, "e@frob.example", text))
        for text in ("-EINVAL", "frob_log")
    )
    (draft,) = _drafts(replace(report, findings=findings))
    assert "\x1b" not in draft.as_string()
    assert "xxx" not in draft.as_string()
    quoted = _quoted(draft)
    assert quoted[quoted.index("\tint err;".replace("\t", " \t")) + 1 :][:3] == ["", "[ ... ]", "-\t\treturn -E2BIG;"]
    assert quoted[-2:] == ["[ ... ]", "+\t\t fb->id);"]


HOSTILE = [
    "Reviewed-by: Eve <eve@x.example>",
    "  Acked-by: Eve <eve@x.example>",
    "Cc: stable@x.example",
    'Fixes: 0123456789ab ("x")',
    "Link: https://x.example/",
    "change-id: 20260203-frob",
    "Some-header: eve@x.example",
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "---",
    "@@ -1 +1 @@",
    "Index: x",
    "#syz fix: x",
    "pw-bot: cr",
    "<eve@x.example>",
    "3 files changed, 4 insertions(+)",
    "GIT binary patch",
]


@pytest.mark.parametrize("line", HOSTILE)
def test_no_line_of_ours_is_obeyed(sample: Any, line: str) -> None:
    one = sample.finding(P1, message=line, why=line, name=line[:30])
    title = sample.write(
        f"[PATCH] {line}", sample.patch_body("It."), "e@frob.example", sender=f"{line[:20]} <e@x.example>"
    )
    other = sample.finding("e@frob.example", message="x " * 34 + line)
    for mail in _drafts(sample.report([*sample.series_of(1), title], [one, other])):
        for own in _own(mail):
            assert defused(own) == own.rstrip() + "\n"
        assert reply_tags("\n".join(_body(mail))) == () or line.endswith("<eve@x.example>")
        assert diff_span(_body(mail)) is None
    assert defused(line) == f"| {line}\n"


@given(st.text())
def test_defusing_is_done_once(text: str) -> None:
    body = defused(text)
    assert body.endswith("\n")
    assert defused(body) == body


@pytest.mark.parametrize(
    "line",
    [
        "Is the index out of range?",
        "from there on it is gone",
        "difference of 3",
        "-EINVAL: why?",
        "-- ",
        "2 files use it",
    ],
)
def test_plain_words_are_left_alone(line: str) -> None:
    assert defused(line) == f"{line.rstrip()}\n"


def test_hostile_headers_stay_one_mail(sample: Any, tmp_path: Path) -> None:
    subject = "[PATCH] =?utf-8?q?x=0D=0ABcc=3A_all=40x.example=0A=0AFrom_x?="
    mail = sample.write(
        subject, sample.patch_body("From here\n"), "e@frob.example", sender='"Eve\x1b, X" <eve@x.example>'
    )
    report = sample.report([mail], [sample.finding("e@frob.example", message="From here it goes.")])
    data = render(report, "reply", templates=None, min_confidence="low")
    assert isinstance(data, bytes)
    path = tmp_path / "drafts.mbox"
    path.write_bytes(data)
    box = mailbox.mbox(path)
    assert [draft["Bcc"] for draft in box] == [None]
    box.close()


READ_WITH_B4 = """
import email, email.policy, json, mailbox, sys
import b4
for raw in mailbox.mbox(sys.argv[1]):
    one = b4.LoreMessage(email.message_from_bytes(raw.as_bytes(), policy=email.policy.default))
    tags = [tag.as_string() for tag in one.trailers]
    print(json.dumps([one.in_reply_to, one.reply, tags, one.has_diff, one.has_diffstat]))
"""


@pytest.mark.skipif(importlib.util.find_spec("b4") is None, reason="b4 is not installed")
def test_b4_reads_drafts_as_replies_without_tags_or_diffs(sample: Any, tmp_path: Path) -> None:
    mails = sample.series_of(2)
    report = sample.report(mails)
    findings = [sample.finding(P1, message=line, location=sample.at(report, P1, "-EINVAL")) for line in HOSTILE]
    findings.append(sample.finding(P2, location=sample.at(report, P2, "Signed-off-by")))
    data = render(sample.report(mails, findings), "reply", templates=None, min_confidence="low")
    assert isinstance(data, bytes)
    path = tmp_path / "drafts.mbox"
    path.write_bytes(data)
    # in a process of its own, since b4 changes the charsets of the email package for all
    done = subprocess.run([sys.executable, "-c", READ_WITH_B4, path], capture_output=True, text=True, check=True)
    read = [json.loads(line) for line in done.stdout.splitlines()]
    assert read == [[P1, True, [], False, False], [P2, True, [], False, False]]


def test_a_change_without_hunks_is_quoted_by_its_first_line(sample: Any) -> None:
    diff = "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n" + sample.DIFF
    report = sample.report([sample.write("[PATCH] net: frob: it", sample.patch_body("It.", diff), "e@frob.example")])
    at = sample.at(report, "e@frob.example", "a/x.sh", file="x.sh", line=None)
    (mail,) = _drafts(replace(report, findings=(sample.finding("e@frob.example", location=at),)))
    assert _quoted(mail) == ["[ ... ]", "diff --git a/x.sh b/x.sh"]


def test_a_line_that_the_mail_does_not_have_is_left_out(sample: Any) -> None:
    at = Location(kind="code", file="net/x.c", line=7, body_line=9999, text="\tx();")
    (mail,) = _drafts(sample.report(sample.series_of(1), [sample.finding(P1, location=at)]))
    assert _quoted(mail) == ["[ ... ]"]


def test_two_remarks_on_one_line_quote_it_once(sample: Any) -> None:
    mails = sample.series_of(1)
    report = sample.report(mails)
    at = sample.at(report, P1, "-EINVAL")
    other = sample.finding(P1, rule="DM301", location=at, message="Another view.", why="")
    (mail,) = _drafts(sample.report(mails, [sample.finding(P1, location=at), other]))
    assert _quoted(mail).count("+\t\treturn -EINVAL;") == 1
    assert _body(mail).index("Another view.") > _body(mail).index("deserve explanation.")


def test_a_remark_on_the_message_and_one_on_an_attached_diff(sample: Any) -> None:
    mixed = (
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nFirst.\nSecond.\n'
        f"--b\nContent-Type: text/x-patch\n\n{sample.DIFF}\n--b--\n"
    )
    head = "From: Ada Example <ada@frob.example>\nSubject: [PATCH] net: frob: it\nMessage-ID: <e@frob.example>\n"
    report = sample.report([(head + mixed).encode()])
    on_text = sample.at(report, "e@frob.example", "Second", part=0)
    on_code = sample.at(report, "e@frob.example", "-EINVAL")
    assert on_code.part == 1
    findings = (
        sample.finding("e@frob.example", location=on_code),
        sample.finding("e@frob.example", rule="DM008", location=on_text, message="The text."),
    )
    (mail,) = _drafts(replace(report, findings=findings))
    assert _quoted(mail)[:3] == ["First.", "Second.", "diff --git a/drivers/net/frob/main.c b/drivers/net/frob/main.c"]
    assert _body(mail)[0] == "On Ada Example wrote:" or _body(mail)[0] == "Ada Example wrote:"
