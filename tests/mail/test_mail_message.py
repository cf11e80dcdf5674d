"""Patches and covers, taken apart."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.body import parts_of, text_parts
from reviewer.mail.message import message_text, patch_texts
from reviewer.mail.parse import parse_mail
from reviewer.mail.span import diff_span
from reviewer.mail.spool import Spool
from reviewer.mail.trailers import read_trailers
from reviewer.model import Mail, MessageText, TextLine, TextPart
from reviewer.sources import RawMail, read_sources

DIFF = [
    "diff --git a/x.c b/x.c", "index 1111111..2222222 100644", "--- a/x.c", "+++ b/x.c", "@@ -1,3 +1,3 @@ int f(void)",
    " a", "-- ", "+c", " d",
]  # fmt: skip
HEAD = b"From: Ann <ann@dev.example>\nSubject: [PATCH] x\nMessage-ID: <m@dev.example>\n"


def read(*lines: str) -> MessageText:
    data = HEAD + b"\n" + "\n".join(lines).encode()
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    return message_text(mail, text_parts(mail))


def texts(lines: tuple[TextLine, ...]) -> list[str]:
    return [line.text for line in lines]


def test_a_patch():
    text = read(
        "From: Bob Real <bob@dev.example>", "", "Mend the thing.", "", "Because.", "",
        'Fixes: 0123456789ab ("x: a long', 'title that was wrapped")', "Signed-off-by: Bob Real <bob@dev.example>",
        "---", "v2: better", "", " x.c   | 2 +-", " b.bin | Bin 0 -> 12 bytes", " {a => b}/c | 0",
        " 3 files changed, 1 insertion(+), 1 deletion(-)", "", *DIFF, "", "base-commit: 0123456789ABcdef", "-- ",
        "2.43.0", "",
    )  # fmt: skip
    assert text.author is not None
    assert text.author.email == "bob@dev.example"
    assert texts(text.message)[0] == "Mend the thing."
    assert text.message[0].body_line == 3
    assert [(trailer.name, trailer.value) for trailer in text.trailers] == [
        ("Fixes", '0123456789ab ("x: a long title that was wrapped")'),
        ("Signed-off-by", "Bob Real <bob@dev.example>"),
    ]
    assert texts(text.notes)[0] == "v2: better"
    assert text.diffstat is not None
    assert [(line.path, line.changed) for line in text.diffstat.lines] == [
        ("x.c", 2), ("b.bin", None), ("{a => b}/c", 0),
    ]  # fmt: skip
    assert (text.diffstat.files, text.diffstat.insertions, text.diffstat.deletions) == (3, 1, 1)
    assert text.diffstat.body_line == 13
    assert texts(text.diff) == DIFF
    assert text.diff[0].body_line == 18
    assert text.base_commit == "0123456789abcdef"
    assert (text.part, text.message_part) == (0, None)


def test_base_commit_is_hex_and_nothing_else():
    for line in (
        "base-commit: v6.7-rc3",
        "base-commit: 0123456789ab (tag)",
        "base-commit: 0123456",
        "x base-commit: " + "0" * 40,
    ):
        assert read("Text", "---", line, *DIFF).base_commit is None


def test_a_cover_without_separator():
    text = read(
        "Hello.", "", "Ann (2):", "  one", "  two", "", " a.c | 4 ++--",
        " 1 file changed, 2 insertions(+), 2 deletions(-)",
        "", "change-id: 20240101-x", "", "-- ", "2.43.0", "_______________________________________________",
        "dev mailing list -- dev@lists.example", "To unsubscribe send a mail",
    )  # fmt: skip
    assert text.diffstat is not None
    assert text.diffstat.lines[0].path == "a.c"
    assert texts(text.message)[-1] == "change-id: 20240101-x"
    assert (text.notes, text.diff, text.change_id) == ((), (), "20240101-x")


def test_footer_without_signature_and_disclaimer_are_cut():
    footer = ["____________________________________________", "x mailing list", "http://lists.example"]
    assert texts(read("Text", "", *footer).message) == ["Text"]
    assert texts(read("Text", "_____________________________", "a table").message)[-1] == "a table"
    assert texts(read("Text", "", "IMPORTANT NOTICE: The contents of this email are secret").message) == ["Text"]
    assert texts(read("Text", "--", "Ann").message) == ["Text"]
    assert len(read("Text", "--", *["x"] * 40).message) == 42


def test_diff_ends_at_footers_but_not_at_removed_lines():
    assert texts(read("T", "---", *DIFF, "--", "2.1").diff) == DIFF
    assert texts(read("T", "---", *DIFF, "____________________________________", "x mailing list").diff) == DIFF
    assert texts(read("T", "---", *DIFF, "---", "change-id: x").diff) == DIFF
    assert texts(read("T", *DIFF, "", "Some words.", *DIFF, "words").diff) == [*DIFF, "", "Some words.", *DIFF]


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b", "\\ No newline at end of file"], True),
        (["Index: x", "======", "--- x", "+++ x", "@@ -1,2 +1 @@", "", "-b"], True),
        (["diff -urN a/x b/x", "--- a/x", "+++ b/x", "@@ -0,0 +1 @@", "+b"], True),
        (["diff --git a/x b/x", "old mode 100644", "new mode 100755"], True),
        (["diff --git a/x b/x", "GIT binary patch", "literal 3", "KcmZQz", "", "literal 0", "HcmV?d01"], True),
        (["diff --git a/x b/x", "@@ -1,3 +1,3 @@", " a", "-wrapped line", "goes on", "+b", " c"], False),
        (["diff --git a b", "@@ -1,9 +1,9 @@", " a", "diff --git a/y b/y", "@@ -1 +1 @@", "-a", "\\ No", "+b"], False),
        (["diff --git a/x b/x", "@@ -1 +1 @@", "-a", "+b", "+miscounted", " more"], True),
    ],
)  # fmt: skip
def test_shapes_of_diffs(lines: list[str], whole: bool):
    span = diff_span(["Text", *lines, "", "more text"])
    assert span is not None
    assert (span.start, span.end, span.whole) == (1, 1 + len(lines), whole)


@pytest.mark.parametrize("line", ["Index: of something", "--- a", "diff -u is a tool", "> diff --git a/x b/x"])
def test_what_is_no_diff(line: str):
    assert diff_span([line, "text"]) is None
    assert diff_span([line]) is None


def trailers(*lines: str) -> list[tuple[str, str]]:
    found = read_trailers([TextLine(text=line, body_line=at) for at, line in enumerate(lines, 1)])
    return [(trailer.name, trailer.value) for trailer in found]


def test_trailers_by_git_s_rules():
    assert trailers("Text: is not a trailer", "here", "", "Any-name: x", " folded", "[ann: comment", "goes on]") == [
        ("Any-name", "x folded")
    ]
    assert trailers("Words", "Signed-off-by: A <a@x>", "more") == [("Signed-off-by", "A <a@x>")]
    assert trailers("Words", "", "a", "b", "c", "d", "e", "f", "g", "Signed-off-by: A <a@x>") == []
    assert trailers("Words", "", "a", "(cherry picked from commit 0123)", "# no", "Link: x") == [("Link", "x")]
    assert trailers("See http://x.example", "") == []
    assert trailers() == []


def test_known_trailers_set_apart_and_above_a_changelog():
    assert trailers("Words", "", "Fixes: 0123 (x)", "", "Signed-off-by: A", "<a@x>", "", "v2: words, no", "x") == [
        ("Fixes", "0123 (x)"), ("Signed-off-by", "A <a@x>"),
    ]  # fmt: skip
    assert trailers("Note: words", "", "Acked-by: nobody", "", "text") == []


def test_trailer_persons():
    lines = [TextLine(text=text, body_line=1) for text in ("Cc: <a@x.example> # v6.1+", "Link: https://x.example/a@b")]
    cc, link = read_trailers(lines)
    assert cc.person is not None
    assert cc.person.email == "a@x.example"
    assert link.person is None


def attached(*parts: str) -> tuple[MessageText, ...]:
    body = "".join(f"--b\nContent-Type: text/x-patch\n\n{part}\n" for part in parts)
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + body.encode() + b"--b--\n"
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    return patch_texts(mail, text_parts(mail))


def test_attached_patches():
    whole = "\n".join(
        ["From " + "0" * 40 + " Mon Sep 17", "From: Bob <bob@x.example>", "Subject: x", "", "Why", "---", *DIFF]
    )
    first, second = attached("See attached", whole, "\n".join(DIFF))
    assert (first.part, texts(first.message), first.message_part) == (1, ["Why"], None)
    assert first.author is not None
    assert (second.part, texts(second.message), second.message_part) == (2, ["See attached"], 0)
    assert texts(second.diff) == DIFF
    both = attached("\n".join(["Text", *DIFF]), "\n".join(DIFF))
    assert [texts(text.message) for text in both] == [["Text"], []]


def test_mail_without_text_is_empty():
    data = HEAD + b"Content-Type: image/png\n\n"
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    text = message_text(mail, ())
    assert (text.message, text.notes, text.diff, text.diffstat, text.trailers) == ((), (), (), None, ())


def test_in_body_headers():
    text = read(
        "", "Subject: [PATCH] a", " folded", "From: Bob", "\t<bob@x.example>", "Date: now", "", "Body", "From: x@y no"
    )
    assert text.author is not None
    assert text.author.name == "Bob"
    assert texts(text.message) == ["Body", "From: x@y no"]
    assert texts(read("From: here on it works", "x").message) == ["From: here on it works", "x"]
    assert texts(
        read("-----BEGIN PGP SIGNED MESSAGE-----", "Hash: X", "", "Body", "-----BEGIN PGP SIGNATURE-----").message
    ) == ["Body"]


def test_diffstat_summary_alone():
    text = read("Text", "---", "|", " | 3", " 1 file changed", *DIFF)
    assert text.diffstat is not None
    assert (text.diffstat.lines, text.diffstat.body_line) == ((), 5)


@given(st.text(alphabet="\n-+ @diff/git,_abIndex:1|> ", max_size=400), st.binary(max_size=50))
def test_no_text_raises(text: str, raw: bytes):
    data = HEAD + b"\n" + text.encode() + raw
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    parts = text_parts(mail)
    found = message_text(mail, parts)
    lines = parts[0].text.split("\n")
    for line in (*found.message, *found.notes, *found.diff):
        assert lines[line.body_line - 1] == line.text


@pytest.mark.parametrize(
    "text",
    [
        "Foo: text\n" * 25000,
        "--- \n+++ \n" * 25000,
        "-- \n" * 62500,
        "@@ -1 +1 @@\n" * 18750,
        " a | 1\n" * 35000,
        "_" * 40 + "\n" + "x\n" * 112500,
        "diff --git a b\n" * 17500,
        "x " * 125000,
        "[\n" * 112500,
    ],
)
def test_large_texts_end_in_linear_time(text: str):
    data = HEAD + b"\n" + text.encode()
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    start = time.process_time()
    message_text(mail, (TextPart(number=0, text=text),))
    assert time.process_time() - start < 1


def test_every_patch_of_the_corpus(corpus: Path):
    names = sorted(str(path) for path in (corpus / "seed").glob("rx-*.mbox"))
    seen = 0
    with Spool() as spool:
        for raw in read_sources(names):
            assert isinstance(raw, RawMail)
            mail = parse_mail(raw.data, raw.source, seen, spool.add(raw.data))
            assert isinstance(mail, Mail)
            text = message_text(mail, parts_of(raw.data))
            assert bool(text.diff) == mail.has_diff
            if not mail.subject.reply and mail.has_diff:
                span = diff_span(texts(text.diff))
                assert span is not None
                assert span.whole
                assert text.diffstat is not None
                assert text.diffstat.files == len(text.diffstat.lines)
                assert any(trailer.name == "Signed-off-by" for trailer in text.trailers)
                seen += 1
    assert seen >= 18
