"""Which lines object to a patch, and which only speak of devices that NAK."""

from __future__ import annotations

import pytest

from reviewer.mail.replytags import reply_tags


@pytest.mark.parametrize(
    "text",
    [
        "NAK.", "NACKED!", "Nack!", "nack.", "**NAK**", "NAK NAK NAK", "NAK'd.", "NACK (see below)", "NAK - this leaks",
        "NAK – this leaks", "NAK, for the reasons given", "So NAK.", "Nope, NAK.", "Well, that is a no-go, NAK.",
        "Big NAK from my side.", "nack from me", "That's a NAK for me.", "It's a nack from me.", "Strong NAK!",
        "Hard NAK, this is broken.", "Still NAK to creating hooks here.", "Absolutely NAK to this hook.",
        "Complete NAK to that approach", "NAK on this approach", "Full NACK to this one", "This is still a NAK.",
        "Sorry, but this is a NAK.", "So that's a clear NAK from my side.", "Consider this a NAK.",
        "Consider this NAKed.",
        "I'm NAKing this.", "I am nacking this series.", "I hereby NAK it.", "I will have to NAK this", "We NACK this",
        "I have to NAK that.", "I'm still going to NAK this.", "Any such side channel will be NAKed before you send it",
        "This is not what we want. NAK.",
    ],
)  # fmt: skip
def test_a_nak_in_words(text):
    (tag,) = reply_tags(f"Hi,\n\n{text}\n")
    assert (tag.name, tag.objection, tag.body_line) == ("NAK", True, 3)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Nacked-by: R E <r@x.example>", "Nacked-by"),
        ("NACKed-by: R E <r@x.example>", "Nacked-by"),
        ("Naked-by: R E <r@x.example>", "Nacked-by"),
        ("NAK-ed-by: R E <r@x.example>", "Nacked-by"),
        ("Not-acked-by: R E <r@x.example>", "Nacked-by"),
        ("Nacked-by: R E", "Nacked-by"),
        ("Nacked-by: me", "Nacked-by"),
        ("Changes-requested", "Changes-requested-by"),
    ],
)
def test_a_tag_of_objection(text, name):
    (tag,) = reply_tags(f"{text}\n")
    assert (tag.name, tag.objection) == (name, True)


@pytest.mark.parametrize(
    "text",
    [
        "the NAK packet is dropped", "NAK handling is wrong here", "sends a NACK to the peer", "The NACK bit is set.",
        "handles a NAK from the device", "a NAK from the controller ends it", "the bus NACKs the address",
        "The transfer is NAKed by the device.", "It replies with a NAK.", "The device then NAKs.", "return -ENAK;",
        "wait for ACK or NAK.", "ACK/NAK", "if (status & NAK)", "When the queue is empty, NAK the host.",
        "I won't NAK it", "I don't want to NAK this", "I am not going to NAK this", "I never NAK such things",
        "This is not a NAK.", "Not a NAK from me, just a question", "no NAK from me", "nobody will NAK it",
        "unless somebody NAKs it", "he NAKed v1", "why did you NAK v1?", "Does anyone NAK this?", "a snack for me",
    ],
)  # fmt: skip
def test_no_nak(text):
    assert reply_tags(f"{text}\n") == ()


def test_a_wrapped_sentence_starts_no_nak():
    assert reply_tags("The device answers with a\nNAK to the host.\n") == ()


def test_many_naks_on_a_line_cost_little():
    assert reply_tags("the nak " * 100_000) == ()
