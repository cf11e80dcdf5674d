"""What mails say of patches that went in: all of a version, or some of its patches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from reviewer.mail.body import part_lines, text_parts
from reviewer.mail.subject import parse_subject
from reviewer.model import Lineage, Mail, Outline, Role
from reviewer.series.drafts import numbers_of

_ENTRY = re.compile(r"\s*(?:[-*] )?(?=\[)")
_WENT_IN = ("commit:", "http://", "https://", "(no commit info)")
_LEFT_OUT = "(no matching commit)"
_LONGEST = 1000


class Applied(Struct, frozen=True, kw_only=True):
    """A version of which patches went in. `mail` is the last that said so, `patches` are their numbers, in order.

    `whole`: all patches went in; `patches` is empty when the mail did not say which.
    """

    outline: Outline
    mail: Mail
    patches: tuple[int, ...]
    whole: bool


def applied_of(lineage: Lineage, roles: Mapping[str, Role]) -> tuple[Applied, ...]:
    """The versions of a lineage of which something went in, lowest version first.

    Mails of patchwork-bot and b4 name each patch with its commit, or `(no matching commit)`; a `(subset)` is never the
    whole. A mail that names none speaks of the patch that it answers, or of the whole version when it answers the
    cover letter.
    """
    return tuple(one for outline in lineage.outlines if (one := _applied(outline, roles)) is not None)


def applied_by(lineage: Lineage, roles: Mapping[str, Role]) -> Mail | None:
    """The mail that says that the newest version which went in as a whole did so."""
    return next((one.mail for one in reversed(applied_of(lineage, roles)) if one.whole), None)


def _applied(outline: Outline, roles: Mapping[str, Role]) -> Applied | None:
    mails = [mail for mail in outline.replies if roles.get(mail.message_id) == "applied"]
    if not mails:
        return None
    numbers: set[int] = set()
    whole = False
    for mail in mails:
        named = _named(mail, outline)
        numbers.update(named or ())
        whole = whole or named is None
    total = outline.total or len(outline.patches)
    whole = whole or 0 < total <= sum(number <= total for number in numbers)
    return Applied(outline=outline, mail=mails[-1], patches=tuple(sorted(numbers)), whole=whole)


def _named(mail: Mail, outline: Outline) -> tuple[int, ...] | None:
    """The numbers of the patches that `mail` says went in; None for all of them."""
    entries = dict(_entries(_lines(mail)))
    if entries:
        return tuple(number for number, went_in in entries.items() if went_in)
    if "(subset)" in mail.subject.text:
        return ()
    current = {patch.message_id for patch in outline.patches}
    number = numbers_of(outline).get(mail.in_reply_to or "") if mail.in_reply_to in current else None
    return None if number is None else (number,)


def _lines(mail: Mail) -> list[str]:
    parts = text_parts(mail)
    return [line.text[:_LONGEST] for line in part_lines(parts[0])] if parts else []


def _entries(lines: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """The patches of a summary, `[net-next,v2,1/3] title` with what became of it on the line below."""
    for at, line in enumerate(lines[:-1]):
        start = _ENTRY.match(line)
        below = lines[at + 1].strip()
        if start is not None and (below == _LEFT_OUT or below.startswith(_WENT_IN)):
            yield parse_subject(line[start.end() :]).number or 1, below != _LEFT_OUT
