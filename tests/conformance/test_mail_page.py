"""Lines of MAIL.md (sections 1 to 4) that have no test elsewhere, each with a mail of its own, from bytes to series."""

from __future__ import annotations

import base64
import quopri
from collections.abc import Iterable

import pytest

from reviewer.mail.body import parts_of
from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Assembly, Mail, MessageText, Notice, Series
from reviewer.series.assemble import assemble
from reviewer.series.carry import with_carried
from reviewer.series.opening import open_series
from reviewer.sources.mbox import split_mbox

ANN = "Ann Author <ann@dev.example>"
RAY = "Ray Eader <ray@dev.example>"
ROBOT = "kernel test robot <lkp@bots.example>"
EVE = '"Eviewer, R" <r@evil.example>'
DIFF = (
    "diff --git a/frob.c b/frob.c\nindex 1111111..2222222 100644\n--- a/frob.c\n+++ b/frob.c\n"
    "@@ -1,3 +1,3 @@ int frob(void)\n \ta;\n-\tb;\n+\tc;\n \td;\n"
)
BODY = (
    f"Frob it.\n\nSigned-off-by: {ANN}\n---\n frob.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n{DIFF}"
)


def mail(subject: str, number: int, body: str | bytes = BODY, *to: int, by: str = ANN, more: str = "") -> bytes:
    above = " ".join(f"<{one}@dev.example>" for one in to)
    answered = f"In-Reply-To: <{to[-1]}@dev.example>\nReferences: {above}\n" if to else ""
    head = f"From: {by}\nSubject: {subject}\nMessage-ID: <{number}@dev.example>\n{answered}{more}"
    date = "" if "\nDate:" in f"\n{more}" else f"Date: Mon, 5 Jan 2026 10:{number % 60:02}:00 +0000\n"
    return (head + date + "\n").encode() + (body if isinstance(body, bytes) else body.encode())


def read(*mails: bytes) -> tuple[Assembly, list[Series]]:
    with Spool() as spool:
        parsed = [parse_mail(data, "box", position, spool.add(data)) for position, data in enumerate(mails)]
        assembly = assemble(one for one in parsed if isinstance(one, Mail))
        outlines = [outline for lineage in assembly.lineages for outline in lineage.outlines]
        return assembly, [open_series(outline) for outline in outlines]


def only(*mails: bytes) -> Series:
    (series,) = read(*mails)[1]
    return series


def tags(series: Series) -> list[tuple[str, bool, str]]:
    return [(tag.name, tag.counted, tag.why) for patch in series.patches for tag in patch.tags if tag.source]


def codes(notices: Iterable[Notice]) -> list[str]:
    return [notice.code for notice in notices]


def text(series: Series) -> MessageText:
    return series.patches[0].text


# 1. One mail


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", BODY.encode()),
        ("8bit", BODY.encode()),
        ("quoted-printable", quopri.encodestring(BODY.encode())),
        ("base64", base64.encodebytes(BODY.encode())),
        ("BASE64 ", base64.encodebytes(BODY.encode())),
        ("x-unknown", BODY.encode()),
    ],
)
def test_every_encoding_gives_the_same_patch(encoding: str, body: bytes) -> None:
    more = f"Content-Transfer-Encoding: {encoding}\n" if encoding else ""
    series = only(mail("[PATCH] frob: mend", 1, body, more=more))
    assert text(series) == text(only(mail("[PATCH] frob: mend", 1)))
    assert series.notices == ()


@pytest.mark.parametrize("charset", ["y", '"a\0b"', "utf-9", "x-unknown", '""', "us-ascii", "=?utf-8?q?x?="])
def test_hostile_charsets_fall_back_and_say_so(charset: str) -> None:
    body = BODY.replace("Frob it.", "Frob Jörg.")
    series = only(mail("[PATCH] frob: mend", 1, body, more=f"Content-Type: text/plain; charset={charset}\n"))
    assert text(series).message[0].text == "Frob Jörg."
    assert codes(series.notices) == ([] if charset in ('""', "us-ascii") else ["damaged-text"])


@pytest.mark.parametrize("date", ["", "99 Jan", "Mon, 5 Jan 2026 25:00:00 +0000", "Mon, 5 Jan 99999 10:00:00", "\x01"])
def test_absent_and_impossible_dates_cost_only_themselves(date: str) -> None:
    series = only(mail("[PATCH] frob: mend", 1, more=f"Date: {date}\n" if date else "X-Date:\nDate:\n"))
    assert series.outline.date is None
    assert len(series.patches) == 1


def test_several_patches_attached_to_one_mail() -> None:
    part = (
        "--b\nContent-Type: text/x-patch; name={0}.patch\nContent-Disposition: attachment; filename={0}.patch\n\n{1}\n"
    )
    other = DIFF.replace("frob.c", "other.c")
    body = "--b\n\nTwo patches.\n" + part.format("one", DIFF) + part.format("two", other) + "--b--\n"
    series = only(mail("[PATCH] frob: two", 1, body, more="Content-Type: multipart/mixed; boundary=b\n"))
    assert [[file.path for file in patch.files] for patch in series.patches] == [["frob.c"], ["other.c"]]


def test_html_is_read_only_without_a_text() -> None:
    html = "--b\nContent-Type: text/html\n\n<p>Fine.<br>Reviewed-by: Ray Eader &lt;ray@dev.example&gt;</p>\n"
    plain = "--b\n\nNo.\n"
    more = "Content-Type: multipart/alternative; boundary=b\n"
    patch = mail("[PATCH] frob: mend", 1)
    alone = only(patch, mail("Re: [PATCH] frob: mend", 2, html + "--b--\n", 1, by=RAY, more=more))
    assert tags(alone) == [("Reviewed-by", True, "given on the patch")]
    both = only(patch, mail("Re: [PATCH] frob: mend", 2, html + plain + "--b--\n", 1, by=RAY, more=more))
    assert tags(both) == []


def test_a_forwarded_mail_is_not_the_mail_itself() -> None:
    inner = (
        f"--b\nContent-Type: message/rfc822\n\nFrom: Bob <bob@dev.example>\nSubject: [PATCH] inner\n\n{BODY}\n--b--\n"
    )
    more = "Content-Type: multipart/mixed; boundary=b\n"
    assembly, series = read(mail("Fwd: [PATCH] frob: mend", 1, "--b\n\nWhat of this?\n" + inner, more=more))
    assert (dict(assembly.roles), series) == ({"1@dev.example": "reply"}, [])
    (part,) = parts_of(mail("x", 1, "--b\n\nWhat of this?\n" + inner, more=more))
    assert part.text == "What of this?"


def test_an_inline_signed_patch() -> None:
    dashed = BODY.replace("\n-", "\n- -")
    end = "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
    armoured = f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{dashed}{end}"
    series = only(mail("[PATCH] frob: mend", 1, armoured))
    assert [line.text for line in text(series).message] == ["Frob it.", "", f"Signed-off-by: {ANN}"]
    assert (series.patches[0].files[0].added, series.patches[0].files[0].removed, series.notices) == (1, 1, ())


def test_a_patch_destroyed_by_flowing_is_reported_as_such() -> None:
    broken = BODY.replace("+\tc;\n", "+\tc(one, \ntwo);\n")
    series = only(mail("[PATCH] frob: mend", 1, broken, more="Content-Type: text/plain; format=flowed\n"))
    assert any("format=flowed" in notice.message for notice in series.notices)


@pytest.mark.parametrize("change", [lambda body: body.replace("\n", "\r\n"), lambda body: body.rstrip("\n")])
def test_crlf_and_no_newline_at_the_end(change: object) -> None:
    assert callable(change)
    series = only(mail("[PATCH] frob: mend", 1, str(change(BODY))))
    assert (series.patches[0].files[0].added, series.notices) == (1, ())


def test_scissors_cut_what_stands_above_headers_of_the_body() -> None:
    talk = "Here is what I meant.\n\n-- >8 --\nFrom: Bob Real <bob@dev.example>\nSubject: [PATCH] frob: mend\n\n"
    opened = text(only(mail("[PATCH] frob: mend", 1, talk + BODY)))
    assert opened.author is not None
    assert opened.author.email == "bob@dev.example"
    assert opened.message[0].text == "Frob it."
    assert [line.text for line in opened.notes][:1] == ["Here is what I meant."]


@pytest.mark.parametrize(
    "frame", ["-- 8< --", "---- >8 ---- 8< ----", "- 8<", "words and more words -- >8 --", "--------", ">8" * 200]
)
def test_a_frame_around_a_log_cuts_nothing(frame: str) -> None:
    opened = text(only(mail("[PATCH] frob: mend", 1, f"It fails:\n\n{frame}\nlog\n{frame}\n\n{BODY}")))
    assert opened.message[0].text == "It fails:"


@pytest.mark.parametrize(
    "footer",
    [
        f"-- \nRay\nNacked-by: {RAY}\n",
        f"____________________________\nfrob mailing list -- frob@lists.example\nReviewed-by: {RAY}\n",
        f"IMPORTANT NOTICE: The contents of this email are secret.\nReviewed-by: {RAY}\n",
    ],
)
def test_footers_hold_neither_hunks_nor_tags(footer: str) -> None:
    series = only(
        mail("[PATCH] frob: mend", 1, BODY + footer), mail("Re: [PATCH] frob: mend", 2, f"Hm.\n\n{footer}", 1, by=RAY)
    )
    assert tags(series) == []
    assert (series.patches[0].files[0].added, series.notices) == (1, ())


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        (BODY.replace(" \ta;", "\u00a0\ta;"), "white space is damaged"),
        (BODY.replace("+\tc;\n", "+\tc(one,\ntwo);\n"), "wrapped or damaged"),
    ],
)
def test_damaged_hunks_are_never_repaired_silently(damaged: str, words: str) -> None:
    series = only(mail("[PATCH] frob: mend", 1, damaged))
    assert [notice.code for notice in series.notices] == ["bad-diff"]
    assert words in series.notices[0].message


def test_tabs_turned_to_spaces_stay_as_they_came() -> None:
    series = only(mail("[PATCH] frob: mend", 1, BODY.replace("\t", "        ")))
    assert [line.text for line in series.patches[0].files[0].hunks[0].lines] == [
        8 * " " + word for word in ("a;", "b;", "c;", "d;")
    ]


@pytest.mark.parametrize("line", ["From mboxrd@z Thu Jan  1 00:00:00 1970", "From nobody Mon Jan  5 10:00:00 2026"])
@pytest.mark.parametrize("length", ["", "Content-Length: 30\n"])
def test_dialects_of_mbox(line: str, length: str) -> None:
    first = mail("one", 1, "Before\n\n>From here on it says 10:30\nAfter\n", more=length)
    data = f"{line}\n".encode() + first + b"\n" + f"{line}\n".encode() + mail("two", 2, "x\n")
    one, two = split_mbox(iter([data]))
    assert one == first.replace(b">From", b"From")
    assert two == mail("two", 2, "x\n")


# 2. Subjects: test_mail_subject.py has them; here what they do to a series


@pytest.mark.parametrize(
    "prefix", ["Re:", "RE[2]:", "Aw:", "Fwd:", "SV:", "WG:", "回复:", "답장:", "[frob] Re:", "[EXT] Re:"]
)
def test_replies_of_all_tongues_are_replies_even_with_the_diff_unquoted(prefix: str) -> None:
    assembly, (series,) = read(
        mail("[PATCH 1/1] frob: mend", 1), mail(f"{prefix} [PATCH 1/1] frob: mend", 2, BODY, 1, by=RAY)
    )
    assert dict(assembly.roles) == {"1@dev.example": "patch", "2@dev.example": "reply"}
    assert len(series.patches) == 1


@pytest.mark.parametrize("tag", ["[EXT] ", "[EXTERNAL] ", "[Frob-list] "])
def test_tags_of_lists_and_of_firms_do_not_part_a_series(tag: str) -> None:
    series = only(
        mail(f"{tag}[PATCH v2 0/2] frob: both", 1, "Cover.\n"),
        mail("[PATCH v2 1/2] frob: one", 2, BODY, 1),
        mail(f"{tag}[PATCH v2 2/2] frob: two", 3, BODY, 1),
    )
    assert (series.outline.version, len(series.patches), series.outline.missing) == (2, 2, ())


# 3. Threads and series


def test_what_a_series_stands_on_is_kept() -> None:
    needs = "".join(f"prerequisite-patch-id: {digit * 40}\n" for digit in "ab")
    series = only(
        mail("[PATCH 0/1] frob: both", 1, f"Cover.\n\nbase-commit: {'c' * 40}\n{needs}"),
        mail(
            "[PATCH 1/1] frob: one",
            2,
            BODY.replace("---\n", "Depends-on: <9@dev.example>\nBased-on: <8@dev.example>\n---\n", 1),
            1,
        ),
    )
    assert series.base_commit == "c" * 40
    assert series.cover is not None
    assert series.cover.text.prerequisites == ("a" * 40, "b" * 40)
    assert [trailer.name for trailer in text(series).trailers] == ["Signed-off-by", "Depends-on", "Based-on"]


@pytest.mark.parametrize(
    "said", ["base-commit: v6.7-rc3", "base-commit: 6", "base-commit: abcdef", "base-commit: " + "g" * 40]
)
def test_a_base_that_is_no_commit_is_none(said: str) -> None:
    assert only(mail("[PATCH] frob: mend", 1, f"{BODY}\n{said}\n")).base_commit is None


@pytest.mark.parametrize(
    ("subject", "role"),
    [
        ("[GIT PULL] frob: for 6.20", "pull-request"),
        ("Buy our cheap slots", "other"),
        ("[PATCH liburing 1/1] test: frob", "patch"),
        ("[PATCH AUTOSEL 6.6 1/1] frob: mend", "patch"),
        ("[PATCH 6.6 001/100] frob: mend", "patch"),
    ],
)
def test_what_else_is_on_the_list(subject: str, role: str) -> None:
    body = BODY if role == "patch" else "Words.\n"
    assembly, _ = read(mail(subject, 1, body))
    assert assembly.roles["1@dev.example"] == role


def test_spam_in_a_thread_is_a_reply_and_nothing_more() -> None:
    assembly, (series,) = read(
        mail("[PATCH] frob: mend", 1), mail("CHEAP SLOTS", 2, "Buy!\n", 1, by="X <x@spam.example>")
    )
    assert assembly.roles["2@dev.example"] == "reply"
    assert tags(series) == []


def test_a_reroll_without_a_counter_has_the_number_of_the_patch_that_it_replaces() -> None:
    series = only(
        mail("[PATCH 1/2] frob: one", 1),
        mail("[PATCH 2/2] frob: two", 2, BODY, 1),
        mail("[PATCH v2] frob: two", 3, BODY, 1, 2),
        mail("Re: [PATCH v2] frob: two", 4, f"Acked-by: {RAY}\n", 1, 2, 3, by=RAY),
        mail("Re: [PATCH 2/2] frob: two", 5, f"Tested-by: {RAY}\n", 1, 2, by=RAY),
    )
    assert [(patch.number, patch.mail.message_id) for patch in series.patches] == [
        (1, "1@dev.example"), (2, "3@dev.example"),
    ]  # fmt: skip
    assert [[tag.name for tag in patch.tags if tag.counted and tag.source] for patch in series.patches] == [
        [], ["Acked-by"],
    ]  # fmt: skip


# 4. Tags


def reply_to_patch(words: str, by: str = RAY) -> Series:
    return only(mail("[PATCH] frob: mend", 1), mail("Re: [PATCH] frob: mend", 2, f"> Frob it.\n\n{words}\n", 1, by=by))


@pytest.mark.parametrize(
    ("words", "by", "given"),
    [
        (f"Feel free to add Acked-by: {RAY}", RAY, [("Acked-by", True, "given on the patch")]),
        (f"If you mend it, Acked-by: {RAY}", RAY, [("Acked-by", False, "conditional: asks for something first")]),
        ("Reviewed-by: Ray Eader\n <ray@dev.example>", RAY, [("Reviewed-by", True, "given on the patch")]),
        (f"Tested-by: {RAY} # on two boxes", RAY, [("Tested-by", True, "given on the patch")]),
        (f"Tested-by: {RAY} [on two boxes]", RAY, [("Tested-by", True, "given on the patch")]),
        ('Acked-by: "Eader, Ray" <ray@dev.example>', RAY, [("Acked-by", True, "given on the patch")]),
        ("Acked-by: Ray Eader (Frob Inc.) <ray@frob.example>", RAY, [("Acked-by", True, "given on the patch")]),
        ("Acked-by: Bob <bob@dev.example>", RAY, [("Acked-by", False, "sender is Ray Eader")]),
        ("Acked-by: Victim <v@dev.example>", EVE, [("Acked-by", False, "sender is Eviewer, R")]),
        (f"Revieved-by: {RAY}", RAY, [("Reviewed-by", False, "misspelt: Revieved-by")]),
        (f"Nacked-by: {RAY}", RAY, [("Nacked-by", False, "objection")]),
        ("NAK, this leaks.", RAY, [("NAK", False, "objection")]),
        (f"Changes-requested: {RAY}", RAY, [("Changes-requested-by", False, "objection")]),
        ("pw-bot: cr", RAY, [("pw-bot", False, "a command to a bot")]),
        ("#syz fix: frob: mend", RAY, [("#syz", False, "a command to a bot")]),
        (f"Acked-by: {ROBOT}", ROBOT, [("Acked-by", False, "from a bot")]),
    ],
)  # fmt: skip
def test_tags_of_replies(words: str, by: str, given: list[tuple[str, bool, str]]) -> None:
    assert tags(reply_to_patch(words, by)) == given


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("pw-bot: cr", "changes-requested"),
        ("PW-Bot: defer", "deferred"),
        ("pw-bot: under-review", "under-review"),
        ("pw-bot: not-applicable", "not-applicable"),
        ("#syz dup: frob: leak in slots", "dup: frob: leak in slots"),
        ("#syz invalid", "invalid"),
    ],
)
def test_commands_to_bots_are_understood(line: str, value: str) -> None:
    (patch,) = reply_to_patch(line).patches
    assert [tag.value for tag in patch.tags if tag.source] == [value]


@pytest.mark.parametrize("line", ["> pw-bot: cr", "pw-bot: what is that?", "see #syz", "#syz", "pw-bot:"])
def test_words_about_bots_are_no_commands(line: str) -> None:
    assert tags(reply_to_patch(line)) == []


def test_tags_inside_the_cover_letter_go_to_no_patch() -> None:
    series = only(
        mail("[PATCH 0/1] frob: both", 1, f"Cover.\n\nAcked-by: {RAY}\n"), mail("[PATCH 1/1] frob: one", 2, BODY, 1)
    )
    assert tags(series) == []


@pytest.mark.parametrize(("diff", "carried"), [(DIFF, True), (DIFF.replace("c;", "e;"), False)])
def test_tags_are_carried_to_a_patch_that_stayed_as_it_was(diff: str, *, carried: bool) -> None:
    again = BODY.replace(DIFF, diff.replace("@@ -1,3 +1,3 @@", "@@ -9,3 +9,3 @@"))
    _, (old, new) = read(
        mail("[PATCH] frob: mend", 1),
        mail("Re: [PATCH] frob: mend", 2, f"Acked-by: {RAY}\nReviewed-by: Bob <bob@dev.example>\n", 1, by=RAY),
        mail("[PATCH v2] frob: mend", 3, again),
    )
    found = [
        (tag.name, tag.value, tag.source, tag.why) for tag in with_carried(new, [old]).patches[0].tags if tag.source
    ]
    why = "given on v1 of this patch, whose diff is the same"
    assert found == ([("Acked-by", RAY, "2@dev.example", why)] if carried else [])


def test_a_tag_that_the_patch_has_is_not_carried_twice() -> None:
    again = BODY.replace("Signed-off-by", f"Acked-by: {RAY}\nSigned-off-by")
    _, (old, new) = read(
        mail("[PATCH] frob: mend", 1),
        mail("Re: [PATCH] frob: mend", 2, f"Acked-by: Ray E. <ray@dev.example>\nAcked-by: {RAY}\n", 1, by=RAY),
        mail("[PATCH v2] frob: mend", 3, again),
    )
    assert with_carried(new, [old]) == new
    assert with_carried(new, []) is new
