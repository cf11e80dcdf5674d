"""docs/differences-from-labels.md lists all labels that differ from what is said of the real threads, and no others."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.mail.body import text_parts
from reviewer.mail.spool import Spool
from reviewer.model import Comment, Mail
from reviewer.reading import read_mails
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.talk.discussion import talk_of

PAGE = Path(__file__).parents[2] / "docs" / "differences-from-labels.md"
NEAR = 6
PLACED, FATE = "place", "fate"

Label = Mapping[str, Any]


def lineage_of(path: Path) -> str:
    """What the files of the versions of one series share: the scoring tool hands these over together."""
    name = path.name.removesuffix(".gz").removesuffix(".mbox")
    return re.sub(r"-v\d+[a-z]?$", "", re.sub(r"^.*?--\d{8}-", "", name))


def squeezed(line: str) -> str:
    return re.sub(r"\s+", "", line.lstrip("+- ") if line[:1] in ("+", "-", " ") else line)


def labelled(corpus: Path) -> Iterator[tuple[Label, Sequence[str], Sequence[Comment]]]:
    """The labels on mails that are here, with the lines of the patch's mail and the comments of the reply."""
    labels: defaultdict[str, list[Label]] = defaultdict(list)
    for line in (corpus / "labels.jsonl").read_text("utf-8").splitlines():
        label = json.loads(line)
        labels[lineage_of(Path(label["thread"]))].append(label)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((corpus / "threads").iterdir()):
        groups[lineage_of(path)].append(str(path))
    for name, wanted in labels.items():
        with Spool() as spool:
            mails = {mail.message_id: mail for mail in read_mails(groups[name], spool, []) if isinstance(mail, Mail)}
            comments = said(mails)
            for label in wanted:
                if label["patch_msgid"] in mails and label["reply_msgid"] in mails:
                    parts = text_parts(mails[label["patch_msgid"]])
                    yield label, parts[0].text.split("\n"), comments[label["reply_msgid"]]


def said(mails: Mapping[str, Mail]) -> Mapping[str, list[Comment]]:
    """The comments of each reply."""
    found: defaultdict[str, list[Comment]] = defaultdict(list)
    for lineage in assemble(mails.values()).lineages:
        for comments in talk_of(tuple(open_series(outline) for outline in lineage.outlines)).values():
            for comment in comments:
                found[comment.reply].append(comment)
    return found


def distance(comment: Comment, where: Sequence[int]) -> int:
    line = comment.location.body_line
    return min((abs(line - at) for at in where if line is not None), default=NEAR + 1)


@pytest.fixture(scope="module")
def judged(corpus: Path) -> tuple[Counter[str], set[tuple[str, str]]]:
    """How many labels agree in what, and the replies whose labels differ, each with in what."""
    counts: Counter[str] = Counter()
    differing: set[tuple[str, str]] = set()
    for label, lines, comments in labelled(corpus):
        where = [number for number, line in enumerate(lines, 1) if squeezed(line) == squeezed(label["code"])]
        right = [one for one in comments if one.patch == label["patch_msgid"]]
        placed = [one for one in right if not label["file"] or distance(one, where) <= NEAR]
        counts.update(labels=1, found=bool(comments), patch=bool(right), line=bool(placed))
        if not placed:
            differing.add((PLACED, label["reply_msgid"]))
        if label["fixed_later"] in (True, False):
            kind = "fixed" if label["fixed_later"] else "not fixed"
            agrees = False
            if placed:
                nearest = min(placed, key=lambda one: distance(one, where) if where else 0)
                agrees = (nearest.state == "changed") == label["fixed_later"]
                if not agrees:
                    differing.add((FATE, label["reply_msgid"]))
            counts.update({kind: 1, f"{kind}, seen": agrees})
    return counts, differing


def test_the_aims_are_met(judged: tuple[Counter[str], set[tuple[str, str]]]) -> None:
    counts, _ = judged
    assert counts["labels"] > 150
    for what, share, of in (
        ("found", 98, "labels"),
        ("patch", 97, "labels"),
        ("line", 96, "labels"),
        ("fixed, seen", 80, "fixed"),
        ("not fixed, seen", 60, "not fixed"),
    ):
        assert 100 * counts[what] >= share * counts[of], what


def test_the_page_has_the_figures(judged: tuple[Counter[str], set[tuple[str, str]]]) -> None:
    counts, _ = judged
    page = PAGE.read_text("utf-8")
    for figure in (
        f"{counts['found']} of {counts['labels']}",
        f"{counts['patch']} (",
        f"{counts['line']} (",
        f"{counts['fixed, seen']} of {counts['fixed']} ",
        f"{counts['not fixed, seen']} of {counts['not fixed']} ",
    ):
        assert figure in page


def test_the_page_lists_all_that_differ(judged: tuple[Counter[str], set[tuple[str, str]]]) -> None:
    _, differing = judged
    listed: set[tuple[str, str]] = set()
    for section in PAGE.read_text("utf-8").split("\n## ")[1:]:
        rows = [line.partition(" | ")[0] for line in section.splitlines() if line.startswith("| `<")]
        kind = PLACED if section.startswith("Another place") else FATE
        listed |= {(kind, one) for row in rows for one in re.findall(r"`<([^>]+)>`", row)}
    assert listed == differing
