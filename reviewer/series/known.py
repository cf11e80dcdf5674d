"""Versions of a series that are not in the input: linked to by those that are, or left out in their numbering."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from reviewer.model import Lineage, Mail, Outline, Series

_VERSION = re.compile(r"(?<![A-Za-z0-9])(rfc)?(?:patch)?[ -]?v(\d{1,4})(?![0-9.])", re.IGNORECASE)
_IN_ID = re.compile(r"-v(\d{1,4})-\d{1,4}-[0-9a-f]{8,}@")
_TOKEN = re.compile(r"[^\s<>()\[\]\"']+")
_PARTS = re.compile(r"[/=&?#]")
_LONGEST = 400
_UNKNOWN = 1 << 20

_Label = tuple[int | None, bool]
"""A version, and whether it is called an RFC."""


class KnownVersion(Struct, frozen=True, kw_only=True):
    """A version that is only linked to. `version` is None when nothing tells it; `link` is a bare Message-ID."""

    version: int | None
    link: str
    rfc: bool = False


def known_only(lineage: Lineage, opened: Sequence[Series], here: Container[str]) -> tuple[KnownVersion, ...]:
    """The versions that mails of a lineage link to and that are not `here` (the Message-IDs of the input).

    Lowest version first, those without a number last. The number is told by the Message-ID (b4 writes `-v2-0-`), by
    the words before the link in the texts of `opened`, those of its versions that were, or by being the only one that
    is absent. A link to a version that the lineage has is left out.
    """
    mails = [mail for outline in lineage.outlines for mail in _mails(outline)]
    wanted = dict.fromkeys(link for mail in mails for link in mail.links if link not in here)
    labels = _labelled(opened, wanted) if wanted else {}
    present = {(outline.version, _is_rfc(outline)) for outline in lineage.outlines}
    found: list[KnownVersion] = []
    for link in wanted:
        version, rfc = labels.get(link, (None, False))
        if (version, True) not in present and (rfc or (version, False) not in present):
            found.append(KnownVersion(version=version, link=link, rfc=rfc))
    found = _completed(found, [version for version, _ in present])
    return tuple(sorted(found, key=lambda one: one.version if one.version is not None else _UNKNOWN))


def _completed(found: list[KnownVersion], present: Iterable[int]) -> list[KnownVersion]:
    """With the only version that is absent for the only link that has none."""
    loose = [one for one in found if one.version is None]
    absent = left_out((*present, *(one.version for one in found if one.version is not None)))
    if len(loose) != 1 or loose[0].rfc or len(absent) != 1 or absent[0][0] != absent[0][1]:
        return found
    return [replace(one, version=absent[0][0]) if one is loose[0] else one for one in found]


def left_out(versions: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The runs, first and last, of versions from 1 on that are not among `versions`, up to the highest of these."""
    known = [0, *sorted({version for version in versions if version > 0})]
    return tuple((low + 1, high - 1) for low, high in pairwise(known) if high > low + 1)


def _mails(outline: Outline) -> Iterator[Mail]:
    yield from filter(None, (outline.cover, *outline.patches))


def _is_rfc(outline: Outline) -> bool:
    return any(mail.subject.rfc for mail in _mails(outline))


def _labelled(opened: Sequence[Series], wanted: Container[str]) -> dict[str, _Label]:
    """From links to versions and whether they are called RFC."""
    labels: dict[str, _Label] = {}
    for series in opened:
        for link, label in _labels(series, wanted):
            labels.setdefault(link, label)
    return labels


def _labels(series: Series, wanted: Container[str]) -> Iterator[tuple[str, _Label]]:
    """Links with the one version that the words before them name, on their line or on a heading above."""
    version = series.outline.version
    for subject in (series.cover, *series.patches):
        before = ""
        for line in (*subject.text.message, *subject.text.notes) if subject else ():
            text = line.text[:_LONGEST]
            for token in _TOKEN.finditer(text) if "@" in text or "%40" in text else ():
                parts = map(unquote, _PARTS.split(token[0]))
                link = next((one for part in parts if (one := part.strip("<>.,;:")) in wanted), "")
                label = _label(link, text[: token.start()].strip(" \t-*[(") or before) if link else None
                if label is not None and (label[0] is None or label[1] or label[0] < version):
                    yield link, label
            before = text if text.rstrip().endswith(":") else before if not text.strip() else ""


def _label(link: str, lead: str) -> _Label | None:
    rfc = "rfc" in lead.lower()
    if match := _IN_ID.search(link):
        return int(match[1]), rfc
    named = {int(match[2]) for match in _VERSION.finditer(lead)}
    if len(named) == 1:
        return named.pop(), rfc
    return (None, True) if rfc else None
