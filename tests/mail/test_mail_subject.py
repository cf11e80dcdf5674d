"""Subjects, in the shapes that people give them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.subject import parse_subject


@pytest.mark.parametrize(
    ("text", "version", "counter", "title"),
    [
        ("[PATCH net-next v2 1/4] foo: bar", 2, (1, 4), "foo: bar"),
        ("[net,v2,1/2] foo", 2, (1, 2), "foo"),
        ("[PATCH v6,19/24] foo", 6, (19, 24), "foo"),
        ("[v3, PATCH] foo", 3, (None, None), "foo"),
        ("[PATCH] [RFC] [1/2] foo", None, (1, 2), "foo"),
        ("[RFCv2 PATCH 1/2] foo", 2, (1, 2), "foo"),
        ("[PATCHv3] foo", 3, (None, None), "foo"),
        ("[PATCH V3 0/7]foo", 3, (0, 7), "foo"),
        ("[PATCH v2.5 1/2] foo", 2, (1, 2), "foo"),
        ("[PATCH v6.1 v2 1/2] foo", 2, (1, 2), "foo"),
        ("[PATCH v4a] foo", 4, (None, None), "foo"),
        ("[PATCH -v2] foo", 2, (None, None), "foo"),
        ("[PATCH 1 / 2] foo", None, (1, 2), "foo"),
        ("[PATCH 1 of 2] foo", None, (1, 2), "foo"),
        ("[PATCH1/8] foo", None, (1, 8), "foo"),
        ("[PATCH 15901/15901] foo", None, (15901, 15901), "foo"),
        ("[PATCH 02/10] foo", None, (2, 10), "foo"),
        ("[PATCH 6/5] foo", None, (6, 5), "foo"),
        ("[PATCH][next] foo", None, (None, None), "foo"),
        ("[PATCH 6.6.y 1/2] foo [v3]", None, (1, 2), "foo [v3]"),
        ("[--bla--", None, (None, None), "[--bla--"),
        ("[PATCH] foo (v2)", 2, (None, None), "foo"),
        ("[PATCH v3] foo (v2)", 3, (None, None), "foo (v2)"),
        ("[PATCH]", None, (None, None), ""),
        ("foo: no tags", None, (None, None), "foo: no tags"),
        ("", None, (None, None), ""),
    ],
)
def test_version_counter_title(text: str, version: int | None, counter: tuple[int | None, int | None], title: str):
    subject = parse_subject(text)
    assert (subject.number, subject.total) == counter
    assert subject.title == title
    assert subject.version == (version or 1)
    assert subject.version_given is (version is not None)
    assert not subject.reply


@pytest.mark.parametrize(
    "text",
    [
        "Re: [PATCH v2 1/2] foo", "RE[2]: [PATCH v2 1/2] foo", "Aw: [PATCH v2 1/2] foo", "Fwd: [PATCH v2 1/2] foo",
        "SV: Re: [PATCH v2 1/2] foo", "WG: [PATCH v2 1/2] foo", "回复: [PATCH v2 1/2] foo", "答复：[PATCH v2 1/2] foo",
        "답장: [PATCH v2 1/2] foo", "[my-list] Re: [PATCH v2 1/2] foo",
        "Re: [my-list] Re: [EXT] Re: [PATCH v2 1/2] foo",
        "[EXTERNAL] re : [PATCH v2 1/2] foo",
    ],
)  # fmt: skip
def test_replies(text: str):
    subject = parse_subject(text)
    assert subject.reply
    assert (subject.version, subject.number, subject.total, subject.title) == (2, 1, 2, "foo")
    assert subject.tokens == ("PATCH", "v2", "1/2")


def test_reply_words_within_a_title_are_none():
    assert parse_subject("[PATCH] fw: load it").title == "fw: load it"
    assert not parse_subject("[PATCH] fw: load it").reply
    assert parse_subject("[PATCH] Re: [PATCH] load it").reply
    assert not parse_subject("[PATCH] recover: it").reply


@pytest.mark.parametrize(
    ("text", "patch", "rfc", "resend"),
    [
        ("[PATCH] x", True, False, False),
        ("[RFC/PATCH] x", True, True, False),
        ("[RFC v2] x", False, True, False),
        ("[RFCv2 1/2] x", False, True, False),
        ("[RFC PATCH RESEND] x", True, True, True),
        ("[PATCHv2 repost] x", True, False, True),
        ("[dispatch] x", False, False, False),
    ],
)
def test_kinds(text: str, patch: bool, rfc: bool, resend: bool):
    subject = parse_subject(text)
    assert (subject.patch, subject.rfc, subject.resend) == (patch, rfc, resend)


def test_list_tag_without_reply_stays_a_token():
    assert parse_subject("[my-list] [PATCH v2] x").tokens == ("my-list", "PATCH", "v2")


@given(st.text(alphabet="[]()/v0123456789 :,RePATCHof回", max_size=60))
def test_no_subject_raises(text: str):
    parse_subject(text)


def test_long_subjects_end():
    for text in ("[" * 3_000_000, "[PATCH " + "1/" * 2_000_000 + "]", "Re: " * 1_000_000, "[" + "v1 " * 1_000_000):
        parse_subject(text)
