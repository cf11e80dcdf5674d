"""Files that break readers: bombs, bytes that are no mail, and the command on all of it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hostile_inputs import DIFF, MULTIPART, SURE, box, mail, patch, seconds

from reviewer.cli import main
from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources import RawMail, read_sources
from reviewer.sources.raw import BYTES_OF_A_MAIL, FEW_MAILS

GOOD = SURE + mail(b"[PATCH] frob: x", 1, DIFF) + b"\n"


def bomb(front: bytes, unit: bytes, megabytes: int = 1024) -> bytes:
    """A gzip of `front` and megabytes of `unit`, which is one byte; it has a member for each 64 of them."""
    return (gzip.compress(front) if front else b"") + member(unit) * (megabytes >> 6)


@cache
def member(unit: bytes) -> bytes:
    return gzip.compress(unit * (64 << 20), 9)


def outcome(data: bytes) -> tuple[int, str]:
    """How many mails there are, and the error or the notices."""
    found: list[RawMail | Notice] = []
    try:
        found += read_sources(["-"], io.BytesIO(data))
    except InputError as error:
        return len(found), str(error)
    return sum(isinstance(raw, RawMail) for raw in found), "; ".join(
        raw.message for raw in found if isinstance(raw, Notice)
    )


@pytest.mark.parametrize(
    ("front", "unit", "mails", "words"),
    [
        (b"", b"\0", 0, "holds no mail"),
        (b"", b"\n", 0, "is empty"),
        (mail(b"x", 1), b"\0", 0, "larger than 32 MiB"),
        (b"From: a@dev.example\nX-Long: ", b"a", 0, "larger than 32 MiB"),
        (GOOD + SURE + mail(b"x", 2), b"\0", 1, "mail 2 is larger than 32 MiB; left out"),
    ],
)
def test_a_gigabyte_of_one_byte_ends_soon_and_in_little_memory(
    front: bytes, unit: bytes, mails: int, words: str
) -> None:
    unpacking = 16 * seconds(lambda: gzip.decompress(member(unit)), 1)
    data = bomb(front, unit)
    assert seconds(lambda: outcome(data), 1) < 5 * unpacking
    tracemalloc.start()
    found, said = outcome(bomb(front, unit, 128))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == mails
    assert words in said
    assert peak < 128 << 20


def tiny(count: int) -> bytes:
    """Mails of the least that is one, in runs that are alike."""
    return box(b"Subject: x\nMessage-ID: <1@x>\n\n") * count


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(tiny(100_000)) * 20, lzma.compress(tiny(100_000)) * 20, gzip.compress(tiny(300_000))],
    ids=["gzip", "xz", "one member"],
)
def test_millions_of_tiny_mails_in_a_few_bytes_are_read_in_part(packed: bytes) -> None:
    found, said = outcome(packed)
    assert FEW_MAILS <= found <= FEW_MAILS + len(packed) // BYTES_OF_A_MAIL
    assert f"standard input holds more than {found} mails in " in said
    assert said.endswith("bytes; read as far as it goes")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_real_mail_of_any_number_is_read_whole(pack: Callable[[bytes], bytes]) -> None:
    """Headers alone take more than the limit, however well they pack: their ids do not."""
    count = FEW_MAILS + 5_000
    ids = (hashlib.sha256(b"%d" % number).hexdigest().encode() for number in range(count))
    data = box(*(b"From: a@x.example\nSubject: x\nMessage-ID: <%s@x.example>\n\nText.\n" % one for one in ids))
    assert outcome(pack(data)) == (count, "")


def inputs() -> Iterator[tuple[str, bytes]]:
    nested = b"".join(b"--b%d\n" % i + MULTIPART % (b"b%d" % (i + 1)) + b"\n" for i in range(500))
    yield (
        "cycle",
        box(*(mail(b"Re: x", i, b"", b"In-Reply-To: <%d@dev.example>\n" % (i ^ 1)) for i in range(2, 10))) + GOOD,
    )
    yield "NUL", box(patch(b"a\0\n" + DIFF.replace(b" d", b"\0d")))
    yield "nested", box(patch(nested, MULTIPART % b"b0"))
    yield "parts", box(patch(b"--b\n\n" + DIFF.join((b"", b"--b\n\n")) * 300 + b"--b--\n", MULTIPART % b"b"))
    yield "wrong charset", box(patch(DIFF, b'Content-Type: text/plain; charset="x\0y"\n'))
    yield "control characters", box(mail(b"[PATCH 1/1] \x1b]0;x\x07 \xe2\x80\xae x", 1, b"\x1b[2J" + DIFF))
    yield "no headers but one", box(b"Subject: [PATCH] x\n\n" + DIFF)
    yield "numbers", box(mail(b"[PATCH v999999999 0/999999] x", 1, DIFF), mail(b"[PATCH 7/0] x", 2, DIFF))
    yield "dates", box(patch(DIFF).replace(b"Mon, 5 Jan 2026", b"Mon, 99 Jan 99999"))
    yield "path", box(patch(DIFF.replace(b"b/a", b"b/../../etc/passwd\0")))
    yield "cover by the hundred", box(*(mail(b"[PATCH 0/20000] x%d" % i, i) for i in range(200)))


@pytest.mark.parametrize(("data", "form"), [(data, form) for _, data in inputs() for form in ("json", "text")])
def test_the_command_reviews_it_and_loses_no_mail(
    data: bytes, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "box", tmp_path / "report"
    source.write_bytes(data)
    code = main(["review", str(source), "--format", form, "-o", str(target), "--fail-on", "never"])
    assert (code, capfd.readouterr().err) == (0, "")
    report = target.read_text(encoding="utf-8")
    assert "\x1b" not in report
    if form == "json":
        document = json.loads(report)
        assert document["complete"]
        ids = [mail["message_id"] for mail in document["mails"]]
        assert len(ids) == len(set(ids)) == data.count(SURE)
