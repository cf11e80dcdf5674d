"""Headers: scanned, decoded, dated, addressed; what parse_mail makes of hostile ones."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.address import parse_addresses, parse_person, person_matches, real_author
from reviewer.mail.charset import decode
from reviewer.mail.dates import parse_date
from reviewer.mail.header import scan_headers
from reviewer.mail.msgid import own_id, parent_id, reference_ids
from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.mail.words import decode_words
from reviewer.model import Address, Mail, Notice


def parse(text: str | bytes, position: int = 0) -> Mail:
    data = text.encode() if isinstance(text, str) else text
    mail = parse_mail(data, "box", position, lambda: data)
    assert isinstance(mail, Mail)
    return mail


HEAD = "From: Ann Author <ann@dev.example>\nMessage-ID: <m1@dev.example>\n"


def test_plain_mail():
    mail = parse(
        HEAD + "Subject: [PATCH v2 1/3] foo: mend bar\nDate: Tue, 2 Jan 2024 03:04:05 +0100\n"
        "In-Reply-To: <c@dev.example>\nReferences: <a@dev.example>\n <b@dev.example>\n\nText\n\ndiff --git a/x b/x\n"
    )
    assert mail.message_id == "m1@dev.example"
    assert mail.author == Address(name="Ann Author", email="ann@dev.example")
    assert mail.date == datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))
    assert mail.references == ("a@dev.example", "b@dev.example", "c@dev.example")
    assert mail.in_reply_to == "c@dev.example"
    assert (mail.subject.version, mail.subject.number, mail.subject.total) == (2, 1, 3)
    assert (mail.has_diff, mail.has_diffstat, mail.source, mail.position) == (True, False, "box", 0)


def test_first_of_duplicate_headers_wins_and_names_fold():
    mail = parse("FROM: a@x.example\nfrom: b@x.example\nMessage-Id: <one@x>\nMessage-ID: <two@x>\nSUBJECT : hi\n\n")
    assert (mail.author.email, mail.message_id, mail.subject.text) == ("a@x.example", "one@x", "hi")


def test_junk_in_headers_is_passed_over():
    headers, start = scan_headers(b" lost\nno colon here\nFrom: a@b\n\tc\nSubject:\n folded\n\tagain\n\nbody")
    assert headers == {b"from": b"a@b c", b"subject": b"folded again"}
    assert b" lost\nno colon here\nFrom: a@b\n\tc\nSubject:\n folded\n\tagain\n\nbody"[start:] == b"body"


@pytest.mark.parametrize(
    ("data", "body"), [(b"\nx", b"x"), (b"\r\nx", b"x"), (b"A: b\r\n\r\nx\n\ny", b"x\n\ny"), (b"A: b", b"")]
)
def test_where_the_body_starts(data: bytes, body: bytes):
    assert data[scan_headers(data)[1] :] == body


def test_mail_without_needed_headers_is_a_notice():
    notice = parse_mail(b"X-Foo: bar\n\ntext", "box", 4, lambda: b"")
    assert isinstance(notice, Notice)
    assert notice.code == "bad-mail"
    assert "mail 5" in notice.message


def test_missing_message_id_is_made_of_the_hash():
    first, again = parse("From: a@x.example\n\n1"), parse("From: a@x.example\n\n1", 3)
    assert first.message_id == again.message_id
    assert first.message_id.startswith("sha256:")
    assert first.message_id.endswith("@reviewer.invalid")
    assert first.message_id != parse("From: a@x.example\n\n2").message_id


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"<a@b>", "a@b"),
        (b"(note) <a+c@b> (more)", "a+c@b"),
        (b"< a\n @b >", "a@b"),
        (b"a@b", "a@b"),
        (b"<a@b", "a@b"),
        (b"a@b (note)", "a@b"),
        (b"id-without-at", "id-without-at"),
        (b"two words", None),
        (b"", None),
        (b"<>", None),
        (b"<" + b"x" * 2000 + b"@b>", None),
        ("<ä@b>".encode(), "ä@b"),
    ],
)
def test_own_id(raw: bytes, found: str | None):
    assert own_id(raw) == found


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'<m1@x> (Ann Author\'s message of "Fri, 28 Jun")', "m1@x"),
        (b'Message from Ann <ann@dev.example> of "Fri" <2024.1@x>', "2024.1@x"),
        (b"<ann@dev.example>", "ann@dev.example"),
        (b"<nothing>", "nothing"),
        (b"Your message of Monday", None),
    ],
)
def test_parent_id(raw: bytes, found: str | None):
    assert parent_id(raw) == found


def test_references_without_brackets():
    assert reference_ids(b"a@x b@x a@x junk") == ("a@x", "b@x")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        (b"raw \xc3\xa4", "raw ä"),
        (b"latin \xe4", "latin ä"),
        (b"=?utf-8?q?J=C3=B6rg_X?= rest", "Jörg X rest"),
        (b"=?utf-8?q?J=C3?=\n =?utf-8?q?=B6rg?=", "Jörg"),
        (b"=?utf-8?b?SsO2cmc=?= =?iso-8859-1?q?=E4?=", "Jörgä"),
        (b"=?utf-8?b?SsO2cmc?=", "Jörg"),
        (b"=?utf-8*en?q?x?=", "x"),
        (b"=?nonsense?q?x=C3=B6?=", "xö"),
        (b"=?utf-8?b?A?= x", "=?utf-8?b?A?= x"),
        (b"a\x00b\x1b[31m\tc", "a b [31m c"),
        (b"a =?utf-8?q?b?= =?utf-8?q?c?= d", "a bc d"),
        (b"=?", "=?"),
    ],
)
def test_decode_words(raw: bytes, text: str):
    assert decode_words(raw) == text


@pytest.mark.parametrize(
    ("raw", "charset", "text", "damaged"),
    [
        (b"a", "y", "a", "charset y unknown, read as UTF-8"),
        (b"\xe4", "x\0y", "ä", "charset x?y unknown, read as Latin-1"),
        (b"\xe4", "utf-8", "ä", "not UTF-8, read as Latin-1"),
        (b"\xe4", "ISO-8859-1", "ä", ""),
        (b"\xff\xe4 ", "utf-16", "ÿä ", "not valid utf-16, read as Latin-1"),
        (b"aGk=", "base64", "aGk=", "not valid base64, read as UTF-8"),
        (b"xn--", "punycode", "xn--", "charset punycode unknown, read as UTF-8"),
        (b"+2AA-", "utf-7", "?", ""),
        ("ä".encode(), None, "ä", ""),
        ("ä".encode(), "us-ascii", "ä", ""),
    ],
)
def test_charsets(raw: bytes, charset: str | None, text: str, damaged: str):
    found = decode(raw, charset)
    assert found[0] == text
    assert found[1] == damaged or (charset == "base64" and "read as UTF-8" in found[1])


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Tue, 2 Jan 2024 03:04:05 GMT", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2 Jan 24 03:04 EST", datetime(2024, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=-5)))),
        ("2 January 2024 03:04:05 -0330 (NST)", datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone(-timedelta(hours=3.5)))),
        ("Fri, 31 Dec 1999 23:59:60 +0000", datetime(1999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("2 Jan 124 03:04:05", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2 Jan 99 03:04:05", datetime(1999, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("99 Jan 2024 03:04:05", None),
        ("2 Jan 2024 25:00:00", None),
        ("2 Jan 2024 03:04:77", None),
        ("2 Jan 99999 03:04:05", None),
        ("2 Jan 0001 03:04:05", None),
        ("2 Foo 2024 03:04:05", None),
        ("2 Jan 2024 03:04:05 +9999", None),
        ("", None),
    ],
)
def test_dates(text: str, date: datetime | None):
    assert parse_date(text) == date


@pytest.mark.parametrize(
    ("raw", "boxes"),
    [
        (b'"Eviewer, R" <r@x.example>', [("Eviewer, R", "r@x.example")]),
        (b"Eviewer, R <r@x.example>", [("Eviewer, R", "r@x.example")]),
        (b'"A \\"B\\" C" <a@x.example>', [('A "B" C', "a@x.example")]),
        (b"a@x.example (Ann (A))", [("Ann (A))", "a@x.example")]),
        (b"a@x.example", [("", "a@x.example")]),
        (
            b"Ann <a@x.example>, b@x.example; <c@x.example>",
            [("Ann", "a@x.example"), ("", "b@x.example"), ("", "c@x.example")],
        ),
        (b"=?utf-8?q?J=C3=B6rg?= <j@x.example>", [("Jörg", "j@x.example")]),
        (b'"=?UTF-8?q?J=C3=B6rg?=" <j@x.example>', [("Jörg", "j@x.example")]),
        (b'Ann <a@\n x.example> "', [('Ann "', "a@x.example")]),
        (b"nobody", []),
        (b",;", []),
    ],
)
def test_addresses(raw: bytes, boxes: list[tuple[str, str]]):
    found = [(box.name, box.email) for box in parse_addresses(raw)]
    assert [email for _, email in found] == [email for _, email in boxes]
    if b"(A)" not in raw:
        assert found == boxes


def test_author_without_address_keeps_the_name():
    assert real_author(b"Ann Author", b"", b"") == Address(name="Ann Author", email="")


@pytest.mark.parametrize(
    ("sender", "reply_to", "original", "email"),
    [
        (b"Ann A via List <l@lists.example>", b"Ann A <ann@dev.example>", b"", "ann@dev.example"),
        (b"'Ann A' via List <l@lists.example>", b"l@lists.example", b"Ann A <ann@dev.example>", "ann@dev.example"),
        (b"Ann A via B4 Relay <devnull+ann.dev.example@relay.example>", b"ann@dev.example", b"", "ann@dev.example"),
        (b"Ann A via List <l@lists.example>", b"l@lists.example, Bob <b@x.example>", b"", "l@lists.example"),
        (b"Ann A <ann@dev.example>", b"Other <o@x.example>", b"", "ann@dev.example"),
    ],
)
def test_author_behind_a_list(sender: bytes, reply_to: bytes, original: bytes, email: str):
    assert real_author(sender, reply_to, original) == Address(name="Ann A", email=email)


@pytest.mark.parametrize(
    ("person", "sender", "same"),
    [
        (("R. Eviewer", "r@x.example"), ("Other", "R+list@X.example"), True),
        (("R Eviewer", "r@old.example"), ("Eviewer, R.", "r@new.example"), True),
        (("Jörg Ä", "a@x.example"), ("jorg a (Firm)", "b@x.example"), True),
        (("R Eviewer", "r@x.example"), ("Eviewer, X", "x@x.example"), False),
        (("", ""), ("", ""), False),
    ],
)
def test_person_matches(person: tuple[str, str], sender: tuple[str, str], same: bool):
    one, other = (Address(name=name, email=email) for name, email in (person, sender))
    assert person_matches(one, other) is same


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Ann A <a@x.example> # for the parser", ("Ann A", "a@x.example")),
        ("Ann, Jr. (Firm) <a@x.example>", ("Ann, Jr. (Firm)", "a@x.example")),
        ("a@x.example", ("", "a@x.example")),
        ("<not an address> <a@x.example>", ("<not an address>", "a@x.example")),
        ("Ann <a@x.example", None),
        ("nobody", None),
    ],
)
def test_parse_person(text: str, person: tuple[str, str] | None):
    found = parse_person(text)
    assert (found and (found.name, found.email)) == person


@pytest.mark.parametrize(
    ("subject", "body", "change_id", "links"),
    [
        ("[PATCH v2]", "---\nchange-id: 20240101-foo-1\n", "20240101-foo-1", ()),
        ("[PATCH v2]", "Change-ID: abc\n", "abc", ()),
        ("[PATCH v2]", "Change-Id: I" + "0" * 40 + "\nxhange-id: x", None, ()),
        ("Re: [PATCH v2]", "change-id: abc\nLink to v1: https://lore.kernel.org/r/a@x\n", None, ()),
        ("[PATCH v2]", "- Link to v1: https://lore.kernel.org/r/a@x.example\n", None, ("a@x.example",)),
        ("[PATCH v2]", "v1: https://lore.kernel.org/list/a%40x/T/#u\nhttps://no.example/b@c\n", None, ("a@x",)),
        (
            "[PATCH v3]",
            "v2:\nhttps://patch.msgid.link/a@x\n[v1] https://lore.kernel.org/r/b@x.\n",
            None,
            ("a@x", "b@x"),
        ),
        ("[PATCH v3]", "Previous version: https://lore.kernel.org/r/a@x\n", None, ("a@x",)),
        ("[PATCH v3]", "Supersedes: <a@x>\n", None, ("a@x",)),
        ("[PATCH v3]", "Link: https://lore.kernel.org/r/a@x\n[1] https://lore.kernel.org/r/b@x\n", None, ()),
        ("[PATCH v3]", "> v1: https://lore.kernel.org/r/a@x\nAs in v1, see https://lore.kernel.org/r/a@x\n", None, ()),
        ("[PATCH v3]", "v1: https://lore.kernel.org/r/m1@dev.example\n", None, ()),
        ("[PATCH v3]", "v1: https://inbox.example/frob/a@x/\n", None, ("a@x",)),
        ("[PATCH v3]", "- v2: http://lists.frob.example/msgid/a%40x/raw\n", None, ("a@x",)),
        ("[PATCH v3]", "Link to v2: https://patchwork.example/project/frob/patch/a@x/\n", None, ("a@x",)),
        ("[PATCH v3]", "v2: https://marc.example/?i=a@x\n", None, ("a@x",)),
        ("[PATCH v3]", "v2: https://lists.example/~frob/list/%3Ca@x%3E\n", None, ("a@x",)),
        ("[PATCH v3]", "v1: https://i.example/a@x, v2: https://i.example/b@x\n", None, ("a@x", "b@x")),
        (
            "[PATCH v3]",
            "Link: https://patch.msgid.link/a@x [v2]\nLink: https://i.example/b@x # v1\n",
            None,
            ("a@x", "b@x"),
        ),
        ("[PATCH v3]", "https://i.example/a@x (RFC v1)\n", None, ("a@x",)),
        ("[PATCH v3]", "Link: https://i.example/a@x # v6.6\nCloses: https://i.example/b@x\n", None, ()),
        ("[PATCH v3]", "v1: https://git.example/frob/log/?h=frob-v1\nv2: https://user@i.example/\n", None, ()),
        ("[PATCH v3]", "v2: https://\nv2: https://a@x\nv2: https://i.example/@/a@\n", None, ()),
        (
            "[PATCH]",
            "\ndiff --git a/x b/x\n+v1: https://lore.kernel.org/r/a@x\nv1: https://lore.kernel.org/r/b@x\n",
            None,
            (),
        ),
    ],
)
def test_lineage_that_a_mail_names(subject: str, body: str, change_id: str | None, links: tuple[str, ...]):
    mail = parse(f"{HEAD}Subject: {subject} title\n\n{body}")
    assert (mail.change_id, mail.links) == (change_id, links)


def test_change_id_header():
    assert parse(HEAD + "Subject: [PATCH] x\nX-Change-ID: from-header\n\nchange-id: other\n").change_id == "from-header"


def test_spool_gives_mails_back():
    with Spool() as spool:
        loaders = [spool.add(data) for data in (b"one", b"", b"three" * 100_000)]
        assert [load() for load in loaders] == [b"one", b"", b"three" * 100_000]
        assert [spool.read(number) for number in (1, 2, 0)] == [b"", b"three" * 100_000, b"one"]
    with pytest.raises(ValueError, match="closed"):
        loaders[0]()


@given(st.binary(max_size=300))
def test_no_header_value_raises(raw: bytes):
    decode_words(raw)
    own_id(raw)
    parent_id(raw)
    reference_ids(raw)
    real_author(raw, raw, raw)
    parse_date(raw.decode("latin-1"))


@given(st.binary(max_size=400), st.text(max_size=30))
def test_any_charset_gives_text_that_can_be_written(raw: bytes, charset: str):
    decode(raw, charset)[0].encode()


@pytest.mark.parametrize(
    "data",
    [
        b"Foo: text\n" * 100_000,
        b"From: a@b\nSubject: " + b"=?a?q?b?= " * 100_000,
        b"From: a@b\nReferences: " + b"<a@b>\n " * 140_000,
        b"From: a@b\nReferences: " + b"<" * 1_000_000,
        b"From: " + b'"\\"' * 300_000 + b"\nSubject: x\n\n",
        b"Subject: " + b"[" * 1_000_000,
        b"From: a@b\n\n" + b"\n--- a\n+++ b\n" * 70_000,
        b"From: a@b\n\n" + b"1 file changed" * 70_000,
    ],
)
def test_large_headers_end_in_linear_time(data: bytes):
    start = time.process_time()
    parse_mail(data, "box", 0, lambda: b"")
    assert time.process_time() - start < 1


def test_a_spool_that_lost_its_end_gives_what_is_left(monkeypatch: pytest.MonkeyPatch):
    with Spool() as spool:
        load = spool.add(b"0123456789")
        real = os.pread
        monkeypatch.setattr("os.pread", lambda file, length, at: real(file, min(length, 3), at) if at < 6 else b"")
        assert load() == b"012345"
