"""What is told to be a page or a feed, among all that a source may be."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources import RawMail, read_sources
from reviewer.sources.detect import detect
from reviewer.sources.saved import saved_kind

PAGE = (
    b"<html><body><pre id=b>From: Ann &lt;ann@dev.example&gt;\nSubject: x\n"
    b"Message-ID: &lt;%d@x&gt; (<a href=raw>raw</a>)\n\nText.\n</pre><hr></body></html>\n"
)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"<html>", "page"),
        (b" \t\n<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<HTML lang=en>", "page"),
        (b"<!-- saved from url=(0001)https://x.example/ -->\n<html>", "page"),
        (b"<!-- MHonArc v2.6.16 -->\n<!--X-Subject: a -->", "page"),
        (b"<!-- a -->\n<!-- a comment that goes on", "page"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'>", "page"),
        (b"<title>x</title>", "page"),
        (b"<?xml version='1.0'?>\n<feed xmlns='http://www.w3.org/2005/Atom'>", "feed"),
        (b"<atom:feed>", "feed"),
        (b"<!DOCTYPE feed [<!ENTITY a 'b'>]><feed>", "feed"),
        (b"<svg>", None),
        (b"<?php echo 1;", None),
        (b"<", None),
        (b"", None),
        (b"x <html>", None),
        (b"<ann@dev.example> wrote:", None),
    ],
)
def test_kinds(head: bytes, kind: str | None) -> None:
    assert saved_kind(head) == kind
    assert detect(head) == (kind or ("empty" if not head else "unknown"))


def test_mail_stays_mail() -> None:
    assert detect(b"From: a@x\nSubject: <html>\n\n<html>") == "mail"
    assert detect(b"From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: a@x\n\n<html>") == "mbox"


@given(st.binary(max_size=300))
def test_any_bytes_have_a_kind(head: bytes) -> None:
    detect(head)
    detect(b"<" + head)
    detect(b"<!--" + head)


def test_pages_stand_in_folders_beside_mails(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"From: a@x\nMessage-ID: <a@x>\n\nText\n")
    (tmp_path / "b.html").write_bytes(PAGE % 1)
    (tmp_path / "c.html.gz").write_bytes(gzip.compress(PAGE % 2))
    (tmp_path / "d.html").write_bytes(b"<html><p>nothing</p></html>")
    *mails, notice = read_sources([str(tmp_path)])
    assert [one.source for one in mails if isinstance(one, RawMail)] == [str(tmp_path)] * 3
    assert isinstance(notice, Notice)
    assert "1 file is passed over: d.html is a page without a mail" in notice.message


def test_a_packed_page_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    page = b"<html><body>" + b"".join(PAGE[12:-15] % number for number in range(400)) + b"</body></html>"
    path = tmp_path / "page"
    path.write_bytes(gzip.compress(page)[:-20])
    *mails, notice = read_sources([str(path)])
    assert len(mails) > 100
    assert isinstance(notice, Notice)
    assert notice.message == f"{path} breaks off; read as far as it goes"


def test_a_page_without_a_mail_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_bytes(b"<html><p>nothing</p></html>")
    with pytest.raises(InputError, match=r"page is a page without a mail \(save a message") as info:
        list(read_sources([str(path)]))
    assert "\n" not in str(info.value)
