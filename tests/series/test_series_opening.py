"""Series read from bytes: messages, files, and the tags given on the list."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Series, Tag
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

BASE = "0123456789abcdef0123456789abcdef01234567"
DIFF = """\
diff --git a/net/frob.c b/net/frob.c
index 1111111..2222222 100644
--- a/net/frob.c
+++ b/net/frob.c
@@ -1,2 +1,2 @@
 int frob_a;
-int frob_b;
+int frob_c;
--\x20
2.50.0
"""
PATCH = f"""\
Frob needs this.

Signed-off-by: Ann Author <ann@dev.example>
---
 net/frob.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

{DIFF}"""
COVER = f"""\
Make frob faster.

Reviewed-by: Nobody Atall <nobody@dev.example>

 net/frob.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

base-commit: {BASE}
change-id: 20250301-frob-0123456789ab
"""


def raw(subject: str, message_id: str, body: str, *to: str, by: str = "Ann Author <ann@dev.example>") -> bytes:
    references = f"References: {' '.join(f'<{one}>' for one in to)}\nIn-Reply-To: <{to[-1]}>\n" if to else ""
    head = f"From: {by}\nSubject: {subject}\nMessage-ID: <{message_id}>\nDate: Mon, 3 Mar 2025 12:00:00 +0000\n"
    return (head + references + "Content-Type: text/plain; charset=utf-8\n\n" + body).encode()


def read(*mails: bytes) -> list[Mail]:
    parsed = [parse_mail(data, "test.mbox", n, lambda data=data: data) for n, data in enumerate(mails)]  # type: ignore[misc]
    return [mail for mail in parsed if isinstance(mail, Mail)]


def opened(mails: Iterable[Mail]) -> Series:
    (lineage,) = assemble(mails).lineages
    (outline,) = lineage.outlines
    return open_series(outline)


SERIES = (
    raw("[PATCH 0/2] frob: faster", "c@x.example", COVER),
    raw("[PATCH 1/2] frob: one", "p1@x.example", PATCH, "c@x.example"),
    raw("[PATCH 2/2] frob: two", "p2@x.example", PATCH, "c@x.example"),
)


def reply(body: str, *to: str, subject: str = "Re: [PATCH 1/2] frob: one", name: str = "Bob Builder") -> bytes:
    by = f"{name} <{name.partition(' ')[0].lower()}@dev.example>"
    return raw(subject, f"{name.partition(' ')[0]}-{len(body)}@x.example", body, *to, by=by)


def list_tags(tags: Iterable[Tag]) -> list[tuple[str, bool, str]]:
    return [(tag.name, tag.counted, tag.why) for tag in tags if tag.source is not None]


def test_a_series_is_read_whole() -> None:
    series = opened(read(*SERIES))
    assert series.cover is not None
    assert series.cover.text.message[0].text == "Make frob faster."
    assert series.cover.tags == ()
    assert (series.base_commit, series.change_id) == (BASE, "20250301-frob-0123456789ab")
    assert [(patch.number, patch.total) for patch in series.patches] == [(1, 2), (2, 2)]
    assert [[file.path for file in patch.files] for patch in series.patches] == [["net/frob.c"]] * 2
    assert series.patches[0].tags == (
        Tag(
            name="Signed-off-by",
            value="Ann Author <ann@dev.example>",
            source=None,
            counted=True,
            why="in the commit message",
        ),
    )
    assert series.notices == ()


def test_a_tag_goes_to_the_first_patch_up_the_chain() -> None:
    one = reply("> Frob needs this.\n\nDoes it?\n", "c@x.example", "p1@x.example")
    two = reply("Ah.\n\nReviewed-by: Eve Viewer <eve@dev.example>\n", "p1@x.example", "Bob-31@x.example", name="Eve V")
    mails = read(*SERIES, one, two)
    series = opened(mails)
    assert list_tags(series.patches[0].tags) == [("Reviewed-by", True, "given on the patch")]
    assert series.patches[0].tags[-1].source == mails[-1].message_id
    assert list_tags(series.patches[1].tags) == []


def test_a_tag_on_the_cover_goes_to_all_patches() -> None:
    acked = reply(
        "For the lot:\n\nAcked-by: Bob Builder <bob@home.example>\n",
        "c@x.example",
        subject="Re: [PATCH 0/2] frob: faster",
    )
    series = opened(read(*SERIES, acked))
    assert series.cover is not None
    wanted = [("Acked-by", True, "given on the cover letter")]
    assert [list_tags(tags) for tags in (series.cover.tags, *(patch.tags for patch in series.patches))] == [wanted] * 3


def test_words_limit_a_tag_on_the_cover() -> None:
    acked = reply(
        "Acked-by: Bob Builder <bob@dev.example> for patch 2 only\n",
        "c@x.example",
        subject="Re: [PATCH 0/2] frob: faster",
    )
    series = opened(read(*SERIES, acked))
    assert [len(list_tags(patch.tags)) for patch in series.patches] == [0, 1]


@pytest.mark.parametrize(
    ("body", "name", "why"),
    [
        ("Reviewed-by: Eve Viewer <eve@other.example>\n", "Bob Builder", "sender is Bob Builder"),
        ("With that fixed: Reviewed-by: Bob Builder <bob@dev.example>\n", "Bob Builder", "conditional"),
        ("Nacked-by: Bob Builder <bob@dev.example>\n", "Bob Builder", "objection"),
        ("NAK. This cannot work.\n", "Bob Builder", "objection"),
        ("Revieved-by: Bob Builder <bob@dev.example>\n", "Bob Builder", "misspelt: Revieved-by"),
        ("Tested-by: syzbot <syzbot@dev.example>\n", "syzbot", "from a bot"),
    ],
)
def test_tags_that_do_not_count_say_why(body: str, name: str, why: str) -> None:
    on_patch = opened(read(*SERIES, reply(body, "c@x.example", "p1@x.example", name=name)))
    (tag,) = [tag for tag in on_patch.patches[0].tags if tag.source]
    assert not tag.counted
    assert tag.why.startswith(why)
    on_cover = opened(read(*SERIES, reply(body, "c@x.example", subject="Re: [PATCH 0/2] frob: faster", name=name)))
    assert on_cover.cover is not None
    assert [tag.counted for tag in on_cover.cover.tags] == [False]
    assert [list_tags(patch.tags) for patch in on_cover.patches] == [[], []]


def test_a_tag_twice_in_one_reply_is_one() -> None:
    body = "Reviewed-by: Bob Builder <bob@dev.example>\n\nReviewed-by: Bob Builder <bob@dev.example>\n"
    assert len(list_tags(opened(read(*SERIES, reply(body, "p1@x.example"))).patches[0].tags)) == 1


TAG = "Reviewed-by: Bob Builder <bob@dev.example>\n"


def test_a_tag_on_an_absent_patch_is_not_raised_to_the_cover() -> None:
    given = reply(TAG, "c@x.example", "p1@x.example")
    series = opened(read(SERIES[0], SERIES[2], given))
    assert series.cover is not None
    assert series.cover.tags == ()
    assert list_tags(series.patches[0].tags) == []


@pytest.mark.parametrize(("subject", "wanted"), [("Re: [PATCH 2/2] frob: two", 1), ("Re: [PATCH 0/2] frob: faster", 1)])
def test_a_broken_chain_is_mended_by_the_subject(subject: str, wanted: int) -> None:
    series = opened(read(*SERIES, reply(TAG, "c@x.example", "lost@x.example", subject=subject)))
    assert len(list_tags(series.patches[1].tags)) == wanted


def test_a_reply_without_any_known_ancestor_is_placed_by_its_subject() -> None:
    series = opened(read(*SERIES, reply(TAG, "lost@x.example")))
    assert [len(list_tags(patch.tags)) for patch in series.patches] == [1, 0]


def test_replies_that_answer_each_other_in_a_circle_end() -> None:
    mails = read(*SERIES, reply(TAG, "p1@x.example"), reply(TAG + "\n", "p1@x.example", name="Eve Viewer"))
    one, two = mails[3], mails[4]
    (lineage,) = assemble(mails).lineages
    circle = (replace(one, in_reply_to=two.message_id), replace(two, in_reply_to=one.message_id))
    series = open_series(replace(lineage.outlines[0], replies=circle))
    assert [list_tags(patch.tags) for patch in series.patches] == [[], []]


def test_a_tag_on_a_patch_that_was_rerolled_does_not_count_for_the_new_one() -> None:
    again = raw("[PATCH v2 1/2] frob: one", "n1@x.example", PATCH, "c@x.example", "p1@x.example")
    series = opened(read(*SERIES, reply(TAG, "c@x.example", "p1@x.example"), again))
    assert series.patches[0].mail.message_id == "n1@x.example"
    assert list_tags(series.patches[0].tags) == [("Reviewed-by", False, "given on v1 of this patch")]


def test_a_tag_on_a_patch_that_was_sent_again_counts() -> None:
    again = raw("[RESEND PATCH 1/2] frob: one", "n1@x.example", PATCH)
    series = opened(read(*SERIES, reply(TAG, "c@x.example", "p1@x.example"), again))
    assert list_tags(series.patches[0].tags) == [("Reviewed-by", True, "given on the patch")]


def test_a_tag_on_a_stray_under_the_number_of_another_goes_nowhere() -> None:
    stray = raw("[PATCH 1/2] frob: other", "s@x.example", PATCH, "c@x.example")
    series = opened(read(*SERIES, stray, reply(TAG, "s@x.example", subject="Re: [PATCH 1/2] frob: other")))
    assert [list_tags(patch.tags) for patch in series.patches] == [[], []]


def test_a_mail_that_cannot_be_opened_costs_itself() -> None:
    def broken() -> bytes:
        raise OSError("spool is gone")

    mails = read(*SERIES, reply(TAG, "p1@x.example"))
    series = opened(
        [replace(mails[0], load=broken), mails[1], replace(mails[2], load=broken), replace(mails[3], load=broken)]
    )
    assert series.cover is None
    assert [patch.number for patch in series.patches] == [1]
    assert [(notice.code, notice.patches[0]) for notice in series.notices] == [
        ("bad-mail", mail.message_id) for mail in (mails[0], mails[2], mails[3])
    ]
    assert "spool is gone" in series.notices[0].message


def test_a_patch_without_a_diff_is_noted() -> None:
    series = opened(read(raw("[PATCH] frob: x", "p@x.example", "Frob needs this.\n")))
    assert [notice.code for notice in series.notices] == ["no-diff"]
    assert series.patches[0].files == ()


def test_a_damaged_diff_is_noted_with_its_mail() -> None:
    series = opened(read(raw("[PATCH] frob: x", "p@x.example", PATCH.replace("@@ -1,2 +1,2 @@", "@@ -1,9 +1,9 @@"))))
    assert [(notice.code, notice.patches, notice.source) for notice in series.notices] == [
        ("bad-diff", ("p@x.example",), "test.mbox")
    ]


def test_text_that_was_lost_in_decoding_is_noted() -> None:
    mail = raw("[PATCH] frob: x", "p@x.example", PATCH).replace(b"utf-8", b"martian-9")
    assert [notice.code for notice in opened(read(mail)).notices] == ["damaged-text"]


def attached(subject: str, *diffs: str) -> bytes:
    part = "--b\nContent-Type: text/{}\n\n{}\n"
    parts = part.format("plain", "Two things.\n") + "".join(part.format("x-patch", diff) for diff in diffs)
    return raw(subject, "m@x.example", parts + "--b--\n").replace(
        b"text/plain; charset=utf-8", b"multipart/mixed; boundary=b", 1
    )


def test_several_patches_in_one_mail_are_all_read() -> None:
    series = opened(read(attached("[PATCH] frob: both", DIFF, DIFF.replace("frob.c", "brix.c"), DIFF)))
    assert [(patch.number, patch.total, patch.files[0].path) for patch in series.patches] == [
        (1, 2, "net/frob.c"),
        (2, 2, "net/brix.c"),
    ]


def test_in_a_numbered_series_the_first_of_several_is_read() -> None:
    series = opened(read(attached("[PATCH 1/1] frob: both", DIFF, DIFF.replace("frob.c", "brix.c"))))
    assert [patch.files[0].path for patch in series.patches] == ["net/frob.c"]
    assert [notice.code for notice in series.notices] == ["several-patches"]


def test_the_change_id_of_a_header_is_used() -> None:
    mail = raw("[PATCH] frob: x", "p@x.example", PATCH).replace(b"Subject:", b"X-Change-ID: 20250301-frob\nSubject:", 1)
    assert opened(read(mail)).change_id == "20250301-frob"
