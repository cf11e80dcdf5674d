"""Single mails that break readers: each is read to its end, in time that grows with its size and no faster."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hostile_inputs import DIFF, MULTIPART, SURE, answer, box, growth, mail, patch, read, seconds

from reviewer.mail.body import MAX_LINES, parts_of
from reviewer.mail.mime import MAX_DEPTH, MAX_PARTS

SIZE = 40_000
SLOWEST = 2.5

Make = Callable[[int], bytes]


def filled(unit: bytes, *, front: bytes = b"", end: bytes = b"", more: bytes = b"") -> Make:
    return lambda size: patch(front + unit * (size // len(unit)) + end, more)


def answered(unit: bytes, *, end: bytes = b"", more: bytes = b"") -> Make:
    return lambda size: answer(unit * (size // len(unit)) + end, more)


def header(unit: bytes, *, front: bytes, end: bytes = b"\n") -> Make:
    return lambda size: patch(DIFF, front + unit * (size // len(unit)) + end)


FILE = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n"
SHAPES: dict[str, Make] = {
    "Foo: text lines": filled(b"Foo: text\n"),
    "Foo: text lines above a diff": filled(b"Foo: text\n", end=DIFF),
    "Foo: text lines in an answer": answered(b"Foo: text\n"),
    "tags": answered(b"Acked-by: A B <a@b.example>\n"),
    "tags without an address": answered(b"Acked-by: text\n"),
    "tags on one line": answered(b"Acked-by: a <", end=b" by"),
    "tags inside prose": answered(b"feel free to add my Acked-by: A B <a@b.example> with that fixed "),
    "limits of tags": answered(b"for patches " + b"1, " * 90 + b"Acked-by: A B <a@b.example>\n"),
    "objections": answered(b"NAK a a so so I we I we will have to NAK\n"),
    "colons": answered(b":", end=b"by"),
    "quote marks": answered(b">", end=b"by"),
    "quotes of many depths": answered(b"".join(b">" * depth + b" by\n" for depth in range(60))),
    "attributions": answered(b"On Mon 1 Jan x wrote:\n", end=b"by"),
    "half attributions": answered(b"On Mon 1 Jan x wrote ", end=b"by"),
    "Outlook headers": answered(b"\nFrom: a\n", end=b"by"),
    "Original Message lines": answered(b"-----Original Message-----\n", end=b"by"),
    "signatures": answered(b"-- \n", end=b"by"),
    "dashes": answered(b"--\n", end=b"by"),
    "underscores": answered(b"____________________\n", end=b"by"),
    "one flowed paragraph": answered(b"a by \n", more=b"Content-Type: text/plain; format=flowed\n"),
    "one line of spaces": filled(b" ", end=b"\n" + DIFF),
    "blank lines": filled(b"\n"),
    "carriage returns": filled(b"\r"),
    "NUL bytes": filled(b"\0"),
    "changed": filled(b" changed", end=b"\n" + DIFF),
    "--- lines": filled(b"--- a\n", end=DIFF),
    "--- and +++ lines": filled(b"--- a\n+++ b\n", end=DIFF),
    "Index: lines": filled(b"Index: a\n", end=DIFF),
    "diff --git lines": filled(b"diff --git a/f b/f\n"),
    "hunks": filled(b"@@ -1,0 +1,1 @@\n+a\n", front=FILE),
    "a hunk that counts too far": filled(b" a\n", front=FILE + b"@@ -1,999999999 +1,999999999 @@\n"),
    "binary patch": filled(b"zcmV\n", front=b"diff --git a/f b/f\nGIT binary patch\nliteral 9\n"),
    "diffstat lines": filled(b" a | 1 +\n", front=b"---\n", end=b" 1 file changed\n" + DIFF),
    "diffstat summaries": filled(b" a | 1 +\n 1 file changed\n", front=b"---\n", end=DIFF),
    "links to earlier versions": filled(b"v1: https://lore.kernel.org/r/a@b\n", end=DIFF),
    "half links": filled(b"https://lore.kernel.org/", end=b"\n" + DIFF),
    "change-ids": filled(b"change-id: \n", end=DIFF),
    "scissors": filled(b"-- >8 --\n", end=DIFF),
    "in-body headers": filled(b"From: A B <a@b.example>\n", end=b"\n" + DIFF),
    "PGP armour": filled(b"-----BEGIN PGP SIGNED MESSAGE-----\n"),
    "HTML: open brackets": filled(b"<", more=b"Content-Type: text/html\n"),
    "HTML: comments": filled(b"<!--", more=b"Content-Type: text/html\n"),
    "HTML: deep": filled(b"<div>a<blockquote>", more=b"Content-Type: text/html\n"),
    "HTML: entities": filled(b"&amp;&#x", more=b"Content-Type: text/html\n"),
    "broken base64": filled(b"=A!", more=b"Content-Transfer-Encoding: base64\n"),
    "broken quoted-printable": filled(b"=\n", more=b"Content-Transfer-Encoding: quoted-printable\n"),
    "parts": filled(b"--b\n\nText\n", end=b"--b--\n", more=MULTIPART % b"b"),
    "almost boundaries": filled(b"--bb", end=b"\n--b\n\nText\n--b--\n", more=MULTIPART % b"b"),
    "one long header": header(b"a", front=b"X-Long: "),
    "one long folded header": header(b"<a@b>\n ", front=b"References: "),
    "many headers": header(b"X-A: b\n", front=b"", end=b""),
    "recipients": header(b"A B <a@b.example>,\n ", front=b"To: ", end=b"z@b.example\n"),
    "half addresses": header(b'a<("', front=b"Reply-To: "),
    "encoded words": header(b"=?utf-8?q?a?= ", front=b"In-Reply-To: "),
    "parameters": header(b'; a="\\', front=b"Content-Type: text/plain"),
    "brackets in a subject": lambda size: mail(b"[" * size, 1, DIFF),
    "words in a subject": lambda size: mail(b"[PATCH " + b"v1 1/2 " * (size // 7) + b"] x", 1, DIFF),
    "From lines": lambda size: SURE + patch(b"\nFrom a 1:23\n" * (size // 13)),
    "From lines that start mails": lambda size: SURE + patch(b"\nFrom a 1:23\nA: b\n" * (size // 18)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear_in_the_size(shape: str) -> None:
    slow = growth(SHAPES[shape], SIZE)
    assert slow < SLOWEST or growth(SHAPES[shape], SIZE) < SLOWEST  # twice: other work on the machine comes and goes


@pytest.mark.parametrize("shape", SHAPES)
def test_every_mail_is_accounted_for(shape: str) -> None:
    data = SHAPES[shape](2_000)
    outcome = read(data)
    assert list(outcome.assembly.roles) == [
        f"{number}@dev.example" for number in range(1, len(outcome.assembly.roles) + 1)
    ]
    assert len(outcome.assembly.roles) == max(data.count(b"Message-ID:"), 1)


def test_ten_megabytes_of_foo_lines_cost_no_more_a_byte_than_prose_in_such_lines() -> None:
    blocks = patch(b"Foo: text\n" * 1_000_000)
    prose = patch(b"Some text\n" * 100_000)
    assert seconds(lambda: read(blocks), 1) / 10 < 4 * seconds(lambda: read(prose))


def test_lines_without_end_are_cut_and_told_of() -> None:
    outcome = read(patch(b"\n" * (MAX_LINES + 10)))
    assert "damaged-text" in outcome.codes
    (part,) = parts_of(patch(b"a\n" * (MAX_LINES + 10)))
    assert part.damaged == f"more than {MAX_LINES} lines, cut there"
    assert part.text.count("\n") == MAX_LINES - 1


@pytest.mark.parametrize("inner", [b"", b"Content-Type: text/x-patch; name=a.patch\n", b"Content-Type: image/png\n"])
def test_ten_thousand_parts_and_more(inner: bytes) -> None:
    def parts(count: int) -> bytes:
        return patch((b"--b\n" + inner + b"\n" + DIFF) * count + b"--b--\n", MULTIPART % b"b")

    assert len(parts_of(parts(MAX_PARTS))) == (0 if b"png" in inner else MAX_PARTS)
    found = parts_of(parts(MAX_PARTS + 1))
    assert len(found) == (0 if b"png" in inner else MAX_PARTS)
    assert all(f"more than {MAX_PARTS} parts" in part.damaged for part in found[-1:])


def test_parts_beyond_the_limit_are_told_of() -> None:
    outcome = read(patch(b"--b\n\nText\n" * (MAX_PARTS + 1) + b"--b--\n", MULTIPART % b"b"))
    assert len(outcome.assembly.roles) == 1


@pytest.mark.parametrize("filling", [b"", b"x\n" * 500_000])
def test_deep_nesting_ends(filling: bytes) -> None:
    def nested(depth: int) -> bytes:
        inner = (b"--b%d\n" % level + MULTIPART % (b"b%d" % (level + 1)) + b"\n" for level in range(depth))
        return patch(b"".join(inner) + filling, MULTIPART % b"b0")

    assert len(read(nested(10_000)).assembly.roles) == 1
    assert seconds(lambda: read(nested(2_000)), 1) < 4 * max(seconds(lambda: read(nested(MAX_DEPTH + 1)), 1), 0.01)


def test_nul_bytes_are_told_of() -> None:
    outcome = read(box(patch(b"a\0b\n" + DIFF)))
    assert "bad-mail" in outcome.codes
    assert "damaged-text" in outcome.codes
    assert len(outcome.series[0].patches) == 1
