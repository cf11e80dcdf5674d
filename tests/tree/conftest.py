"""Repositories with an invented driver; git is made and run by the helpers of tests/repository."""

from __future__ import annotations

import sys
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
