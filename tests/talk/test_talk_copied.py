"""Requests to Cc somebody: To and Cc of the next version tell what became of them."""

from __future__ import annotations

import pytest
from talk_story import FROB, ROB

from reviewer.talk.copied import copied

LIST = "Cc: Olga Other <olga@y.example>, netfrob@lists.example\n"
LONG = "Cc: " + ",\n\t".join(f"Somebody Number {at} <number{at}@far.example>" for at in range(200))


@pytest.fixture
def after(story):
    """What became of a comment on patch 1 when the next version has these headers."""

    def comment(text: str, *headers: str, before: str = "To: list@frob.example\n"):
        story.patch(1, "1/1", "net: frob: allocate the table", FROB)
        story.mails[-1] = story.mails[-1].replace(b"Subject:", before.encode() + b"Subject:", 1)
        story.reply("q1@lists.example", "v1-1@dev.example", f"{text}\n")
        for version, header in enumerate(headers, 2):
            story.patch(version, "1/1", "net: frob: allocate the table", FROB)
            story.mails[-1] = story.mails[-1].replace(b"Subject:", header.encode() + b"Subject:", 1)
        (said,) = story.comments()
        return said

    return comment


def whys(comment):
    return [evidence.why for evidence in comment.evidence if " go" in evidence.why]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Please resend and CC netfrob@.", "netfrob@lists.example"),
        ("Please Cc netfrob next time.", "netfrob@lists.example"),
        ("I recommend you cc Olga\nOther on this.", "olga@y.example"),
        ("You should have Cc'ed olga@y.example, no?", "olga@y.example"),
        ("Could you add the respective maintainers to Cc?", "olga@y.example, netfrob@lists.example"),
        ("Please run scripts/get_maintainer.pl on it.", "olga@y.example, netfrob@lists.example"),
    ],
)
def test_who_is_asked_for_and_there(after, text, who):
    comment = after(text, f"To: list@frob.example\n{LIST}")
    assert (comment.state, whys(comment)) == ("changed", [f"v2 goes to `{who}`"])
    assert comment.evidence[0].message_id == "v2-1@dev.example"


def test_who_asks_for_himself(after):
    comment = after("Please cc me on the next version.", f"Cc: {ROB}\n")
    assert whys(comment) == ["v2 goes to `rob@lists.example`"]


def test_it_may_take_two_versions_and_many_recipients(after):
    comment = after(
        "Please Cc netfrob@lists.example.", "To: list@frob.example\n", f"{LONG},\n\tnetfrob@lists.example\n"
    )
    assert whys(comment) == ["v3 goes to `netfrob@lists.example`", "v2 does not go to `netfrob@lists.example`"]
    assert comment.state == "changed"


def test_who_is_still_not_there(after):
    comment = after("Please Cc netfrob@lists.example.", "To: list@frob.example\n")
    assert (comment.state, whys(comment)) == ("open", ["v2 does not go to `netfrob@lists.example`"])


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Please Cc the frob people.", f"To: list@frob.example\n{LIST}"),  # no address, and nobody is called so
        ("Please Cc netfrob@lists.example.", ""),  # a page of an archive
        ("Please Cc list@frob.example.", "To: list@frob.example\n"),  # it was there before
        ("I am CCing netfrob@lists.example.", LIST),  # asks for nothing
        ("Please check the access of olga, in accordance with the rest.", LIST),
        ("Please build it for olga with ccache.", LIST),
    ],
)
def test_what_cannot_be_told(after, text, header):
    assert whys(after(text, header)) == []


def test_the_same_version_sent_again(story):
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.reply("q1@lists.example", "v1-1@dev.example", "Please resend and CC netfrob@.\n")
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    again = story.mails[-1].replace(b"v1-1@", b"again-1@").replace(b"Subject: [PATCH", b"Subject: [PATCH RESEND")
    story.mails[-1] = again.replace(b"Subject:", f"{LIST}Subject:".encode(), 1)
    (comment,) = story.comments()
    assert whys(comment) == ["v1, sent again, goes to `netfrob@lists.example`"]
    assert comment.evidence[0].message_id == "again-1@dev.example"


def test_nothing_is_loaded_for_other_comments(after, monkeypatch):
    monkeypatch.setattr("reviewer.talk.copied.copied", None)
    assert copied is not None
    assert after("Please use -ENOMEM.", LIST).state == "open"
