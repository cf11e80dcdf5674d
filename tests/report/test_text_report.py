from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.model import Location, Notice, Report, Tag
from reviewer.report import render

GOLDEN = Path(__file__).parent / "golden"
P1, P2, COVER = "v1-1@frob.example", "v1-2@frob.example", "v1-0@frob.example"


def _text(report: Report, **options: Any) -> str:
    text = render(report, "text", **({"templates": None, "min_confidence": "medium"} | options))
    assert isinstance(text, str)
    return text


def _lines(report: Report, **options: Any) -> list[str]:
    return _text(report, **options).split("\n")


def _full(sample: Any) -> Report:
    """A report that has something of everything."""
    report: Report = sample.report(sample.series_of(3, missing=(3,)))
    series = report.series[0]
    tag = Tag(name="Reviewed-by", value="Rita Example <rita@x.example>", source="r@x.example", counted=True, why="")
    nack = replace(tag, name="Acked-by", counted=False, why="sender is Otto Example")
    patches = (series.patches[0], replace(series.patches[1], tags=(tag, nack)))
    findings = (
        sample.finding(COVER, rule="DM008", name="separator-in-message", level="note", message="The cover has a flaw."),
        sample.finding(
            P1, location=sample.at(report, P1, "-EINVAL"), related=(sample.at(report, P1, "opened", line=16),)
        ),
        sample.finding(P1, location=sample.at(report, P1, "-EINVAL"), confidence="low", message="Only a guess."),
        sample.finding(
            *(P2,),
            rule="DM001",
            name="table-off",
            level="error",
            confidence="medium",
            location=sample.at(report, P2, "Part 2"),
        ),
        sample.finding(P2, location=Location(kind="series"), rule="DM020", name="order", level="note", why=""),
    )
    notices = (
        Notice(code="not-checked", message="DM202 needs the whole function", rule="DM202", patches=(P1, P2)),
        Notice(code="bad-diff", message="one hunk could not be read", patches=(P2,)),
        Notice(code="truncated", message="the file broke off", source="test.mbox"),
    )
    return replace(report, series=(replace(series, patches=patches),), findings=findings, notices=notices)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_golden(sample: Any, form: str, *, update_golden: bool) -> None:
    path = GOLDEN / f"full.{form}"
    text = render(_full(sample), form, templates=None, min_confidence="medium")
    assert isinstance(text, str)
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_the_head_answers_what_a_maintainer_asks(sample: Any) -> None:
    lines = _lines(_full(sample))
    assert lines[:10] == [
        "net: frob: all of it",
        "v1 by Ada Example, 2026-02-03: cover letter and 2 of 3 patches, missing: 3",
        "in the way: missing: 3; 1 error; 1 warning",
        "in favour: tags on patch 2",
        "tags: Reviewed-by Rita Example (patch 2)",
        "not counted: Acked-by Rita Example (patch 2): sender is Otto Example",
        "found: 1 error, 1 warning, 2 notes; 1 more of low confidence: --min-confidence",
        "       low",
        "not checked: DM202 (all patches) needs the whole function",
        "notice: one hunk could not be read",
    ]
    assert lines[-2] == "notice: the file broke off"


def test_a_finding_shows_its_place_and_lines(sample: Any) -> None:
    text = _text(_full(sample))
    assert (
        "1/3 net: frob: part 1\n"
        "\n"
        "  warning: DM302 errno-silently-changed\n"
        "  drivers/net/frob/main.c:13, frob_open()\n"
        "    |          if (!fb->ring)\n"
        "    | -                return -E2BIG;\n"
        "    > +                return -EINVAL;\n"
        "    |\n"
        '    | +        frob_log(fb, "opened",\n'
        "  frob_open() gave -E2BIG here and now gives -EINVAL, which the commit message\n"
        "  does not mention.\n"
    ) in text
    assert "Only a guess" not in text
    assert "Only a guess" in _text(_full(sample), min_confidence="low")
    assert "table-off (medium confidence)" in text


def test_a_reason_is_given_once(sample: Any) -> None:
    mails = sample.series_of(2)
    report = sample.report(mails, [sample.finding(P1), sample.finding(P2)])
    assert _text(report).count("why:") == 1


def test_related_places_outside_of_the_excerpt_are_named(sample: Any) -> None:
    report = sample.report(sample.series_of(1))
    at = sample.at(report, P1, "return 0;")
    far = sample.at(report, P1, "int err", line=10)
    near = sample.at(report, P1, "open = true", line=17)
    one = sample.finding(P1, location=at, related=(far, near, far, Location(kind="message")))
    assert "  see also drivers/net/frob/main.c:10\n" in _text(replace(report, findings=(one,)))


def test_nothing_found_is_one_line(sample: Any) -> None:
    assert _text(sample.report(sample.series_of(1, cover=False))) == (
        "net: frob: part 1\nv1 by Ada Example, 2026-02-03: 1 patch\nfound: nothing\n"
    )


def test_only_guesses_are_counted(sample: Any) -> None:
    guesses = [sample.finding(P1, confidence=word) for word in ("low", "medium", "low")]
    report = sample.report(sample.series_of(1), guesses)
    assert "found: nothing; 1 of medium, 2 of low confidence: --min-confidence low" in _lines(
        report, min_confidence="high"
    )


def test_a_cover_alone_and_a_complete_series(sample: Any) -> None:
    alone = _lines(sample.report(sample.series_of(7, missing=tuple(range(1, 8)))))
    assert alone[1] == "v1 by Ada Example, 2026-02-03: cover letter alone, missing: 1-7"
    complete = _lines(sample.report(sample.series_of(2, version=3)))
    assert complete[1] == "v3 by Ada Example, 2026-02-03: cover letter and 2 patches, complete"


def test_versions_are_told_apart(sample: Any) -> None:
    findings = [
        sample.finding(P1, gone_in=(3, "v3-0@frob.example")),
        sample.finding("v2-1@frob.example", since=(1, COVER), confidence="medium"),
    ]
    text = _text(sample.report([*sample.series_of(1), *sample.series_of(1, version=2)], findings))
    assert "errno-silently-changed (gone in v3)" in text
    assert "errno-silently-changed (medium confidence, since v1)" in text
    assert text.count("\n" + "=" * 80 + "\n") == 1


def test_a_crash_comes_first(sample: Any) -> None:
    notice = Notice(code="rule-crashed", message="DM9 x crashed: ValueError: oh", rule="DM9", patches=(P1,))
    lines = _lines(sample.report(sample.series_of(1), notices=(notice,), complete=False))
    assert lines[0] == "INCOMPLETE: DM9 x crashed: ValueError: oh"
    assert sum("crashed" in line for line in lines) == 1


def test_many_notices_of_a_kind_are_counted(sample: Any) -> None:
    notices = tuple(Notice(code="bad-mail", message=f"mail {number} is broken") for number in range(40))
    text = _text(sample.report(sample.series_of(1), notices=notices))
    assert text.count("is broken") == 5
    assert "mail 4 is broken (and 35 more like it)" in text


def test_a_report_without_series_still_has_its_notices(sample: Any) -> None:
    report = sample.report([], notices=(Notice(code="bad-mail", message="mail 1 is broken"),))
    assert _text(report) == "notice: mail 1 is broken\n"


def test_lines_fit(sample: Any) -> None:
    for width in (60, 80):
        assert max(map(len, _lines(_full(sample), width=width))) <= width


def test_a_place_that_is_not_in_the_mail_shows_its_own_text(sample: Any) -> None:
    known = Location(kind="code", file="net/x.c", line=7, text="\tx();")
    beyond = replace(known, body_line=99_999)
    bare = replace(known, text="")
    text = _text(sample.report(sample.series_of(1), [sample.finding(P1, location=at) for at in (known, beyond, bare)]))
    assert text.count("    >  x();\n") == 2
    assert text.count("net/x.c:7") == 3


def test_an_indent_that_leaves_no_room_for_the_code_goes(sample: Any) -> None:
    words = "opened" * 9
    diff = sample.DIFF.replace('"opened"', f'"{words}"').replace("+\t\t fb->id", "+\t\t\t fb->id")
    report = sample.report([sample.write("[PATCH] net: x", sample.patch_body("Do.", diff), P1)])
    found = sample.finding(P1, location=sample.at(report, P1, "frob_log"))
    text = _text(replace(report, findings=(found,)))
    assert f'    > +frob_log(fb, "{words}",\n    | +                 fb->id);\n    |  fb->open = true;\n' in text


def test_hostile_mail_is_inert(sample: Any) -> None:
    evil = "net: frob: \x1b]0;own\x07\u202e\x9b31m"
    body = sample.patch_body("Look: \x1b[2J\u2066\x9b1m this.\rOver", sample.DIFF.replace("opened", "\x1b[31m"))
    mail = sample.write(f"[PATCH] {evil}", body, "e@frob.example", sender="Eve\x1b[5m <eve@x.example>")
    report = sample.report([mail])
    findings = (
        sample.finding(
            "e@frob.example", location=sample.at(report, "e@frob.example", "Look"), message=f"See {evil}\r\nX"
        ),
        sample.finding("e@frob.example", location=sample.at(report, "e@frob.example", "frob_log", function="\x1b")),
    )
    text = _text(replace(report, findings=findings))
    assert not set(text) & set("\x1b\x07\x9b\r\u202e\u2066")
    assert r"\x1b[31m" in text
    assert r"\u2066" in text


def test_an_endless_title_is_cut(sample: Any) -> None:
    mail = sample.write("[PATCH] " + "word " * 100_000, sample.patch_body("It."), "e@frob.example")
    assert len(_text(sample.report([mail]))) < 1000
