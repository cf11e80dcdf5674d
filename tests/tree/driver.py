"""An invented driver of a few hundred lines in a real repository, and mails of patches to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gitmaking import commit, git, init

from reviewer.code.ladder import Ladder
from reviewer.code.versions import SeriesCode
from reviewer.code.versions import Tree as Wanted
from reviewer.mail.parse import parse_mail
from reviewer.model import Assembly, FileContext, Mail, Series
from reviewer.repository import Repository
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

MAIN = "drivers/net/frob/main.c"
SLOTS = "drivers/net/frob/slots.c"
HEAD = "drivers/net/frob/frob.h"
HEADER = """\
/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FROB_H
#define FROB_H

#define FROB_SLOTS 64

enum frob_state {
\tFROB_OFF,
\tFROB_ON,
};

struct frob {
\tstruct device *dev;
\tenum frob_state state;
\tu32 slots;
\tvoid *ring[FROB_SLOTS];
};

int frob_map(struct frob *fb, size_t len);
void frob_unmap(struct frob *fb);

#endif
"""


def function(number: int) -> str:
    """One of many functions of the driver."""
    return (
        f"static int frob_step_{number}(struct frob *fb, int arg)\n"
        "{\n"
        f"\tint left = {number};\n"
        "\tint err;\n"
        "\n"
        "\tif (!fb->dev)\n"
        "\t\treturn -ENODEV;\n"
        "\n"
        "\tmutex_lock(&fb->lock);\n"
        f"\terr = frob_do_{number}(fb, arg);\n"
        "\tif (err)\n"
        "\t\tgoto out;\n"
        "\n"
        "\twhile (left--)\n"
        f"\t\tfrob_poke(fb, arg + {number});\n"
        "\n"
        "\tfb->slots += left;\n"
        "out:\n"
        "\tmutex_unlock(&fb->lock);\n"
        "\treturn err;\n"
        "}\n"
    )


def source(first: int, count: int) -> str:
    """A C file with `count` functions."""
    head = '// SPDX-License-Identifier: GPL-2.0\n/* Frob slots. */\n#include <linux/frob.h>\n\n#include "frob.h"\n\n'
    return head + "\n".join(function(number) for number in range(first, first + count))


FILES: Mapping[str, str | bytes] = {
    MAIN: source(1, 8),
    SLOTS: source(101, 6),
    HEAD: HEADER,
    "drivers/net/frob/Makefile": "obj-$(CONFIG_FROB) += frob.o\n",
    "Documentation/frob.rst": "Frob\n====\n\nFrobs have slots.\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A repository with its first commit, and what to do with it."""

    folder: Path
    base: str

    def commit(self, title: str, files: Mapping[str, str | bytes], when: int = 1_700_000_100) -> str:
        return commit(self.folder, title, files, when)

    def edit(self, title: str, path: str, *changes: tuple[str, str]) -> str:
        text = (self.folder / path).read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        return self.commit(title, {path: text})

    def mails(self, *options: str, since: str | None = None) -> list[bytes]:
        """The commits since the base as `git format-patch` writes them."""
        text = git(self.folder, "format-patch", "--stdout", "--thread=shallow", *options, f"{since or self.base}..")
        return [f"From {piece}\n".encode() for piece in f"\n{text}".split("\nFrom ")[1:]]

    def only(self, commit_id: str) -> None:
        """Make the branch end at a commit and drop what came after it."""
        git(self.folder, "reset", "-q", "--hard", commit_id)
        git(self.folder, "reflog", "expire", "--expire=all", "--all")
        git(self.folder, "gc", "-q", "--prune=now")


def driver_tree(folder: Path, object_format: str) -> Tree:
    """The driver in a new repository."""
    init(folder, f"--object-format={object_format}")
    return Tree(folder=folder, base=commit(folder, "frob: add it", FILES))


def opened(mails: Sequence[bytes]) -> Series:
    """The only series of some mails, as they come out of an mbox."""
    _, (series,) = opened_in(mails)
    return series


def opened_in(mails: Sequence[bytes]) -> tuple[Assembly, list[Series]]:
    """All series of some mails, and how they were put together."""
    bodies = [data.partition(b"\n")[2] if data.startswith(b"From ") else data for data in mails]
    read = [parse_mail(data, "test", at, partial(bytes, data)) for at, data in enumerate(bodies)]
    assert all(isinstance(mail, Mail) for mail in read), read
    assembly = assemble(mail for mail in read if isinstance(mail, Mail))
    return assembly, [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]


def climb(series: Series, folder: Path | None, **wanted: str | None) -> SeriesCode:
    """What the ladder gives with a repository at `folder` (None: without)."""
    tree = Wanted(branches={}, **wanted)  # type: ignore[arg-type]
    if folder is None:
        return Ladder(tree=tree).climb(series)
    with Repository.open(folder) as repository:
        return Ladder(repository=repository, tree=tree).climb(series)


def contexts(code: SeriesCode) -> list[FileContext]:
    """Those of all patches, in order."""
    return [context for seen in code.patches for context in seen.contexts]


def rungs(code: SeriesCode) -> list[tuple[str, str]]:
    """Rung and problem of each file of each patch."""
    return [(context.rung, context.problem) for context in contexts(code)]
