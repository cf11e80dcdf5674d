"""What holds for any text in any wrapping, and for any subject that a person could write."""

from __future__ import annotations

import base64
import quopri
from email.header import Header

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.mail.body import parts_of
from reviewer.mail.facts import read_facts
from reviewer.mail.header import scan_headers
from reviewer.mail.parse import parse_mail
from reviewer.mail.subject import parse_subject
from reviewer.model import Mail
from reviewer.sources.mbox import split_mbox

HEAD = b"From: Ann <ann@dev.example>\nMessage-ID: <1@dev.example>\n"
LINES = st.lists(
    st.sampled_from(
        [
            "diff --git a/x b/x",
            "--- a/x",
            "+++ b/x",
            "@@ -1 +1 @@",
            "> quoted",
            "From here",
            ">From there",
            "",
            " a",
            "+ü",
        ]
    )
    | st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=40),
    max_size=12,
)
TITLES = st.from_regex(r"[a-z]{1,8}: [a-z]{1,9}( [a-z]{1,9}){0,3}", fullmatch=True)


@st.composite
def wrapped(draw: st.DrawFn) -> tuple[str, bytes]:
    """A text, and a mail that holds it."""
    text = "\n".join(draw(LINES)) + "\n"
    raw = text.encode()
    coding = draw(st.sampled_from(["8bit", "quoted-printable", "base64"]))
    body = {"8bit": raw, "quoted-printable": quopri.encodestring(raw), "base64": base64.encodebytes(raw)}[coding]
    part = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: %s\n\n%s" % (coding.encode(), body)
    for depth in range(draw(st.integers(0, 3))):
        mark = b"=-b%d" % depth
        more = b"--%s\nContent-Type: application/pgp-signature\n\nabc\n" % mark if draw(st.booleans()) else b""
        head = b'Content-Type: multipart/mixed; boundary="%s"\n\n' % mark
        part = head + b"--%s\n%s\n%s--%s--\n" % (mark, part, more, mark)
    return text, HEAD + part


@settings(max_examples=150, deadline=None)
@given(wrapped())
def test_a_text_comes_out_as_it_went_in(case: tuple[str, bytes]) -> None:
    text, data = case
    (part,) = parts_of(data)
    assert (part.text.rstrip("\n"), part.damaged) == (text.rstrip("\n"), "")


@settings(max_examples=150, deadline=None)
@given(wrapped())
def test_what_is_told_of_a_body_does_not_depend_on_its_wrapping(case: tuple[str, bytes]) -> None:
    text, data = case
    headers, start = scan_headers(data)
    assert read_facts(headers, data[start:], reply=False) == read_facts({}, text.encode(), reply=False)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=4), st.integers(1, 4000))
def test_mboxrd_gives_every_mail_back(bodies: list[list[str]], size: int) -> None:
    mails = [HEAD + b"\n" + "\n".join((*body, "end")).encode() + b"\n" for body in bodies]
    quoted = [
        b"\n".join(b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in mail.split(b"\n"))
        for mail in mails
    ]
    data = b"".join(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + mail + b"\n" for mail in quoted)
    assert list(split_mbox(data[at : at + size] for at in range(0, len(data), size))) == mails


@st.composite
def subjects(draw: st.DrawFn) -> tuple[str, tuple[bool, int, int | None, int | None, str]]:
    """A subject, and what it says: reply, version, number, total and title."""
    version = draw(st.none() | st.integers(1, 99))
    counter = draw(st.none() | st.tuples(st.integers(0, 200), st.integers(1, 200)))
    words = ["PATCH", *draw(st.lists(st.sampled_from(["RFC", "RESEND", "net-next", "bpf"]), max_size=2, unique=True))]
    if version is not None:
        words.append(f"v{version}")
    words = draw(st.permutations(words))
    if counter is not None:
        shape = draw(st.sampled_from(["{}/{}", "{} / {}", "{:02}/{:02}", "{} of {}"]))
        words = [*words, shape.format(*counter)]
    brackets = draw(st.sampled_from([" ", ",", ", ", ";", "][", "] ["])).join(words)
    title = draw(TITLES)
    reply = draw(st.sampled_from(["", "", "Re: ", "RE: Re: ", "AW: ", "[frob-list] Re: "]))
    text = f"{reply}[{brackets}]{draw(st.sampled_from(['', ' ', '  ']))}{title}"
    return text, (bool(reply), version or 1, *(counter or (None, None)), title)


@settings(max_examples=300, deadline=None)
@given(subjects())
def test_a_subject_says_what_was_written(case: tuple[str, tuple[bool, int, int | None, int | None, str]]) -> None:
    text, said = case
    subject = parse_subject(text)
    assert (subject.reply, subject.version, subject.number, subject.total, subject.title) == said
    assert subject.patch


@settings(max_examples=100, deadline=None)
@given(TITLES, st.sampled_from(["utf-8", "iso-8859-1", "gb2312"]), st.sampled_from(["", "ä", "中文", "é ü ß " * 9]))
def test_encoded_subjects_are_folded_back(title: str, charset: str, more: str) -> None:
    text = f"[PATCH v2 1/2] {title} {more}".strip()
    try:
        header = Header(text, charset, maxlinelen=60).encode()
    except UnicodeEncodeError:
        header = text
    mail = parse_mail(HEAD + b"Subject: " + header.encode() + b"\n\n", "box", 0, bytes)
    assert isinstance(mail, Mail)
    assert mail.subject.text == text
