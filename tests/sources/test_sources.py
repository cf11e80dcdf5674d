"""Files and streams to raw mails."""

from __future__ import annotations

import collections
import contextlib
import gzip
import io
import lzma
import os
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources import MAX_MAIL, RawMail, read_sources
from reviewer.sources.mbox import split_mbox
from reviewer.sources.stream import BLOCK, BrokenError, blocks

MAIL = b"From: Ann <ann@dev.example>\nSubject: x\nMessage-ID: <m%d@x>\n\nText %d\n"
SURE = b"From mboxrd@z Thu Jan  1 00:00:00 1970\n"


def mail(number: int) -> bytes:
    return MAIL % (number, number)


def mbox(count: int, line: bytes = SURE) -> bytes:
    return b"".join(line + mail(number) + b"\n" for number in range(count))


def read(tmp_path: Path, data: bytes, **options: int) -> list[RawMail | Notice]:
    path = tmp_path / "box"
    path.write_bytes(data)
    return list(read_sources([str(path)], **options))


def mails(found: list[RawMail | Notice]) -> list[bytes]:
    return [raw.data for raw in found if isinstance(raw, RawMail)]


def notices(found: list[RawMail | Notice]) -> list[Notice]:
    return [raw for raw in found if isinstance(raw, Notice)]


@pytest.mark.parametrize(
    "line",
    [
        SURE,
        b"From nobody Thu Jan  1 00:00:00 1970\n",
        b"From ann@dev.example Mon Jan  1 03:04:05 2024\n",
        b"From ann@dev.example\n",
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_mboxes_plain_and_packed(tmp_path: Path, line: bytes, pack: type[bytes]):
    found = read(tmp_path, pack(mbox(3, line)))
    assert mails(found) == [mail(0), mail(1), mail(2)]
    assert isinstance(found[0], RawMail)
    assert found[0].source == str(tmp_path / "box")


def test_single_mail_and_leading_blank_lines(tmp_path: Path):
    data = mail(1) + b"\nFrom nobody Thu Jan  1 00:00:00 1970\nSubject: inside\n"
    assert mails(read(tmp_path, data)) == [data]
    assert mails(read(tmp_path, b"\xef\xbb\xbf\r\n\n" + data)) == [data]
    assert mails(read(tmp_path, b"\n" * 10_000 + mbox(2))) == [mail(0), mail(1)]


def test_long_headers_of_other_names_first(tmp_path: Path):
    data = b"X-One: a\nX-Two: b\n c\nX-Three: " + b"d" * 9000 + b"\nSubject: x\n\nText\n"
    assert mails(read(tmp_path, data)) == [data]


def test_crlf(tmp_path: Path):
    data = mbox(2).replace(b"\n", b"\r\n")
    assert mails(read(tmp_path, data)) == [mail(0).replace(b"\n", b"\r\n"), mail(1).replace(b"\n", b"\r\n")]


def test_standard_input_and_several_sources(tmp_path: Path):
    (tmp_path / "a").write_bytes(mail(1))
    found = list(read_sources(["-", str(tmp_path / "a")], io.BytesIO(mbox(1))))
    assert [raw.source for raw in found] == ["-", str(tmp_path / "a")]
    with pytest.raises(InputError, match="twice"):
        list(read_sources(["-", "-"], io.BytesIO(b"")))


def test_the_real_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(mbox(2))))
    assert mails(list(read_sources(["-"]))) == [mail(0), mail(1)]


def test_from_in_prose_starts_nothing(tmp_path: Path):
    prose = b"\nFrom here on\nNote: this\n\nFrom 10:30\nit goes on\n\nFrom x 10:30 on\n"
    line = b"From ann@dev.example Mon Jan  1 03:04:05 2024\n"
    data = line + mail(0) + prose + b"\n" + line + mail(1)
    assert mails(read(tmp_path, data)) == [mail(0) + prose, mail(1)]


def test_sure_line_needs_no_blank_line_above(tmp_path: Path):
    assert len(mails(read(tmp_path, SURE + mail(0) + SURE + mail(1)))) == 2
    assert len(mails(read(tmp_path, SURE + mail(0) + SURE.replace(b"mboxrd@z", b"nobody") + mail(1)))) == 1


@pytest.mark.parametrize(
    ("line", "body"),
    [
        (SURE, b"From a\n>From b\n"),
        (b"From nobody Thu Jan  1 00:00:00 1970\n", b"From a\n>>From b\n"),
        (b"From " + b"0" * 40 + b" Mon Sep 17 00:00:00 2001\n", b">From a\n>>From b\n"),
    ],
)
def test_quoting_is_undone(tmp_path: Path, line: bytes, body: bytes):
    assert mails(read(tmp_path, line + mail(0) + b">From a\n>>From b\n")) == [mail(0) + body]


@pytest.mark.parametrize("more", [100, 1 << 20])
def test_large_mail_is_left_out(tmp_path: Path, more: int):
    large = SURE + mail(1) + b"x\n" * (MAX_MAIL // 2 + more) + b"\n"
    found = read(tmp_path, mbox(1) + large + SURE + mail(2))
    assert mails(found) == [mail(0), mail(2)]
    assert [notice.code for notice in found if isinstance(notice, Notice)] == ["bad-mail"]
    with pytest.raises(InputError, match="first mail is larger than 32 MiB"):
        read(tmp_path, large)
    with pytest.raises(InputError, match="larger"):
        read(tmp_path, large.removeprefix(SURE))
    assert mails(read(tmp_path, mbox(1) + large)) == [mail(0)]


def test_broken_mail_costs_itself(tmp_path: Path):
    found = read(tmp_path, mbox(1) + SURE + b"Subject: \0\n\nx\n\n" + SURE + mail(2) + b"\n" + SURE + b"X-No: y\n\nz\n")
    assert mails(found) == [mail(0), mail(2)]
    assert [notice.code for notice in notices(found)] == ["bad-mail", "bad-mail"]
    assert "mail 2 has no headers; left out" in notices(found)[0].message
    assert "mail 4 has no headers; left out" in notices(found)[1].message


def test_a_broken_first_mail_costs_itself(tmp_path: Path):
    found = read(tmp_path, SURE + b"X-No: y\n\nz\n\n" + SURE + mail(1))
    assert mails(found) == [mail(1)]
    assert "mail 1 has no headers" in notices(found)[0].message


def test_a_mail_with_nul_bytes_is_read_and_named(tmp_path: Path):
    odd = b"Subject: x\n\na\0b\n"
    found = read(tmp_path, SURE + odd + b"\n" + SURE + mail(1))
    assert mails(found) == [odd, mail(1)]
    assert [notice.message for notice in notices(found)] == [
        f"{tmp_path / 'box'}: mail 1 holds NUL bytes; read as it stands"
    ]


def test_thousands_of_broken_mails_give_a_handful_of_notices(tmp_path: Path):
    found = read(tmp_path, mbox(1) + (SURE + b"X-No: y\n\nz\n\n") * 3000)
    assert len(notices(found)) == 101
    assert "2900 more mails cannot be read" in notices(found)[-1].message


@pytest.mark.parametrize("pack", [gzip.compress, partial(lzma.compress, preset=0)])
def test_what_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path, pack: type[bytes]):
    data = b"".join(SURE + mail(number) + os.urandom(300).hex().encode() + b"\n\n" for number in range(1500))
    packed = pack(data)
    found = read(tmp_path, packed[: len(packed) // 2])
    assert 3 < len(mails(found)) < 1500
    assert isinstance(found[-1], Notice)
    assert (found[-1].code, found[-1].source) == ("truncated", str(tmp_path / "box"))
    whole = [chunk + b"\n" for chunk in data.split(SURE)[1:]]
    assert all(one == other[:-2] for one, other in zip(mails(found), whole, strict=False))
    damaged = packed[: len(packed) // 2] + b"\xff" * 200 + packed[len(packed) // 2 :]
    assert isinstance(read(tmp_path, damaged)[-1], Notice)
    with pytest.raises(InputError, match=r"before its first mail ends|breaks off|damaged"):
        read(tmp_path, pack(mail(1))[:-20])
    with pytest.raises(InputError, match="box"):
        read(tmp_path, packed[:30])


def test_unpacked_size_is_capped(tmp_path: Path):
    found = read(tmp_path, gzip.compress(mbox(100)), max_bytes=1000)
    assert 1 <= len(mails(found)) < 100
    assert isinstance(found[-1], Notice)
    assert "more than 1000 bytes" in found[-1].message
    bomb = gzip.compress(mbox(2) + b"\0" * (64 << 20))
    assert len(mails(read(tmp_path, bomb, max_bytes=1 << 20))) == 1
    assert len(mails(read(tmp_path, mbox(100), max_bytes=1000))) == 100


def test_gzip_of_several_members_and_junk_behind(tmp_path: Path):
    packed = gzip.compress(mbox(1)) + gzip.compress(mbox(2)) + b"junk"
    assert mails(read(tmp_path, packed)) == [mail(0), mail(0), mail(1)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"\0\0", "holds no mail"),
        (bytes(range(256)) * 100, "holds no mail"),
        (b"Some text.\n", "holds no mail"),
        (b"Note: text\n\nmore\n", "holds no mail"),
        (b"diff --git a/x b/x\n", "holds no mail"),
        (b"From a\0b\n", "holds no mail"),
        (b"From here\n\nSubject: x\n", "first mail has no headers"),
        (SURE + b"Subject: \0x\n\n\n", "first mail has no headers"),
        (b"Subject: x\0\n", "holds no mail"),
        (b" folded\nSubject: x\n", "holds no mail"),
    ],
)
def test_unreadable_files_are_named(tmp_path: Path, data: bytes, words: str):
    with pytest.raises(InputError) as caught:
        read(tmp_path, data)
    assert str(tmp_path / "box") in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_and_odd_names(tmp_path: Path):
    with pytest.raises(InputError, match="no such file: "):
        list(read_sources([str(tmp_path / "none")]))
    with pytest.raises(InputError, match="cannot read"):
        list(read_sources(["a\0b"]))
    with pytest.raises(InputError, match="cannot read"):
        list(read_sources([str(tmp_path / ("x" * 300))]))
    with pytest.raises(InputError, match="standard input is empty"):
        list(read_sources(["-"], io.BytesIO(b"")))


class _Failing(io.RawIOBase):
    """A file on a medium that gives out."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int = -1, /) -> bytes:
        if not self._data:
            raise OSError("medium gone")
        data, self._data = self._data, b""
        return data


def test_reading_fails_half_way():
    stream = io.BytesIO(mbox(1))
    assert b"".join(blocks(stream)) == mbox(1)
    found = list(read_sources(["-"], _Failing(mbox(3))))  # type: ignore[arg-type]
    assert mails(found) == [mail(0), mail(1)]
    assert isinstance(found[-1], Notice)
    assert "medium gone" in found[-1].message
    with pytest.raises(InputError, match="medium gone"):
        list(read_sources(["-"], _Failing(b"")))  # type: ignore[arg-type]


@given(
    st.lists(st.sampled_from([SURE, mail(1), b"\n", b">From x\n", b"From x 1:23\n", b"A: b\n"]), max_size=30),
    st.integers(1, 200),
)
def test_blocks_of_any_size_give_the_same_mails(pieces: list[bytes], size: int):
    data = SURE + mail(0) + b"".join(pieces)
    cut: Iterator[bytes] = (data[at : at + size] for at in range(0, len(data), size))
    assert list(split_mbox(cut)) == list(split_mbox(iter([data])))


@given(st.binary(max_size=300))
def test_any_bytes_give_mails_or_a_named_error(data: bytes):
    for head in (b"", b"\x1f\x8b\x08", b"\xfd7zXZ\x00", SURE):
        found: list[RawMail | Notice] = []
        with contextlib.suppress(InputError):
            found += read_sources(["-"], io.BytesIO(head + data))
        assert all(raw.source for raw in found)


def test_memory_does_not_grow_with_the_file():
    def endless() -> Iterator[bytes]:
        for _ in range(60):
            yield (SURE + mail(1) + b"x" * 1000 + b"\n\n") * (BLOCK // 1200)
        raise BrokenError("ends")

    tracemalloc.start()
    with pytest.raises(BrokenError):
        collections.deque(split_mbox(endless()), maxlen=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * BLOCK


def test_the_corpus(corpus: Path):
    names = sorted(str(path) for path in (*(corpus / "seed").glob("*.mbox"), *(corpus / "threads").glob("*0.mbox.gz")))
    assert names
    assert all(isinstance(raw, RawMail) for raw in read_sources(names))
