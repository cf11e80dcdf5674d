"""DM002: a change of a percentage is given in percent where it is percentage points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from reviewer.kit.tables import Tables, read_tables
from reviewer.rule import Example, Find, Hit, Lack, Message, MessageRule, Result, Struct, TextLine, message

from ._percentages import LONGEST_SENTENCE, Change, from_tables
from ._sentences import Sentence, sentences
from ._unread import could_hold_percent

_ABOUT = r"(?:(?:by|of|about|around|roughly|approximately|approx\.?|nearly|almost|some|an?|up to|as much as|over)\s+)"
_AMOUNT = r"[~≈]?\s?(?P<amount>\d{1,3}(?:\.\d{1,4})?)\s?(?:%|percent\b)(?!\s?(?:age)?[ -]?points?)"
_VERB = (
    r"\b(?:drop|fall|decreas|declin|shrink|reduc|lower|sav|cut|grow|grew|fell|increas|ris|rose|rais|gain|climb|improv|jump"
    r"|(?:go(?:es)?|went) (?:up|down)\b)[a-z]{0,5}"
)
_CLAIMS = (
    re.compile(rf"{_VERB}\s+{_ABOUT}{{0,3}}{_AMOUNT}", re.IGNORECASE),
    re.compile(rf"{_VERB}(?:\s+[^\s,;]{{1,40}}){{1,8}}?\s+by\s+{_ABOUT}{{0,2}}{_AMOUNT}", re.IGNORECASE),
    re.compile(
        rf"{_AMOUNT}\s+(?:[a-z]{{1,12}}\s+){{0,2}}(?:drop|reduction|decrease|saving|increase|growth|gain|improvement)s?\b",
        re.IGNORECASE,
    ),
)
_POINTS = re.compile(r"\bpoints?\b|\bpps?\b|\bp\.p\.|%-pt", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)\s?(?:%|percent\b)")
_PAIR = re.compile(
    r"[~≈]?(\d{1,3}(?:\.\d{1,4})?)\s?(?:%|percent)\s?(?:-+>|=+>|→|to|vs\.?|versus)\s?[~≈]?(\d{1,3}(?:\.\d{1,4})?)\s?(?:%|percent\b)"
)
_CLAUSE = re.compile(r"[,;]|\b(?:and|but|while|whereas)\b")
_MOST_CLAIMS = 100
"""Of one message; nobody makes more, and each is looked up in every table."""


class _Claim(Struct, frozen=True, kw_only=True):
    sentence: Sentence
    amount: float
    ulp: float
    place: int


class PercentOrPoints(MessageRule):
    """Finds sentences such as "CPU drops ~19%" where the metric is itself a percentage and 19 is the difference.

    The two values come from the sentence, or from a table of the message whose column (or row) the sentence names. Said
    only when the number is the difference of the two (within one point) and more than three away from the relative
    change, so that it is clear what was computed.

    Silent when the sentence speaks of points, or when the relative change stands beside it. Says that it could not
    check when a block that may hold the values cannot be read as a table.

    Sources: RULES.md DM002; "RX app sys % drops ~19%" of 54.15 to 35.47,
    <20260603-tcpdm-large-niovs-v1-1-f37a4ac6726c@meta.com>.
    """

    id = "DM002"
    name = "percent-or-points"
    title = "A change of a percentage is given in percent where it is percentage points"
    why = (
        "From 60 % to 40 % is 20 percentage points, and a third less. Written as 20 % it reads as the relative change, "
        "and the gain looks smaller or greater than it is."
    )
    level = "warning"
    confidence = "medium"
    category = "bench-claim"
    needs = ("mail",)

    def check(self, message: Message) -> Iterator[Result]:
        """Yield a hit for each sentence that gives points as percent."""
        lines = (*message.text.message, *message.text.notes)
        if not any("%" in line.text or "percent" in line.text for line in lines):
            return
        tables = read_tables(lines)
        claims = list(islice(_claims(lines, tables), _MOST_CLAIMS))
        known = [(claim, list(_changes(claim, tables))) for claim in claims]
        for claim, changes in known:
            meant = next((change for change in changes if _is_points(claim, change)), None)
            if meant:
                yield Hit(message.at(claim.sentence.line_at(claim.place)), _told(claim, meant))
        unread = sum(map(could_hold_percent, tables.blocks))
        if unread and any(not changes for _, changes in known):
            yield Lack("mail", tables=unread)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Points as percent, with the values in the sentence and in tables; both said; a relative change; a rate."""
        return [
            message("bad", "Sender cpu drops ~20% (60% -> 40%) with this.\n", finds=[Find(line="drops ~20%")]),
            message(
                "bad",
                """
  size       Gbps       app sys %
  ----  ---------  --------------
  4K        300.1   54.1 +/- 1.2
  64K       330.9   35.4 +/- 0.8

The app sys % drops by about 19% from 4K to 64K.
""",
                finds=[Find(line="drops by about 19%")],
            ),
            message(
                "bad",
                """
                    before   after
throughput (Gb/s)    200.1   201.3
sender CPU (sys)     40.0%   20.0%

This saves 20% of sender CPU.
""",
                finds=[Find(line="This saves")],
            ),
            message("good", "Sender cpu drops by 20 percentage points (60% -> 40%, -33%).\n"),
            message("good", "Sender cpu drops by a third, 33% (60% -> 40%).\n"),
            message(
                "look-alike",
                """
                    before   after
throughput (Gb/s)     80.0   100.0
sender CPU (sys)     40.0%   20.0%   (-50%)

Throughput grows by 25%, and the softirq share with it (52% -> 59%).
""",
            ),
        ]


def _claims(lines: tuple[TextLine, ...], tables: Tables) -> Iterator[_Claim]:
    rows = {row.line.body_line for table in tables.tables for row in table.rows}
    for sentence in sentences(lines, rows):
        if len(sentence.text) > LONGEST_SENTENCE or not _PERCENT.search(sentence.text) or _POINTS.search(sentence.text):
            continue
        found = (pattern.search(sentence.text) for pattern in _CLAIMS)
        claim = next((one for one in found if one), None)
        if claim:
            amount: str = claim["amount"]
            ulp = 10.0 ** -len(amount.partition(".")[2])
            yield _Claim(sentence=sentence, amount=float(amount), ulp=ulp, place=claim.start("amount"))


def _changes(claim: _Claim, tables: Tables) -> Iterator[Change]:
    """The changes of percentages that the sentence may speak of: its own two values, else those of the tables."""
    text = claim.sentence.text
    own = next((pair for pair in _PAIR.finditer(text) if _belongs(claim, pair)), None)
    if own:
        yield Change(before=float(own[1]), after=float(own[2]), shown=(own[1], own[2]), metric="")
    else:
        yield from from_tables(text, tables)


def _belongs(claim: _Claim, pair: re.Match[str]) -> bool:
    """Whether the pair of values stands in the same clause as the claim."""
    start, end = sorted((claim.place, pair.start()))
    return _CLAUSE.search(claim.sentence.text, start, end) is None


def _is_points(claim: _Claim, change: Change) -> bool:
    points = abs(change.after - change.before)
    relative = change.relative
    others = [float(found[1]) for found in _PERCENT.finditer(claim.sentence.text)]
    near = min(1.0, max(claim.ulp / 2, 0.2 * points))
    return (
        abs(claim.amount - points) <= near + 1e-9
        and abs(claim.amount - relative) > 3
        and not any(abs(other - relative) <= 1 and other not in (change.before, change.after) for other in others)
    )


def _told(claim: _Claim, change: Change) -> str:
    before, after = change.shown
    own = f"{before} % to {after} % is"
    start = f"{change.metric} goes from {before} to {after}, which is" if change.metric else own
    points = abs(change.after - change.before)
    return (
        f"{start} {points:.1f} percentage points, or {change.relative:.1f} % relative; "
        f"written as {claim.amount:g} % it reads as the relative change."
    )
