"""How people and days are written in a line of text."""

from __future__ import annotations

from reviewer.model import Address, Mail
from reviewer.report.layout import shortened


def name_of(person: Address) -> str:
    """How a person is called in a line of text."""
    return shortened(person.name or person.email or "somebody")


def day_of(mail: Mail) -> str:
    """The day of a mail in its own time zone, or an empty string."""
    return mail.date.date().isoformat() if mail.date else ""
