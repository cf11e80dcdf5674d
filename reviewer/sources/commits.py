"""Commits of a clone as the mails that `git format-patch` would make of them: a branch checked before it is sent."""

from __future__ import annotations

from pathlib import Path

from reviewer.errors import InputError
from reviewer.repository import Repository
from reviewer.sources.raw import MAX_MAIL, Raw, RawMail, bad_mail

PREFIX = "git:"
_GIVE = "give a range of commits, such as git:origin/main..HEAD"


def read_commits(name: str, folder: Path) -> Raw:
    """The patches of `git:BASE..HEAD` (`git:BASE..` ends at HEAD), oldest first, merges left out.

    The repository is that of `folder`, or of the nearest folder above it that has one; neither its work tree, its index
    nor its configuration is read. Message-IDs are made of the commits' ids, so the same commits give the same mails;
    all patches reply to the first. Raises InputError for an unknown or empty range.
    """
    base, dots, head = name.removeprefix(PREFIX).partition("..")
    if not base or not dots or head.startswith("."):
        raise InputError(f"{name} is no range of commits: give one such as git:origin/main..HEAD")
    with Repository.open(folder, parents=True) as repository:
        begin, end = (_resolved(repository, one, name) for one in (base, head or "HEAD"))
        first = ""
        for number, (commit, mail) in enumerate(repository.patches(begin, end, limit=MAX_MAIL), 1):
            first = first or commit
            if mail is None:
                yield bad_mail(name, number, f"is larger than {MAX_MAIL >> 20} MiB")
            elif b"\0" in mail:
                yield bad_mail(name, number, "holds NUL bytes")
            else:
                yield RawMail(data=_headers(commit, first) + mail, source=name)
        if not first:
            raise InputError(f"{name} holds no patches: {_GIVE}")


def _resolved(repository: Repository, revision: str, name: str) -> str:
    commit = repository.resolve(revision)
    if commit is None:
        raise InputError(f"{name}: no commit {revision} in {repository.path}: {_GIVE}")
    return commit


def _headers(commit: str, first: str) -> bytes:
    told = f"Message-ID: {_message_id(commit)}\n"
    if commit != first:
        told += f"In-Reply-To: {_message_id(first)}\nReferences: {_message_id(first)}\n"
    return told.encode("ascii")


def _message_id(commit: str) -> str:
    return f"<{commit}@git.invalid>"
