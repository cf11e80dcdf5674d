"""Mail that is large, deep or broken costs little time and never an exception."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from talk_story import ANN, FROB, Story, diff, hunk

from reviewer.model import Lineage
from reviewer.talk.discussion import comments_of, talk_of

QUOTES = st.text(alphabet=" >+-@|:{}fw\n\t\0[].", max_size=200)


def replied(body: str) -> Story:
    story = Story()
    story.patch(1, "1/1", "net: frob: allocate", FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", body)
    return story


@pytest.mark.parametrize(
    "body",
    [
        ">" * 100_000 + "\nWhy?\n",
        "> " * 100_000 + "\nWhy?\n",
        "".join(">" * (at % 60) + " +\t}\n" for at in range(20_000)) + "Why?\n",
        "> +\t\treturn -EFAULT;\nWhy?\n" * 3_000,
        "> " + "x" * 1_000_000 + "\n" + "y" * 1_000_000 + "\n",
        "> half a line of nothing known\n" * 20_000 + "Why?\n",
        "From: a <a@x.example>\nSent: Monday\nTo: b\nSubject: c\n\n" + "+\t\treturn -EFAULT;\nunknown\n" * 5_000,
        "\0\u2028\x1b[2J?\n",
        "",
    ],
)
def test_replies_that_are_hostile(body):
    story = replied(body)
    before = time.process_time()
    story.comments()
    assert time.process_time() - before < 5


def test_a_long_chain_of_replies():
    story = replied("> +\t\treturn -EFAULT;\nWhy?\n")
    for at in range(2, 400):
        story.send(f"r{at}@x.example", "Re: [PATCH] net", f"> words {at - 1}\nwords {at}\n", f"r{at - 1}@lists.example")
        story.mails[-1] = story.mails[-1].replace(b"@x.example>", b"@lists.example>")
    before = time.process_time()
    comments = story.comments()
    assert len(comments) == 399
    assert time.process_time() - before < 5


@settings(max_examples=60, deadline=None)
@given(QUOTES)
def test_any_reply_is_read(text):
    for comment in replied(text).comments():
        assert comment.text.strip()
        assert comment.state == "open"


def test_a_version_with_nothing_to_read():
    story = replied("Why?\n")
    (series,) = story.versions()
    assert talk_of((replace(series, patches=()),)) == {"v1-1@dev.example": ()}
    assert talk_of(()) == {}


def test_a_mail_that_cannot_be_read_any_more(story):
    story.patch(1, "1/1", "net: frob: allocate", FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", "Why?\n")
    (series,) = story.versions()

    def gone() -> bytes:
        raise OSError

    broken = tuple(replace(mail, load=gone) for mail in series.outline.replies)
    series = replace(series, outline=replace(series.outline, replies=broken))
    assert talk_of((series,)) == {"v1-1@dev.example": ()}


def test_a_lineage_that_cannot_be_followed_costs_itself(story):
    story.patch(1, "1/1", "net: frob: allocate", FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", "Why?\n")
    (series,) = story.versions()
    lineage = Lineage(title="frob", outlines=(series.outline,))
    comments, notices = comments_of([lineage], [series])
    assert (len(comments["v1-1@dev.example"]), notices) == (1, ())
    broken = replace(series, patches=None)  # type: ignore[arg-type]
    comments, (notice,) = comments_of([lineage], [broken])
    assert (comments, notice.code) == ({}, "talk-failed")
    assert notice.message.startswith("frob: the discussion cannot be followed (TypeError")


def test_ten_versions_with_four_hundred_mails_take_less_than_three_seconds(story):
    names = [f"net: frob: step {at} of many" for at in range(10)]
    for version in range(1, 11):
        story.cover(version, 10, notes=f"\nChanges in v{version}:\n" + "- some step was changed (Rob)\n" * 10)
        for at, name in enumerate(names, 1):
            lines = [f"+\tfrob_step_{at}({line}, {version if line % 50 == 0 else 0});" for line in range(300)]
            story.patch(version, f"{at}/10", name, diff(f"net/frob{at}.c", hunk(lines)))
        for at in range(1, 31):
            number = at % 10 + 1
            quote = "".join(f"> +\tfrob_step_{number}({line}, 0);\n" for line in range(at, at + 30) if line % 50)
            above = f"v{version}-{number}@dev.example"
            story.reply(
                f"v{version}-r{at}@lists.example",
                above,
                f"{quote}Why {at}?\n{quote}And this?\n",
                f"v{version}-0@dev.example",
            )
            if at % 3 == 0:
                story.reply(
                    f"v{version}-a{at}@dev.example",
                    f"v{version}-r{at}@lists.example",
                    f"> Why {at}?\nBecause.\n",
                    above,
                    by=ANN,
                )
    versions = story.versions()
    assert len(versions) == 10
    assert sum(len(series.outline.replies) for series in versions) == 400
    before = time.process_time()
    talk = talk_of(versions)
    assert time.process_time() - before < 3
    assert sum(map(len, talk.values())) == 700
