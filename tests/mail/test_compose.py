from __future__ import annotations

import email
import email.policy
import mailbox
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviewer.mail.compose import MOST_REFERENCES, Reply, compose, derived_id, mboxrd, reply_subject
from reviewer.model import Address


def _reply(**changes: Any) -> Reply:
    values: dict[str, Any] = {
        "sender": Address(name="Reviewer", email="reviewer@bots.example"),
        "to": Address(name="Ada Example", email="ada@frob.example"),
        "subject": "[PATCH 1/2] net: frob: it",
        "message_id": "ours@bots.example",
        "in_reply_to": "theirs@frob.example",
        "references": ("root@frob.example",),
        "body": "Hello.\n",
        "headers": (("Precedence", "bulk"),),
    }
    return Reply(**(values | changes))


def _read(data: bytes) -> EmailMessage:
    return email.message_from_bytes(data, policy=email.policy.default)


def test_a_reply_answers_the_mail() -> None:
    mail = _read(compose(_reply()))
    assert mail["Subject"] == "Re: [PATCH 1/2] net: frob: it"
    assert mail["In-Reply-To"] == "<theirs@frob.example>"
    assert mail["References"] == "<root@frob.example> <theirs@frob.example>"
    assert mail["Message-ID"] == "<ours@bots.example>"
    assert mail["From"].addresses[0].addr_spec == "reviewer@bots.example"
    assert mail["To"].addresses[0].display_name == "Ada Example"
    assert mail["Precedence"] == "bulk"
    assert mail["Date"] is None
    assert mail["Cc"] is None
    assert mail.get_content() == "Hello.\n"


def test_the_parent_closes_the_references_once() -> None:
    mail = _read(compose(_reply(references=("a@x.example", "theirs@frob.example", "b@x.example", "a@x.example"))))
    assert mail["References"].split() == ["<a@x.example>", "<b@x.example>", "<theirs@frob.example>"]


def test_a_long_chain_keeps_the_first_and_the_newest() -> None:
    chain = tuple(f"{number}@x.example" for number in range(500))
    ids = _read(compose(_reply(references=chain)))["References"].split()
    assert len(ids) == MOST_REFERENCES
    assert (ids[0], ids[-2], ids[-1]) == ("<0@x.example>", "<499@x.example>", "<theirs@frob.example>")


def test_long_ids_are_never_encoded() -> None:
    ident = "a" * 200 + "@x.example"
    data = compose(_reply(in_reply_to=ident, references=(ident,)))
    assert f"In-Reply-To: <{ident}>\n".encode() in data
    assert b"=?" not in data


def test_lines_of_headers_are_folded() -> None:
    data = compose(_reply(subject="word " * 60))
    head = data.partition(b"\n\n")[0].split(b"\n")
    assert max(map(len, head)) <= 78
    assert head[2].startswith(b"Subject: Re: word")
    assert _read(data)["Subject"] == "Re: " + " ".join(["word"] * 60)


@pytest.mark.parametrize(
    "hostile",
    ["x\r\nBcc: all@evil.example", "x\nX: y", "x\0y", "x\x1b[31m", "\u202ex", "\udc80x", "=?utf-8?q?x=0ABcc=3A_y?="],
)
def test_nothing_gets_into_the_headers(hostile: str) -> None:
    person = Address(name=hostile, email="ada@frob.example")
    data = compose(_reply(subject=hostile, to=person, headers=(("X-Frob", hostile),)))
    mail = _read(data)
    assert set(mail.keys()) <= {
        *("From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "X-Frob"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    }
    head = data.partition(b"\n\n")[0]
    assert not set(head) & {0, 13, 27}
    assert head.isascii()


@pytest.mark.parametrize(
    "bad", ["a b@x.example", "nobody", "", "a@x.example\nBcc: b@x.example", "a@x.example>, b@x.example"]
)
def test_an_address_that_is_none_is_left_out(bad: str) -> None:
    assert _read(compose(_reply(to=Address(name="Ada", email=bad))))["To"] is None
    assert _read(compose(_reply(to=None)))["To"] is None


@pytest.mark.parametrize("bad", ["a b@x.example", "a\n@x.example", "<a@x.example>", ""])
def test_an_id_that_is_none_is_left_out(bad: str) -> None:
    mail = _read(compose(_reply(in_reply_to=bad, references=(bad, "root@x.example"))))
    assert mail["In-Reply-To"] is None
    assert mail["References"] == "<root@x.example>"
    assert _read(compose(_reply(in_reply_to=bad, references=())))["References"] is None


def test_names_in_all_scripts_survive() -> None:
    person = Address(name='Zoë "Z" Exämple, Dr.', email="zoe@frob.example")
    mail = _read(compose(_reply(to=person, subject="[PATCH] net: frób: größer", body="Größe: 5 µs\n")))
    assert mail["To"].addresses[0].display_name == "Zoë 'Z' Exämple, Dr."
    assert mail["Subject"] == "Re: [PATCH] net: frób: größer"
    assert mail["Content-Transfer-Encoding"] == "8bit"
    assert mail.get_content() == "Größe: 5 µs\n"


def test_a_long_line_of_the_body_is_quoted_printable() -> None:
    mail = _read(compose(_reply(body="x" * 5000 + "\n")))
    assert mail["Content-Transfer-Encoding"] == "quoted-printable"
    assert mail.get_content() == "x" * 5000 + "\n"


def test_lone_surrogates_do_not_break_the_body() -> None:
    assert _read(compose(_reply(body="a\udc80b\n"))).get_content() == "a?b\n"


@pytest.mark.parametrize(
    ("subject", "expected"),
    [("[PATCH] it", "Re: [PATCH] it"), ("Re: [PATCH] it", "Re: [PATCH] it"), ("RE : it", "RE : it"), ("", "Re: ")],
)
def test_a_subject_has_one_prefix(subject: str, expected: str) -> None:
    assert reply_subject(subject) == expected


def test_the_id_follows_from_mail_and_version() -> None:
    first = derived_id("a@x.example", "1.0", "bots.example")
    assert first == derived_id("a@x.example", "1.0", "bots.example")
    assert first.endswith("@bots.example")
    assert (
        len({first, derived_id("b@x.example", "1.0", "bots.example"), derived_id("a@x.example", "1.1", "bots.example")})
        == 3
    )


def test_an_mbox_quotes_from_lines(tmp_path: Path) -> None:
    body = "From here on\n>From there\n> From quoted\nnot From\n"
    data = mboxrd([compose(_reply(body=body)), compose(_reply(message_id="two@bots.example"))])
    assert b"\n>From here on\n>>From there\n> From quoted\nnot From\n" in data
    path = tmp_path / "drafts.mbox"
    path.write_bytes(data)
    box = mailbox.mbox(path)
    assert [mail["Message-ID"] for mail in box] == ["<ours@bots.example>", "<two@bots.example>"]
    box.close()


def test_no_mails_make_no_mbox() -> None:
    assert mboxrd([]) == b""


@given(st.text(), st.text(), st.text(), st.text())
def test_anything_makes_a_mail(subject: str, name: str, ident: str, body: str) -> None:
    data = compose(_reply(subject=subject, to=Address(name=name, email=ident), in_reply_to=ident, body=body))
    mail = _read(data)
    assert mail["Message-ID"] == "<ours@bots.example>"
    assert not mail.defects
    assert mail.keys()[:1] == ["From"]


@given(st.text())
@example("Eve <script>alert(1)</script>\r\n\x9b" + "\ufffd" * 40 + " z, Eve <mallory@x.example>")
@example("=?utf-8?q?x?= " + "long " * 40)
def test_a_name_never_makes_another_recipient(name: str) -> None:
    data = compose(_reply(to=Address(name=name, email="eve@x.example"), sender=Address(name=name, email="a@b.example")))
    mail = _read(data)
    assert [one.addr_spec for one in mail["To"].addresses] == ["eve@x.example"]
    assert [one.addr_spec for one in mail["From"].addresses] == ["a@b.example"]
    assert b"\r" not in data.partition(b"\n\n")[0]
    assert max(map(len, data.partition(b"\n\n")[0].split(b"\n"))) < 998
