"""Dates as `--since` takes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.errors import UsageError
from reviewer.since import parse_since

NOW = datetime(2026, 2, 28, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("word", "moment"),
    [
        ("2026-02-03", datetime(2026, 2, 3, tzinfo=UTC)),
        ("2026-02-03T10:20", datetime(2026, 2, 3, 10, 20, tzinfo=UTC)),
        (" 2026-02-03 10:20+02:00 ", datetime(2026, 2, 3, 8, 20, tzinfo=UTC)),
        ("2026-02-03t10:20z", datetime(2026, 2, 3, 10, 20, tzinfo=UTC)),
        ("1066-10-14", datetime(1970, 1, 1, tzinfo=UTC)),
        ("today", datetime(2026, 2, 28, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 2, 27, tzinfo=UTC)),
        ("2 weeks", NOW - timedelta(days=14)),
        ("2w", NOW - timedelta(days=14)),
        ("1 week ago", NOW - timedelta(days=7)),
        ("3.days.ago", NOW - timedelta(days=3)),
        ("12h", NOW - timedelta(hours=12)),
        ("6 months", NOW - timedelta(days=180)),
        ("1 year", NOW - timedelta(days=365)),
        ("99999 years", datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_forms(word: str, moment: datetime) -> None:
    assert parse_since(word, NOW) == moment


@pytest.mark.parametrize("word", ["", "soon", "2", "2 fortnights", "2026-13-01", "-3d", "123456 days", "1m"])
def test_what_is_no_date(word: str) -> None:
    with pytest.raises(UsageError, match="no date"):
        parse_since(word, NOW)


def test_now_is_now() -> None:
    before = datetime.now(UTC)
    assert before <= parse_since("1d") + timedelta(days=1) <= datetime.now(UTC)


@given(st.text(max_size=30))
def test_anything_is_a_date_or_an_error(word: str) -> None:
    try:
        moment = parse_since(word, NOW)
    except UsageError:
        return
    assert moment.tzinfo is not None
    assert moment >= datetime(1970, 1, 1, tzinfo=UTC)
