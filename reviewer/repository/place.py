"""Where a repository's git folder is, found by looking and without reading its configuration."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

_POINTER = 8192


class Place(Struct, frozen=True, kw_only=True):
    """A git folder. `common` differs from `folder` for a linked work tree: it holds objects, refs and configuration."""

    folder: Path
    common: Path


def find_place(path: Path, *, parents: bool = False) -> Place | None:
    """The git folder of `path`: a clone, a bare repository, a linked work tree, a `.git` folder or file, or None.

    With `parents`, the folders above `path` are looked at as well, as git does.
    """
    here = Path(os.path.abspath(path))  # resolve() would follow links that the user means
    for folder in (here, *(here.parents if parents else ())):
        found = _git_folder(folder / ".git") or _git_folder(folder)
        if found is not None:
            return found
    return None


def read_small(path: Path, limit: int = _POINTER) -> bytes | None:
    """The bytes of a regular file of at most `limit` bytes; None for anything else, such as a pipe or a device."""
    try:
        if not path.is_file() or path.stat().st_size > limit:
            return None
        with path.open("rb") as stream:
            return stream.read(limit)
    except (OSError, ValueError):
        return None


def head_of(folder: Path) -> bytes | None:
    """What HEAD says, as git would write it; None when it is no HEAD."""
    head = folder / "HEAD"
    if head.is_symlink():
        target = os.fsencode(head.readlink())
        return b"ref: " + target + b"\n" if target.startswith(b"refs/") else None
    text = read_small(head)
    if text is None:
        return None
    if text.startswith(b"ref:"):
        return text if text[4:].lstrip().startswith(b"refs/") else None
    return text if len(text.strip()) in (40, 64) and not text.strip().strip(b"0123456789abcdefABCDEF") else None


def _git_folder(path: Path) -> Place | None:
    try:
        folder = _pointed(path, b"gitdir:") if path.is_file() else path
        if folder is None or not folder.is_dir() or head_of(folder) is None:
            return None
        common = folder
        if (folder / "commondir").is_file():
            common = _pointed(folder / "commondir", b"") or folder
        if not (common / "objects").is_dir() or not (common / "refs").is_dir():
            return None
    except (OSError, ValueError):
        return None
    return Place(folder=folder, common=common)


def _pointed(file: Path, word: bytes) -> Path | None:
    """The folder that a `.git` or `commondir` file names, relative to the file's own."""
    text = read_small(file)
    if text is None or not text.startswith(word):
        return None
    name = os.fsdecode(text.removeprefix(word).strip())
    return Path(os.path.normpath(file.parent / name)) if name and "\0" not in name else None
