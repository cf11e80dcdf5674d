"""Date headers, kept or given up."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

_DATE = re.compile(
    r"(\d{1,2})[ -]([A-Za-z]{3})[a-z]{0,6}[ -](\d{2,5})\s+"
    r"(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?\s*([+-]\d{4}\b|[A-Z]{1,5}\b)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2}
_FIRST, _LAST = 1970, 9998


def parse_date(text: str) -> datetime | None:
    """The moment that an RFC 2822 date names, aware; None for a date that is absent, broken or impossible.

    A zone that is missing or not known counts as UTC. Years outside 1970 to 9998 are impossible: converting them
    between zones could overflow.
    """
    match = _DATE.search(text[:200])
    if match is None:
        return None
    day, month, year, hour, minute, second, zone = match.groups()
    try:
        moment = datetime(
            _year(year), _MONTHS.index(month.lower()) + 1, int(day), int(hour), int(minute), min(int(second or 0), 59)
        )
        moment = moment.replace(tzinfo=_zone(zone or ""))
    except ValueError:
        return None
    return moment if _FIRST <= moment.year <= _LAST and int(second or 0) <= 60 else None


def _year(text: str) -> int:
    year = int(text)
    if len(text) == 2:
        return year + (2000 if year < 50 else 1900)
    return year + 1900 if len(text) == 3 else year


@lru_cache(maxsize=128)
def _zone(text: str) -> timezone:
    if text[:1] in ("+", "-"):
        minutes = int(text[1:3]) * 60 + int(text[3:5])
        return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
    return timezone(timedelta(hours=_ZONES[text])) if text in _ZONES else UTC
