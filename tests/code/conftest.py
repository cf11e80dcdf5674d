"""Real sources: some of Debian's linux-source-6.12, unpacked once."""

from __future__ import annotations

import random
import tarfile
import tempfile
from pathlib import Path

import pytest

_ARCHIVE = Path("/usr/src/linux-source-6.12.tar.xz")
_FOLDERS = ("net/core/", "drivers/dma-buf/", "io_uring/", "include/net/")


def _unpacked() -> Path:
    folder = Path(tempfile.gettempdir()) / "reviewer-linux-source-6.12"
    if not (folder / "done").exists():
        with tarfile.open(_ARCHIVE, "r|xz") as archive:
            for member in archive:
                _, _, name = member.name.partition("/")
                if member.isfile() and name.startswith(_FOLDERS) and name.endswith((".c", ".h")):
                    data = archive.extractfile(member)
                    assert data is not None
                    target = folder / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data.read())
        (folder / "done").touch()
    return folder


@pytest.fixture(scope="session")
def linux() -> list[Path]:
    """C files of Linux, always in the same shuffled order."""
    if not _ARCHIVE.exists():
        pytest.skip("linux-source-6.12 is not installed")
    files = sorted(path for path in _unpacked().rglob("*.[ch]"))
    random.Random(6).shuffle(files)
    return files
