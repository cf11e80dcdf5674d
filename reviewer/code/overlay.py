"""The files of a tree as the patches so far have left them, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.code.versions import LARGEST, Start, Version
from reviewer.diff.blob import SHORTEST, is_named
from reviewer.model import FileDiff
from reviewer.repository import GitObject, MissingObject, Repository

_COMPLETED = 16
"""Ambiguous ids that are looked into: each costs a process."""


class Overlay:
    """Versions of files by path, above a repository (None: there is none). `problem` tells why the last look failed."""

    def __init__(self, repository: Repository | None) -> None:
        self._repository = repository
        self._versions: dict[str, Version | None] = {}
        self._completed = 0
        self.problem = ""

    def put(self, changes: Sequence[tuple[FileDiff, Version | None]]) -> None:
        """Take over what one patch makes of its files; None for contents that nobody knows."""
        for file, _ in changes:
            if file.status == "renamed":
                self._versions[file.old_path] = Version(data=None, rung="blob")
        for file, version in changes:
            self._versions[file.path] = version

    def known(self, path: str) -> Version | None:
        """What earlier patches made of `path`, None when they did nothing to it or nobody knows what."""
        return self._versions.get(path)

    def is_changed(self, path: str) -> bool:
        """Whether an earlier patch did something to `path`."""
        return path in self._versions

    def exact(self, file: FileDiff) -> Iterator[bytes]:
        """Pre-images whose id is the one that `file` names; without one, what earlier patches made."""
        self.problem = ""
        known = self.known(file.old_path)
        if file.old_blob is None:
            self.problem = "no-index"
            if known is not None and known.data is not None:
                yield known.data
            return
        if known is not None and known.data is not None and is_named(known.data, file.old_blob):
            yield known.data
        shown = _shown_whole(file)
        if shown is not None and is_named(shown, file.old_blob):
            yield shown
        if self._repository is not None:
            yield from self._stored(self._repository, file.old_blob)

    def near(self, path: str, starts: Sequence[Start]) -> Iterator[Version]:
        """Pre-images that may be near enough: what earlier patches made, else the file at each of `starts`."""
        if self.is_changed(path):
            known = self.known(path)
            if known is not None:
                yield Version(data=known.data, rung="named" if known.rung == "named" else "base")
            return
        for start in starts:
            yield Version(data=self.at(path, start.commit), rung=start.rung)

    def at(self, path: str, commit: str) -> bytes | None:
        """The file `path` of a commit, None when there is none that can be read."""
        if self._repository is None:
            return None
        (found,) = self._repository.files(commit, [path], LARGEST)
        if isinstance(found, MissingObject):
            self.problem = "absent" if found.why == "missing" else found.why
            return None
        return found.data if found.kind == "blob" else None

    def _stored(self, repository: Repository, name: str) -> Iterator[bytes]:
        """The blobs of that id, which may be abbreviated; several when it fits several."""
        if len(name) < SHORTEST:
            self.problem = "ambiguous"
            return
        (found,) = repository.objects([name], LARGEST)
        if isinstance(found, GitObject):
            if found.kind == "blob":
                yield found.data
            return
        self.problem = "blob-missing" if found.why == "missing" else found.why
        if found.why == "ambiguous" and self._completed < _COMPLETED:
            self._completed += 1
            for one in repository.objects(repository.completions(name), LARGEST):
                if isinstance(one, GitObject) and one.kind == "blob":
                    yield one.data


def _shown_whole(file: FileDiff) -> bytes | None:
    """The pre-image as far as the only hunk shows it, when that begins with its first line: perhaps all of it."""
    if len(file.hunks) != 1 or file.hunks[0].old_start > 1:
        return None
    text = "".join(f"{line.text}\n" for line in file.hunks[0].lines if line.mark != "+")
    whole = text[:-1] if "old" in file.hunks[0].no_newline else text
    return whole.encode("utf-8", "replace")
