"""Titles made equal across versions, and moments in time."""

from __future__ import annotations

from datetime import UTC

from reviewer.model import Mail, Subject

HOUR = 3600.0
DAY = 24 * HOUR
NEVER = float("inf")


def clean_title(subject: Subject) -> str:
    """The title in small letters, white space folded, a trailing `v2`, `(v2)` or full stop cut."""
    words = subject.title.casefold().split()
    if len(words) > 1 and _is_version(words[-1].strip("(),.")):
        words.pop()
    return " ".join(words).rstrip(".,; ")


def _is_version(word: str) -> bool:
    return word[:1] == "v" and word[1:].isascii() and word[1:].isdigit()


def moment(mail: Mail) -> float:
    """Seconds since 1970 of the mail's date, read as UTC without a zone; infinity without a date."""
    if mail.date is None:
        return NEVER
    date = mail.date if mail.date.tzinfo else mail.date.replace(tzinfo=UTC)
    return date.timestamp()


def near(one: float, other: float, within: float = HOUR) -> bool:
    """Whether two moments are no further apart than `within` seconds; an unknown moment is near to all."""
    return NEVER in (one, other) or abs(one - other) <= within


def prefix_tokens(subject: Subject) -> tuple[str, ...]:
    """The tokens that name a tree or kind: neither version nor counter nor resend, in small letters and sorted."""
    return tuple(sorted(token.lower() for token in subject.tokens if not _is_numbering(token.lower())))


def _is_numbering(token: str) -> bool:
    rest = token.removeprefix("rfc").removeprefix("patch")
    digits = rest.replace("/", "")
    return (
        not rest
        or digits.isdigit()
        or digits == "of"
        or (rest[:1] == "v" and rest[1:2].isdigit())
        or token.startswith(("resend", "repost"))
    )
