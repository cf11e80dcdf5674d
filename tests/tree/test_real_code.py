"""Patches to real kernel code, made here, against a repository of it."""

from __future__ import annotations

import random
from pathlib import Path

from driver import Tree, climb, opened, rungs
from gitmaking import commit, git, init

from reviewer.code.change import changes_of


def edited(text: str, chance: random.Random) -> str:
    """`text` with a statement added, one repeated and one taken away, each in some function."""
    rows = text.split("\n")
    places = [at for at, row in enumerate(rows) if row.startswith("\t") and row.endswith(";") and at > 40]
    for at in sorted(chance.sample(places, 3), reverse=True):
        rows[at : at + 1] = chance.choice(([rows[at], "\tfrob();"], [rows[at], rows[at]], []))
    return "\n".join(rows)


def test_every_patch_to_real_code_is_followed(kernel: dict[str, str], tmp_path: Path) -> None:
    chance = random.Random(4)
    tree = Tree(folder=init(tmp_path / "linux"), base="")
    tree = Tree(folder=tree.folder, base=commit(tree.folder, "all of it", kernel))
    git(tmp_path, "clone", "-q", "--bare", str(tree.folder), "base.git")
    files = dict(kernel)
    for number in range(4):
        for path in chance.sample(sorted(files), 3):
            files[path] = edited(files[path], chance)
        tree.commit(f"net: change {number}", files, 1_700_000_100 + number)
    series = opened(tree.mails("--base=HEAD~4"))
    code = climb(series, tmp_path / "base.git")
    assert set(rungs(code)) == {("blob", "")}
    assert code.trial.state == "applies"
    for patch, seen in zip(series.patches, code.patches, strict=True):
        for change in changes_of(patch, series, seen.codes):
            ((old, new),) = change.units
            for unit, lines in ((old, "removed"), (new, "added")):
                for group in change.groups:
                    for line in getattr(group, lines):
                        place = change.place_of(line)
                        assert place is not None
                        assert place[0].lines[place[1]].text == line.text
                        function = change.function_of(line)
                        assert function
                        assert any(one.complete and one.name == function for one in unit.functions)
