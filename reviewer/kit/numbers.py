"""Numbers as people write them in tables: with a unit, a spread, a sign, an arrow or a change in brackets.

`30.1 +- 0.5`, `1,234`, `64K`, `12.5%`, `+42.9 %`, `(-3%)`, `~8`, `300 -> 320 (+7%)`, `116.2 Gbps (41%)`.
"""

from __future__ import annotations

import re

from msgspec import Struct

LONGEST_CELL = 120
"""Characters; nobody writes a longer cell, and no pattern below is tried on one."""

SPREADS = ("+/-", "+-", "±")
_NUMBER = r"(?P<{0}about>[~≈]\s?)?(?P<{0}sign>[+\-−–]\s?)?(?P<{0}digits>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?|\.\d+)"
_WORD = r"%|[A-Za-z\u00b5\u03bc]{{1,9}}(?:/[A-Za-z\u00b5\u03bc]{{1,9}})?"
_UNIT = rf"(?:\s?(?P<{{0}}unit>{_WORD})(?![A-Za-z0-9_]))?"
_SPREAD = r"(?:\s*(?:\+/-|\+-|±)\s*(?P<{0}spread>\d+(?:\.\d+)?|\.\d+)\s?(?P<{0}spreadpct>%)?)?"
_VALUE = _NUMBER + _UNIT + _SPREAD + rf"(?:\s?(?P<{{0}}late>{_WORD}))?"
_BRACKET = r"[(\[]\s*" + _NUMBER + _UNIT + r"\s*[)\]]"
_CELL = (
    rf"(?:{_VALUE.format('a')}(?:\s*(?:-+>|=+>|→)\s*{_VALUE.format('b')})?(?:\s*{_BRACKET.format('c')})?"
    rf"|{_BRACKET.format('d')})"
)
_RANGE = r"[~≈]?\d+(?:\.\d+)?\s?(?:-|–|\.\.)\s?\d+(?:\.\d+)?\s?[A-Za-z%]{0,6}"
NOTHING = frozenset({"-", "--", "---", "—", "n/a", "na", "nan", "none", "oom", "fail", "x", "?", "*"})
"""What stands in a cell for a number that is not there."""


class Number(Struct, frozen=True, kw_only=True):
    """A printed number. `ulp` is the value of its last printed place, `spread` what stands behind a plus-minus.

    `unit` as written, without case folded (`%`, `K`, `Gbps`), `signed` whether a sign is printed, `about` whether the
    author says that it is approximate. A spread in percent of another unit is turned into that unit, and left out where
    it could be either (`30.1 +- 3%`).
    """

    text: str
    value: float
    ulp: float
    unit: str = ""
    spread: float | None = None
    signed: bool = False
    bracketed: bool = False
    about: bool = False


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of a table: its text, and the number in it, or None.

    `target` is the number behind an arrow, `change` the one in brackets behind another. `blank` tells that nothing or
    a sign for nothing stands there, `range` that it holds two ends without a value.
    """

    text: str
    number: Number | None = None
    target: Number | None = None
    change: Number | None = None
    blank: bool = False
    range: bool = False

    @property
    def numeric(self) -> bool:
        """Whether it belongs in a column of numbers."""
        return self.number is not None or self.range or (self.blank and self.text != "")


def read_cell(text: str) -> Cell:
    """The cell that `text` is; any text makes a cell, most without a number."""
    text = text.strip().strip("*`").strip()
    if text.casefold() in NOTHING or not text:
        return Cell(text=text, blank=True)
    if len(text) > LONGEST_CELL or not any(map(str.isdigit, text)):
        return Cell(text=text)
    found = re.fullmatch(_CELL, text)
    if found is None:
        return Cell(text=text, range=re.fullmatch(_RANGE, text) is not None)
    if found["ddigits"]:
        return Cell(text=text, number=_number(found, "d", bracketed=True))
    return Cell(
        text=text,
        number=_number(found, "a"),
        target=_number(found, "b") if found["bdigits"] else None,
        change=_number(found, "c", bracketed=True) if found["cdigits"] else None,
    )


def read_number(text: str) -> Number | None:
    """The one number that `text` is, or None."""
    cell = read_cell(text)
    return cell.number if cell.target is None and cell.change is None else None


def _number(found: re.Match[str], part: str, *, bracketed: bool = False) -> Number:
    groups = found.groupdict()
    digits: str = groups[part + "digits"].replace(",", "")
    sign: str = (groups[part + "sign"] or "").strip()
    value = float(digits) * (-1 if sign in ("-", "−", "–") else 1)
    unit: str = groups[part + "unit"] or groups.get(part + "late") or ""
    spread = float(groups[part + "spread"]) if groups.get(part + "spread") else None
    if spread is not None and groups.get(part + "spreadpct"):
        spread = abs(value) * spread / 100 if unit not in ("", "%") else spread if unit else None
    return Number(
        text=_printed(found, part, sign),
        value=value,
        ulp=_ulp(digits),
        unit=unit,
        spread=spread,
        signed=bool(sign),
        bracketed=bracketed,
        about=bool(groups[part + "about"]),
    )


def _printed(found: re.Match[str], part: str, sign: str) -> str:
    """The number with sign and unit, without spread and brackets."""
    start = found.start(part + ("sign" if sign else "digits"))
    return found.string[start : max(found.end(part + "digits"), found.end(part + "unit"))]


def _ulp(digits: str) -> float:
    """The last place that counts: of long integers that end in three zeros or more, the last that is not zero."""
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0**zeros if zeros >= 3 and len(digits) >= 5 else 1.0
