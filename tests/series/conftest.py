"""Makes mails for the tests of the series layer from a few words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from reviewer.mail.subject import parse_subject
from reviewer.model import Address, Mail

START = datetime(2025, 3, 3, 12, 0, tzinfo=UTC)
ANN = Address(name="Ann Author", email="ann@dev.example")


@pytest.fixture(scope="session")
def post() -> Callable[..., Mail]:
    """A mail with the given subject and Message-ID; `to` are its references, `at` minutes from the start of all."""
    positions = count()

    def make(
        subject: str,
        message_id: str,
        *to: str,
        at: float | None = 0,
        by: Address = ANN,
        diff: bool | None = None,
        stat: bool = False,
        answers: str | None = None,
        change_id: str | None = None,
        links: tuple[str, ...] = (),
        data: bytes = b"",
    ) -> Mail:
        parsed = parse_subject(subject)
        return Mail(
            message_id=message_id,
            subject=parsed,
            author=by,
            date=None if at is None else START + timedelta(minutes=at),
            in_reply_to=answers or (to[-1] if to else None),
            references=to if answers is None else (*to, answers),
            has_diff=(not parsed.reply and parsed.number != 0) if diff is None else diff,
            has_diffstat=stat,
            source="test.mbox",
            position=next(positions),
            load=lambda: data,
            change_id=change_id,
            links=links,
        )

    return make
