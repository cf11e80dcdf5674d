"""A repository, open for reading."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

from reviewer.errors import InputError
from reviewer.repository.batch import Batch
from reviewer.repository.history import (
    changes_of,
    commits_between,
    is_id,
    patches_between,
    read_changes,
    read_patches,
)
from reviewer.repository.place import find_place
from reviewer.repository.process import Process, stream
from reviewer.repository.standin import StandIn
from reviewer.repository.values import MAX_OBJECT, GitObject, MissingObject, PathChange

_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}")
_MAX_NAME = 4096


class Repository:
    """A clone, bare repository or linked work tree, of which only objects and refs are read.

    Nothing of it is changed or run. All contents come from one git process, started at the first question; each call
    about history starts one more, which ends with the iterator. Use it as a context manager.
    """

    def __init__(self, path: Path, stand_in: StandIn) -> None:
        self.path = path
        self.object_format = stand_in.object_format
        self._stand_in = stand_in
        self._environment = stand_in.environment()
        self._batch = Batch(lambda: self._process("cat-file", "--batch"), str(path))

    @classmethod
    def open(cls, path: Path, *, parents: bool = False) -> Repository:
        """The repository at `path`; with `parents`, that of the nearest folder above it that has one.

        Raises InputError when there is none.
        """
        place = find_place(path, parents=parents)
        if place is None:
            raise InputError(f"{path} is no git repository: name a clone or a bare repository")
        return cls(path, StandIn(place))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git and remove what was made to run it."""
        self._batch.close()
        self._stand_in.close()

    def objects(self, ids: Iterable[str], limit: int = MAX_OBJECT) -> Iterator[GitObject | MissingObject]:
        """The objects of `ids` in their order, full or abbreviated (4 hex digits or more), up to `limit` bytes each.

        An abbreviation that fits one blob and other things is that blob. A ref named like an abbreviation is not taken
        for it.
        """
        for name in ids:
            wanted = name.lower()
            if _ABBREVIATED.fullmatch(wanted) is None:
                yield MissingObject(name=name, why="missing")
                continue
            found = self._batch.ask(wanted, limit)
            if isinstance(found, MissingObject):
                yield MissingObject(name=name, why=found.why)
            else:
                yield found if found.id.startswith(wanted) else MissingObject(name=name, why="missing")

    def completions(self, prefix: str) -> tuple[str, ...]:
        """The full ids of the objects that an abbreviated id (4 hex digits or more) fits, sorted. Costs a process."""
        if _ABBREVIATED.fullmatch(prefix) is None:
            return ()
        with closing(self._lines(("rev-parse", f"--disambiguate={prefix}"))) as lines:
            return tuple(sorted(line.decode("ascii").strip() for line in lines))

    def files(self, commit: str, paths: Iterable[str], limit: int = MAX_OBJECT) -> Iterator[GitObject | MissingObject]:
        """What stands at each of `paths` in `commit` (a full id), in their order: blobs, or trees for folders."""
        for path in paths:
            if is_id(commit) and _inside(path):
                found = self._batch.ask(f"{commit}:{path}", limit)
                yield MissingObject(name=path, why=found.why) if isinstance(found, MissingObject) else found
            else:
                yield MissingObject(name=path, why="missing")

    def resolve(self, revision: str) -> str | None:
        """The full id of the commit that a revision names (`v6.12`, `origin/main~3`, an id), or None.

        What needs the configuration or reflogs, as `@{upstream}` does, is None. Raises InputError for a damaged commit.
        """
        if not revision or revision.startswith("-") or "@{" in revision or not _one_line(revision):
            return None
        found = self._batch.ask(f"{revision}^{{commit}}", MAX_OBJECT)
        if isinstance(found, MissingObject):
            if found.why in ("damaged", "too-large"):
                raise InputError(f"{self.path}: commit {revision} is {found.why.replace('-', ' ')}")
            return None
        return found.id

    def commits(self, include: Sequence[str], exclude: Sequence[str] = (), limit: int | None = None) -> Iterator[str]:
        """The ids of the commits that lead to `include` and to none of `exclude` (full ids), newest first.

        Raises InputError, as all below, for what is no full id and when git cannot read the history.
        """
        with closing(self._lines(commits_between(self._ids(include), self._ids(exclude), limit))) as lines:
            for line in lines:
                yield line.decode("ascii").strip()

    def changes(self, commit: str, path: str | None = None) -> Generator[PathChange, None, None]:
        """What `commit` (a full id) and those before it did to files (to `path` only), newest first, without merges."""
        if path is not None and not _inside(path):
            return
        self._ids([commit])
        with closing(self._lines(changes_of(commit, path))) as lines:
            yield from read_changes(lines)

    def blobs_of_path(self, path: str, commit: str) -> Iterator[str]:
        """The ids of the blobs that stood at `path` in `commit` (a full id) and before it, newest first, each once."""
        seen: set[str] = set()
        with closing(self.changes(commit, path)) as changes:
            for change in changes:
                for blob in (change.new, change.old):
                    if blob is not None and blob not in seen:
                        seen.add(blob)
                        yield blob

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits (full ids), or None."""
        ids = self._ids([one, other])
        process = self._process("merge-base", *ids, talk=False)
        found = process.stdout.read().decode("ascii", "replace").strip()
        if process.wait() not in (0, 1):
            raise InputError(f"{self.path}: git cannot read it ({process.complaint()})")
        return found or None

    def patches(self, base: str, head: str, limit: int = MAX_OBJECT) -> Iterator[tuple[str, bytes | None]]:
        """Each commit of `base..head` (full ids) with its mail as `git format-patch` writes it, less the `From ` line.

        Oldest first, merges left out, `base-commit` told, object ids in full. None for a mail above `limit` bytes.
        """
        self._ids([base, head])
        arguments = patches_between(base, head, self.merge_base(base, head))
        with closing(self._lines(arguments)) as lines:
            yield from read_patches(lines, limit)

    def _ids(self, names: Iterable[str]) -> tuple[str, ...]:
        ids = tuple(names)
        for one in ids:
            if not is_id(one):
                raise InputError(f"{self.path}: no commit has the id {one[:80]!r}")
        return ids

    def _lines(self, arguments: Sequence[str]) -> Generator[bytes, None, None]:
        return stream(self._stand_in.folder, arguments, self._environment, str(self.path))

    def _process(self, *arguments: str, talk: bool = True) -> Process:
        return Process(self._stand_in.folder, arguments, self._environment, talk=talk)


def _one_line(text: str) -> bool:
    return len(text) <= _MAX_NAME and not any(char in text for char in "\n\r\0")


def _inside(path: str) -> bool:
    """Tell whether a path stays inside the tree, as git writes paths."""
    return _one_line(path) and not any(part in ("", ".", "..") for part in path.split("/"))
