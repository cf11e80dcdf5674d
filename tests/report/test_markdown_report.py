from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from msgspec.structs import replace

from reviewer.model import Report, Tag
from reviewer.report import render


def _markdown(report: Report) -> str:
    text = render(report, "markdown", templates=None, min_confidence="medium")
    assert isinstance(text, str)
    return text


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, _: object) -> None:
        self.tags.append(tag)


EVIL = (
    "<script>alert(1)</script> [x](javascript:y) ![z](http://t.example) @maintainer #1 `code` **loud** "
    "www.t.example \x1b[31m"
)


def _hostile(sample: Any) -> Report:
    diff = sample.DIFF.replace("opened", "```\n@maintainer <img src=x>".replace("\n", " "))
    body = sample.patch_body(f"See:\n{EVIL}\n```\n~~~", diff)
    mail = sample.write(f"[PATCH] net: {EVIL}", body, "e@frob.example", sender=f"{EVIL[:40]} <eve@x.example>")
    report: Report = sample.report([mail])
    series = report.series[0]
    tag = Tag(name="Reviewed-by", value=f"{EVIL} <eve@x.example>", source=None, counted=False, why=EVIL)
    findings = (
        sample.finding("e@frob.example", message=EVIL, location=sample.at(report, "e@frob.example", "alert")),
        sample.finding("e@frob.example", location=sample.at(report, "e@frob.example", "frob_log", file=EVIL)),
    )
    patch = replace(series.patches[0], tags=(tag,))
    return replace(report, series=(replace(series, patches=(patch,)),), findings=findings)


_SPAN = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)")


def _prose(text: str) -> str:
    """The text outside of fenced blocks and code spans."""
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line
        else:
            kept.append(_SPAN.sub("", line))
    assert not fence
    return "\n".join(kept)


def test_hostile_mail_is_inert(sample: Any) -> None:
    text = _markdown(_hostile(sample))
    prose = _prose(text)
    parser = _Tags()
    parser.feed(prose)
    assert parser.tags == []
    assert "@maintainer" not in prose
    assert "#1" not in prose
    assert "http://" not in prose
    assert "www.t" not in prose
    assert "](" not in prose.replace("\\](", "")
    assert "**loud" not in prose
    assert not set(text) & set("\x1b\r")


def test_what_a_message_quotes_is_a_code_span(sample: Any) -> None:
    text = _markdown(_hostile(sample))
    assert " `code` " in text
    assert "&lt;script&gt;" in text


def test_a_fence_is_longer_than_what_it_holds(sample: Any) -> None:
    assert "\n````\n" in _markdown(_hostile(sample))


def test_headings_and_facts(sample: Any) -> None:
    mails = sample.series_of(2)
    report = sample.report(mails)
    one = sample.finding("v1-2@frob.example", location=sample.at(report, "v1-2@frob.example", "-EINVAL"))
    lines = _markdown(sample.report(mails, [one])).split("\n")
    assert lines[0] == "### net: frob: all of it"
    assert "- **found:** 1 warning" in lines
    assert "#### 2/2 net: frob: part 2" in lines
    assert "**warning** DM302 errno-silently-changed, `drivers/net/frob/main.c:13, frob_open()`" in lines
    assert "> +                return -EINVAL;" in lines
    assert not any(line.startswith("#### 1/2") for line in lines)


def test_series_stand_apart(sample: Any) -> None:
    text = _markdown(sample.report([*sample.series_of(1), *sample.series_of(1, version=2)]))
    assert text.count("\n***\n") == 1
