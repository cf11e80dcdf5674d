"""A patch that attacks whatever shows it: in no form does anything in it do more than be read."""

from __future__ import annotations

import email
import json
import re
from collections.abc import Callable
from email import policy
from html.parser import HTMLParser
from typing import Any

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from reviewer.discussed import followed
from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.model import Report
from reviewer.registry import load_rules, select_rules
from reviewer.report import FOLDERS, FORMATS, render, render_files
from reviewer.report.escape import HIDDEN

IDENT, REPLY = "evil@frob.example", "answer@frob.example"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
ANSI = "\x1b[31m\x1b]0;own\x07\x1b]8;;https://evil.example\x07\x9b2J"
BIDI = "\u202egnp\u202c\u2066\u200b"
MARKUP = "[red]r[/red] [a](https://evil.example) ![i](https://evil.example/i.png) **b** `c` @user #1 <b>h</b>"
LINES = "CR\rLF\r\nBcc: victim@x.example"
ALL = f"{SCRIPT} {ANSI} {BIDI} {MARKUP}"
CODE = f"+\t\treturn -ENOTSUPP; /* {ALL} */"
NAME = "drivers/net/frob/<script>[a](x)`_.c"


def _encoded(text: str) -> str:
    """A header as an attacker writes it: encoded words may hold anything."""
    words = [text.encode()[at : at + 30] for at in range(0, len(text.encode()), 30)]
    return "\n ".join("=?utf-8?q?" + "".join(f"={byte:02x}" for byte in word) + "?=" for word in words)


@pytest.fixture
def report(sample: Any) -> Report:
    """The report on such a patch and an answer to it, by our own rules and by findings that repeat its text."""
    diff = sample.DIFF.replace("drivers/net/frob/main.c", NAME).replace("+\t\treturn -EINVAL;", CODE)
    subject = _encoded(f"[PATCH] net: {ALL} {LINES}")
    sender = f"{_encoded(f'Eve {ALL} {LINES}')} <eve@x.example>"
    message = f"Look at {ALL}.\n\nSigned-off-by: Eve {SCRIPT} <eve@x.example>"
    patch = sample.write(subject, sample.patch_body(message, diff), IDENT, sender=sender)
    said = f"> {CODE}\nWhy is {ALL} here?\n\nReviewed-by: Rita {SCRIPT}{ANSI} <rita@x.example>\n"
    answer = sample.write("Re: x", said, REPLY, parent=IDENT, sender=f"{_encoded(ALL)} <rita@x.example>")
    read = sample.report([patch, answer])
    rules = select_rules(load_rules([shipped("rules")], installed=False), [], [])
    judged = review(read.assembly, read.series, rules, [])
    found = [
        sample.finding(IDENT, location=sample.at(read, IDENT, text, file=NAME, function=ALL), message=f"{ALL} {LINES}")
        for text in ("ENOTSUPP", "Look at")
    ]
    return followed(replace(judged, findings=(*judged.findings, *found)), read.series)


def _text(report: Report, form: str) -> str:
    if form in FOLDERS:
        return "\n".join(render_files(report, form, min_confidence="low").values())
    made = render(report, form, templates=None, min_confidence="low")
    return made.decode() if isinstance(made, bytes) else made


class _Seen(HTMLParser):
    """The elements of a document with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


ELEMENTS = """html head meta title style script body header nav main footer section article div span p h1 h2 h3 h4 ul ol
li dl dt dd a b i br code pre kbd mark time details summary dialog button fieldset legend label input select option"""
ATTRIBUTES = "id class href lang charset content http-equiv name tabindex role hidden open type value checked"


def _in_html(text: str) -> None:
    seen = _Seen(text).found
    for tag, attributes in seen:
        assert tag in ELEMENTS.split()
        for name, value in attributes:
            assert name in ATTRIBUTES.split() or name.startswith(("data-", "aria-"))
            assert name != "href" or (value or "").startswith("#")
    assert [tag for tag, _ in seen if tag in ("script", "style")] == ["style", "script"]
    assert "alert(" not in "".join(re.findall(r"<script.*?</script>", text, re.DOTALL))


def _in_markdown(text: str) -> None:
    shown = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(text)
    for tag, _ in _Seen(shown).found:
        assert tag in ("h3", "h4", "p", "ul", "li", "strong", "em", "code", "pre", "hr")
    outside = re.sub(r"<code>.*?</code>", "", shown, flags=re.DOTALL)
    assert "<strong>b</strong>" not in shown
    assert not re.search(r"[@#](?=\w)", outside)


def _in_a_terminal(text: str) -> None:
    for code in re.findall(r"\x1b\[([0-9;]*)m", text):
        assert set(code.split(";")) <= {"0", "1", "31", "32", "33", "35", "36"}
    assert "[red]r[/red]" in text


def _in_json(text: str) -> None:
    json.loads(text)


def _in_sarif(text: str) -> None:
    for result in json.loads(text)["runs"][0]["results"]:
        assert not re.search(r"(?<!\\)\[(?:[^\]\\]|\\.)*\]\(", result["message"]["text"]), (
            "a link in SARIF's own markup"
        )


def _in_rdjsonl(text: str) -> None:
    for line in text.splitlines():
        message = json.loads(line)["message"]
        assert not re.search(r"<(?:script|img|b)|\]\(|@user|https:/", message)


def _in_mail(text: str) -> None:
    (mail,) = (part for part in re.split(r"^From mboxrd@z .*\n", text, flags=re.MULTILINE) if part)
    read = email.message_from_string(mail, policy=policy.default)
    assert not read.defects
    assert [one.addr_spec for one in read["To"].addresses] == ["eve@x.example"]
    assert read["Cc"] is None
    names = [name.lower() for name, _ in read.items()]
    assert len(names) == len(set(names))
    assert "bcc" not in names
    _in_words(read.get_content())


def _in_words(text: str) -> None:
    for line in text.splitlines():
        if not line.startswith(">"):
            assert not re.match(r"\s*(?:[\w-]+-by:|bcc:|diff --git|---\s|#syz|pw-bot)", line, re.IGNORECASE)


CHECKS: dict[str, Callable[[str], None]] = {
    "terminal": _in_a_terminal,
    "html": _in_html,
    "markdown": _in_markdown,
    "json": _in_json,
    "b4": _in_json,
    "sarif": _in_sarif,
    "rdjsonl": _in_rdjsonl,
    "reply": _in_mail,
    "b4-review": _in_words,
}
OURS = {"markdown": "\u200b", "rdjsonl": "\u200b", "terminal": "\x1b"}
"""What a form adds itself to make text inert, or to colour it."""


@pytest.mark.parametrize("form", [*FORMATS, *FOLDERS])
def test_it_is_inert_in_every_form(report: Report, form: str) -> None:
    text = _text(report, form)
    assert "DM302" in text
    hidden = set(re.findall(f"(?![\n\t])[{HIDDEN}]", text))
    assert hidden <= set(OURS.get(form, "")), "control and hidden characters are shown as escapes"
    CHECKS.get(form, lambda _: None)(text)


def test_the_words_are_still_there_to_read(report: Report) -> None:
    text = _text(report, "text")
    assert "<script>alert(1)</script>" in text
    assert r"\x1b[31m" in text
    assert r"\u202e" in text
    talk = text.partition("discussion:\n")[2]
    assert "question" in talk
    assert "onerror" in talk
