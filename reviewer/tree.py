"""The tree that a call names, and the ladder that leads to its code."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.code.cache import Trees
from reviewer.code.ladder import Files, Ladder
from reviewer.code.versions import Tree
from reviewer.config import named_in
from reviewer.diff.patchid import patch_id
from reviewer.errors import InputError, UsageError
from reviewer.model import Assembly
from reviewer.series.opening import open_series

if TYPE_CHECKING:
    from reviewer.repository import Repository


def chosen_tree(options: argparse.Namespace) -> Path | None:
    """The repository that is in force (`reviewer.config`); None without one."""
    tree: Path | None = options.tree
    if tree is None and (options.base or options.apply_to):
        raise UsageError("--base and --apply-to name commits of a clone: give it with --tree DIR")
    return tree


@contextmanager
def ladder_of(options: argparse.Namespace, assembly: Assembly) -> Generator[Ladder]:
    """The ladder for a call: without a tree, only as far as the mails themselves lead.

    Raises InputError when the tree is no repository or lacks a commit that the call names.
    """
    tree = chosen_tree(options)
    trees = Trees(options.cache) if options.cache else None
    if tree is None:
        yield Ladder(trees=trees)
        return
    from reviewer.repository import Repository

    with Repository.open(tree) as repository:
        for name, revision in (("base", options.base), ("apply_to", options.apply_to)):
            if revision is not None:
                _check(repository, f"--{name.replace('_', '-')} {revision}{named_in(options, name)}", revision)
        wanted = Tree(branches=options.branches, base=options.base, apply_to=options.apply_to)
        yield Ladder(repository=repository, tree=wanted, find=_Known(assembly).find, trees=trees)


def _check(repository: Repository, told: str, revision: str) -> None:
    if repository.resolve(revision) is None:
        raise InputError(f"{told}: no such commit in {repository.path}; name a branch, a tag or a commit")


class _Known:
    """The patches of all series in the sources by their patch-ids; read when somebody asks for the first."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly

    def find(self, ids: Sequence[str]) -> Sequence[Files]:
        """What the patches with these ids do, in this order, as far as they are known."""
        return [self._patches[one] for one in ids if one in self._patches]

    @cached_property
    def _patches(self) -> dict[str, Files]:
        return {
            patch_id(patch.files): patch.files
            for lineage in self._assembly.lineages
            for outline in lineage.outlines
            for patch in open_series(outline).patches
        }
