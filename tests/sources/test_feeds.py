"""Atom feeds, as servers write them and as nobody should."""

from __future__ import annotations

import contextlib
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.body import parts_of
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Notice
from reviewer.sources import RawMail
from reviewer.sources.feeds import read_feed
from reviewer.sources.stream import BrokenError

HEAD = (
    '<?xml version="1.0" encoding="us-ascii"?>\n<feed xmlns="http://www.w3.org/2005/Atom" '
    'xmlns:thr="http://purl.org/syndication/thread/1.0"><title>list</title>'
    '<link rel="self" href="https://archive.example/list/new.atom"/><updated>2025-03-03T12:00:00Z</updated>'
)
ENTRY = (
    "<entry><author><name>{name}</name><email>{email}</email></author><title{kind}>{title}</title>"
    '<updated>{updated}</updated><link href="https://archive.example/list/{number}%2Bx@dev.example/"/>'
    "<id>urn:uuid:1</id>{parent}<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>"
    "<pre style='white-space:pre-wrap'>{text}</pre></div></content></entry>"
)


def entry(number: int, text: str = "Text.\n", **fields: str) -> str:
    values = {
        "name": "Ann Author",
        "email": "ann@dev.example",
        "title": "[PATCH] a &#38; &lt;b&gt;",
        "kind": "\ntype='html'",
        "updated": "2025-03-03T12:00:00Z",
        "parent": "",
        **fields,
    }
    return ENTRY.format(number=number, text=text, **values)


def feed(*entries: str) -> bytes:
    return (HEAD + "".join(entries) + "</feed>").encode()


def read(data: bytes) -> list[Mail]:
    raws = [one for one in read_feed(data, "feed") if isinstance(one, RawMail)]
    mails = [parse_mail(raw.data, raw.source, 0, lambda raw=raw: raw.data) for raw in raws]  # type: ignore[misc]
    return [mail for mail in mails if isinstance(mail, Mail)]


def notices(data: bytes) -> list[str]:
    return [one.message for one in read_feed(data, "x.atom") if isinstance(one, Notice)]


def test_an_entry_is_a_mail() -> None:
    parent = '<thr:in-reply-to ref="urn:uuid:2" href="https://archive.example/list/up%2Fx@dev.example/"/>'
    text = (
        'A <a href="https://x.example/">https://x.example/</a>\n<span class="q">&gt; q\n</span>\t x &amp; &lt;y&gt;\n'
    )
    [mail] = read(feed(entry(1, text, parent=parent)))
    assert (mail.author.name, mail.author.email) == ("Ann Author", "ann@dev.example")
    assert mail.subject.text == "[PATCH] a & <b>"
    assert (mail.message_id, mail.in_reply_to) == ("1+x@dev.example", "up/x@dev.example")
    assert mail.date is not None
    assert mail.date.isoformat() == "2025-03-03T12:00:00+00:00"
    assert [part.text for part in parts_of(mail.load())] == ["A https://x.example/\n> q\n\t x & <y>\n"]


@pytest.mark.parametrize("updated", ["", "yesterday", "2025-03-03", "2025-03-03T12:00:00", "0001-01-01T00:00:00+14:00"])
def test_dates_that_are_none(updated: str) -> None:
    [mail] = read(feed(entry(1, updated=updated)))
    assert mail.date is None


def test_the_local_part_is_no_name() -> None:
    [mail] = read(feed(entry(1, name="ann")))
    assert (mail.author.name, mail.author.email) == ("", "ann@dev.example")


def test_attachments_become_parts() -> None:
    text = (
        '<a href="https://archive.example/list/1@x/1-a.txt">[-- Attachment #1: Type: text/plain, Size: 6 bytes --]</a>'
        "\n\nText.\n"
        '\n<a href="https://archive.example/list/1@x/2-a.diff">[-- Attachment #2: a.diff --]\n'
        "[-- Type: text/x-diff, Size: 6 bytes --]</a>\n\n+x\n"
    )
    [mail] = read(feed(entry(1, text)))
    assert [(part.text, part.filename) for part in parts_of(mail.load())] == [("Text.\n", None), ("+x\n", "a.diff")]


def test_entries_without_text_or_address_are_no_mails() -> None:
    without = entry(2).replace("<pre style='white-space:pre-wrap'>", "").replace("</pre>", "")
    assert [mail.message_id for mail in read(feed(entry(1), without))] == ["1+x@dev.example"]
    with pytest.raises(BrokenError, match="is a feed without a mail"):
        read(feed(without))


def test_a_feed_that_breaks_off_loses_the_entry_it_cuts() -> None:
    whole = feed(entry(1), entry(2))
    cut = whole[: whole.rfind(b"Text.") + 3]
    assert [mail.message_id for mail in read(cut)] == ["1+x@dev.example"]
    assert notices(cut) == ["x.atom is damaged or breaks off; read as far as it goes"]


def test_a_feed_that_is_too_large_is_cut() -> None:
    rest = (b"<x>" + b"y" * (1 << 20) + b"</x>") * 32
    assert notices(feed(entry(1), entry(2))[:-7] + rest) == ["x.atom is larger than 32 MiB; read as far as it goes"]


def test_a_damaged_entry_does_not_hide_the_next() -> None:
    assert len(read(feed(entry(1, "a <b> &nosuch; c\n"), entry(2)))) >= 1


def test_outside_entities_are_never_read(tmp_path: object) -> None:
    bait = f"{tmp_path}/bait"
    with open(bait, "w", encoding="ascii") as stream:
        stream.write("SECRET")
    data = feed(entry(1, "x &outside; y\n")).replace(
        b"<feed", f'<!DOCTYPE feed [<!ENTITY outside SYSTEM "file://{bait}">]>\n<feed'.encode(), 1
    )
    [raw] = [one for one in read_feed(data, "x") if isinstance(one, RawMail)]
    assert b"SECRET" not in raw.data
    assert b"x  y" in raw.data


def test_entities_that_explode_are_harmless() -> None:
    names = [f"e{number}" for number in range(40)]
    entities = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in pairwise(names))
    bomb = f'<!DOCTYPE feed [<!ENTITY e0 "lol">{entities}]>\n<feed'.encode()
    start = time.process_time()
    with contextlib.suppress(BrokenError):
        read(feed(entry(1, "&e39;\n"), entry(2)).replace(b"<feed", bomb, 1))
    assert time.process_time() - start < 1


@pytest.mark.parametrize("data", [b"", b"<", b"<feed/>", b"no feed at all"])
def test_what_is_no_feed(data: bytes) -> None:
    with pytest.raises(BrokenError):
        read(data)


@given(st.text() | st.binary())
def test_no_feed_breaks_the_reader(noise: str | bytes) -> None:
    shown = noise if isinstance(noise, bytes) else noise.encode("utf-8", "replace")
    for data in (shown, feed(entry(1), entry(2, "\0")).replace(b"\0", shown), feed() + shown):
        with contextlib.suppress(BrokenError):
            for one in read_feed(data, "x"):
                assert isinstance(one, RawMail | Notice)
