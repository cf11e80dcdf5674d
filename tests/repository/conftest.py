"""A small driver in a repository, in both object formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmaking import BETTER, DRIVER, Made, commit, init


@pytest.fixture(params=["sha1", "sha256"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    folder = init(tmp_path / "clone", f"--object-format={request.param}")
    first = commit(folder, "frob: add it", {"frob/main.c": DRIVER, "README": "frob\n"})
    second = commit(folder, "frob: fail", {"frob/main.c": BETTER}, 1_700_000_100)
    return Made(folder=folder, first=first, second=second, digits=40 if request.param == "sha1" else 64)
