"""What was fetched a moment ago, kept in a folder of the user's."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FRESH = 600

_SUFFIX = ".fetched"


def default_cache_dir() -> Path | None:
    """`reviewer` in the user's cache folder (XDG base directory specification); None when there is no home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "reviewer"
    try:
        return Path.home() / ".cache" / "reviewer"
    except RuntimeError:
        return None


def cached(folder: Path | None, url: str) -> bytes | None:
    """What `url` held when it was fetched less than FRESH seconds ago; None when it is to be fetched."""
    if folder is None:
        return None
    path = _path(folder, url)
    try:
        return path.read_bytes() if _is_fresh(path) else None
    except OSError:
        return None


def keep(folder: Path | None, url: str, data: bytes) -> None:
    """Keep `data`, and drop what is no longer fresh. A folder that cannot be written costs nothing but time."""
    if folder is None:
        return
    path = _path(folder, url)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in _stale(folder):
            old.unlink(missing_ok=True)
        part.write_bytes(data)
        part.replace(path)


def _stale(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if _SUFFIX in path.name and not _is_fresh(path):
            yield path


def _is_fresh(path: Path) -> bool:
    return 0 <= time.time() - path.stat().st_mtime < FRESH


def _path(folder: Path, url: str) -> Path:
    return folder / (hashlib.sha256(url.encode("utf-8", "replace")).hexdigest() + _SUFFIX)
