"""What stands in the way of a series and what is in favour: the facts, at the top of a report and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from reviewer.cli import main
from reviewer.discussed import followed
from reviewer.model import Notice, Report, Trial
from reviewer.report import render
from reviewer.talk.discussion import comments_of
from reviewer.verdict import Verdict, verdicts_of

ADA, OTTO, RITA = "Ada Example <ada@frob.example>", "Otto Example <otto@x.example>", "Rita Example <rita@x.example>"
PATHS = ("net/frob.c", "drivers/dma-buf/frob.c")
STOP = "frob_stop_all_of_it(fb)"
ASKED = "> +\tfrob_start(fb);\n\nPlease check what it returns.\n"


def diff(path: str, call: str = "frob_start(fb)") -> str:
    return (
        f"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -10,2 +10,3 @@ int frob_open(struct frob *fb)\n \tfrob_lock(fb);\n+\t{call};\n \treturn 0;\n"
    )


def send(ident: str, subject: str, body: str, *, parent: str = "", by: str = ADA, day: int = 1) -> bytes:
    above = f"In-Reply-To: <{parent}>\nReferences: <{parent}>\n" if parent else ""
    head = f"From: {by}\nSubject: {subject}\nMessage-ID: <{ident}>\nDate: {day} Feb 2026 10:00:00 +0000\n{above}"
    return f"{head}Content-Type: text/plain; charset=utf-8\n\n{body}".encode()


def version(
    number: int, *, day: int, paths: tuple[str, ...] = PATHS, tags: str = "", call: str = "frob_start(fb)"
) -> list[bytes]:
    mark = f"PATCH v{number}" if number > 1 else "PATCH"
    root = f"v{number}-0@frob.example"
    mails = [send(root, f"[{mark} 0/{len(paths)}] net: frob: all of it", "It is needed.\n", day=day)]
    for at, path in enumerate(paths, 1):
        body = f"Part {at}.\n\nSigned-off-by: {ADA}\n{tags}---\n\n{diff(path, call if at == 1 else STOP)}"
        mails.append(
            send(
                f"v{number}-{at}@frob.example",
                f"[{mark} {at}/{len(paths)}] net: frob: part {at}",
                body,
                parent=root,
                day=day,
            )
        )
    return mails


def reply(ident: str, to: str, body: str, *, by: str = RITA, day: int = 2) -> bytes:
    return send(ident, "Re: [PATCH] net: frob", body, parent=to, by=by, day=day)


def talked(sample: Any, mails: list[bytes], **changes: Any) -> Report:
    """The report on the newest version alone, its discussion followed from the first."""
    read: Report = sample.report(mails, **changes)
    comments, _ = comments_of(read.assembly.lineages, read.series)
    return replace(read, series=read.series[-1:], comments=comments)


def verdict(sample: Any, mails: list[bytes], **changes: Any) -> Verdict:
    return next(iter(verdicts_of(talked(sample, mails, **changes)).values()))


def text(report: Report, form: str = "text") -> str:
    shown = render(report, form, templates=None, min_confidence="medium")
    assert isinstance(shown, str)
    return shown


def top(report: Report) -> list[str]:
    """The lines of the verdict."""
    lines = text(report).split("\n")[2:]
    return lines[: next(at for at, line in enumerate(lines) if line.startswith(("tags:", "found:", "code:", "not c")))]


def test_nothing_is_shown_that_is_empty(sample: Any) -> None:
    assert top(talked(sample, version(1, day=1, paths=("net/a.c",)))) == []


def test_open_remarks_by_age(sample: Any) -> None:
    mails = [
        *version(1, day=1),
        reply("a@x.example", "v1-1@frob.example", ASKED, day=3),
        reply("b@x.example", "v1-0@frob.example", "> It is needed.\n\nWhy is it needed at all?\n", by=OTTO, day=2),
        *version(2, day=5),
        reply("c@x.example", "v2-2@frob.example", f"> +\t{STOP};\n\nnit: please check what it returns.\n", day=6),
        *version(3, day=9),
    ]
    lines = top(talked(sample, mails))
    assert lines == [
        "in the way: 2 open remarks; 1 unanswered question; no tag yet for",
        "            drivers/dma-buf (patch 2)",
        '  question since v1 (7 days): Otto Example on the cover letter: "Why is it',
        '    needed at all?"',
        '  request since v1 (6 days): Rita Example on 1/2: "Please check what it',
        '    returns."',
        '  nit since v2 (3 days): Rita Example on 2/2: "nit: please check what it',
        '    returns."',
    ]


def test_what_is_settled_is_in_favour(sample: Any) -> None:
    mails = [
        *version(1, day=1),
        reply("a@x.example", "v1-1@frob.example", ASKED),
        *version(2, day=5, tags=f"Acked-by: {RITA}\n", call="frob_start_now(fb)"),
    ]
    found = verdict(sample, mails)
    assert (found.asked, found.settled, found.untagged) == (1, 1, ())
    assert top(talked(sample, mails)) == ["in favour: tags on all patches; 1 of 1 remark answered or settled"]
    assert "discussion:\n  1/2 net: frob: part 1: 1 changed\n" in text(talked(sample, mails))


def test_an_answer_settles_a_question_but_no_objection(sample: Any) -> None:
    body = "> +\tfrob_start(fb);\n\nI strongly disagree, this is wrong.\n"
    answer = "> I strongly disagree, this is wrong.\n\nNo, it is the way that all others do it.\n"
    question = "> +\tfrob_start(fb);\n\nWhy is that?\n"
    mails = [
        *version(1, day=1),
        reply("o@x.example", "v1-1@frob.example", body, by=OTTO),
        reply("oa@x.example", "o@x.example", answer, by=ADA, day=3),
        reply("q@x.example", "v1-2@frob.example", question.replace("frob_start(fb)", STOP)),
        reply("qa@x.example", "q@x.example", "> Why is that?\n\nThe device wants it.\n", by=ADA, day=3),
    ]
    found = verdict(sample, mails)
    assert [one.comment.state for one in found.objections] == ["answered"]
    assert (found.questions, found.asked, found.settled) == ((), 2, 1)
    lines = top(talked(sample, mails))
    assert lines[0].startswith("in the way: 1 objection;")
    assert lines[1].startswith("  objection (1 day), answered: Otto Example on 1/2:")
    shown = text(talked(sample, mails))
    assert "    >  frob_start(fb);\n    answered objection, Otto Example, net/frob.c:11" in shown


def test_a_tag_of_objection_stands_though_the_lines_changed(sample: Any) -> None:
    body = "> +\tfrob_start(fb);\n\nNot this way.\n\nNacked-by: Otto Example <otto@x.example>\n"
    mails = [
        *version(1, day=1),
        reply("o@x.example", "v1-1@frob.example", body, by=OTTO),
        *version(2, day=5, call="frob_start_now(fb)"),
    ]
    (one,) = verdict(sample, mails).objections
    assert one.comment.state == "changed"
    assert "objection since v1 (3 days), the lines changed since: Otto Example on" in " ".join(
        " ".join(top(talked(sample, mails))).split()
    )


def test_a_tag_of_objection_lapses_with_its_patch(sample: Any) -> None:
    body = "> Part 2.\n\nNacked-by: Otto Example <otto@x.example>\n"
    mails = [
        *version(1, day=1),
        reply("o@x.example", "v1-2@frob.example", body, by=OTTO),
        *version(2, day=5, paths=PATHS[:1]),
    ]
    assert verdict(sample, mails).objections == ()
    (one,) = verdict(sample, version(1, day=1) + mails[3:4]).objections
    assert one.comment.state == "open"


def test_an_older_version_says_that_there_is_a_newer_one(sample: Any) -> None:
    report = sample.report([*version(1, day=1, paths=("net/a.c",)), *version(2, day=2, paths=("net/a.c",))])
    assert [found.later for found in verdicts_of(report).values()] == [2, None]
    assert "in the way: v2 is newer\n" in text(report)


def test_versions_that_are_not_here(sample: Any) -> None:
    found = verdict(sample, version(4, day=1))
    assert found.unseen == ((1, 3),)
    assert "not here: v1-v3, and what was said of them" in top(talked(sample, version(4, day=1)))


def test_a_version_of_billions_costs_nothing(sample: Any) -> None:
    report = talked(sample, version(999_999_999, day=1))
    assert "v999999998, and what was said of it" in text(report) or report.series[0].outline.version < 999_999_999
    assert json.loads(text(report, "json"))["series"][0]["verdict"]["missing"] == []


def test_whether_it_applies(sample: Any) -> None:
    mails = version(1, day=1, paths=("net/a.c",))
    fails = Trial(state="does-not-apply", revision="main", number=1, file="net/a.c", hunk=1, reason="context")
    for trial, line in (
        (fails, ["in the way: it does not apply"]),
        (Trial(state="applies", revision="main"), ["in favour: it applies"]),
        (Trial(state="applies", revision="main", fuzz=1), []),
        (Trial(state="not-tried", reason="no-tree"), []),
    ):
        assert top(talked(sample, mails, trials={"v1-0@frob.example": trial})) == line


@pytest.mark.parametrize(
    ("paths", "by", "untagged"),
    [
        (("net/a.c", "mm/a.c"), "", ["mm"]),
        (("mm/a.c", "mm/b.c"), "", []),  # its own subsystem
        (("net/a.c", "net/b.c"), "", []),
        (("net/a.c", "mm/a.c"), RITA, []),
        (("net/a.c", "mm/a.c"), ADA, ["mm"]),  # the author's own
        (("drivers/gpu/drm/a.c", "mm/a.c"), "", ["drm", "mm"]),
    ],
)
def test_subsystems_without_a_tag(sample: Any, paths: tuple[str, ...], by: str, untagged: list[str]) -> None:
    tags = f"Reviewed-by: {by}\n" if by else ""
    assert [one.area for one in verdict(sample, version(1, day=1, paths=paths, tags=tags)).untagged] == untagged


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("", "all of it went in"),
        ("  - [1/2] net: frob: part 1\n    https://git.example/c/0123456789ab\n", "patch 1 went in"),
        ("  - [1/2] net: frob: part 1\n    (no matching commit)\n", "a part went in"),
    ],
)
def test_what_went_in(sample: Any, entries: str, words: str) -> None:
    body = f"Hello:\n\nThis series was applied to frob.git (main)\n\n{entries}"
    bot = "patchwork-bot+frob@bots.example"
    ident = "git-patchwork-notify.1@frob.example"
    mails = [*version(1, day=1, paths=PATHS), reply(ident, "v1-0@frob.example", body, by=bot, day=4)]
    shown = " ".join(" ".join(top(talked(sample, mails))).split())
    assert f"in favour: {words}, says patchwork-bot+frob@bots.example, 2026-02-04" in shown


def test_only_so_many_remarks_are_quoted(sample: Any) -> None:
    mails = version(1, day=1)
    mails += [reply(f"r{at}@x.example", "v1-1@frob.example", ASKED, day=2) for at in range(12)]
    report = talked(sample, mails)
    lines = top(report)
    assert len(lines) <= 15
    assert "  and 6 more, see the discussion below" in lines
    assert "  1/2 net: frob: part 1; 4 more open, see --format html\n" in text(report)
    assert "  - and 6 more, see the discussion below\n" in text(report, "markdown")


def test_a_dropped_patch_is_last_seen_where_it_was(sample: Any) -> None:
    mails = [
        *version(1, day=1),
        reply("a@x.example", "v1-2@frob.example", ASKED.replace("frob_start(fb)", STOP)),
        *version(2, day=5),
        *version(3, day=6, paths=("net/frob.c",)),
    ]
    assert "  2/2 net: frob: part 2 (last seen in v2): 1 changed\n" in text(talked(sample, mails))


def test_each_remark_is_told_of_with_one_version(sample: Any) -> None:
    mails = [*version(1, day=1), reply("a@x.example", "v1-1@frob.example", ASKED), *version(2, day=5)]
    read = sample.report(mails)
    comments, _ = comments_of(read.assembly.lineages, read.series)
    shown = text(replace(read, comments=comments))
    assert shown.count("\ndiscussion:\n") == 1
    assert shown.count("open request, Rita Example, net/frob.c:11") == 1


def test_remarks_on_one_line_stand_together_below_it(sample: Any) -> None:
    mails = [
        *version(1, day=1),
        reply("a@x.example", "v1-1@frob.example", ASKED, day=2),
        reply("b@x.example", "v1-1@frob.example", "> Part 1.\n\nWhy is it needed at all?\n", day=3),
        reply("c@x.example", "v1-1@frob.example", ASKED.replace("Please", "Could you also"), by=OTTO, day=4),
    ]
    shown = text(talked(sample, mails)).partition("discussion:\n")[2]
    first, second = (
        shown.index("open request, Rita Example, net/frob.c:11"),
        shown.index("Otto Example, the same line: "),
    )
    assert first < second < shown.index("Why is it needed")
    assert shown.count(">  frob_start(fb);\n") == 1


def test_nits_are_quoted_after_the_others(sample: Any) -> None:
    nit = ASKED.replace("Please", "nit: please")
    mails = [
        *version(1, day=1),
        reply("a@x.example", "v1-1@frob.example", nit, day=2),
        reply("b@x.example", "v1-0@frob.example", "> It is needed.\n\nWhy is it needed at all?\n", by=OTTO, day=3),
    ]
    kinds = [line.split()[0].rstrip(":") for line in top(talked(sample, mails)) if "Example on" in line]
    assert kinds == ["question", "nit"]


def test_json_has_it(sample: Any) -> None:
    mails = [*version(1, day=1), reply("a@x.example", "v1-1@frob.example", ASKED), *version(2, day=5)]
    found = sample.finding("v2-1@frob.example")
    document = json.loads(text(talked(sample, mails, findings=[found]), "json"))
    schema = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["series"][0]["verdict"] == {
        "later": None,
        "missing": [],
        "objections": [],
        "remarks": [
            {
                "id": "a@x.example#3",
                "patch": "v1-1@frob.example",
                "version": 1,
                "versions": 1,
                "days": 3,
                "state": "open",
            }
        ],
        "questions": [],
        "untagged": [{"area": "drivers/dma-buf", "patches": ["v2-2@frob.example"]}],
        "levels": {"warning": 1},
        "accepted": 0,
        "asked": 1,
        "settled": 0,
        "tagged": [],
        "unseen": [],
    }


def test_words_of_people_are_inert(sample: Any) -> None:
    bad = "> +\tfrob_start(fb);\n\nWhy \x1b[31m<b>@team</b> [x](http://evil.example) is that?\n"
    report = talked(sample, [*version(1, day=1), reply("q@x.example", "v1-1@frob.example", bad)])
    plain, marked = text(report), text(report, "markdown")
    assert "\x1b" not in plain + marked
    assert r"\x1b[31m" in plain
    assert "<b>" not in marked
    assert "@team" not in marked
    assert "[x](" not in marked.replace("\\[x\\](", "")


def test_older_versions_are_read_for_what_was_said(sample: Any) -> None:
    mails = [*version(1, day=1), reply("a@x.example", "v1-1@frob.example", ASKED), *version(2, day=5)]
    read = sample.report(mails)
    alone = replace(read, series=read.series[-1:])
    assert [found.asked for found in verdicts_of(alone).values()] == [0]
    assert [found.asked for found in verdicts_of(followed(alone, alone.series)).values()] == [1]
    assert followed(read, read.series).comments == {}


def test_a_discussion_that_cannot_be_followed_is_told_of_once(sample: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Notice(code="talk-failed", message="no")
    monkeypatch.setattr("reviewer.discussed.comments_of", lambda *_: ({}, (failed,)))
    read = sample.report([*version(1, day=1), *version(2, day=5)])
    alone = replace(read, series=read.series[-1:])
    assert followed(alone, alone.series).notices[-1] == failed
    told = replace(alone, notices=(failed,))
    assert followed(told, told.series).notices == (failed,)


def test_the_seed(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [str(path) for path in sorted((corpus / "seed").glob("rx-buf-size-*.mbox"))]
    main(["review", *seeds, "--fail-on", "never"])
    lines = capsys.readouterr().out.split("\n")
    assert "in favour: tags on all patches; 19 of 19 remarks answered or settled" in lines
    assert "  2/4 udmabuf: emit one sg entry per pinned folio (last seen in v3): 6 changed" in lines
    main(["review", *seeds[:4], "--fail-on", "never"])
    lines = capsys.readouterr().out.split("\n")
    assert any(line.startswith("  request: ") for line in lines)


def test_a_reroll_without_a_counter_has_the_number_of_the_patch_it_replaces(sample: Any) -> None:
    again = f"Part 2.\n\nSigned-off-by: {ADA}\n---\n\n{diff(PATHS[1], STOP)}"
    mails = [
        *version(1, day=1),
        send("again@frob.example", "[PATCH v2] net: frob: part 2", again, parent="v1-2@frob.example", day=2),
        reply("a@x.example", "again@frob.example", f"> +\t{STOP};\n\nPlease check what it returns.\n", day=3),
        reply("b@x.example", "v1-2@frob.example", "> Part 2.\n\nPlease say why it is needed.\n", by=OTTO, day=3),
    ]
    report = talked(sample, mails)
    (series,) = report.series
    assert [patch.number for patch in series.patches] == [1, 2]
    (found,) = verdicts_of(report).values()
    assert [(one.number, one.comment.author.name) for one in found.remarks] == [
        (2, "Rita Example"),
        (2, "Otto Example"),
    ]
    shown = text(report)
    assert "Rita Example on 2/2" in shown
    assert "Otto Example on 2/2" in shown
    assert "on 1/2" not in shown
