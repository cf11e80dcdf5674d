"""Where `reviewer` and `git range-diff` match the patches of two versions differently.

    python benchmarks/range_diff.py MBOX... [--without-titles]

The mails (mboxes, also gzipped) are read together. Each version of a lineage becomes a branch in a throw-away
repository, each patch a commit on images that hold what its hunks show, and the gaps filled with lines of their own;
git matches one branch with the next. Prints a line a difference; docs/differences-from-range-diff.md judges them.
`--without-titles`: on our side, too, the diffs alone tell.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from reviewer.mail.spool import Spool
from reviewer.model import FileDiff, Hunk, Patch, Series
from reviewer.reading import read_mails
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.series.rangediff import match_patches

COMMITTER = b"committer A <a@git.example> 1000000000 +0000\n"
LINE = re.compile(r"\s*(\d+|-):\s+\S+ \S +(\d+|-):\s+\S+ ")
BEHIND = 8

Pair = tuple[int, int]
"""Numbers of the patches of both versions, from 1; 0 for none."""


@dataclass(slots=True)
class Branches:
    """Commands for `git fast-import`."""

    commands: list[bytes] = field(default_factory=list[bytes])
    mark: int = 0

    def branch(self, name: str, patches: Sequence[Patch]) -> None:
        """A root commit, and for each patch its commit on a merge that brings the images it starts from.

        Merges are what range-diff leaves out.
        """
        root = self._commit(name, "root", None)
        tip = root
        for patch in patches:
            files = [file for file in patch.files if not file.binary]
            self._commit(name, "images", tip, root)
            self.commands.append(b"deleteall\n")
            for file in files:
                if file.status != "added":
                    self._write(file.old_path or file.path, image(file, "-"))
            title = patch.mail.subject.title or "untitled"
            tip = self._commit(name, "\n".join([title, "", *(line.text for line in patch.text.message)]), self.mark)
            for file in files:
                if file.status in ("deleted", "renamed"):
                    self.commands.append(b"D " + quoted(file.old_path or file.path) + b"\n")
                if file.status != "deleted":
                    self._write(file.path, image(file, "+"))

    def _commit(self, name: str, message: str, *parents: int | None) -> int:
        self.mark += 1
        head = f"commit refs/heads/{name}\nmark :{self.mark}\n".encode()
        links = [f"{'merge' if at else 'from'} :{mark}\n".encode() for at, mark in enumerate(parents) if mark]
        self.commands.append(head + COMMITTER + data(message) + b"".join(links))
        return self.mark

    def _write(self, path: str, text: str) -> None:
        self.commands.append(b"M 100644 inline " + quoted(path) + b"\n" + data(text))


def main() -> int:
    """Print what differs, version by version."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("paths", nargs="+", metavar="MBOX")
    ask.add_argument("--without-titles", action="store_true", help="let patches be matched by their diffs alone")
    given = ask.parse_args()
    versions = differing = total = 0
    with Spool() as spool:
        lineages = assemble(read_mails(given.paths, spool, [])).lineages
        for lineage in lineages:
            series = [open_series(outline) for outline in lineage.outlines if outline.patches]
            for old, new in pairwise(series):
                ours, how = our_pairs(old, new, titles=not given.without_titles)
                theirs = git_pairs(old, new)
                versions, total = versions + 1, total + len(ours)
                differing += ours != theirs
                told(old, new, ours, theirs, how)
    print(f"{versions} pairs of versions in {len(lineages)} lineages, {total} pairs of patches; {differing} differ")
    return 0


def told(old: Series, new: Series, ours: set[Pair], theirs: set[Pair], how: dict[Pair, str]) -> None:
    """Print the pairs of patches that only one of the two found."""
    head = f"{clean(new)} v{old.outline.version} -> v{new.outline.version}"
    for pair in sorted(ours ^ theirs):
        who = f"ours ({how[pair]})" if pair in ours else "git"
        print(f"{head}: {who}: {named(old, pair[0])} -> {named(new, pair[1])}")


def clean(series: Series) -> str:
    """A short name of a series."""
    mail = series.cover.mail if series.cover else series.patches[0].mail
    return mail.subject.title


def named(series: Series, number: int) -> str:
    """A patch by its place and title."""
    return f"{number} {series.patches[number - 1].mail.subject.title!r}" if number else "none"


def our_pairs(old: Series, new: Series, *, titles: bool) -> tuple[set[Pair], dict[Pair, str]]:
    """The pairs that `reviewer` makes, and how it found each."""
    olds, news = ([patch if titles else untitled(patch) for patch in series.patches] for series in (old, new))
    before = {id(patch): at for at, patch in enumerate(olds, 1)}
    after = {id(patch): at for at, patch in enumerate(news, 1)}
    pairs = match_patches(olds, news)
    how = {(before.get(id(pair.old), 0), after.get(id(pair.new), 0)): str(pair.how) for pair in pairs}
    return set(how), how


def untitled(patch: Patch) -> Patch:
    """The patch without the title that tells it."""
    mail = patch.mail
    return replace(patch, mail=replace(mail, subject=replace(mail.subject, title="")))


def git_pairs(old: Series, new: Series) -> set[Pair]:
    """The pairs that `git range-diff` makes."""
    with tempfile.TemporaryDirectory() as home:
        git(home, "init", "-q", "--bare")
        branches = Branches()
        branches.branch("old", old.patches)
        roots = (1, branches.mark + 1)
        branches.branch("new", new.patches)
        marks = Path(home, "marks")
        git(home, "fast-import", "--quiet", f"--export-marks={marks}", stdin=b"".join(branches.commands))
        names = dict(line.split() for line in marks.read_text(encoding="ascii").splitlines())
        before, after = (names[f":{mark}"] for mark in roots)
        said = git(home, "range-diff", "--no-color", "-s", f"{before}..old", f"{after}..new")
    found = [LINE.match(line) for line in said.splitlines()]
    return {(number(match[1]), number(match[2])) for match in found if match}


def number(text: str) -> int:
    """A number as range-diff prints it, 0 for a dash."""
    return 0 if text == "-" else int(text)


def git(home: str, *words: str, stdin: bytes = b"") -> str:
    """What git prints. Raises CalledProcessError."""
    run = subprocess.run(["git", "-C", home, *words], check=True, input=stdin, stdout=subprocess.PIPE)
    return run.stdout.decode("utf-8", "replace")


def image(file: FileDiff, mark: str) -> str:
    """One side of a file: what its hunks show, the headings of the hunks, and lines that stand for all the rest."""
    lines: list[str] = []
    at = 1
    for hunk in file.hunks:
        gap = [f"~{at + n}~{file.path}" for n in range(start(hunk) - at)]
        if gap and hunk.section.strip():
            gap[-1] = hunk.section.strip()
        lines += gap
        lines += side(hunk, mark)
        at = start(hunk) + len(list(side(hunk, "-")))
    if file.status not in ("added", "deleted"):
        lines += [f"~end {n}~{file.path}" for n in range(BEHIND)]
    return "".join(f"{line}\n" for line in lines)


def start(hunk: Hunk) -> int:
    """The first line of a hunk in the old file; git names the line above where there is none."""
    return hunk.old_start + (hunk.old_count == 0)


def side(hunk: Hunk, mark: str) -> Iterator[str]:
    """The lines of a hunk with this mark, and those that stay."""
    return (line.text for line in hunk.lines if line.mark in (" ", mark))


def quoted(path: str) -> bytes:
    """A path as fast-import reads it."""
    escaped = path.strip('"').replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.encode("utf-8", "surrogateescape")


def data(text: str) -> bytes:
    """Text with its length in front."""
    raw = text.encode("utf-8", "surrogateescape")
    return b"data %d\n%s\n" % (len(raw), raw)


if __name__ == "__main__":
    sys.exit(main())
