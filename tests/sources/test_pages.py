"""Saved pages of public-inbox servers, as other versions and browsers write them, and as nobody should."""

from __future__ import annotations

import contextlib
import time
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.body import parts_of
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Notice
from reviewer.sources import RawMail
from reviewer.sources.pages import read_page
from reviewer.sources.raw import Raw
from reviewer.sources.rebuilt import MAX_PARENTS
from reviewer.sources.stream import BrokenError

TOP = "<html><head><title>x</title></head><body><form action='../'><pre><b>list</b></pre></form>"
END = "<hr><pre>This is a public inbox</pre></body></html>"


def message(body: str, head: str = "", block: str = "b") -> str:
    head = head or (
        "From: Ann Author &lt;ann@dev.example&gt;\nTo: list@dev.example,\n\tBob &lt;bob@dev.example&gt;\n"
        'Subject: <a href="#r" id="t">[PATCH] frob: mend</a>\n'
        'Date: Mon, 3 Mar 2025 12:00:00 +0100\t<a href="#r">[thread overview]</a>\n'
        'Message-ID: &lt;one@dev.example&gt; (<a href="raw">raw</a>)\n'
    )
    name = f" id={block}" if block else ""
    return f"<pre{name}>{head}\n{body}</pre><hr>"


def entry(number: int, body: str = "Text.\n", base: str = "../../", name: str = "Ann Author", head: str = "") -> str:
    link = f"{base}{number}%2Bx@dev.example/"
    return (
        f'<pre><a href="#e{number:040x}" id="m{number:040x}">*</a> <u id=u><b>[PATCH {number}/9] frob: mend</b></u>\n'
        f"<b>@ 2025-03-03  9:0{number} {name}</b>\n"
        '  <a href="#r1">0 siblings, 1 reply; 2+ messages in thread</a>\n'
        f'From: {name} @ 2025-03-03  9:0{number} UTC (<a href="{link}">permalink</a> / <a href="{link}raw">raw</a>)\n'
        f"{head or '  To: list; <b>+Cc:</b> Bob' + chr(10)}\n{body}\n"
        f'<a href="#m{number:040x}" id="e{number:040x}">^</a> <a href="{link}">permalink</a>'
        f' <a href="{link}#R">reply</a></pre><hr>'
    )


def tree(*lines: str) -> str:
    return "<pre><b id=t>Thread overview:</b> 2+ messages\n-- links below jump --\n" + "".join(lines) + "</pre>"


def line(number: int, level: int) -> str:
    branch = "  " * (level - 1) + "` " if level else ""
    return f'2025-03-03  9:0{number % 10} {branch}<a href="#m{number:040x}" id="r{number:040x}">frob</a> Ann Author\n'


def ghost(name: str, level: int) -> str:
    branch = "  " * (level - 1) + "` " if level else ""
    return f'     [not found] {branch}&lt;<a href="../../{name}/">{name}</a>&gt;\n'


def read(page: str | bytes) -> list[Mail]:
    mails = [one for one in read_page(page.encode() if isinstance(page, str) else page, "page") if not_notice(one)]
    return [parsed(one) for one in mails]


def not_notice(one: RawMail | Notice) -> bool:
    return isinstance(one, RawMail)


def parsed(raw: RawMail | Notice) -> Mail:
    assert isinstance(raw, RawMail)
    mail = parse_mail(raw.data, raw.source, 0, lambda: raw.data)
    assert isinstance(mail, Mail)
    return mail


def notices(found: Raw) -> list[str]:
    return [one.message for one in found if isinstance(one, Notice)]


def texts(mail: Mail) -> list[str]:
    return [part.text for part in parts_of(mail.load())]


def test_headers_and_text_of_a_message() -> None:
    body = 'A <a href="https://x.example/?a&amp;b">https://x.example/?a&amp;b</a> &#38; &lt;b&gt;\n\t x&#160;y\n'
    body += '<span class="q">&gt; q\n</span>'
    [mail] = read(TOP + message(body) + END)
    assert (mail.author.name, mail.author.email) == ("Ann Author", "ann@dev.example")
    assert (mail.subject.text, mail.message_id) == ("[PATCH] frob: mend", "one@dev.example")
    assert mail.date is not None
    assert mail.date.isoformat() == "2025-03-03T12:00:00+01:00"
    assert texts(mail) == ["A https://x.example/?a&b & <b>\n\t x\xa0y\n> q\n"]


@pytest.mark.parametrize(
    ("shown", "name", "email"),
    [
        ("ann@dev.example", "", "ann@dev.example"),
        ("ann@dev.example (Ann Author)", "Ann Author", "ann@dev.example"),
        ('"Author, Ann" <ann@dev.example>', "Author, Ann", "ann@dev.example"),
        ("Müller, Ann <ann@dev.example>", "Müller, Ann", "ann@dev.example"),
        ("MÃ¼ller <ann@dev.example>", "Müller", "ann@dev.example"),
        ("Victim <victim@dev.example>, <eve@dev.example>", "Victim <victim@dev.example>,", "eve@dev.example"),
        ("Änn without an address", "Änn without an address", ""),
    ],
)
def test_authors_as_pages_show_them(shown: str, name: str, email: str) -> None:
    head = f"From: {escape(shown)}\nSubject: x\nMessage-ID: &lt;one@dev.example&gt; (raw)\n"
    [mail] = read(TOP + message("Text.\n", head) + END)
    assert (mail.author.name, mail.author.email) == (name, email)


def test_a_subject_is_not_decoded_twice() -> None:
    head = "From: Ann &lt;ann@dev.example&gt;\nSubject: on =?utf-8?q?=41?=\nMessage-ID: &lt;one@dev.example&gt;\n"
    [mail] = read(TOP + message("Text.\n", head) + END)
    assert mail.subject.text == "on =?utf-8?q?=41?="


def test_references_of_an_archive_without_an_index() -> None:
    head = (
        "From: Ann &lt;a@dev.example&gt;\nMessage-ID: &lt;one@dev.example&gt;\nReferences: &lt;a@x&gt;\n\t&lt;b@x&gt;\n"
    )
    [mail] = read(TOP + message("Text.\n", head) + END)
    assert mail.references == ("a@x", "b@x")


def test_two_messages_of_one_id_are_both_read() -> None:
    warning = "<pre>WARNING: multiple messages have this Message-ID\n</pre>"
    page = TOP + message("One.\n") + warning + message("Two.\n", block="") + END
    assert [texts(mail) for mail in read(page)] == [["One.\n"], ["Two.\n"]]


def test_a_message_page_has_its_parents_from_the_overview() -> None:
    overview = (
        '<pre><a href="../x/">prev</a>\n<b>Thread overview: </b>3+ messages\n'
        '2025-03-03  9:00 <a href="../root@dev.example/">[PATCH 0/1] frob</a> Ann\n'
        "     [not found] ` &lt;<a href='../gone@dev.example/'>gone@dev.example</a>&gt;\n"
        '<b>2025-03-03  9:01   ` <a id="r" href="#t">Ann [this message]</a></b>\n</pre>'
    )
    [mail] = read(TOP + message("Text.\n") + overview + END)
    assert mail.references == ("root@dev.example", "gone@dev.example")
    assert mail.in_reply_to == "gone@dev.example"


def test_what_a_message_answers_beats_the_overview() -> None:
    head = "From: Ann &lt;a@dev.example&gt;\nMessage-ID: &lt;one@dev.example&gt;\n"
    head += "In-Reply-To: &lt;<a href=x>up@x</a>&gt;\n"
    overview = '<pre><b>Thread overview: </b>\n2025-03-03  9:00 <a href="../root@x/">a</a> A\n'
    overview += '2025-03-03  9:01 ` <a href="#t">b</a>\n</pre>'
    [mail] = read(TOP + message("Text.\n", head) + overview + END)
    assert (mail.in_reply_to, mail.references) == ("up@x", ("root@x", "up@x"))


def test_a_thread_page_and_its_tree() -> None:
    lines = (line(0, 0), line(1, 1), ghost("gone@x", 1), line(2, 2), line(3, 3), line(4, 0))
    page = TOP + "".join(entry(number) for number in range(5)) + tree(*lines) + END
    above = {mail.message_id: mail.references for mail in read(page)}
    root = "0+x@dev.example"
    assert above == {
        root: (),
        "1+x@dev.example": (root,),
        "2+x@dev.example": (root, "gone@x"),
        "3+x@dev.example": (root, "gone@x", "2+x@dev.example"),
        "4+x@dev.example": (),
    }


def test_an_author_without_address_keeps_the_name() -> None:
    [one, two] = read(TOP + entry(0, name="Ann via B4 Relay") + entry(1, name="Eve &lt;a@x&gt;") + tree() + END)
    assert (one.author.name, one.author.email) == ("Ann", "")
    assert (two.author.name, two.author.email) == ("Eve <a@x>", "")
    assert one.date is not None
    assert one.date.isoformat() == "2025-03-03T09:00:00+00:00"


def test_what_the_archive_could_not_show() -> None:
    page = (
        TOP + entry(0).replace("[PATCH 0/9] frob: mend", "(no subject)").replace("2025-03-03  9", "2025-13-33  9") + END
    )
    [mail] = read(page)
    assert (mail.subject.text, mail.date) == ("", None)


def test_a_page_saved_by_a_browser_reads_alike() -> None:
    base = "https://archive.example/list/"
    page = TOP + entry(0) + entry(1) + tree(line(0, 0), line(1, 1)) + END
    saved = page.replace('href="../../', f'href="{base}').replace('href="#', f'href="{base}0%2Bx@dev.example/T/#')
    saved = "<!DOCTYPE html>\n<!-- saved from url -->" + saved.replace("\n", "\r\n")
    assert [(mail.message_id, mail.references, texts(mail)) for mail in read(saved)] == [
        (mail.message_id, mail.references, texts(mail)) for mail in read(page)
    ]


def test_an_entry_without_recipients_and_one_with_its_parent_in_the_head() -> None:
    reply = "  Cc: Bob\nIn-Reply-To: &lt;<a href='../../up@x/'>up@x</a>&gt;\n"
    [alone, answer] = read(TOP + entry(0, "\nText.\n", head="\n") + entry(1, head=reply) + END)
    assert texts(alone) == ["\nText.\n"]
    assert (answer.in_reply_to, texts(answer)) == ("up@x", ["Text.\n"])


def test_attachments_become_parts_again() -> None:
    body = (
        '<a href="1-a.txt">[-- Attachment #1: Type: text/plain, Size: 6 bytes --]</a>\n\nText.\n'
        '\n<a href="2-x.bin">[-- Attachment #2: [a] --]\n[-- Type: application/x, Size: 6 bytes --]</a>\n'
        '\n<a href="3-0001-a.patch">[-- Attachment #3: 0001-a.patch --]\n'
        "[-- Type: text/x-patch, Size: 6 bytes --]</a>\n\n"
        "diff --git a/x b/x\n"
    )
    [mail] = read(TOP + message(body) + END)
    parts = parts_of(mail.load())
    assert [(part.text, part.content_type, part.filename) for part in parts] == [
        ("Text.\n", "text/plain", None),
        ("diff --git a/x b/x\n", "text/x-patch", "0001-a.patch"),
    ]


def test_a_badly_encoded_part_is_read() -> None:
    body = (
        '<a href="1-a.txt">[-- Warning: decoded text below may be mangled, UTF-8 assumed --]\n'
        "[-- Attachment #1: Type: text/plain; charset=y, Size: 6 bytes --]</a>\n\nText.\n"
    )
    [mail] = read(TOP + message(body) + END)
    assert texts(mail) == ["Text.\n"]


def test_a_nested_view_may_be_deeper_than_the_parser_goes() -> None:
    page = TOP + "".join(
        f"<ul>\n<li >{entry(1).replace('m' + '0' * 39 + '1', f'm{at:040x}')}</li>" for at in range(600)
    )
    assert len(list(read_page((page + "</UL>" * 600 + END).encode(), "x"))) == 600


def test_deep_threads_keep_their_root_and_their_nearest() -> None:
    lines = tree(*(line(number, number) for number in range(MAX_PARENTS * 2)))
    page = TOP + "".join(entry(n).replace(f" 9:0{n} UTC", " 9:00 UTC") for n in range(MAX_PARENTS * 2)) + lines + END
    last = read(page)[-1]
    assert len(last.references) == MAX_PARENTS
    assert last.references[0] == "0+x@dev.example"
    assert last.references[-1] == last.in_reply_to == f"{MAX_PARENTS * 2 - 2}+x@dev.example"


def test_a_page_that_breaks_off_loses_the_mail_it_cuts() -> None:
    page = TOP + entry(0) + entry(1)
    found = list(read_page(page[: page.rfind("Text.")].encode(), "x.html"))
    assert [one.data.split(b"\n")[1] for one in found if isinstance(one, RawMail)] == [
        b"Subject: [PATCH 0/9] frob: mend"
    ]
    assert notices(iter(found)) == ["x.html breaks off; read as far as it goes"]
    with pytest.raises(BrokenError, match="is a page without a mail"):
        read(TOP + message("Text.")[:-20])


def test_a_page_beyond_the_parsers_limits_is_told() -> None:
    page = TOP + entry(0) + "<pre>" + "<b>" * 1000 + "x" + "</b>" * 1000 + "</pre>" + END
    assert notices(read_page(page.encode(), "x.html")) == [
        "x.html goes beyond what a page may hold; read as far as it goes"
    ]


def test_a_page_that_is_too_large_is_cut() -> None:
    page = (TOP + entry(0)).encode() + (b"<pre>" + b"x" * (1 << 20) + b"</pre>") * 32
    assert notices(read_page(page, "x.html")) == ["x.html is larger than 32 MiB; read as far as it goes"]


@pytest.mark.parametrize("page", ["", "<html></html>", TOP + END, "<html><body><pre>From: x\n\ny</pre></body></html>"])
def test_pages_without_a_mail(page: str) -> None:
    with pytest.raises(BrokenError):
        read(page)


def test_what_a_mail_says_is_never_taken_for_the_page() -> None:
    forged = escape(entry(7) + message("x") + '</pre><!-- subject="x" -->') + "\n\n^ permalink\n"
    [mail, other] = read(TOP + entry(0, forged) + entry(1) + tree(line(0, 0), line(1, 1)) + END)
    assert (mail.message_id, other.references) == ("0+x@dev.example", ("0+x@dev.example",))
    assert texts(mail)[0].endswith("^ permalink\n")


def test_headers_cannot_be_made_by_what_is_shown() -> None:
    body = entry(0).replace("[PATCH 0/9] frob: mend", "a&#13;Message-ID: &lt;forged@x&gt;&#11;b", 1)
    [mail] = read(TOP + body + END)
    assert mail.message_id == "0+x@dev.example"


def test_reading_takes_time_in_proportion_to_the_page() -> None:
    def seconds(count: int) -> float:
        body = '<a href="https://x.example/">https://x.example/</a> <span class="add">+x</span>\n' * count
        start = time.process_time()
        read(TOP + entry(0, body) + END)
        return time.process_time() - start

    seconds(1000)
    assert seconds(20_000) < 12 * max(seconds(4000), 0.01)


@given(st.text() | st.binary())
def test_no_page_breaks_the_reader(noise: str | bytes) -> None:
    shown = noise if isinstance(noise, bytes) else noise.encode("utf-8", "replace")
    thread = (TOP + entry(0, "\0") + END).encode().replace(b"\0", shown)
    for page in (shown, TOP.encode() + shown + END.encode(), thread):
        with contextlib.suppress(BrokenError):
            for one in read_page(page, "x"):
                assert isinstance(one, RawMail | Notice)
