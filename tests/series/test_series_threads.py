"""Threads from References and In-Reply-To."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from reviewer.model import Address, Mail
from reviewer.series.threads import build_forest

Post = Callable[..., Mail]


def test_a_mail_stands_behind_the_one_it_answers_whatever_the_dates_say(post: Post) -> None:
    answer = post("Re: [PATCH] frob: x", "answer", "patch", at=0)
    patch = post("[PATCH] frob: x", "patch", at=60)
    forest = build_forest([answer, patch])
    assert [mail.message_id for mail in forest.mails] == ["patch", "answer"]
    assert forest.known_parents == {"answer": "patch"}
    assert forest.roots == {"answer": "patch", "patch": "patch"}


def test_references_step_in_for_an_unknown_in_reply_to(post: Post) -> None:
    patch = post("[PATCH] frob: x", "patch")
    answer = post("Re: [PATCH] frob: x", "answer", "patch", answers="made-up-by-a-mail-client", at=5)
    assert build_forest([patch, answer]).known_parents == {"answer": "patch"}


def test_a_known_in_reply_to_beats_the_last_reference(post: Post) -> None:
    mails = [post("[PATCH] a", "a"), post("[PATCH] b", "b"), post("Re: [PATCH] a", "c", at=9)]
    mails[2] = replace(mails[2], references=("a", "b"), in_reply_to="a")
    assert build_forest(mails).known_parents == {"c": "a"}


def test_answers_to_one_absent_mail_are_one_thread(post: Post) -> None:
    one = post("Re: [PATCH 1/2] frob: x", "one", "cover", "absent")
    two = post("Re: [PATCH 1/2] frob: x", "two", "absent", at=1)
    three = post("Re: [PATCH 1/2] frob: x", "three", "cover", "absent", at=2)
    forest = build_forest([two, one, three])
    assert forest.known_parents == {}
    assert {forest.roots[mail] for mail in ("one", "two", "three")} == {"cover"}


def test_a_cycle_is_cut_at_its_oldest_mail_with_a_notice(post: Post) -> None:
    mails = [post("Re: a", "a", "c", at=1), post("Re: a", "b", "a", at=2), post("Re: a", "c", "b", at=3)]
    forest = build_forest(mails)
    assert forest.known_parents == {"b": "a", "c": "b"}
    assert [(notice.code, notice.patches) for notice in forest.notices] == [("reply-cycle", ("a", "b", "c"))]


def test_a_mail_that_answers_itself_is_a_root(post: Post) -> None:
    forest = build_forest([post("Re: a", "a", "a")])
    assert forest.known_parents == {}
    assert forest.notices == ()


def test_a_cycle_of_absent_mails_ends_without_a_notice(post: Post) -> None:
    mails = [post("Re: a", "a", "x", "y"), post("Re: a", "b", "y", "x", at=1)]
    forest = build_forest(mails)
    assert forest.known_parents == {}
    assert forest.notices == ()


def test_the_first_of_two_copies_is_kept_and_only_a_real_difference_noted(post: Post) -> None:
    first = post("[PATCH] frob: x", "one")
    listed = replace(first, subject=post("[frob-list] [PATCH]  frob: x", "one").subject, position=900)
    other = replace(first, author=Address(name="Mal Lory", email="mal@evil.example"), position=901)
    assert build_forest([first, listed]).notices == ()
    forest = build_forest([first, other, other])
    assert forest.mails == (first,)
    assert [(notice.code, notice.patches) for notice in forest.notices] == [("duplicate-mail", ("one",))]


def test_a_chain_of_a_hundred_thousand_replies_is_linear(post: Post) -> None:
    mails = [post("Re: x", "0")]
    mails += [replace(mails[0], message_id=str(n), references=(str(n - 1),), position=n) for n in range(1, 100_000)]
    start = time.process_time()
    forest = build_forest(reversed(mails))
    assert len(forest.mails) == 100_000
    assert forest.roots["99999"] == "0"
    assert time.process_time() - start < 5
