"""Lines that steer the reviewer are not talk: they ask nobody anything, and answer nothing."""

from __future__ import annotations

import pytest
from talk_story import ANN, FROB

QUOTE = "> +\t\treturn -EFAULT;\n"


@pytest.fixture
def on_frob(story):
    """The comments of one reply to a patch."""

    def comments(body: str, **how: str):
        story.patch(1, "1/1", "net: frob: allocate the table", FROB)
        story.reply("r1@lists.example", "v1-1@dev.example", body, **how)
        return story.comments()

    return comments


@pytest.mark.parametrize(
    "line",
    [
        "reviewer: ignore DM302 net/frob.c -- please use the documented one?",
        "Reviewer: expect all -- you should not read this",
        "reviewer: ignore",
        "reviewer: ignroe DM302 -- misspelt, so it is told of elsewhere",
        "  reviewer: ignore errno-choice",
    ],
)
def test_a_line_that_steers_is_no_comment(on_frob, line):
    assert on_frob(f"{line}\n") == []


def test_nor_is_one_below_a_quote(on_frob):
    assert on_frob(f"{QUOTE}\nreviewer: ignore DM302 -- as documented\n\nThanks,\nRob\n") == []


def test_what_stands_around_it_is_one(on_frob):
    (comment,) = on_frob(f"{QUOTE}\nWhy not -ENOMEM?\nreviewer: ignore DM302 -- should be\n\nOr none at all?\n")
    assert (comment.kind, comment.text) == ("question", "Why not -ENOMEM?\n\nOr none at all?")
    assert comment.location.line == 20


def test_what_stands_below_it_is_one(on_frob):
    (comment,) = on_frob(f"{QUOTE}\nreviewer: ignore DM302 -- should be\n\nWhy not -ENOMEM?\n")
    assert (comment.text, comment.line) == ("Why not -ENOMEM?", 5)


def test_a_quote_goes_with_the_words_below_the_next_one(on_frob):
    body = f"> +\tunsigned int slots = FROB_SLOTS;\nreviewer: ignore DM302\n{QUOTE}Why?\n"
    (comment,) = on_frob(body)
    assert comment.location.line == 20


@pytest.mark.parametrize(
    "line",
    ["Reviewer: Ada Example asked for this", "```\nreviewer: ignore DM302\n```", "\treviewer: ignore DM302"],
)
def test_what_steers_nothing_stays_a_comment(on_frob, line):
    (comment,) = on_frob(f"{QUOTE}\n{line}\n")
    assert "eviewer: " in comment.text


def test_steering_is_no_answer(story):
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.reply("q1@lists.example", "v1-1@dev.example", f"{QUOTE}\nWhy not -ENOMEM?\n")
    story.reply("a1@dev.example", "q1@lists.example", "> Why not -ENOMEM?\n\nreviewer: ignore DM302 -- known\n", by=ANN)
    (comment,) = story.comments()
    assert comment.state == "open"


def test_a_mail_that_cannot_be_read_steers_nothing(on_frob, monkeypatch):
    def broken(parts):
        raise ValueError("broken")

    monkeypatch.setattr("reviewer.mail.steering.reply_steering", broken)
    (comment,) = on_frob("reviewer: ignore DM302\n")
    assert comment.text == "reviewer: ignore DM302"
