"""Text parts: encodings, charsets, MIME, HTML, flowed text; and what hostile mails do to them."""

from __future__ import annotations

import base64
import quopri
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.body import part_lines, parts_of, text_parts
from reviewer.mail.flowed import unflow
from reviewer.mail.htmltext import html_to_text
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, TextLine

DIFF = "diff --git a/x.c b/x.c\nindex 111..222 100644\n--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@ int f(void)\n a\n-b\n+c\n"
FROM = b"From: Ann <ann@dev.example>\nSubject: [PATCH] x\nMessage-ID: <m@dev.example>\n"


def mail_of(data: bytes) -> Mail:
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    return mail


def multipart(*parts: tuple[str, str], kind: str = "mixed", close: bool = True) -> bytes:
    body = "".join(f"--b1\nContent-Type: {head}\n\n{text}\n" for head, text in parts)
    end = "--b1--\nepilogue\n" if close else ""
    return FROM + f'Content-Type: multipart/{kind};\n boundary="b1"\n\nprologue\n{body}{end}'.encode()


def test_no_content_type_and_no_newline_at_the_end():
    (part,) = parts_of(FROM + "\nä\nb".encode())
    assert (part.text, part.content_type, part.damaged, part.number) == ("ä\nb", "text/plain", "", 0)


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit", "BASE64 "])
def test_transfer_encodings(encoding: str):
    text = "ä\n\n" + DIFF
    coded = text.encode()
    if "64" in encoding.lower():
        coded = base64.encodebytes(coded)
    elif encoding.startswith("q"):
        coded = quopri.encodestring(coded)
    head = f'Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: {encoding}\n\n'
    mail = mail_of(FROM + head.encode() + coded)
    assert text_parts(mail)[0].text == text
    assert mail.has_diff


def test_broken_base64_is_read_as_far_as_it_goes():
    data = FROM + b"Content-Transfer-Encoding: base64\n\n" + base64.b64encode(b"hello world")[:-3] + b"\n"
    (part,) = parts_of(data)
    assert part.text == "hello wor"
    assert part.damaged == "base64 broken off"


def test_quoted_diff_is_none():
    quoted = "".join(f"> {line}\n" for line in DIFF.splitlines())
    assert not mail_of(FROM + b"\n" + quoted.encode()).has_diff


@pytest.mark.parametrize(
    ("text", "diff", "stat"),
    [
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", True, False),
        ("--- a\n+++ b\nno hunk\n--- \n", False, False),
        ("--- a", False, False),
        (" x | 2 +-\n 1 file changed, 1 insertion(+)\n", False, True),
        (" 2 files changed\n", False, True),
        ("much has changed, 3 files changed nothing\n", False, False),
    ],
)
def test_facts(text: str, diff: bool, stat: bool):
    mail = mail_of(FROM + b"\n" + text.encode())
    assert (mail.has_diff, mail.has_diffstat) == (diff, stat)


def test_facts_of_odd_charsets_and_html():
    utf16 = FROM + b"Content-Type: text/plain; charset=utf-16\n\n" + DIFF.encode("utf-16")
    assert mail_of(utf16).has_diff
    assert text_parts(mail_of(utf16))[0].text == DIFF
    html = FROM + b"Content-Type: text/html\n\n<pre>" + DIFF.encode() + b"</pre>"
    assert mail_of(html).has_diff
    assert not mail_of(FROM + b"Content-Type: image/png\n\n").has_diff


def test_multipart_parts_in_order_html_left_out():
    data = multipart(
        ("text/plain", "one"), ("text/html", "<p>no"), ("text/x-patch; name=a.patch", DIFF),
        ('application/octet-stream; name*=utf-8\'\'b%20c.diff', "two"), ("application/pgp-signature", "sig"),
    )  # fmt: skip
    parts = parts_of(data)
    assert [(part.number, part.filename) for part in parts] == [(0, None), (1, "a.patch"), (2, "b c.diff")]
    assert parts[1].text == DIFF
    assert mail_of(data).has_diff


def test_file_name_in_pieces():
    data = multipart(('text/plain; name*0="a b"; name*1=.patch', "x"))
    assert parts_of(data)[0].filename == "a b.patch"


def test_open_multipart_is_read_as_far_as_it_goes():
    assert parts_of(multipart(("text/plain", "one"), ("text/plain", "two"), close=False))[1].text == "two\n"


def test_multipart_without_its_boundary_is_text():
    for head in (b"multipart/mixed; boundary=zz", b"multipart/mixed", b"nonsense"):
        (part,) = parts_of(FROM + b"Content-Type: " + head + b"\n\nbody --zz\n--zzz\n")
        assert (part.text, part.content_type) == ("body --zz\n--zzz\n", "text/plain")


def test_nesting_is_limited():
    body = b"text"
    for level in range(60):
        head = b"Content-Type: multipart/mixed; boundary=b%d\n\n" % level
        body = (
            head + b"--b%d\nContent-Type: text/plain\n\nlevel\n--b%d\n" % (level, level) + body + b"\n--b%d--\n" % level
        )
    parts = parts_of(FROM + body)
    assert len(parts) == 50
    assert parts[-1].damaged == "parts nested more than 50 deep"


def test_parts_are_limited():
    parts = parts_of(FROM + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 10_050)
    assert len(parts) == 10_000
    assert parts[-1].damaged == "more than 10000 parts"


def test_mail_without_text_has_no_parts():
    assert parts_of(FROM + b"Content-Type: image/png\n\nxx") == ()


def test_crlf_is_folded_but_not_that_of_a_file():
    assert parts_of(FROM.replace(b"\n", b"\r\n") + b"\r\na\r\nb\r\n")[0].text == "a\nb\n"
    patch = "Text\n\n" + DIFF.replace(" a\n", " a\r\n")
    assert parts_of(FROM + b"\n" + patch.encode())[0].text == patch


def test_nul_characters_are_said():
    assert parts_of(FROM + b"Content-Transfer-Encoding: base64\n\nYQBi\n")[0].damaged == "holds NUL characters"


def test_html_alone_becomes_text():
    html = (
        "<html><head><title>no</title><style>p{}</style></head><body><!-- <p>no --><p>One &amp; two</p><br>"
        "<blockquote>quoted<br/>more</blockquote><pre>a\n  b</pre><script>no()</script>end<!-- open"
    )
    (part,) = parts_of(FROM + b"Content-Type: text/html; charset=utf-8\n\n" + html.encode())
    assert part.text == "One & two\n\n> quoted\n> more\na\n  b\nend\n"
    assert part.damaged == "HTML alone"


def test_inline_signed_patch():
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nText\n- --- a\n+++ b\n-----BEGIN PGP SIGNATURE-----\n- x\n"
    )
    (part,) = parts_of(FROM + b"\n" + text.encode())
    assert part.text.splitlines()[4] == "--- a"
    assert part.text.splitlines()[-1] == "- x"


def test_flowed_text_is_unwrapped_and_keeps_its_places():
    text = "One \ntwo\n>> quoted \n>> more\n> less \n-- \nsig \n stuffed\nend "
    data = FROM + b"Content-Type: text/plain; format=flowed\n\n" + text.encode()
    (part,) = parts_of(data)
    assert part.text == text
    assert [(line.text, line.body_line) for line in part_lines(part)] == [
        ("One two", 1), (">> quoted more", 3), ("> less ", 5), ("-- ", 6), ("sig stuffed", 7), ("end ", 9),
    ]  # fmt: skip


def test_delsp():
    assert unflow(["ab ", "cd"], delsp=True) == (TextLine(text="abcd", body_line=1),)
    (part,) = parts_of(FROM + b"Content-Type: text/plain; format=flowed; delsp=yes\n\nab \ncd\n")
    assert [line.text for line in part_lines(part)] == ["abcd"]


def test_plain_lines():
    (part,) = parts_of(FROM + b"\na \nb\n")
    assert [line.text for line in part_lines(part)] == ["a ", "b"]


def test_patch_broken_by_flowing_is_said():
    head = b"Content-Type: text/plain; format=flowed\n\n"
    assert parts_of(FROM + head + DIFF.encode())[0].damaged == ""
    wrapped = DIFF.replace("-b\n", "-b with a long\nline\n")
    assert parts_of(FROM + head + wrapped.encode())[0].damaged == "patch wrapped by format=flowed"


@given(st.binary(max_size=500))
def test_no_mail_raises(data: bytes):
    parse_mail(data, "box", 0, lambda: data)
    for part in parts_of(data):
        part_lines(part)


@given(
    st.lists(
        st.sampled_from(
            [
                b"--b",
                b"--b--",
                b"\n",
                b"\n\n",
                b"Content-Type: multipart/mixed; boundary=b",
                b"From: a@b",
                b"\r\n",
                b"Content-Transfer-Encoding: base64",
                b"text",
                b" ",
                b"Content-Type: text/html",
                b"<p>",
                b"\x00",
            ]
        ),
        max_size=40,
    )
)
def test_no_arrangement_of_parts_raises(pieces: list[bytes]):
    parts_of(FROM + b"Content-Type: multipart/mixed; boundary=b\n" + b"".join(pieces))


@given(st.text(max_size=300))
def test_no_html_raises(html: str):
    html_to_text(html)


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n" * 125_000,
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + b"--bb" * 125_000,
        b"Content-Type: text/html\n\n" + b"<" * 500_000,
        b"Content-Type: text/html\n\n" + b"<!--" * 125_000,
        b"Content-Type: text/html\n\n" + b"<blockquote>" * 40_000,
        b"Content-Type: text/plain; format=flowed\n\n" + b"> a \n" * 100_000,
        b'Content-Type: text/plain; a="' + b"\\" * 500_000,
    ],
)
def test_large_bodies_end_in_linear_time(body: bytes):
    start = time.process_time()
    for part in parts_of(FROM + body):
        part_lines(part)
    assert time.process_time() - start < 1
