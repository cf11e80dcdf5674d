"""What became of a comment, and the evidence for it."""

from __future__ import annotations

import pytest
from talk_story import ANN, EVE, FROB, ROB, Story, diff, hunk

from reviewer.model import Comment

TITLE = "net: frob: allocate the table"
EFAULT = "> +\t\treturn -EFAULT;\n"


def two(story: Story, body: str, change: tuple[str, str] = ("", ""), notes: str = "", **changes: str) -> list[Comment]:
    """The comments of a reply to version 1, when version 2 is the same but for one replacement in its diff."""
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", body)
    story.patch(2, "1/1", TITLE, FROB.replace(*change), notes=notes, **changes)
    return story.comments()


def whys(comment: Comment) -> str:
    return "\n".join(evidence.why for evidence in comment.evidence)


def test_nothing_happened(story):
    (comment,) = two(story, f"{EFAULT}Why this errno?\n")
    assert comment.state == "open"
    (evidence,) = comment.evidence
    assert evidence.why == "`return -EFAULT;` comes back unchanged in v2"
    assert evidence.message_id == "v2-1@dev.example"
    assert evidence.line is not None
    assert story.mails[2].decode().split("\n\n", 1)[1].split("\n")[evidence.line - 1] == "+\t\treturn -EFAULT;"


def test_no_later_version(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why this errno?\n")
    (comment,) = story.comments()
    assert (comment.state, comment.evidence) == ("open", ())


def test_the_line_was_changed(story):
    (comment,) = two(story, f"{EFAULT}Why this errno?\n", ("-EFAULT", "-ENOMEM"))
    assert comment.state == "changed"
    assert comment.evidence[0].why == "v2 has `return -ENOMEM;` in place of `return -EFAULT;`"
    assert comment.evidence[0].message_id == "v2-1@dev.example"


def test_lines_were_added_beside_it(story):
    (comment,) = two(story, f"{EFAULT}Say why.\n", ("+\t\treturn -EFAULT;", "+\t\tfrob_warn(f);\n+\t\treturn -EFAULT;"))
    assert comment.state == "changed"
    assert comment.evidence[0].why == "v2 adds `frob_warn(f);` there"


def test_the_line_was_dropped_and_the_line_was_moved(story):
    (comment,) = two(
        story,
        "> +/* Frobs that are gone are counted too. */\nThey are not.\n",
        ("+/* Frobs that are gone are counted too. */\n", ""),
    )
    assert comment.evidence[0].why == "v2 no longer has `/* Frobs that are gone are counted too. */`"


def test_declarations_put_in_another_order(story):
    first, second = " \tint err;\n", "+\tunsigned int slots = FROB_SLOTS;\n"
    (comment,) = two(
        story,
        "> +\tunsigned int slots = FROB_SLOTS;\nKeep the tree?\n",
        (first + second, second + first),
    )
    assert comment.state == "changed"
    assert "v2 moves" in whys(comment)


def test_a_removed_line_that_is_no_longer_removed(story):
    (comment,) = two(story, "> -\tf->count = 0;\nWhy drop it?\n", ("-\tf->count = 0;", " \tf->count = 0;"))
    assert comment.state == "changed"


def test_changes_far_from_the_line_do_not_count(story):
    (comment,) = two(story, f"{EFAULT}Why?\n", ("frob_table_free(f->table)", "frob_table_put(f->table)"))
    assert comment.state == "open"


def test_neighbours_count_in_the_next_version_only(story):
    (near,) = two(story, f"{EFAULT}Why?\n", ("f->count = slots", "f->count = frob_slots"))
    assert near.state == "changed"
    story.patch(3, "1/1", TITLE, FROB)
    story.reply("r3@lists.example", "v3-1@dev.example", f"{EFAULT}Why still?\n")
    story.patch(4, "1/1", TITLE, FROB)
    story.patch(5, "1/1", TITLE, FROB.replace("f->count = slots", "f->count = frob_slots"))
    later = story.comments()[1]
    assert (later.state, whys(later)) == ("open", "`return -EFAULT;` comes back unchanged in v4")


def test_the_line_itself_counts_in_each_later_version(story):
    two(story, f"{EFAULT}Why?\n")
    story.patch(3, "1/1", TITLE, FROB.replace("-EFAULT", "-ENOMEM"))
    (comment,) = story.comments()
    assert comment.state == "changed"
    assert comment.evidence[0].why == "v3 has `return -ENOMEM;` in place of `return -EFAULT;`"


@pytest.mark.parametrize(
    ("words", "state"),
    [("Why this errno?", "open"), ("nit: blank line before this?", "changed"), ("Style!", "changed")],
)
def test_a_blank_line_counts_for_those_who_speak_of_lines(story, words, state):
    (comment,) = two(story, f"{EFAULT}{words}\n", ("+\t\treturn -EFAULT;", "+\n+\t\treturn -EFAULT;"))
    assert comment.state == state
    back = Story()
    count = "+\tf->count = slots;\n"
    back.patch(1, "1/1", TITLE, FROB.replace(count, f"{count}+\n"))
    back.reply("r1@lists.example", "v1-1@dev.example", f"> {count}> +\n{words}\n")
    back.patch(2, "1/1", TITLE, FROB)
    (comment,) = back.comments()
    assert comment.state == state


def test_the_first_changelog_that_speaks_of_it_is_enough_and_links_say_nothing(story):
    body = f"{EFAULT}Is frob_table_alloc() allowed to sleep here?\n"
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", body)
    link = "https://git.example/frob_table_alloc/log"
    for version, said in ((2, link), (3, "call frob_table_alloc() early"), (4, "call frob_table_alloc() late")):
        story.patch(version, "1/1", TITLE, FROB, notes=f"v{version}:\n- {said}\n\n")
    (comment,) = story.comments()
    assert comment.state == "changed"
    assert [evidence.why for evidence in comment.evidence if "changelog" in evidence.why] == [
        "changelog of v3 speaks of it: `call frob_table_alloc() early`"
    ]


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("Wrong errno, but I can fix that up while applying.", "resolved"),
        ("nit: missing space. I'll fix it when I apply this.", "resolved"),
        ("Typo here, no need to resend.", "resolved"),
        ("Please fix this before it is applied.", "open"),
        ("I fixed mine before. Please queue another.", "open"),
    ],
)
def test_what_the_reviewer_mends_while_applying(story, words, state):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}{words}\n")
    (comment,) = story.comments()
    assert comment.state == state
    assert whys(comment) == (
        "the reviewer mends it while applying, or asks for no new version" if state == "resolved" else ""
    )


def test_the_author_answers(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why this errno?\n")
    story.reply(
        "r2@dev.example", "r1@lists.example", "> Why this errno?\nSee the manual.\n", "v1-1@dev.example", by=ANN
    )
    comment, answer = story.comments()
    assert (comment.state, answer.state) == ("answered", "answered")
    assert comment.evidence[0].message_id == "r2@dev.example"
    assert comment.evidence[0].line == 2
    assert comment.evidence[0].why == "the author answers: `See the manual.`"


def test_somebody_else_answers(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why this errno?\n")
    story.reply("r2@x.example", "r1@lists.example", "> Why this errno?\nNo idea.\n", "v1-1@dev.example", by=EVE)
    assert [comment.state for comment in story.comments()] == ["open", "open"]


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("Thanks, looks good to me then.", "resolved"),
        ("Fair enough.", "resolved"),
        ("Never mind, I misread the code.", "withdrawn"),
        ("You are right, ignore me.", "withdrawn"),
        ("Hm.", "answered"),
        ("Thanks, but could you please document it?", "answered"),
    ],
)
def test_the_reviewer_comes_back_to_it(story, words, state):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}This is wrong.\n")
    story.reply(
        "r2@dev.example", "r1@lists.example", "> This is wrong.\nIt is documented.\n", "v1-1@dev.example", by=ANN
    )
    story.reply(
        "r3@lists.example", "r2@dev.example", f"> It is documented.\n{words}\n", "v1-1@dev.example", "r1@lists.example"
    )
    comment = story.comments()[0]
    assert (comment.kind, comment.state) == ("objection", state)
    if state != "answered":
        assert comment.evidence[0].message_id == "r3@lists.example"


def test_a_tag_given_later_resolves(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why?\n")
    story.patch(2, "1/1", TITLE, FROB)
    story.reply("r2@lists.example", "v2-1@dev.example", "Reviewed-by: Robert Reader <rob@lists.example>\n")
    comment, tag = story.comments()
    assert (comment.state, comment.evidence[0].why) == ("resolved", "Reviewed-by given on v2")
    assert (tag.kind, tag.state) == ("approval", "resolved")


def test_a_tag_with_the_comment_or_from_another_does_not(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply(
        "r1@lists.example", "v1-1@dev.example", f"{EFAULT}nit: why?\n\nAcked-by: Robert Reader <rob@lists.example>\n"
    )
    story.reply("r2@lists.example", "v1-1@dev.example", "Acked-by: Eve Elder <eve@lists.example>\n", by=EVE)
    assert [comment.state for comment in story.comments()] == ["open", "resolved"]


def test_later_versions_count_too(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why?\n")
    story.patch(2, "1/1", TITLE, FROB)
    story.patch(3, "1/1", TITLE, FROB.replace("EFAULT", "ENOMEM"))
    (comment,) = story.comments()
    assert comment.state == "changed"
    assert comment.evidence[0].why.startswith("v3 has")
    assert comment.evidence[-1].why == "`return -EFAULT;` comes back unchanged in v2"


def test_but_not_once_the_author_has_refused(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why?\n")
    story.reply(
        "r2@dev.example", "r1@lists.example", "> Why?\nIt is what the manual says.\n", "v1-1@dev.example", by=ANN
    )
    story.patch(2, "1/1", TITLE, FROB)
    story.patch(3, "1/1", TITLE, FROB.replace("EFAULT", "ENOMEM"))
    assert story.comments()[0].state == "answered"


def test_a_version_missing_in_between(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why?\n")
    story.patch(4, "1/1", TITLE, FROB, notes="v3:\n - return -ENOMEM (Rob)\nv2:\n - a typo (Rob)\n")
    (comment,) = story.comments()
    assert comment.state == "changed"
    assert "changelog of v3 names the reviewer" in whys(comment)


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        ("- return another errno (Rob)", "changed"),
        ("- return another errno, as suggested by Robert", "changed"),
        ("- addressed comments (Rob)", "changed"),
        ("- addressed comments (Eve)", "open"),
        ("- rebased", "open"),
        ("- FROB_BETTER_ERRNO is used", "changed"),
        ("- explain the errno of allocation", "changed"),
    ],
)
def test_changelogs(story, entry, state):
    (comment,) = two(
        story,
        f"{EFAULT}Please explain this errno of the allocation: FROB_BETTER_ERRNO?\n",
        notes=f"Changes in v2:\n{entry}\n\n",
    )
    assert comment.state == state
    if state == "changed":
        (logged, *_) = (one for one in comment.evidence if "changelog" in one.why)
        assert logged.message_id == "v2-1@dev.example"
        assert logged.line is not None
        assert entry in story.mails[2].decode().split("\n\n", 1)[1].split("\n")[logged.line - 1]


def test_a_name_in_the_changelog_goes_to_the_comment_whose_words_it_shares(story):
    first, second = two(
        story,
        "> +\tunsigned int slots = FROB_SLOTS;\nWhy a variable?\n"
        "> +\tif (f->table)\n> +\t\tfrob_table_free(f->table);\nDouble check?\n",
        notes="v2:\n - drop the variable (Rob)\n\n",
    )
    assert (first.state, second.state) == ("changed", "open")


def test_as_many_entries_as_remarks_are_about_them(story):
    first, second = two(
        story,
        "> +\tunsigned int slots = FROB_SLOTS;\nWhy?\n> +\tif (f->table)\n> +\t\tfrob_table_free(f->table);\nReally?\n",
        notes="v2:\n - simplified (Rob)\n - one comment (Rob)\n\n",
    )
    assert (first.state, second.state) == ("changed", "changed")


def test_a_name_that_was_asked_for(story):
    (comment,) = two(
        story,
        "> +\tunsigned int slots = FROB_SLOTS;\nCan you use frob_free_all() in the exit path?\n",
        ("frob_table_free(f->table)", "frob_free_all(f->table)"),
    )
    assert comment.state == "changed"
    assert comment.evidence[0].why == "v2 has `frob_free_all`, which the comment names"
    assert comment.evidence[0].line is not None


def test_a_name_that_went(story):
    (comment,) = two(story, "Rename frob_table_alloc() please.\n", ("frob_table_alloc", "frob_slots_alloc"))
    assert comment.evidence[0].why == "v2 no longer has `frob_table_alloc`, which the comment names"


def test_a_tag_that_was_asked_for(story):
    (comment,) = two(
        story,
        "> Signed-off-by: Ann Author <ann@dev.example>\nThis needs a Fixes tag.\n",
        trailers='Fixes: 0123456789ab ("net: frob: begin")\nSigned-off-by: Ann Author <ann@dev.example>\n',
    )
    assert comment.state == "changed"
    assert comment.evidence[0].why == 'v2 adds `Fixes: 0123456789ab ("net: frob: begin")`'


def test_a_trailer_that_went(story):
    story.patch(1, "1/1", TITLE, FROB, trailers="Cc: stable@x.example\nSigned-off-by: Ann Author <ann@dev.example>\n")
    story.reply("r1@lists.example", "v1-1@dev.example", "> Cc: stable@x.example\nNot a fix.\n")
    story.patch(2, "1/1", TITLE, FROB)
    (comment,) = story.comments()
    assert comment.state == "changed"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Frob needs a table\nof slots.\n\nAnd more.\n", "changed"),
        ("Frob\nneeds this. Frob needs\nthat.\n", "open"),
        ("Frob needs this.\nFrob needs that.\n\nAnd more.\n", "open"),
    ],
)
def test_the_words_of_a_message(story, text, state):
    story.patch(1, "1/1", TITLE, FROB, text="Frob needs this.\nFrob needs that.\n")
    story.reply("r1@lists.example", "v1-1@dev.example", "> Frob needs this.\nReally?\n")
    story.patch(2, "1/1", TITLE, FROB, text=text)
    (comment,) = story.comments()
    assert (comment.location.kind, comment.state) == ("message", state)


def test_the_words_of_a_cover_letter(story):
    for version, text in ((1, "Make frob count.\n"), (2, "Make frob count slots.\n")):
        story.cover(version, 2, text)
        story.patch(version, "1/2", TITLE, FROB)
        story.patch(version, "2/2", "net: widget: open", diff("net/widget.c", hunk(["+int widget;"])))
        if version == 1:
            story.reply("r1@lists.example", "v1-0@dev.example", "> Make frob count.\nCount what?\n")
    (comment,) = story.comments()
    assert comment.state == "changed"
    assert comment.evidence[0].message_id == "v2-0@dev.example"


WIDGET = diff("net/widget.c", hunk(["+int widget_open(void)", "+{", "+\treturn widget_begin();", "+}"]))
GADGET = diff("net/gadget.c", hunk(["+int gadget_open(void)", "+{", "+\treturn gadget_begin();", "+}"]))


def test_a_dropped_patch(story):
    story.cover(1, 2)
    story.patch(1, "1/2", TITLE, FROB)
    story.patch(1, "2/2", "widget: open it", WIDGET)
    story.reply("r1@lists.example", "v1-2@dev.example", "> +\treturn widget_begin();\nNo.\n")
    story.reply("r2@lists.example", "v1-2@dev.example", "Acked-by: Eve Elder <eve@lists.example>\n", by=EVE)
    story.cover(2, 2, notes="\nChanges in v2:\n- drop the widget patch, since it is upstream\n")
    story.patch(2, "1/2", TITLE, FROB)
    story.patch(2, "2/2", "gadget: open it", GADGET)
    comment, ack = story.comments()
    assert (comment.state, ack.kind, ack.state) == ("changed", "approval", "changed")
    for one in (comment, ack):
        assert "the patch is not in v2, and what was said of it lapses" in whys(one)
        assert "changelog of v2 says why: `drop the widget patch, since it is upstream`" in whys(one)


def test_a_patch_that_is_not_there_is_not_a_dropped_one(story):
    story.cover(1, 2)
    story.patch(1, "1/2", TITLE, FROB)
    story.patch(1, "2/2", "widget: open it", WIDGET)
    story.reply("r1@lists.example", "v1-2@dev.example", "> +\treturn widget_begin();\nNo.\n")
    story.cover(2, 2)
    story.patch(2, "1/2", TITLE, FROB)
    story.cover(3, 2)
    story.patch(3, "1/2", TITLE, FROB)
    story.patch(3, "2/2", "widget: open it", WIDGET)
    (comment,) = story.comments()
    assert comment.state == "open"


@pytest.mark.parametrize(
    ("line", "state"), [("\treturn widget_begin();", "open"), ("\treturn widget_start();", "changed")]
)
def test_patches_squashed_into_one(story, line, state):
    story.cover(1, 2)
    story.patch(1, "1/2", TITLE, FROB)
    story.patch(1, "2/2", "widget: open it", WIDGET)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why?\n")
    story.cover(2, 1)
    story.patch(2, "1/1 ".strip(), TITLE, FROB + WIDGET.replace("\treturn widget_begin();", line))
    story.mails[-1] = (
        story.mails[-1]
        .replace(b"[PATCH net-next v2]", b"[PATCH net-next v2 1/1]")
        .replace(
            b"Message-ID: <v2-1@dev.example>\n", b"Message-ID: <v2-1@dev.example>\nIn-Reply-To: <v2-0@dev.example>\n"
        )
    )
    assert story.comments()[0].state == "open"
    story.reply("r2@lists.example", "v1-2@dev.example", "> +\treturn widget_begin();\nWhy?\n")
    states = {comment.reply: comment for comment in story.comments()}
    followed = [one for one in states["r2@lists.example"].evidence if "widget" in one.why]
    assert followed[0].message_id == "v2-1@dev.example"
    assert ("comes back unchanged" in followed[0].why) is (state == "open")
    assert states["r2@lists.example"].state == state


def test_a_patch_split_in_two(story):
    story.cover(1, 1)
    story.send(
        "v1-1@dev.example",
        "[PATCH net-next 1/1] net: frob: allocate and open",
        f"Text.\n---\n\n{FROB}{WIDGET}",
        "v1-0@dev.example",
    )
    story.reply("r1@lists.example", "v1-1@dev.example", "> +\treturn widget_begin();\nWhy?\n")
    story.cover(2, 2)
    story.patch(2, "1/2", "net: frob: allocate and open", FROB)
    story.patch(2, "2/2", "widget: open it", WIDGET)
    (comment,) = story.comments()
    assert comment.state == "open"
    assert comment.evidence[0].message_id == "v2-2@dev.example"


def test_lines_moved_to_another_file(story):
    moved = ["+int widget_open_everything(void)", "+{", "+\treturn widget_begin_everything();", "+}"]
    story.patch(1, "1/1", TITLE, diff("net/widget.c", hunk(moved)))
    story.reply("r1@lists.example", "v1-1@dev.example", "".join(f"> {line}\n" for line in moved[:3]) + "Why?\n")
    story.patch(2, "1/1", TITLE, diff("net/widgets.c", hunk(moved)))
    story.patch(3, "1/1", TITLE, diff("net/gadget.c", hunk(["+int gadget;"])))
    (comment,) = story.comments()
    assert "comes back unchanged in v2" in whys(comment)
    assert "v3 no longer has `return widget_begin_everything();`" in whys(comment)


def test_lines_that_were_to_be_moved_to_another_file(story):
    moved = ["+int widget_open_everything(void)", "+{", "+\treturn widget_begin_everything();", "+}"]
    story.patch(1, "1/1", TITLE, diff("net/widget.c", hunk(moved)))
    story.reply(
        "r1@lists.example", "v1-1@dev.example", "".join(f"> {line}\n" for line in moved) + "Not in this file.\n"
    )
    story.patch(2, "1/1", TITLE, diff("net/widgets.c", hunk(moved)))
    (comment,) = story.comments()
    assert comment.state == "changed"
    assert "is in net/widgets.c, no longer in net/widget.c, in v2" in whys(comment)


def test_a_comment_on_a_file_header_is_followed_by_its_first_hunk(story):
    (comment,) = two(story, "> +++ b/net/frob.c\nWrong file?\n", ("FROB_SLOTS", "FROB_MORE"))
    assert comment.location.line is None
    assert comment.state in ("changed", "open")


def test_an_author_who_speaks_first_informs(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@dev.example", "v1-1@dev.example", f"{EFAULT}I will change this errno.\n", by=ANN)
    (comment,) = story.comments()
    assert comment.kind == "information"


def test_the_same_story_gives_the_same_comments(story):
    two(story, f"{EFAULT}Why this errno?\n", ("-EFAULT", "-ENOMEM"), notes="v2:\n - errno (Rob)\n")
    assert story.comments() == story.comments()


def test_a_cover_letter_alone(story):
    story.cover(1, 2)
    story.reply("r1@lists.example", "v1-0@dev.example", "> Make frob count.\nCount what?\n", by=ROB)
    story.cover(2, 2, "Make frob count slots.\n")
    (comment,) = story.comments()
    assert comment.state == "changed"


NACK = f"Nacked-by: {ROB}\n\nThis cannot work.\n"


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("Yes, that is so.", "answered"),
        ("Looks good.", "answered"),
        (f"Acked-by: {ROB}", "resolved"),
        ("You are right, I take that back.", "withdrawn"),
    ],
)
def test_a_tag_of_objection_is_taken_back_by_a_tag_or_plain_words(story, words, state):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", NACK)
    story.reply("a1@dev.example", "r1@lists.example", "> This cannot work.\n\nWhy not?\n", "v1-1@dev.example", by=ANN)
    story.reply(
        "r2@lists.example", "a1@dev.example", f"> Why not?\n\n{words}\n", "v1-1@dev.example", "r1@lists.example"
    )
    comment = story.comments()[0]
    assert (comment.kind, comment.state) == ("objection", state)


def test_who_agrees_with_a_third_person_has_not_agreed_with_the_author(story):
    story.patch(1, "1/1", TITLE, FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", f"{EFAULT}Why this errno?\n")
    story.reply("e1@lists.example", "r1@lists.example", "> Why this errno?\n\nIt is odd.\n", "v1-1@dev.example", by=EVE)
    story.reply(
        "r2@lists.example", "e1@lists.example", "> It is odd.\n\nYes.\n", "v1-1@dev.example", "r1@lists.example"
    )
    assert story.comments()[0].state == "open"
