"""What it costs to follow what was said of a series: ten versions, 400 mails, all generated.

    python benchmarks/talk.py [--runs 3]

Each version has a cover letter, nine patches and thirty replies: reviewers who quote parts of a patch and write below
some lines, the author's answers, and answers to those. With each version a third of the commented lines change, others
come back, and the changelog names some. Measured are CPU seconds of the whole command (reading, all rules on all
versions, the discussion and the report), and of the discussion alone within one process.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from measure import cost

from reviewer.mail.spool import Spool
from reviewer.reading import read_mails
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.talk.discussion import talk_of

VERSIONS, PATCHES, REPLIES = 10, 9, 30
FUNCTIONS, STEPS = 12, 7
AUTHOR = "Ann Author <ann@dev.example>"
REVIEWERS = [f"{first} Reader <{first.lower()}@lists.example>" for first in ("Rob", "Eve", "Ida", "Jon", "Kay")]
WORDS = (
    "Why is {call} called without the lock here?",
    "Please check what {call} returns before going on.",
    "nit: the name does not tell what it counts",
    "I do not think this is right: nothing frees it when {call} fails.",
    "Could this be done in the caller of {call}?",
)
ANSWERS = ("Good catch, will do.", "It is documented above the function.", "Done in the next version.")
TARGET = 3.0


def main() -> int:
    """Print a line a figure; 1 when the target is missed."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--runs", type=int, default=3)
    given = ask.parse_args()
    mails = list(lineage())
    with tempfile.TemporaryDirectory() as folder:
        box = Path(folder, "lineage.mbox")
        box.write_text("".join(f"From mboxrd@z Thu Jan  1 00:00:00 1970\n{mail}\n" for mail in mails), encoding="utf-8")
        output = Path(folder, "report.json")
        words = ("review", str(box), "--revision", "all", "--format", "json", "-o", str(output), "--fail-on", "never")
        whole = cost([sys.executable, "-m", "reviewer", *words], runs=given.runs)
        versions, comments, alone = discussion(box, given.runs)
    if whole.code or versions != VERSIONS:
        print(f"failed: code {whole.code}, {versions} versions")
        return 1
    print(
        f"{len(mails)} mails, {versions} versions, {sum(comments.values())} comments: {dict(sorted(comments.items()))}"
    )
    print(f"discussion alone               {alone:6.2f} CPU s")
    missed = "" if whole.cpu < TARGET else "  MISSED"
    print(f"the whole review, less than {TARGET:.0f}  {whole.cpu:6.2f} CPU s ({whole.memory >> 20} MiB){missed}")
    return int(bool(missed))


def discussion(box: Path, runs: int) -> tuple[int, Counter[str], float]:
    """How many versions were found, comments by their states, and the CPU seconds of the cheapest run."""
    found: Counter[str] = Counter()
    cheapest = float("inf")
    with Spool() as spool:
        (lineage,) = assemble(read_mails([str(box)], spool, [])).lineages
        versions = tuple(open_series(outline) for outline in lineage.outlines)
        for _ in range(runs):
            began = process_time()
            talk = talk_of(versions)
            cheapest = min(cheapest, process_time() - began)
            found = Counter(str(comment.state) for said in talk.values() for comment in said)
    return len(versions), found, cheapest


def lineage() -> Iterator[str]:
    """The mails in the order in which they were sent."""
    for version in range(1, VERSIONS + 1):
        mark = f" v{version}" if version > 1 else ""
        cover = f"v{version}-0@dev.example"
        yield mail(cover, f"[PATCH net-next{mark} 0/{PATCHES}] net: frob: count what is open", cover_text(version))
        for number in range(1, PATCHES + 1):
            subject = f"[PATCH net-next{mark} {number}/{PATCHES}] net: frob: count part {number}"
            yield mail(f"v{version}-{number}@dev.example", subject, patch_text(version, number), cover)
        yield from replies(version, mark, cover)


def replies(version: int, mark: str, cover: str) -> Iterator[str]:
    """Ten chains of a reply to a patch, the author's answer, and an answer to that."""
    for chain in range(REPLIES // 3):
        number = chain % PATCHES + 1
        subject = f"Re: [PATCH net-next{mark} {number}/{PATCHES}] net: frob: count part {number}"
        lines = patch_text(version, number).splitlines()
        reviewer = REVIEWERS[(version + chain) % len(REVIEWERS)]
        above = [cover, f"v{version}-{number}@dev.example"]
        body, said = commented(lines, version + chain), ""
        for depth, by in enumerate((reviewer, AUTHOR, reviewer)):
            message_id = f"v{version}-{chain}-{depth}@lists.example"
            yield mail(message_id, subject, body, *above, by=by)
            above.append(message_id)
            said = ANSWERS[(version + chain + depth) % len(ANSWERS)]
            body = "".join(f"> {line}".rstrip() + "\n" for line in body.splitlines()[:120]) + f"\n{said}\n"


def commented(lines: list[str], seed: int) -> str:
    """The patch quoted, with words below every fourth step of its functions."""
    found = ["On Monday, Ann Author wrote:"]
    for at, line in enumerate(lines):
        found.append(f"> {line}".rstrip())
        if "_step_" in line and at % 4 == seed % 4:
            call = line.strip("+\t ;").partition("(")[0] + "()"
            found += ["", WORDS[(at + seed) % len(WORDS)].format(call=call), ""]
    return "\n".join(found) + "\n"


def cover_text(version: int) -> str:
    """A cover letter with a changelog of all versions."""
    log = [f"v{at}:\n- check what frob_{at}_step_3() returns (Rob)\n- rename a counter of part {at % PATCHES}\n"
           for at in range(version, 1, -1)]  # fmt: skip
    return f"Frobs that are open are not counted.\n\n{''.join(log)}\n net/frob.c | 90 +++++\n 9 files changed\n"


def patch_text(version: int, number: int) -> str:
    """A patch of twelve functions; each line of one of them changes with every third version, at its own time."""
    hunks: list[str] = []
    for function in range(FUNCTIONS):
        start = 10 + 30 * function
        added = [
            f"+\tfrob_{number}_step_{step}(f, {rounds(version, number, function, step)});" for step in range(STEPS)
        ]
        body = [
            f" int frob_{number}_{function}(struct frob *f)",
            " {",
            " \tint err;",
            *added,
            " \treturn err;",
            " }",
            " ",
        ]
        hunks.append(
            f"@@ -{start},6 +{start + STEPS * function},{6 + STEPS} @@ int frob_{number}_{function}_end(void)\n"
        )
        hunks += (f"{line}\n" for line in body)
    path = f"net/frob_{number}.c"
    head = f"diff --git a/{path} b/{path}\nindex 1111111..{version:07x} 100644\n--- a/{path}\n+++ b/{path}\n"
    text = f"Count part {number}.\n\nSigned-off-by: {AUTHOR}\n---\n {path} | {FUNCTIONS * STEPS} +++\n\n"
    return f"{text}{head}{''.join(hunks)}-- \n2.50.0\n\n"


def rounds(version: int, number: int, function: int, step: int) -> int:
    """A number that grows with every third version."""
    return (version + number + function + step) // 3


def mail(message_id: str, subject: str, body: str, *above: str, by: str = AUTHOR) -> str:
    """A mail as text; those above it are its references."""
    place = [int(part) for part in message_id.partition("@")[0].removeprefix("v").split("-")]
    date = f"Date: {place[0]:02} Mar 2025 12:{place[1]:02}:{10 * (len(place) - 1):02} +0000\n"
    links = f"In-Reply-To: <{above[-1]}>\nReferences: {' '.join(f'<{one}>' for one in above)}\n" if above else ""
    return (
        f"From: {by}\nSubject: {subject}\nMessage-ID: <{message_id}>\n{date}{links}Content-Type: text/plain\n\n{body}"
    )


if __name__ == "__main__":
    sys.exit(main())
