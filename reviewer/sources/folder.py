"""A maildir, or a folder of mails and mboxes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from reviewer.model import Notice
from reviewer.sources.file import UnreadableError, read_stream
from reviewer.sources.raw import Raw, RawMail, passed_over

_READ = ("new", "cur")
_PARTS = frozenset((*_READ, "tmp"))
_TELLING = 2
_SHOWN = 3


def read_folder(folder: Path, name: str, max_bytes: int) -> Raw:
    """The mails of all files below `folder`, which the user calls `name`, each file read as one given by itself.

    Folders and files come sorted by name. Of a maildir, new and cur are read as one, flags ignored, and the maildirs
    in it; elsewhere hidden names are passed over. Links to folders are not followed. Files without mail are told in
    one Notice. Raises UnreadableError when no file holds a mail.
    """
    found = False
    without: list[str] = []
    for path in _files(folder, without):
        try:
            with path.open("rb") as stream:
                for raw in read_stream(stream, name, str(path), max_bytes):
                    found = found or isinstance(raw, RawMail)
                    yield raw
        except OSError as error:
            yield Notice(code="bad-mail", message=f"{path} cannot be read ({error.strerror})", source=str(path))
        except UnreadableError as error:
            without.append(f"{path.name} {error}")
    if not found:
        raise UnreadableError(f"holds no mail ({_some(without)})" if without else "holds no mail")
    if without:
        yield passed_over(name, len(without), _some(without))


def _some(reasons: list[str]) -> str:
    more = len(reasons) - _SHOWN
    return "; ".join(reasons[:_SHOWN]) + (f"; {more} more" if more > 0 else "")


def _files(top: Path, without: list[str]) -> Iterator[Path]:
    """The files below `top` that may hold mail; folders that cannot be read are added to `without`."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        folders, files = _entries(folder, without)
        if len(folders.keys() & _PARTS) >= _TELLING:
            halves = [_entries(folders[half], without)[1] for half in _READ if half in folders]
            yield from (path for _, path in sorted(item for half in halves for item in half.items()))
            below = [path for name, path in folders.items() if name not in _PARTS and _is_maildir(path)]
        else:
            yield from (path for name, path in sorted(files.items()) if not name.startswith("."))
            below = [path for name, path in folders.items() if not name.startswith(".") or _is_maildir(path)]
        waiting += sorted(below, reverse=True)


def _entries(folder: Path, without: list[str]) -> tuple[dict[str, Path], dict[str, Path]]:
    """The folders and the files in `folder` by name; what is neither (a pipe, a device) is left out."""
    folders: dict[str, Path] = {}
    files: dict[str, Path] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders[entry.name] = Path(entry.path)
                elif entry.is_file():
                    files[entry.name] = Path(entry.path)
    except OSError as error:
        without.append(f"{folder.name} cannot be read ({error.strerror})")
    return folders, files


def _is_maildir(folder: Path) -> bool:
    return sum((folder / part).is_dir() for part in _PARTS) >= _TELLING
