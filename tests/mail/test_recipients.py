"""To whom a mail goes, by its headers."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.mail.recipients import recipients


def emails(data: bytes) -> list[str]:
    return [box.email for box in recipients(data)]


def test_to_and_cc_in_order() -> None:
    data = (
        b'From: x@x.example\nCC: "Roe, Jane" <c@x.example>,\n\td@x.example\nBcc: e@x.example\n'
        b"To: a@x.example, B <b@x.example>\n\nCc: f@x.example\n"
    )
    assert emails(data) == ["a@x.example", "b@x.example", "c@x.example", "d@x.example"]
    assert [box.name for box in recipients(data)] == ["", "B", "Roe, Jane", ""]
    assert emails(b"From: x@x.example\n\nhello\n") == []


def test_long_lists_are_read_in_pieces() -> None:
    many = [f"Somebody With A Name {at} <somebody{at}@x.example>" for at in range(300)]
    assert emails(b"To: " + ",\n ".join(many).encode() + b"\n\n") == [f"somebody{at}@x.example" for at in range(300)]


@pytest.mark.parametrize("piece", [b'"', b"(", b"<", b",", b"a@b,", b"a b ", b"\xff"])
def test_hostile_lists_are_cut(piece: bytes) -> None:
    start = time.process_time()
    recipients(b"To: " + piece * 1_000_000 + b"\n\n")
    assert time.process_time() - start < 2


@given(st.binary(max_size=300))
def test_anything_is_read(noise: bytes) -> None:
    assert all(box.email for box in recipients(b"Cc: " + noise))
