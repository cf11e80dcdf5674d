"""Where `reviewer` and b4 read one thread differently: versions, patches, covers and tags.

    python benchmarks/differences.py MBOX...

Each thread (mbox, also gzipped) is read by both; b4 by LoreMailbox and get_series for each version that it finds, told
by b4_threads.py which mails are one thread. Prints a line a difference; docs/differences-from-b4.md judges them.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewer.mail.address import email_key, parse_person
from reviewer.mail.spool import Spool
from reviewer.model import Cover, Patch, Series
from reviewer.reading import read_mails
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

Credit = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A version as one of the two found it.

    `tags` leads from those that replies gave (mail, name, address) to the Message-IDs of the replies.
    """

    version: int
    total: int
    cover: str | None
    patches: dict[int, str]
    tags: Mapping[Credit, str]

    @property
    def members(self) -> set[str]:
        """The Message-IDs of patches and cover."""
        return {*self.patches.values(), *([self.cover] if self.cover else [])}


def main(paths: list[str]) -> int:
    """Print what differs, thread by thread."""
    differ = 0
    for path in map(Path, paths):
        lines = list(_differences(_ours(path), _theirs(path)))
        differ += bool(lines)
        for line in lines:
            print(f"{path.name.partition('.mbox')[0]}: {line}")
    print(f"{differ} of {len(paths)} files")
    return 0


def _ours(path: Path) -> list[Found]:
    with Spool() as spool:
        assembly = assemble(read_mails([str(path)], spool, []))
        return [_found(open_series(outline)) for lineage in assembly.lineages for outline in lineage.outlines]


def _found(series: Series) -> Found:
    subjects: list[Cover | Patch] = [*([series.cover] if series.cover else []), *series.patches]
    return Found(
        version=series.outline.version,
        total=series.outline.total or 1,
        cover=series.cover.mail.message_id if series.cover else None,
        patches={patch.number: patch.mail.message_id for patch in series.patches},
        tags={
            (one.mail.message_id, tag.name.lower(), _who(tag.value)): tag.source
            for one in subjects
            for tag in one.tags
            if tag.counted and tag.source is not None
        },
    )


def _who(value: str) -> str:
    person = parse_person(value)
    return email_key(person.email) if person else value


def _theirs(path: Path) -> list[Found]:
    with tempfile.TemporaryDirectory() as home:
        box = Path(home, "thread.mbox")
        data = path.read_bytes()
        box.write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
        script = Path(__file__).with_name("b4_threads.py")
        run = subprocess.run(
            [sys.executable, str(script), str(box)],
            check=False,
            capture_output=True,
            env={"HOME": home, "PATH": os.environ["PATH"]},
        )
    if run.returncode:
        print(f"{path.name}: b4 fails: {run.stderr.decode().strip().rpartition(chr(10))[2]}")
    return [_read(json.loads(line)) for line in run.stdout.splitlines()]


def _read(told: dict[str, Any]) -> Found:
    patches = {int(number): patch for number, patch in told["patches"].items()}
    tags = {(mail, name, _who(value)): source for mail, name, value, source in told["tags"]}
    for (mail, name, who), source in list(tags.items()):
        if mail == told["cover"]:
            tags |= {(patch, name, who): source for patch in patches.values()}
    return Found(version=told["version"], total=told["expected"], cover=told["cover"], patches=patches, tags=tags)


def _differences(ours: list[Found], theirs: list[Found]) -> Iterator[str]:
    left = list(theirs)
    for one in ours:
        other = max(
            left, key=lambda found: (len(found.members & one.members), found.version == one.version), default=None
        )
        if other is None or not other.members & one.members:
            yield f"only ours: v{one.version}, {len(one.patches)}/{one.total}{', cover' if one.cover else ''}"
            continue
        left.remove(other)
        yield from _of_one(one, other)
    for other in left:
        yield f"only b4: v{other.version}, {len(other.patches)}/{other.total}{', cover' if other.cover else ''}"


def _of_one(ours: Found, theirs: Found) -> Iterator[str]:
    name = f"v{ours.version}"
    if ours.version != theirs.version:
        yield f"{name}: b4 says v{theirs.version}"
    if ours.total != theirs.total:
        yield f"{name}: {ours.total} patches, b4 says {theirs.total}"
    if ours.cover != theirs.cover:
        yield f"{name}: cover {ours.cover}, b4 {theirs.cover}"
    for number in sorted(ours.patches.keys() | theirs.patches.keys()):
        if ours.patches.get(number) != theirs.patches.get(number):
            yield f"{name}: patch {number} is {ours.patches.get(number)}, b4 {theirs.patches.get(number)}"
    for word, some, others in (("ours", ours.tags, theirs.tags), ("b4", theirs.tags, ours.tags)):
        for mail, tag, who in sorted(some.keys() - others.keys()):
            yield f"{name}: only {word} credits {tag} of <{some[mail, tag, who]}> to <{mail}>"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
