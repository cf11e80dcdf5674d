"""Replies: quoted and own blocks, and the tags that they give."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.quotes import blocks, unquote
from reviewer.mail.tagnames import tag_name
from reviewer.mail.trailers import ReplyTag, reply_tags
from reviewer.model import TextLine


def split(*lines: str) -> list[tuple[str, int, list[str]]]:
    found = blocks([TextLine(text=text, body_line=at) for at, text in enumerate(lines, 1)])
    return [(block.kind, block.depth, [line.text for line in block.lines]) for block in found]


def test_blocks_of_an_ordinary_reply():
    assert split(
        "Hi,", "", "On Mon, 1 Jan 2024, Ann Author", "<ann@dev.example> wrote:", ">> old", "> new", ">", "", "Why?", "",
        "> more", "Fine.", "-- ", "Bob", "_____________________", "x mailing list",
    ) == [
        ("own", 0, ["Hi,"]),
        ("attribution", 0, ["On Mon, 1 Jan 2024, Ann Author", "<ann@dev.example> wrote:"]),
        ("quoted", 2, [">> old"]), ("quoted", 1, ["> new", ">"]), ("own", 0, ["Why?"]), ("quoted", 1, ["> more"]),
        ("own", 0, ["Fine."]),
    ]  # fmt: skip


def test_footer_ends_a_reply():
    assert split("Fine.", "_____________________", "x mailing list", "> no") == [("own", 0, ["Fine."])]


@pytest.mark.parametrize(
    "line",
    ["On 1/2/24 3:04, Ann wrote:", "Ann Author <ann@dev.example> writes:", "Am 01.02.24 schrieb Ann:",
     "在 2024/1/2 写道：",
     "* Ann <ann@dev.example> said:", "From: Ann Author"],
)  # fmt: skip
def test_attributions(line: str):
    assert split(line, "> quoted") == [("attribution", 0, [line]), ("quoted", 1, ["> quoted"])]


def test_attribution_away_from_its_quote():
    assert split("Hi", "On 1/2/24 3:04, Ann wrote:", "", "...", "", "> quoted")[1][0] == "attribution"
    assert split("", "", "> quoted") == [("quoted", 1, ["> quoted"])]
    assert split("", "text", "", "he wrote:", "> quoted")[1] == ("attribution", 0, ["he wrote:"])


def test_outlook():
    head = ["From: Ann", "Sent: Monday", "To: Bob", "Subject: x"]
    assert split("Own.", "", *head, "", "theirs") == [
        ("own", 0, ["Own."]), ("attribution", 0, head), ("quoted", 1, ["theirs"]),
    ]  # fmt: skip
    original = ["-----Original Message-----", *head]
    assert split("Own.", *original, "", "theirs", "> x")[1:] == [
        ("attribution", 0, original), ("quoted", 1, ["theirs", "> x"]),
    ]  # fmt: skip
    assert split(*head, "", "> theirs", "Mine.")[2] == ("own", 0, ["Mine."])
    assert split("__________________________", *head, "", "theirs")[0][0] == "attribution"
    assert split("From: me", "no more headers")[0][0] == "own"
    assert split("-----Original Message-----") == [("own", 0, ["-----Original Message-----"])]
    assert split(*head)[0][0] == "attribution"


def test_top_posting_goes_on_behind_the_signature():
    assert [kind for kind, _, _ in split("Top.", "-- ", "Ann", "Firm", "On 1/2/24, Bob wrote:", "> x", "Below.")] == [
        "own", "attribution", "quoted", "own",
    ]  # fmt: skip
    assert split("Top.", "-- ", "Ann") == [("own", 0, ["Top."])]


@pytest.mark.parametrize(
    ("text", "depth", "rest"),
    [("> a", 1, "a"), (">> a", 2, "a"), ("> > a", 2, "a"), (" > a", 1, "a"), (">\ta", 1, "\ta"), (">  a", 1, " a"),
     ("a > b", 0, "a > b"),
     (">", 1, ""), (">" * 60, 50, ">" * 10)],
)  # fmt: skip
def test_unquote(text: str, depth: int, rest: str):
    assert unquote(text) == (depth, rest)


def one(*lines: str) -> ReplyTag:
    (tag,) = reply_tags("\n".join(lines))
    return tag


def test_plain_tag():
    tag = one("> quoted", "", "Reviewed-by: Rea Viewer <r@x.example>", "", "-- ", "Acked-by: No <n@x.example>")
    assert (tag.name, tag.value, tag.body_line) == ("Reviewed-by", "Rea Viewer <r@x.example>", 3)
    assert tag.person is not None
    assert tag.person.email == "r@x.example"
    assert (tag.conditional, tag.patches, tag.objection, tag.misspelt_as) == (False, None, False, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Acked-by: A B <a@x.example> # parser", "A B <a@x.example> # parser"),
        ("acked-by: A B <a@x.example> [with a note]", "A B <a@x.example> [with a note]"),
        ("Acked-by: Bee, A. (Firm) <a@x.example>", "Bee, A. (Firm) <a@x.example>"),
        ("Acked-by: A B <a@x.example> (parser)", "A B <a@x.example> (parser)"),
        ("Feel free to add Acked-by: A B <a@x.example>, thanks", "A B <a@x.example>"),
        ("Acked-by: Anna\n  <a@x.example>", "Anna <a@x.example>"),
        ("Acked-by:\nA B <a@x.example>", "A B <a@x.example>"),
        ("Acked-by: a@x.example", "a@x.example"),
        ("Acked-by: Anna Bee", "Anna Bee"),
        ("* Acked-by: A B <a@x.example>", "A B <a@x.example>"),
    ],
)
def test_shapes_of_tags(text: str, value: str):
    tag = one(text)
    assert (tag.name, tag.value, tag.misspelt_as) == ("Acked-by", value, None)


@pytest.mark.parametrize(
    "text",
    ["> Acked-by: A <a@x.example>", "You may add my Acked-by: tag", "Stand-by: A <a@x.example>", "Acked-by: me",
     "Cc: A <a@x.example>", "Hereby: A <a@x.example>", "Acked-by:\nReviewed: x\ny", "Acked-by:"],
)  # fmt: skip
def test_what_is_no_tag(text: str):
    assert reply_tags(text) == ()


def test_several_tags():
    found = reply_tags("Tested-by: A B\nReviewed-by: A B <a@x.example> Acked-by: C D <c@x.example>")
    assert [tag.name for tag in found] == ["Tested-by", "Reviewed-by", "Acked-by"]


@pytest.mark.parametrize(
    ("text", "conditional"),
    [
        ("With that fixed:\n\nReviewed-by: A B <a@x.example>", True),
        ("With the typo above fixed, Reviewed-by: A B <a@x.example>", True),
        ("Modulo the nit,\nReviewed-by: A B <a@x.example>", True),
        ("Reviewed-by: A B <a@x.example> once the leak is gone", True),
        ("If you mend it:\n\nReviewed-by: A B <a@x.example>", True),
        ("If it helps:\n\nReviewed-by: A B <a@x.example>", False),
        ("Please fix the typo once more.\n\nReviewed-by: A B <a@x.example>", False),
        ("If you must.\n\nReviewed-by: A B <a@x.example>", False),
        ("> If you must:\n\nReviewed-by: A B <a@x.example>", False),
        ("With this patch applied my box boots.\nReviewed-by: A B <a@x.example>", False),
    ],
)
def test_conditions(text: str, conditional: bool):
    assert one(text).conditional is conditional


@pytest.mark.parametrize(
    ("text", "patches"),
    [
        ("For patches 1-3:\n\nAcked-by: A B <a@x.example>", (1, 2, 3)),
        ("Acked-by: A B <a@x.example> (for patches 1, 2 and 4 only)", (1, 2, 4)),
        ("For 2/4 and 4/4: Acked-by: A B <a@x.example>", (2, 4)),
        ("Patch 3: Acked-by: A B <a@x.example>", (3,)),
        ("Works on 2 machines. Acked-by: A B <a@x.example>", None),
        ("Acked-by: A B <a@x.example> for 6.12-rc1", None),
    ],
)
def test_limits(text: str, patches: tuple[int, ...] | None):
    assert one(text).patches == patches


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Nacked-by: A B <a@x.example>", "Nacked-by"),
        ("Changes-requested: A B <a@x.example>", "Changes-requested-by"),
        ("NAK", "NAK"),
        ("Still NAK to hooks here.", "NAK"),
        ("So I NACK this.", "NAK"),
        ("Please drop my Reviewed-by for now.", "Reviewed-by"),
    ],
)
def test_objections(text: str, name: str):
    tag = one(text)
    assert (tag.name, tag.objection, tag.conditional) == (name, True, False)


@pytest.mark.parametrize("text", ["> NAK", "The device sends a NACK then.", "NACKs are counted", "drop my foo-by"])
def test_what_is_no_objection(text: str):
    assert reply_tags(text) == ()


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("Reviewed-by", ("Reviewed-by", None)), ("REVIEWED-BY", ("Reviewed-by", None)),
        ("Revieved-by", ("Reviewed-by", "Revieved-by")), ("Reveiwed-by", ("Reviewed-by", "Reveiwed-by")),
        ("Acked by", ("Acked-by", "Acked by")), ("Signed_off_by", ("Signed-off-by", "Signed_off_by")),
        ("Nack-by", ("Nacked-by", "Nack-by")), ("Changes-requested", ("Changes-requested-by", None)),
        ("Requested-by", None), ("by", None), ("x" * 40 + "by", None), ("reviewed", None),
    ],
)  # fmt: skip
def test_tag_names(word: str, found: tuple[str, str | None] | None):
    assert tag_name(word) == found


def test_misspelt_tag_is_given_with_its_likely_name():
    assert one("Revieved-by: A B <a@x.example>").misspelt_as == "Revieved-by"
    assert one("Reviewed by: A B <a@x.example>").misspelt_as == "Reviewed by"
    assert reply_tags("Revieved-by: Anna Bee") == ()


def test_a_proposed_patch_keeps_its_trailers():
    diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nAcked-by: A <a@x.example>\n"
    assert reply_tags("Try this:\n\nWhy.\n\nSigned-off-by: A B <a@x.example>\n---\n" + diff) == ()
    assert one("Acked-by: A B <a@x.example>\n" + diff).name == "Acked-by"


@given(st.text(alphabet="Reviewed-by:<a@x> \n>#[]1,NAK\t", max_size=300), st.text(max_size=50))
def test_no_reply_raises(text: str, more: str):
    lines = (text + more).split("\n")
    for tag in reply_tags(text + more):
        assert 1 <= tag.body_line <= len(lines)
    blocks([TextLine(text=line, body_line=1) for line in lines])


@pytest.mark.parametrize(
    "text",
    [
        "Acked-by: A B <a@x.example>\n" * 2500,
        "Acked-by: " * 12500,
        "Foo: text\n" * 12500,
        "a" * 125000,
        "Acked-by:\n" * 6250,
        "-- \n" * 25000,
        "\n" * 62500,
        "> x\ny\n" * 12500,
        "From: a\nTo: b\nSent: c\n\n" * 5000,
    ],
)
def test_large_replies_end_in_linear_time(text: str):
    start = time.process_time()
    reply_tags(text)
    assert time.process_time() - start < 1
