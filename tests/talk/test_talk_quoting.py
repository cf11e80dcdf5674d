"""Each way of quoting leads to the line that a comment is about."""

from __future__ import annotations

import pytest
from talk_story import ANN, EVE, FROB, ROB, diff, hunk

from reviewer.model import Comment

WANTED = "\t\treturn -EFAULT;"


@pytest.fixture
def on_frob(story):
    """The comments of one reply to a patch."""

    def comments(body: str, headers: str = "") -> list[Comment]:
        story.patch(1, "1/1", "net: frob: allocate the table", FROB)
        story.reply("r1@lists.example", "v1-1@dev.example", body, headers=headers)
        return story.comments()

    return comments


def quoted(text: str, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "quote",
    [
        "> +\tif (!f->table)\n> +\t\treturn -EFAULT;\n",
        ">+\tif (!f->table)\n>+\t\treturn -EFAULT;\n",
        "> +       if (!f->table)\n> +               return -EFAULT;\n",
        "> +\u00a0\u00a0\u00a0\u00a0 if (!f->table)\n> +\u00a0\u00a0\u00a0\u00a0\u00a0 return -EFAULT;\n",
        "> +\tif (!f->table) return\n> -EFAULT;\n",
        "> +\tf->table =\n> frob_table_alloc(slots);\n> +\tif (!f->table)\n> +\t\treturn -EFAULT;\n",
        "> [...]\n> +\t\treturn -EFAULT;\n",
        "> @@ -10,10 +10,17 @@ static int frob_begin(struct frob *f)\n\n[ ... ]\n\n> +\t\treturn -EFAULT;\n",
        " > +\t\treturn -EFAULT;\n",
        "> +\t\treturn -EFAULT;\n>\n>\n",
    ],
)
def test_marked_quotes_however_mailers_treat_them(on_frob, quote):
    (comment,) = on_frob(f"On Mon, Ann Author wrote:\n{quote}\nWhy not -ENOMEM?\n\nThanks,\nRob\n")
    place = comment.location
    assert (place.kind, place.file, place.line, place.side) == ("code", "net/frob.c", 20, "new")
    assert (place.function, place.text, place.part) == ("frob_init", WANTED, 0)
    assert (comment.kind, comment.text, comment.state) == ("question", "Why not -ENOMEM?", "open")
    assert comment.patch == "v1-1@dev.example"
    assert comment.author.name == "Robert Reader"


def test_two_lines_in_one_lead_to_the_second(on_frob):
    (comment,) = on_frob("> +\t\treturn -EFAULT; +\tf->co\nWhy?\n")
    assert comment.location.text == "\tf->count = slots;"


def test_the_line_of_the_mail_is_told_from_one(story, on_frob):
    (comment,) = on_frob("> +\t\treturn -EFAULT;\nWhy?\n")
    body = story.mails[0].decode().split("\n\n", 1)[1].split("\n")
    assert body[comment.location.body_line - 1] == "+" + WANTED
    assert (comment.line, comment.id) == (2, "r1@lists.example#2")


def test_one_comment_for_each_block_of_own_words(on_frob):
    found = on_frob(
        "Hi Ann,\n\nOn Mon, 3 Mar 2025, Ann Author wrote:\n"
        "> +\tunsigned int slots = FROB_SLOTS;\n\nnit: unneeded variable\n\nSecond paragraph.\n\n"
        "> +\t\treturn -EFAULT;\n\nPlease use -ENOMEM.\n\n[...]\n"
        "> +\tif (f->table)\n> +\t\tfrob_table_free(f->table);\n\nfrob_table_free() takes NULL.\n\n"
        "-- \nRobert\n"
    )
    assert [(one.kind, one.location.line, one.location.function) for one in found] == [
        ("nit", 13, "frob_init"),
        ("request", 20, "frob_init"),
        ("information", 51, "frob_exit"),
    ]
    assert found[0].text == "nit: unneeded variable\n\nSecond paragraph."


def test_a_removed_line_is_on_the_old_side(on_frob):
    (comment,) = on_frob("> -\tf->count = 0;\nWhy is this gone?\n")
    assert (comment.location.side, comment.location.line, comment.location.text) == ("old", 17, "\tf->count = 0;")


def test_a_hunk_header_and_a_file_header_are_code_without_a_line_of_their_own(on_frob):
    found = on_frob(
        "> @@ -40,6 +47,8 @@ void frob_exit(struct frob *f)\nNot this one.\n"
        "> +++ b/net/frob.c\nIs this the right file?\n"
    )
    assert [(one.location.kind, one.location.line, one.location.file) for one in found] == [
        ("code", 47, "net/frob.c"),
        ("code", None, "net/frob.c"),
    ]


def test_the_commit_message_and_its_notes(on_frob):
    found = on_frob("> Frob needs this.\nWhy does it?\n>  net/frob.c | 2 +-\nOnly one file?\n")
    assert [(one.location.kind, one.location.body_line, one.location.file) for one in found] == [
        ("message", 1, None),
        ("message", 5, None),
    ]


@pytest.mark.parametrize("body", [f"Looks fine to me.\n\n{quoted(FROB)}", "Looks fine to me.\n"])
def test_a_top_posted_reply_is_one_comment_on_the_whole(on_frob, body):
    (comment,) = on_frob(body)
    assert comment.location.kind == "message"
    assert comment.location.body_line is None
    assert comment.kind == "approval"


@pytest.mark.parametrize(
    "body",
    [
        "Hi Ann,\n\n> +\t\treturn -EFAULT;\n\nThanks,\nRobert Reader\n",
        "> +\t\treturn -EFAULT;\n[snip]\n> +\tf->count = slots;\n\n/R\n",
        "Adding Eve to this discussion.\n\n> +\t\treturn -EFAULT;\n",
        "> +\t\treturn -EFAULT;\nRobert\n",
        "> +\t\treturn -EFAULT;\nThanks Ann!\n",
        "> +\t\treturn -EFAULT;\n-- \nSent from my frob\n",
        "> +\t\treturn -EFAULT;\n_______________________________________________\nfrob mailing list\nhttp://frob.example\n",
    ],
)
def test_greetings_sign_offs_signatures_and_footers_are_no_comments(on_frob, body):
    assert on_frob(body) == []


def test_outlook_quotes_without_marks(on_frob):
    found = on_frob(
        "From: Ann Author <ann@dev.example>\nSent: Monday, 3 March 2025 12:00\nTo: frob@lists.example\n"
        "Subject: [PATCH net-next] net: frob: allocate the table\n\n"
        "Frob needs this.\n\n+\tf->table = frob_table_alloc(slots);\n+\tif (!f->table)\n+\t\treturn -EFAULT;\n"
        "This should be -ENOMEM, since nothing faulted.\n+\tf->count = slots;\n \treturn 0;\n }\n"
    )
    assert [(one.text, one.location.line) for one in found] == [("This should be -ENOMEM, since nothing faulted.", 20)]


def test_outlook_top_post_stays_one_comment(on_frob):
    (comment,) = on_frob(
        "I would rather see it split.\n\nFrom: Ann Author <ann@dev.example>\nSent: Monday\nTo: frob@lists.example\n"
        f"Subject: [PATCH]\n\nFrob needs this.\n\n{FROB}"
    )
    assert comment.location.body_line is None


def test_a_quote_of_something_unknown_without_marks_is_no_comment(on_frob):
    assert not on_frob(
        "From: Zoe <zoe@x.example>\nSent: Monday\nTo: frob@lists.example\nSubject: Other\n\nAll\nof\nthis is unknown.\n"
    )


@pytest.mark.parametrize("indent", ["    ", "\t", "| ", ": "])
def test_indented_quotes(on_frob, indent):
    code = "+\tf->table = frob_table_alloc(slots);\n+\tif (!f->table)\n+\t\treturn -EFAULT;"
    (comment,) = on_frob(f"{quoted(code, indent)}\nNothing faulted here, did it?\n")
    assert (comment.text, comment.location.line) == ("Nothing faulted here, did it?", 20)


def test_flowed_replies_are_unwrapped(on_frob):
    (comment,) = on_frob(
        "> +\t\treturn -EFAULT;\n\nNothing faulted \nhere, so why \nthis?\n",
        headers="Content-Type: text/plain; charset=utf-8; format=flowed\n",
    )
    assert comment.text == "Nothing faulted here, so why this?"


def test_lines_that_stand_twice_are_told_by_the_hunk_header_and_what_was_quoted_before(story):
    body = [" {", "+\tif (err)", "+\t\tgoto out;", " }"]
    patch = diff("net/frob.c", hunk(body, 10, " int one(void)"), hunk(body, 40, " int two(void)"), hunk(body, 80))
    story.patch(1, "1/1", "net: frob: check", patch)
    story.reply(
        "r1@lists.example",
        "v1-1@dev.example",
        "> @@ -40,2 +40,4 @@ int two(void)\n[...]\n> +\t\tgoto out;\nWhere to?\n"
        "> +\tif (err)\n> +\t\tgoto out;\nAnd this one?\n",
    )
    assert [comment.location.line for comment in story.comments()] == [42, 82]


def test_the_longest_run_of_lines_wins(story):
    one = ["+\tfrob_start(a);", "+\tif (err)", "+\t\treturn err;"]
    two = ["+\tfrob_begin(b);", "+\tif (err)", "+\t\treturn err;"]
    story.patch(1, "1/1", "net: frob: check", diff("net/frob.c", hunk([" {", *one], 10), hunk([" {", *two], 40)))
    story.reply("r1@lists.example", "v1-1@dev.example", quoted("\n".join(two)) + "Leaks b.\n")
    (comment,) = story.comments()
    assert comment.location.line == 43


def test_a_quote_of_another_patch_of_the_series(story):
    story.cover(1, 2)
    story.patch(1, "1/2", "net: frob: allocate the table", FROB)
    other = ["+static const struct widget_ops widget_default_ops = {", "+\t.open = widget_default_open,", "+};"]
    story.patch(1, "2/2", "net: widget: open by default", diff("net/widget.c", hunk(other)))
    story.reply("r1@lists.example", "v1-1@dev.example", quoted("\n".join(other[:2])) + "This belongs here.\n")
    story.reply("r2@lists.example", "v1-0@dev.example", "> +\t\treturn -EFAULT;\nWrong.\n> Make frob count.\nWhy?\n")
    found = {comment.text: comment for comment in story.comments()}
    assert found["This belongs here."].patch == "v1-2@dev.example"
    assert found["This belongs here."].location.file == "net/widget.c"
    assert (found["Wrong."].patch, found["Wrong."].location.line) == ("v1-1@dev.example", 20)
    assert (found["Why?"].patch, found["Why?"].location.kind) == ("v1-0@dev.example", "message")


def test_a_comment_on_the_whole_series(story):
    story.cover(1, 1)
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.mails[1] = story.mails[1].replace(b"[PATCH net-next]", b"[PATCH net-next 1/1]")
    story.reply("r1@lists.example", "v1-0@dev.example", "Which tree is this for?\n")
    (comment,) = story.comments()
    assert (comment.location.kind, comment.patch) == ("series", "v1-0@dev.example")


def test_nested_replies_lead_to_the_patch_and_to_the_comment(story):
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.reply("r1@lists.example", "v1-1@dev.example", "> +\t\treturn -EFAULT;\n\nWhy not\n-ENOMEM?\n")
    story.reply(
        "r2@dev.example",
        "r1@lists.example",
        "On Tue, Rob wrote:\n> On Mon, Ann wrote:\n> > +\t\treturn -EFAULT;\n>\n> Why not\n> -ENOMEM?\n\n"
        "Right, will do.\n",
        "v1-1@dev.example",
        by=ANN,
    )
    story.reply(
        "r3@lists.example",
        "r2@dev.example",
        "> > > +\t\treturn -EFAULT;\n> >\n> > Why not -ENOMEM?\n>\n> Right, will do.\n\nEven -ENOSPC, perhaps.\n",
        "v1-1@dev.example",
        "r1@lists.example",
        by=EVE,
    )
    first, answer, more = story.comments()
    assert {one.location.line for one in (first, answer, more)} == {20}
    assert answer.kind == "answer"
    assert (answer.answers, more.answers) == ((first.id,), (answer.id,))


def test_a_quoted_comment_alone_has_the_place_of_the_comment(story):
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.reply(
        "r1@lists.example",
        "v1-1@dev.example",
        "> +\t\treturn -EFAULT;\nWhy this?\n> +\tf->count = slots;\nAnd why that one?\n",
    )
    story.reply("r2@dev.example", "r1@lists.example", "> And why that one?\nTo count.\n", "v1-1@dev.example", by=ANN)
    comments = story.comments()
    assert comments[2].location == comments[1].location
    assert comments[2].answers == (comments[1].id,)


def test_a_top_posted_answer_answers_all_that_was_said(story):
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.reply(
        "r1@lists.example", "v1-1@dev.example", "> +\t\treturn -EFAULT;\nWhy this?\n> +\tf->count = slots;\nAnd that?\n"
    )
    story.reply("r2@dev.example", "r1@lists.example", "I will fix both.\n", "v1-1@dev.example", by=ANN)
    one, two, answer = story.comments()
    assert answer.answers == (one.id, two.id)
    assert (one.state, two.state) == ("answered", "answered")


def test_bots_say_nothing(story):
    story.patch(1, "1/1", "net: frob: allocate the table", FROB)
    story.reply(
        "r1@x.example", "v1-1@dev.example", "> +\t\treturn -EFAULT;\nBug.\n", by="kernel test robot <lkp@x.example>"
    )
    assert story.comments() == []


def test_a_reply_to_a_mail_that_is_not_there_goes_by_its_subject(story):
    story.cover(1, 2)
    story.patch(1, "1/2", "net: frob: allocate the table", FROB)
    story.patch(1, "2/2", "net: widget: open", diff("net/widget.c", hunk(["+int widget;"])))
    story.send(
        "r9@lists.example",
        "Re: [PATCH net-next 2/2] net: widget: open",
        "> +int widget;\nWhy?\n",
        "v1-0@dev.example",
        "gone@lists.example",
        by=ROB,
    )
    (comment,) = story.comments()
    assert comment.patch == "v1-2@dev.example"


def test_a_reply_to_a_patch_that_was_sent_again(story):
    story.cover(1, 1)
    patch = diff("net/widget.c", hunk(["+int widget;"]))
    story.send(
        "a@dev.example", "[PATCH net-next 1/1] net: widget: open", f"Text.\n\nS.\n---\n\n{patch}", "v1-0@dev.example"
    )
    story.send(
        "b@dev.example", "[PATCH RESEND net-next 1/1] net: widget: open", f"Text.\n---\n\n{patch}", "v1-0@dev.example"
    )
    story.send(
        "r@lists.example",
        "Re: [PATCH net-next 1/1] net: widget: open",
        "> +int widget;\nWhy?\n",
        "a@dev.example",
        by=ROB,
    )
    (comment,) = story.comments()
    assert (comment.patch, comment.location.file) == ("a@dev.example", "net/widget.c")


def test_one_of_very_many_equal_lines(story):
    lines = [line for at in range(200) for line in (f"+\tif (frob_step_number_{at}(f)) {{", "+\t\treturn;", "+\t}")]
    story.patch(1, "1/1", "net: frob: step", diff("net/frob.c", hunk(lines, 1)))
    story.reply(
        "r1@lists.example",
        "v1-1@dev.example",
        "> +\tif (frob_step_number_150(f)) {\n> +\t\treturn;\n> +\t}\nOne.\n[...]\n> +\t}\nTwo.\n"
        "> +\t\treturn;\nThree.\n> +\tif (frob_step_number_199(f)) {\n[...]\n> +\t}\nFour.\n> +\t}\nFive.\n",
    )
    assert [comment.location.line for comment in story.comments()] == [453, 456, 458, 600, 600]


def test_a_message_in_one_part_and_its_patch_in_another(story):
    headers = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="cut"\n'
    parts = [f"Frob needs this.\n\nSigned-off-by: {ANN}\n", FROB]
    body = "".join(f"--cut\nContent-Type: text/plain; charset=utf-8\n\n{part}\n" for part in parts) + "--cut--\n"
    story.send("v1-1@dev.example", "[PATCH net-next] net: frob: allocate the table", body, headers=headers)
    story.reply("r1@lists.example", "v1-1@dev.example", "> Frob needs this.\nWhy?\n> +\t\treturn -EFAULT;\nWhy?\n")
    assert [(one.location.part, one.location.kind, one.location.line) for one in story.comments()] == [
        (0, "message", None),
        (1, "code", 20),
    ]


def test_functions_are_told_by_their_heads(story):
    lines = [
        "+int one(void)",
        "+{",
        "+\treturn 1;",
        "+}",
        "+",
        "+static int value;",
        "+static int",
        "+two(int a)",
        "+{",
        "+\tgo;",
    ]
    story.patch(1, "1/1", "net: frob: two", diff("net/frob.c", hunk(lines, 1, " int zero(void)")))
    story.reply("r1@lists.example", "v1-1@dev.example", "> +\treturn 1;\nA.\n> +static int value;\nB.\n> +\tgo;\nC.\n")
    assert [comment.location.function for comment in story.comments()] == ["one", None, "two"]


def test_files_that_are_not_c_keep_the_heading_of_the_hunk(story):
    story.patch(1, "1/1", "docs: frob", diff("docs/frob.rst", hunk(["+text about frobs"], 1, " Frobs")))
    story.reply("r1@lists.example", "v1-1@dev.example", "> +text about frobs\nMore?\n")
    (comment,) = story.comments()
    assert (comment.location.file, comment.location.line) == ("docs/frob.rst", 1)
