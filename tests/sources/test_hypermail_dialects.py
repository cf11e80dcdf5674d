"""hypermail's ways of printing a mail, from 1.x to 2.4, each with the same small mail and the pages around it.

The structure follows src/print.c, src/parse.c and src/txt2html.c of its versions; the words are invented.
"""

from __future__ import annotations

import time

import pytest

from reviewer.mail.body import parts_of
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Notice
from reviewer.sources import RawMail
from reviewer.sources.pages import read_page
from reviewer.sources.stream import BrokenError

FIELDS = """<!-- received="Mon Mar  3 12:00:05 2025" -->
<!-- isoreceived="20250303120005" -->
<!-- sent="Mon, 3 Mar 2025 13:00:00 +0100" -->
<!-- isosent="20250303120000" -->
<!-- name="Ann Author" -->
<!-- email="ann_at_[hidden]" -->
<!-- subject="Re: [PATCH] frob: mend" -->
<!-- id="two.two_at_dev.example" -->
<!-- charset="ISO-8859-1" -->
<!-- inreplyto="one_at_dev.example" -->
<!-- expires="-1" -->
"""
OLD = """<HTML><HEAD><TITLE>list: Re: [PATCH] frob: mend</TITLE></HEAD><BODY>
<!-- received="Mon Mar  3 12:00:05 2025 EST" -->
<!-- sent="Mon, 3 Mar 2025 13:00:00 +0100" -->
<!-- name="Ann Author" -->
<!-- email="ann@dev.example" -->
<!-- subject="Re: [PATCH] frob: mend" -->
<!-- id="two.two@dev.example" -->
<!-- inreplyto="one@dev.example" -->
<H1>Re: [PATCH] frob: mend</H1>
<B>Ann Author</B> (<A HREF="mailto:ann@dev.example"><I>ann@dev.example</I></A>)<BR>
<I>Mon, 3 Mar 2025 13:00:00 +0100</I>
<P>
<UL>
<LI> <B>Messages sorted by:</B> <A HREF="date.html#2">[ date ]</A>
</UL>
<HR>
<!-- body="start" -->
{}<!-- body="end" -->
<HR>
<UL>
<!-- next="start" -->
<LI> <B>Next message:</B> <A HREF="0003.html">Otto Other: "Re: [PATCH] frob: mend"</A>
</UL>
</BODY></HTML>
"""
PHP = (
    '<?\n$subject_val = "Re: [PATCH] frob: mend";\ninclude("../../include/msg-header.inc");\n?>\n'
    + FIELDS
    + """<div class="center">
<table border="2" width="100%" class="links">
<tr><th><a href="date.php">Date view</a></th></tr>
</table>
</div>
<p class="headers">
<strong>Subject:</strong> Re: [PATCH] frob: mend<br>
<strong>From:</strong> Ann Author (<em>ann_at_[hidden]</em>)<br>
</p>
<ul class="links">
<!-- next="start" -->
<li><strong>Next message:</strong> <a href="3.php">Otto Other: "Re: [PATCH] frob: mend"</a>
<!-- nextthread="start" -->
<!-- reply="end" -->
</ul>
<hr>
<!-- body="start" -->
{}<!-- body="end" -->
<hr>
<ul class="links">
<li><strong>Next message:</strong> <a href="3.php">Otto Other: "Re: [PATCH] frob: mend"</a>
</ul>
<!-- trailer="footer" -->
<? include("../../include/msg-footer.inc") ?>
"""
)
XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">\n'
    '<html xmlns="http://www.w3.org/1999/xhtml"><head>\n<title>Re: [PATCH] frob: mend</title>\n'
    '<meta name="Author" content="Ann Author" />\n<style type="text/css">pre {{ x }}</style>\n</head>\n<body>\n'
    '<div class="head"><h1>Re: [PATCH] frob: mend</h1>\n'
    + FIELDS
    + """<map id="navbar" name="navbar">
<ul class="links"><li><dfn>This message</dfn>: [ <a href="#start2">Message body</a> ]</li></ul>
</map>
</div>
<!-- body="start" -->
<div class="mail">
<address class="headers">
<span id="from">
<dfn>From</dfn>: Ann Author &lt;<a href="mailto:ann_at_[hidden]">ann_at_[hidden]</a>&gt;
</span><br />
<span id="date"><dfn>Date</dfn>: Mon, 3 Mar 2025 13:00:00 +0100</span><br />
</address>
{}<span id="received"><dfn>Received on</dfn> Mon Mar 03 2025</span>
</div>
<!-- body="end" -->
<div class="foot">
<ul class="links"><!-- lnext="start" --><li><dfn>Next message</dfn>: <a href="0003.html">Otto</a></li></ul>
</div>
</body>
</html>
"""
)
HTML5 = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="UTF-8" /><title>x</title></head>\n<body>\n<header>\n'
    + FIELDS
    + """</header>
<!-- body="start" -->
<main class="mail">
<ul class="headers" aria-label="message headers">
<li><span class="from"><span class="heading">From</span>: Ann Author &lt;ann_at_[hidden]&gt;</span></li>
<li><ul><li>nested</li></ul></li>
</ul>
<section id="start2" class="mail-body">
{}</section>
<p class="received"><span class="heading">Received on</span> Monday, 3 March 2025 12:00:05 UTC</p>
</main>
<!-- body="end" -->
<footer class="foot"></footer>
</body>
</html>
"""
)
PAGES = {"1.x": OLD, "2.1": PHP, "2.2": XHTML, "2.4": HTML5}

DIFF = " int frob(void)\n {\n-        one();\n+        two();\n+\n+        more(a < b && c);\n }\n"
PATCH = f"--- a/frob.c\n+++ b/frob.c\n@@ -1,4 +1,6 @@\n{DIFF}"
TEXT = f"Hello,\n\nthis is right:\n\n> one\n> > two\n>\nWhy?\n\n\n{PATCH}"
WORDS = TEXT.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def preformatted(tag: str) -> str:
    return f"<{tag}>\n{WORDS}</pre>\n"


def broken(br: str, blank: str, quote: str, *, first: str = "") -> str:
    """Lines as showhtml=1 prints them: white space in front as &nbsp;, quotes in an element."""
    done = [first]
    for line in WORDS.splitlines():
        bare = line.lstrip(" ")
        if not line:
            done.append(blank)
        elif line.startswith("&gt;"):
            done.append(quote.format(line))
        else:
            done.append("&nbsp;" * (len(line) - len(bare)) + f"{bare}\n{br}\n")
    return "".join(done)


BODIES = {
    ("1.x", "pre"): preformatted("PRE"),
    ("1.x", "showbr"): "".join(f"{line}<BR>\n" if line else "<P>\n" for line in WORDS.splitlines()),
    ("1.x", "iquotes"): "".join(
        f"<I>{line}</I><BR>\n" if line.startswith("&gt;") else f"{line}\n" if line else "<P>\n"
        for line in WORDS.splitlines()
    ),
    ("2.1", "pre"): preformatted("pre"),
    ("2.1", "br"): broken("<br>", "<p>", '<span class="quotelev1">{}\n</span><br>\n', first="<p>\n"),
    ("2.2", "pre"): preformatted('pre id="body"').replace("<pre", '<a name="start2" id="start2"></a><pre'),
    ("2.2", "br"): broken("<br />", "<br />", '<em class="quotelev1">{}</em><br />\n'),
    ("2.4", "pre"): preformatted('pre class="body"'),
    ("2.4", "br"): broken("<br />", "<br />", '<span class="quotelev1">{}</span><br />\n'),
}


def read(page: str) -> tuple[Mail, list[Notice]]:
    mail, *notices = read_page(page.encode(), "page")
    assert isinstance(mail, RawMail)
    parsed = parse_mail(mail.data, mail.source, 0, lambda: mail.data)
    assert isinstance(parsed, Mail)
    assert all(isinstance(one, Notice) for one in notices)
    return parsed, [one for one in notices if isinstance(one, Notice)]


def text(page: str) -> str:
    [part] = parts_of(read(page)[0].load())
    return part.text


@pytest.mark.parametrize("version", PAGES)
def test_headers(version: str) -> None:
    mail, notices = read(PAGES[version].format("<pre>x\n</pre>\n"))
    assert mail.author.name == "Ann Author"
    assert mail.author.email == ("ann@dev.example" if version == "1.x" else "")
    assert (mail.message_id, mail.in_reply_to) == ("two.two@dev.example", "one@dev.example")
    assert mail.subject.text == "Re: [PATCH] frob: mend"
    assert mail.date is not None
    assert mail.date.isoformat() == "2025-03-03T13:00:00+01:00"
    assert notices == []


@pytest.mark.parametrize(("version", "how"), BODIES)
def test_text(version: str, how: str) -> None:
    assert text(PAGES[version].format(BODIES[version, how])) == TEXT


def test_signatures_are_preformatted() -> None:
    body = "Yes.\n<br>\n<p><p><pre>\n-- \nAnn\nann_at_[hidden]\n</pre>\n"
    assert text(PHP.format(body)).endswith("Yes.\n\n\n-- \nAnn\nann_at_[hidden]\n")


def test_quotes_that_are_links() -> None:
    body = (
        '<pre id="body">\n<em class="quotelev1"><a name="2qlink1">&gt; one</a>\n</em>'
        'See <a href="https://x.example/?a&amp;b">https://x.example/?a&amp;b</a>.\n</pre>\n'
    )
    assert text(XHTML.format(body)) == "> one\nSee https://x.example/?a&b.\n"


def test_a_document_with_lists() -> None:
    body = (
        "<p>\nTwo things:\n<br />\n\n<ul>\n  <li>  lock it\n  <li>  free it\n\n</ul>\n<p>\n<strong>NOT SO</strong>\n"
        '<br />\n<em class="quotelev1">&gt; one</em><br />\n<em class="quotelev1">&gt; two</em><br />\nWhy?\n<hr />\n'
    )
    shown = text(XHTML.format(body))
    assert " ".join(shown.split()) == "Two things: - lock it - free it NOT SO > one > two Why?"
    assert "\n> one\n> two\nWhy?\n" in shown
    assert [line.strip() for line in shown.splitlines() if "it" in line] == ["-  lock it", "-  free it"]


NOTE = '<ul>\n<li>{0} attachment: <a href="att-0002/01-{1}">{2}</a>\n</ul>\n<!-- attachment="01-{1}" -->\n'
SECTION = '<ul>\n<li>{0} attachment: <a href="att-0002/01-{1}">{2}</a></li>\n<!-- attachment="01-{1}" -->\n</ul>\n'


@pytest.mark.parametrize("note", [f"<hr>\n{NOTE}", f"<div>\n{NOTE}</div>\n", f"<section><h2></h2>{SECTION}</section>"])
def test_attachments_are_told_of_and_no_text(note: str) -> None:
    page = PHP.format("Here.\n<br>\n<p>" + note.format("text/x-patch", "frob.patch", "mend it"))
    assert text(page).strip() == "Here."
    (notice,) = read(page)[1]
    assert notice.code == "bad-mail"
    assert notice.message == (
        "page: mail 1 has an attachment that is not on its page (text/x-patch attachment: mend it); read without it"
    )


@pytest.mark.parametrize("kind", ["text/html", "application/pgp-signature", "image/png"])
def test_attachments_that_nobody_misses(kind: str) -> None:
    page = PHP.format("Here.\n<br>\n" + 2 * NOTE.format(kind, "attachment", "attachment"))
    assert (text(page).strip(), read(page)[1]) == ("Here.", [])


def test_the_second_attachment_counts_as_well() -> None:
    notes = NOTE.format("text/html", "a", "a") + NOTE.format("text/plain", "b", "0001-frob.patch")
    assert "0001-frob.patch" in read(PHP.format(f"Here.\n<br>\n{notes}"))[1][0].message


def test_lists_of_the_author_stay() -> None:
    body = 'One:\n<ul>\n<li>a\n</ul>\nTwo.\n<img src="x.png"><!-- attachment="x.png" -->\n'
    assert text(PHP.format(body)).split() == ["One:", "-a", "Two."]
    assert text(PHP.format('Here.\n<!-- attachment="x.png" -->\n')) == "Here.\n"


def test_a_mail_of_nothing_but_a_patch() -> None:
    mail, (notice,) = read(PHP.format(NOTE.format("text/x-diff", "frob.diff", "frob.diff")))
    assert "frob.diff" in notice.message
    assert [part.text.strip() for part in parts_of(mail.load())] == [""]


@pytest.mark.parametrize("body", ["<ul></ul>x\n<!-- attachment= -->\n", "<ul></ul>\n<!-- attachment= -->\n"])
def test_a_flood_of_notes_is_linear(body: str) -> None:
    start = time.process_time()
    list(read_page(PHP.format(body * 40_000).encode(), "page"))
    assert time.process_time() - start < 6


def test_mails_that_were_deleted() -> None:
    page = XHTML.replace('<!-- expires="-1" -->', '<!-- isdeleted="1" -->\n<!-- expires="-1" -->')
    with pytest.raises(BrokenError, match="taken out of the archive"):
        read(page.format('<a name="start" id="start"></a><p>(deleted message)</p>\n'))
    assert text(page.format("<pre>\nstill\nhere\n</pre>\n")) == "still\nhere\n"


def test_what_the_archive_did_not_find() -> None:
    page = PHP.replace("Ann Author", "(no name)").replace("ann_at_[hidden]", "(no email)")
    page = page.replace("Re: [PATCH] frob: mend", "(no subject)").replace("Mon, 3 Mar 2025 13:00:00 +0100", "(no date)")
    mail, _ = read(page.format("x"))
    assert (mail.author.name, mail.author.email, mail.subject.text) == ("", "", "")
    assert mail.date is not None
    assert mail.date.isoformat() == "2025-03-03T12:00:00+00:00"
    mail, _ = read(page.replace("20250303120000", "soon").format("x"))
    assert mail.date is None


def test_message_ids_with_dashes() -> None:
    page = PHP.replace("two.two_at_dev.example", "a&#45;&#45;b_at_c_at_dev.example")
    assert read(page.format("x"))[0].message_id == "a--b_at_c@dev.example"
