"""Saved pages of hypermail and MHonArc archives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.body import parts_of
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail
from reviewer.sources import RawMail
from reviewer.sources.pages import read_page
from reviewer.sources.stream import BrokenError

HYPERMAIL = """<!DOCTYPE html>
<html><head><title>list: [PATCH] frob: mend</title></head><body>
<!-- received="Mon Mar  3 12:00:05 2025" -->
<!-- isoreceived="20250303120005" -->
<!-- sent="Mon, 3 Mar 2025 13:00:00 +0100" -->
<!-- isosent="20250303120000" -->
<!-- name="Ann Author" -->
<!-- email="ann&#64;dev.example" -->
<!-- subject="[PATCH] frob: mend &lt;it&gt; &amp; &quot;more&quot;" -->
<!-- id="one&#64;dev.example" -->
<!-- charset="utf-8" -->
<!-- inreplyto="up_at_dev.example" -->
<!-- expires="-1" -->
<ul class="links"><li><a href="0002.html">Next message</a></li></ul>
<!-- body="start" -->
%s
<!-- body="end" -->
<p>footer</p></body></html>
"""
MHONARC = """<!-- MHonArc v2.6.16 -->
<!--X-Subject: Re: [PATCH] frob: mend &#45; it -->
<!--X-From-R13: Pbo Phvyqre <oboNqri.rknzcyr> -->
<!--X-Date: Fri, 30 Sep 2016 02:40:50 &#45;0400 (EDT) -->
<!--X-Message-Id: two@dev.example -->
<!--X-Content-Type: text/plain -->
<!--X-Reference: root@dev.example -->
<!--X-Reference: up&#45;1@dev.example -->
<!--X-Head-End-->
<html><head><meta HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=iso-8859-2"></head>
<body><h1>Re: [PATCH] frob: mend it</h1>
<!--X-Body-of-Message-->
%s
<!--X-Body-of-Message-End-->
<hr></body></html>
"""


def read(page: str | bytes) -> Mail:
    [raw] = read_page(page.encode() if isinstance(page, str) else page, "page")
    assert isinstance(raw, RawMail)
    mail = parse_mail(raw.data, raw.source, 0, lambda: raw.data)
    assert isinstance(mail, Mail)
    return mail


def text(mail: Mail) -> str:
    [part] = parts_of(mail.load())
    return part.text


def test_hypermail_headers() -> None:
    mail = read(HYPERMAIL % "<pre>x</pre>")
    assert (mail.author.name, mail.author.email) == ("Ann Author", "ann@dev.example")
    assert mail.subject.text == '[PATCH] frob: mend <it> & "more"'
    assert (mail.message_id, mail.in_reply_to) == ("one@dev.example", "up@dev.example")
    assert mail.date is not None
    assert mail.date.isoformat() == "2025-03-03T13:00:00+01:00"


def test_mhonarc_headers() -> None:
    mail = read(MHONARC % "x<br>")
    assert (mail.author.name, mail.author.email) == ("Bob Builder", "bob@dev.example")
    assert mail.subject.text == "Re: [PATCH] frob: mend - it"
    assert mail.references == ("root@dev.example", "up-1@dev.example")
    assert mail.date is not None
    assert mail.date.isoformat() == "2016-09-30T02:40:50-04:00"


@pytest.mark.parametrize(
    ("name", "email", "author"),
    [
        ("Ann Author", "ann_at_[hidden]", ("Ann Author", "")),
        ("Ann Author", "ann@xxxxxxxxxxx", ("Ann Author", "")),
        ("Ann Author", "ann@...", ("Ann Author", "")),
        ("a_at_b", "a_at_b_at_dev.example", ("a_at_b", "a_at_b@dev.example")),
        ("ann@dev.example", "ann@dev.example", ("", "ann@dev.example")),
    ],
)
def test_addresses_that_archives_hide(name: str, email: str, author: tuple[str, str]) -> None:
    page = (HYPERMAIL % "x").replace("Ann Author", name).replace("ann&#64;dev.example", email)
    found = read(page).author
    assert (found.name, found.email) == author


PATCH = "--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@\n \tif (a < b)\n-\t\tone();\n+\t\ttwo();\n"


def test_preformatted_text_is_exact() -> None:
    shown = PATCH.replace("<", "&lt;")
    body = f'<pre id="body">\n<a name="start1" id="start1"></a>{shown}See <a href="https://x.example/">https://x.example/</a>\n</pre>'
    assert text(read(HYPERMAIL % body)) == PATCH + "See https://x.example/\n"


def test_headers_and_notes_of_the_archive_are_no_text() -> None:
    body = (
        '<div class="mail"><address class="headers"><span id="from"><dfn>From</dfn>: Ann</span><br/></address>\n'
        '<pre id="body">\nText.\n</pre><span id="received"><dfn>Received on</dfn> Monday</span>\n</div>'
    )
    assert text(read(HYPERMAIL % body)) == "Text.\n"


def test_lines_that_end_in_breaks() -> None:
    body = (
        "<p>\nHello,\n<br>\n<p>line one\n<br>\nline two\n<br>\n"
        '<p><p><span class="quotelev1">&gt; quoted\n</span><br>\n<span class="quotelev1">&gt; more\n</span><br>\n'
        "&nbsp;&nbsp;code();<br />\nend<br />\n"
    )
    assert text(read(HYPERMAIL % body)) == "Hello,\n\nline one\nline two\n\n\n> quoted\n> more\n  code();\nend\n"


def test_mhonarc_text() -> None:
    body = "On Friday Ann wrote:<br>\n&gt;<i> quoted</i><br>\n&gt;<i> </i><br>\n<br>\n"
    body += "        kfree(r-&gt;pool);<br>\n<br>\n"
    assert text(read(MHONARC % body)) == "On Friday Ann wrote:\n> quoted\n> \n\n        kfree(r->pool);\n"


@pytest.mark.parametrize(("charset", "shown"), [("iso-8859-2", "Łódź"), ("utf-8", "Łódź"), ("nonsense", "£ód¼")])
def test_charsets(charset: str, shown: str) -> None:
    encoding = "utf-8" if charset == "utf-8" else "iso-8859-2"
    page = (MHONARC % "Łódź<br>").replace("iso-8859-2", charset).encode(encoding)
    assert text(read(page)) == shown + "\n"


def test_scripts_are_no_text() -> None:
    assert text(read(HYPERMAIL % "<pre>a<script>alert('<b>')</script><style>p {}</style>b</pre>")) == "ab\n"


def test_pages_that_hold_no_whole_mail() -> None:
    with pytest.raises(BrokenError, match="is a page without a mail"):
        read((HYPERMAIL % "x").replace('body="start"', ""))
    with pytest.raises(BrokenError, match="breaks off before its mail ends"):
        read((HYPERMAIL % "x").partition('<!-- body="end"')[0])
    with pytest.raises(BrokenError, match="goes beyond what a page may hold before its mail ends"):
        read(HYPERMAIL % ("<b>" * 1000))


@given(st.text() | st.binary())
def test_no_body_breaks_the_reader(noise: str | bytes) -> None:
    shown = noise if isinstance(noise, bytes) else noise.encode("utf-8", "replace")
    for page in (HYPERMAIL, MHONARC):
        head, _, tail = page.encode().partition(b"%s")
        for one in read_page(head + shown.replace(b"<", b"") + tail, "x"):
            assert isinstance(one, RawMail)
