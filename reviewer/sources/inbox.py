"""The mails of a public-inbox archive in git, as public-inbox-v2-format(5) and public-inbox-v1-format(5) describe it.

Version 2 is a folder with epochs `git/0.git`, `git/1.git` and so on, each a bare repository with one mail a commit, in
blob `m`; a blob `d` is a mail taken back. Version 1 is one repository with a blob a mail, at a path of 2/38 hex digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.repository import GitObject, MissingObject, Repository
from reviewer.repository.place import find_place
from reviewer.sources.detect import starts_as_mail
from reviewer.sources.raw import MAX_MAIL, Raw, RawMail, bad_mail, truncated

Progress = Callable[[int, int], None]

_MAIL = re.compile(rb"m|[0-9a-f]{2}/[0-9a-f]{38}(?:[0-9a-f]{24})?")
_EPOCH = re.compile(r"([0-9]{1,9})\.git")
_ENTRY = re.compile(rb"[0-7]{5,6} ([^\0]+)\0")
_FROM_LINE = re.compile(rb"[\r\n]*>*From [^\r\n]*\r?\n")
_PATIENCE = 1000
_REASONS = {
    "too-large": f"is larger than {MAX_MAIL >> 20} MiB",
    "missing": "is not in this copy of the archive",
    "damaged": "is damaged",
}


class _Epoch(Struct, kw_only=True):
    """One repository of an archive and the ids of its mails, newest first, packed to save memory."""

    repository: Repository
    ids: bytearray
    width: int
    ended: bool = False
    problem: str = ""

    def __len__(self) -> int:
        return len(self.ids) // self.width

    def oldest_first(self) -> Iterator[str]:
        for at in range(len(self.ids) - self.width, -1, -self.width):
            yield self.ids[at : at + self.width].hex()


def is_inbox(path: Path) -> bool:
    """Tell whether `path` is a public-inbox archive or one epoch of it, by the names in it and in its newest tree."""
    if find_place(path) is None:
        return bool(_epochs(path))
    try:
        with Repository.open(path) as repository:
            names = _names(repository)
    except InputError:
        return False
    return bool(names) and (names <= {b"m", b"d"} or all(re.fullmatch(rb"[0-9a-f]{2}", name) for name in names))


def read_inbox(path: Path, name: str, *, since: datetime | None = None, progress: Progress | None = None) -> Raw:
    """The mails of the archive at `path`, oldest commit first, without those taken back; a Notice for one left out.

    With `since`, only mails whose commit is not older. `progress` is told how many mails of how many are done. The ids
    of the mails (20 or 32 bytes each) are kept; the mails are streamed. Raises InputError when nothing can be read.
    """
    with ExitStack() as stack:
        epochs = _listed(path, stack, since.timestamp() if since is not None else None)
        problems = [epoch.problem for epoch in epochs if epoch.problem]
        if problems and not any(map(len, epochs)):
            raise InputError(problems[0])
        if since is None and not any(map(len, epochs)):
            raise InputError(f"{name} holds no mail: name a public-inbox archive")
        total, done = sum(map(len, epochs)), 0
        for epoch in reversed(epochs):
            if epoch.problem:
                yield truncated(name, f"is damaged ({epoch.problem})")
            for found in epoch.repository.objects(epoch.oldest_first(), limit=MAX_MAIL):
                done += 1
                yield _mail(found, name, done)
                if progress is not None:
                    progress(done, total)
            epoch.repository.close()


def _epochs(path: Path) -> list[Path]:
    """The epochs of a version 2 archive, oldest first."""
    for folder in (path / "git", path):
        try:
            found = [(int(match[1]), one) for one in folder.iterdir() if (match := _EPOCH.fullmatch(one.name))]
        except OSError:
            continue
        repositories = [one for _, one in sorted(found) if find_place(one) is not None]
        if repositories:
            return repositories
    return []


def _listed(path: Path, stack: ExitStack, since: float | None) -> list[_Epoch]:
    """The epochs with the ids of their mails, newest first: a mail may be taken back in a later epoch than its own."""
    epochs: list[_Epoch] = []
    gone: set[str] = set()
    places = [path] if find_place(path) is not None else _epochs(path)
    for place in reversed(places):
        repository = stack.enter_context(Repository.open(place))
        epoch = _Epoch(repository=repository, ids=bytearray(), width=32 if repository.object_format == "sha256" else 20)
        epochs.append(epoch)
        try:
            _list(epoch, gone, since)
        except InputError as error:
            epoch.problem = str(error)
        if epoch.ended:
            break
    return epochs


def _list(epoch: _Epoch, gone: set[str], since: float | None) -> None:
    """Collect the ids of an epoch's mails; `gone` are blobs taken back by what is newer, each once.

    Clocks of those who send and import mail go wrong, so the walk ends only after many commits older than `since`.
    """
    head = epoch.repository.resolve("HEAD")
    old = 0
    for change in epoch.repository.changes(head) if head is not None else ():
        if since is not None:
            old = old + 1 if change.time < since else 0
            if old > _PATIENCE:
                epoch.ended = True
                return
        taken_back = change.new if change.path == b"d" else change.old
        if taken_back is not None and change.path != b"m":
            gone.add(taken_back)
        if old or change.new is None or not _MAIL.fullmatch(change.path):
            continue
        if change.new in gone:
            gone.remove(change.new)
        else:
            epoch.ids += bytes.fromhex(change.new)


def _mail(found: GitObject | MissingObject, name: str, number: int) -> RawMail | Notice:
    if isinstance(found, MissingObject):
        return bad_mail(name, number, _REASONS.get(found.why, "cannot be read"))
    start = _FROM_LINE.match(found.data)
    data = found.data if start is None else found.data[start.end() :]
    if b"\0" in data:
        return bad_mail(name, number, "holds NUL bytes")
    return RawMail(data=data, source=name) if starts_as_mail(data) else bad_mail(name, number, "has no headers")


def _names(repository: Repository) -> set[bytes]:
    """The names at the top of the newest commit's tree."""
    head = repository.resolve("HEAD")
    if head is None:
        return set()
    commit = next(repository.objects([head]))
    if isinstance(commit, MissingObject):
        return set()
    tree = commit.data.removeprefix(b"tree ").partition(b"\n")[0].decode("ascii", "replace")
    found = next(repository.objects([tree]))
    return set() if isinstance(found, MissingObject) else _entries(found.data, len(tree) // 2)


def _entries(tree: bytes, width: int) -> set[bytes]:
    names: set[bytes] = set()
    at = 0
    while entry := _ENTRY.match(tree, at):
        names.add(entry[1])
        at = entry.end() + width
    return names
