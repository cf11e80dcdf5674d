"""Copies of one mail that came over several lists."""

from __future__ import annotations

import base64

import pytest

from reviewer.mail.copies import list_changes, same_text
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail
from reviewer.series.threads import build_forest

TEXT = (
    "Count the slots before they are handed out, “all” of them.\n\n"
    "Signed-off-by: Ann Author <ann@dev.example>\n---\n frob.c | 1 +\n 1 file changed, 1 insertion(+)\n\n"
    "diff --git a/frob.c b/frob.c\n--- a/frob.c\n+++ b/frob.c\n@@ -1 +1,2 @@\n a\n+\tb\n"
)
FOOTER = "_______________________________________________\nfrob mailing list\nhttps://lists.example/frob\n"
ANN = "Ann Author <ann@dev.example>"
ANN_VIA = "Ann Author via frob <frob@lists.example>"


def mail(subject: str, sender: str, text: str = TEXT, *, coded: bool = False, more: str = "", at: int = 0) -> bytes:
    head = f"From: {sender}\nSubject: {subject}\nMessage-ID: <1@dev.example>\n{more}"
    head += f"Date: Mon, 5 Jan 2026 1{at}:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n"
    body = base64.encodebytes(text.encode()).decode() if coded else text
    return f"{head}{'Content-Transfer-Encoding: base64' + chr(10) if coded else ''}\n{body}".encode()


PLAIN = mail("[PATCH 1/2] frob: count", ANN)


@pytest.mark.parametrize(
    ("data", "marks"),
    [
        (PLAIN, 0),
        (mail("[net,v2,1/2] frob: count", ANN), 0),
        (mail("[Frob-list] [PATCH 1/2] frob: count", ANN), 1),
        (mail("Re: [Frob-list] frob: count", ANN), 1),
        (mail("[PATCH 1/2] frob: count", ANN_VIA), 1),
        (mail("[PATCH 1/2] frob: count", ANN, more=f"X-Original-From: {ANN}\n"), 1),
        (mail("[PATCH 1/2] frob: count", ANN, coded=True), 1),
        (mail("[PATCH 1/2] frob: count", ANN, TEXT + FOOTER), 1),
        (mail("[Frob-list] [PATCH 1/2] frob: count", ANN_VIA, TEXT + FOOTER, coded=True), 4),
        (b"\n", 0),
    ],
)
def test_marks_of_list_software_are_counted(data: bytes, marks: int):
    assert list_changes(data) == marks


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (TEXT + FOOTER, True),
        (TEXT.replace("\t", "    ").replace("“", "?").replace("”", "?"), True),
        (TEXT[:-4], True),
        ("", True),
        (TEXT.replace("+\tb", "+\tc"), False),
    ],
)
def test_same_text(text: str, *, same: bool):
    other = mail("[PATCH 1/2] frob: count", ANN, text, coded=True)
    assert same_text(PLAIN, other) is same
    assert same_text(other, PLAIN) is same


def forest(*copies: bytes) -> tuple[Mail, list[str]]:
    mails: list[Mail] = []
    for position, data in enumerate(copies):
        parsed = parse_mail(data, f"box{position}", position, lambda data=data: data)  # type: ignore[misc]
        assert isinstance(parsed, Mail)
        mails.append(parsed)
    found = build_forest(mails)
    (only,) = found.mails
    return only, [notice.code for notice in found.notices]


CHANGED = mail("[Frob-list] [PATCH 1/2] frob: count", ANN_VIA, TEXT + FOOTER, coded=True)


@pytest.mark.parametrize("copies", [(PLAIN, CHANGED), (CHANGED, PLAIN), (CHANGED, PLAIN, CHANGED), (PLAIN, PLAIN)])
def test_the_copy_that_lists_changed_least_is_used(copies: tuple[bytes, ...]):
    used, codes = forest(*copies)
    assert used.load() == PLAIN
    assert used.position == 0
    assert codes == []


@pytest.mark.parametrize(
    "other",
    [
        mail("[PATCH 1/2] frob: count", ANN, TEXT.replace("+\tb", "+\tc")),
        mail("[PATCH 1/2] frob: count less", ANN),
        mail("[PATCH 1/2] frob: count", "Bob <bob@dev.example>"),
        mail("[PATCH 1/2] frob: count", ANN, at=1),
    ],
)
def test_of_mails_that_differ_the_first_is_used_and_a_notice_says_so(other: bytes):
    used, codes = forest(CHANGED, other, other)
    assert used.load() == CHANGED
    assert codes == ["duplicate-mail"]
