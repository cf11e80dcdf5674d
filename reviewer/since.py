"""What `--since` takes: a date, or how long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from reviewer.errors import UsageError

_AGO = re.compile(r"(\d{1,5})[ .]?(h|hours?|d|days?|w|weeks?|months?|y|years?)(?:[ .]ago)?", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


def parse_since(word: str, now: datetime | None = None) -> datetime:
    """The moment that `word` names, aware; nothing before 1970.

    An ISO 8601 date (its midnight) or date and time, in UTC when it names no zone; `today`, `yesterday`; or a length
    such as `2 weeks`, `3d`, `6.months.ago`, counted back from `now`, a month as 30 days. Raises UsageError else.
    """
    text = word.strip().lower()
    at = now if now is not None else datetime.now(UTC)
    if text in ("today", "yesterday"):
        midnight = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=text == "yesterday")
    if match := _AGO.fullmatch(text):
        return at - min(timedelta(hours=int(match[1]) * _HOURS[match[2][0]]), at - _FIRST)
    try:
        named = datetime.fromisoformat(text.upper())
    except ValueError:
        raise UsageError(f"no date: {word}; give one such as 2026-02-28, yesterday, 3d or '2 weeks'") from None
    return max(named if named.tzinfo else named.replace(tzinfo=UTC), _FIRST)
