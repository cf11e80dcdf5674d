"""Kinds of comments, changelogs, and the words by which they meet."""

from __future__ import annotations

import pytest
from talk_story import FROB

from reviewer.model import Address
from reviewer.talk.changelog import entries_of
from reviewer.talk.kinds import approves, kind_of, promises, withdraws
from reviewer.talk.words import names_in, names_person, stems_in, tokens_in

ROB = Address(name="Robert Q. Reader", email="bookworm+lists@lists.example")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Why is this needed?", "question"),
        ("Is `if (x) ? y : z` clear?", "question"),
        ("Could you move this up?", "request"),
        ("Please drop this.", "request"),
        ("I recommend you cc the frob list.", "request"),
        ("Make this static.", "request"),
        ("Make sense.", "approval"),
        ("Makes sense to me.", "approval"),
        ("It makes sense to keep it.", "information"),
        ("Reviewed-by: Robert Q. Reader <bookworm@lists.example>\n\nWith a nit:", "approval"),
        ("A few nits below:", "information"),
        ("Nit: one: two", "nit"),
        ("This should be a u32.", "request"),
        ("Use kfree_sensitive() instead.", "request"),
        ("It might make sense to pass an invalid one.", "request"),
        ("Good catch. So if possible lock it interruptible.\nApart from that looks good to me.", "request"),
        ("nit: blank line", "nit"),
        (
            "Applied, thanks!\n\n[1/2] frob: add and use the ring\n      commit: 0123456789ab\n[2/2] frob: fix it",
            "information",
        ),
        ("Minor: two spaces here?", "nit"),
        ("typo", "nit"),
        ("NAK. We had this before.", "objection"),
        ("This is wrong, the lock is not held.", "objection"),
        ("I don't like where this goes.", "objection"),
        ("Yeah, I don't like the name either.", "information"),
        ("That's an absolute NO-GO!", "objection"),
        ("Nacked-by: Rob Reader <rob@lists.example>", "objection"),
        ("Reviewed-by: Rob Reader <rob@lists.example>", "approval"),
        ("Feel free to add Acked-by: Rob Reader <rob@lists.example>", "approval"),
        ("Looks good to me.", "approval"),
        ("LGTM, thanks!", "approval"),
        ("With the comments addressed:\n\nAcked-by: Rob Reader <rob@lists.example>", "information"),
        ("nit: keep the order? With that addressed:\n\nAcked-by: Rob Reader <rob@lists.example>", "nit"),
        ("We have merged something like it.", "information"),
        ("See https://x.example/?q=frob for the numbers.", "information"),
        ("It makes sense. " + "Long ago there was a frob, and nobody knew what it did. " * 5, "information"),
    ],
)
def test_kinds(text, kind):
    assert kind_of(text) == kind


def test_approval_withdrawal_and_promise():
    assert approves("Fair enough.")
    assert not approves("Reviewed-by: nobody")
    assert withdraws("Ah, never mind.")
    assert withdraws("You're right, it is fine")
    assert not withdraws("Never do that.")
    assert promises("Good catch, will fix.")
    assert not promises("No, the manual forbids that.")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("use a u32 (Robert)", True),
        ("use a u32 (Rob)", False),
        ("use a u32 (Robe, Eve)", True),
        ("use a u32 [Reader]", True),
        ("use a u32 (bookworm)", True),
        ("as suggested by Robert Reader", True),
        ("Fix the help text per Robert.", True),
        ("thanks to robert q. reader", True),
        ("asked for by bookworm+lists@lists.example", True),
        ("the reader is robust", False),
        ("use a u32 (Eve)", False),
        ("f(robert_lock) is taken", False),
    ],
)
def test_names_of_reviewers(text, named):
    assert names_person(text, ROB) is named


def test_a_short_first_name_in_brackets():
    assert names_person("fix it (Stan)", Address(name="Stanislav Someone", email="s@x.example"))
    assert not names_person("fix it (X)", Address(name="Xi", email=""))


def test_identifiers():
    assert names_in("use frob_open() and f->table, not size_t or u32 or NULL; -EINVAL, FROB_MAX, sha256, v12") == {
        "frob_open",
        "EINVAL",
        "FROB_MAX",
        "sha256",
    }
    assert tokens_in("\treturn frob_open(table);") == {"frob_open", "table"}
    assert stems_in("Please fix the allocation of allocated tables") == {"alloc", "table"}


@pytest.mark.parametrize(
    "log",
    [
        "Changes in v3:\n- count slots (Rob)\n  and more\n- rebased\n",
        "v3:\n * count slots (Rob)\n   and more\n * rebased\n",
        "v2 -> v3:\n  - count slots (Rob)\n    and more\n  - rebased\n",
        "Changes since v2:\n\n1. count slots (Rob)\n   and more\n2. rebased\n",
        "v3: count slots (Rob) and more\nv3: rebased\n",
        "Changelog:\nv3\n-------\n- count slots (Rob)\n  and more\n- rebased\n",
        "v3 changes:\n- count slots (Rob)\n and more\n- rebased\n",
        "Changes from v2 to v3:\n- count slots (Rob)\n\tand more\n- rebased\n",
    ],
)
def test_changelogs(story, log):
    for version in (1, 2):
        story.patch(version, "1/1", "net: frob: count", FROB)
    story.patch(3, "1/1", "net: frob: count", FROB, notes=f"{log}\nv2:\n- old\n\n")
    found = entries_of(story.versions()[2])
    assert [entry.text for entry in found if entry.version == 3] == ["count slots (Rob) and more", "rebased"]
    assert [entry.text for entry in found if entry.version == 2] == ["old"]
    body = story.mails[2].decode().split("\n\n", 1)[1].split("\n")
    assert "count slots" in body[found[0].body_line - 1]
    assert (found[0].message_id, found[0].number) == ("v3-1@dev.example", 1)


def test_what_is_no_changelog(story):
    story.cover(
        1,
        2,
        "This is for v3 of the spec.\n\n v3: not a headline in v3 in a table of things in v4 of it\n\nvoid frob(v1)\n",
    )
    story.patch(1, "1/2", "net: frob: count", FROB, text="Frobs of v1 hardware:\n- count\n")
    (series,) = story.versions()
    assert {entry.version for entry in entries_of(series)} == {3}
