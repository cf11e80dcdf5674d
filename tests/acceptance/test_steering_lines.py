"""Which lines of a mail steer the reviewer, and what they ask for."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.body import parts_of
from reviewer.mail.message import patch_texts
from reviewer.mail.parse import parse_mail
from reviewer.mail.steering import MOST_LINES, SteeringLine, patch_steering, reply_steering
from reviewer.model import Mail

HEAD = "From: a@b.example\nSubject: Re: x\nMessage-ID: <x@b.example>\nContent-Type: text/plain; charset=utf-8\n\n"
DIFF = "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,3 @@\n int a;\n reviewer: ignore DM302\n+int b;\n"


def lines(body: str, head: str = HEAD) -> tuple[SteeringLine, ...]:
    return reply_steering(parts_of((head + body).encode("utf-8", "replace")))


def below(body: str) -> tuple[SteeringLine, ...]:
    data = (HEAD + body).encode()
    mail = parse_mail(data, "x", 0, lambda: data)
    assert isinstance(mail, Mail)
    return tuple(line for text in patch_texts(mail, parts_of(data)) for line in patch_steering(text))


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        ("reviewer: ignore DM302 -- meant so", ("DM302",), "meant so"),
        ("Reviewer: Ignore DM302 -- meant so", ("DM302",), "meant so"),
        ("  reviewer:ignore   DM302  --   meant  so", ("DM302",), "meant so"),
        ("reviewer: ignore DM302", ("DM302",), ""),
        ("reviewer: ignore DM302 --", ("DM302",), ""),
        ("reviewer: ignore DM302, DM303 DM1,extack -- a -- b", ("DM302", "DM303", "DM1", "extack"), "a -- b"),
        ("reviewer: ignore DM302 net/core/devmem.c -- x", ("DM302", "net/core/devmem.c"), "x"),
        ("reviewer: ignore DM302: it is so", ("DM302", "it", "is", "so"), ""),
        ("reviewer: ignore all — because", ("all",), "because"),
        ("reviewer: expect DM302 -- known", ("DM302",), "known"),
    ],
)
def test_what_a_line_asks_for(text: str, words: tuple[str, ...], reason: str) -> None:
    (line,) = lines(f"Hello,\n\n{text}\n\nBye\n")
    assert (line.words, line.reason, line.body_line, line.wrong) == (words, reason, 3, "")


@pytest.mark.parametrize(
    "body",
    [
        "> reviewer: ignore DM302 -- x\n\nNo.\n",
        "On Monday, Otto Example wrote:\n> > reviewer: ignore DM302 -- x\n",
        "I am.\n\n-- \nreviewer: ignore DM302 -- x\n",
        "Here:\n\n    reviewer: ignore DM302 -- x\n",
        "Here:\n\treviewer: ignore DM302 -- x\n",
        "Here:\n```\nreviewer: ignore DM302 -- x\n```\n",
        f"Try this:\n\n{DIFF}",
        f"Try this:\n\n{DIFF}\n\nreviewer: ignore DM302 -- below a diff\n",
        "Yes.\n\n-----Original Message-----\nFrom: A <a@b.example>\nSent: Monday\nTo: B\nSubject: x\n\n"
        "reviewer: ignore DM302 -- x\n",
        "the reviewer: ignore DM302\n",
        "code reviewer: Otto\nReviewer: Otto Example <otto@x.example>\nreviewer:\nreviewer: I think so\n",
        "preview reviewers: ignore all\n",
    ],
)
def test_lines_that_do_not_count(body: str) -> None:
    assert lines(body) == ()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("reviewer: ignore", "names no rule"),
        ("reviewer: ignore -- because", "names no rule"),
        ("reviewer: ignroe DM302", "ignroe is not understood"),
        ("reviewer: ignored extack", "ignored is not understood"),
        ("reviewer: please drop DM302 -- x", "please is not understood"),
        ("reviewer: ignore " + "DM302 " * 40, "too long"),
        ("reviewer: ignore DM302 -- " + "x" * 2000, "too long"),
    ],
)
def test_lines_that_are_meant_and_not_understood(text: str, wrong: str) -> None:
    (line,) = lines(text + "\n")
    assert line.words == ()
    assert wrong in line.wrong


def test_a_line_of_flowed_text_is_put_together() -> None:
    head = HEAD.replace("utf-8", "utf-8; format=flowed")
    (line,) = lines("reviewer: ignore DM302 -- this is \nmeant so\n", head)
    assert line.reason == "this is meant so"


def test_a_patch_is_steered_below_its_cut() -> None:
    (line,) = below(f"Message.\n\nSigned-off-by: A <a@b.example>\n---\nreviewer: expect DM302 -- known\n\n{DIFF}")
    assert (line.words, line.wrong) == (("DM302",), "")


def test_above_the_cut_it_would_become_history() -> None:
    (line,) = below(f"Message.\n\nreviewer: expect DM302 -- known\n---\n\n{DIFF}")
    assert line.words == ()
    assert "above the ---" in line.wrong


def test_a_cover_letter_is_steered_anywhere() -> None:
    assert [line.words for line in below("Hello.\n\nreviewer: expect DM302 -- known\n")] == [("DM302",)]


def test_thousands_of_lines_cost_little() -> None:
    body = "".join(f"reviewer: ignore XX{at} -- {'x' * 200}\n" for at in range(20_000))
    start = time.process_time()
    found = lines(body)
    assert time.process_time() - start < 2
    assert len(found) == MOST_LINES + 1
    assert "more than 50" in found[-1].wrong


@pytest.mark.parametrize(
    "body",
    [
        "reviewer: " * 100_000 + "\n",
        "reviewer:" + " " * 1_000_000 + "ignore DM302\n",
        "reviewer: ignore " + "-- " * 300_000 + "\n",
        "reviewer: ignore " + ", " * 300_000 + "\n",
        "```\n" * 50_000 + "reviewer: ignore DM302\n",
    ],
)
def test_odd_lines_cost_little(body: str) -> None:
    start = time.process_time()
    lines(body)
    assert time.process_time() - start < 2


def test_a_mail_tells_that_it_may_steer() -> None:
    for body, steers in (("reviewer: ignore all\n", True), ("Reviewer: x\n", True), ("the review: x\n", False)):
        data = (HEAD + body).encode()
        mail = parse_mail(data, "x", 0, lambda data=data: data)
        assert isinstance(mail, Mail)
        assert mail.steers is steers
    coded = HEAD.replace("\n\n", "\nContent-Transfer-Encoding: base64\n\n") + "cmV2aWV3ZXI6IGlnbm9yZSBhbGw=\n"
    mail = parse_mail(coded.encode(), "x", 0, coded.encode)
    assert isinstance(mail, Mail)
    assert mail.steers


@given(st.text(alphabet="reviwgno: -DM302,>\t\n—`", max_size=200))
def test_anything_can_be_read(body: str) -> None:
    for line in (*lines(body), *below(body)):
        assert bool(line.words) != bool(line.wrong)
        assert line.body_line >= 1
