"""Repositories with an invented driver; git is made and run by the helpers of tests/repository."""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "repository"))

from driver import Tree, driver_tree  # needs the folder above


@pytest.fixture(params=["sha1", "sha256"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Tree:
    return driver_tree(tmp_path / "clone", request.param)


@pytest.fixture
def clone(tmp_path: Path) -> Tree:
    return driver_tree(tmp_path / "clone", "sha1")


_ARCHIVE = Path("/usr/src/linux-source-6.12.tar.xz")
_WANTED = (
    "net/core/devmem.c",
    "net/core/page_pool.c",
    "drivers/dma-buf/udmabuf.c",
    "io_uring/rsrc.c",
    "include/net/netmem.h",
)


@pytest.fixture(scope="session")
def kernel() -> dict[str, str]:
    """A few files of Debian's linux-source-6.12, by path; unpacked once and kept in the temporary folder."""
    if not _ARCHIVE.exists():
        pytest.skip("linux-source-6.12 is not installed")
    folder = Path(tempfile.gettempdir()) / "reviewer-linux-source-6.12"
    if not (folder / "done").exists():
        folder = Path(tempfile.gettempdir()) / "reviewer-linux-source-6.12-few"
        if not all((folder / name).exists() for name in _WANTED):
            _unpack(folder)
    return {name: (folder / name).read_text("utf-8") for name in _WANTED}


def _unpack(folder: Path) -> None:
    with tarfile.open(_ARCHIVE, "r|xz") as archive:
        for member in archive:
            name = member.name.partition("/")[2]
            data = archive.extractfile(member) if name in _WANTED else None
            if data is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data.read())
