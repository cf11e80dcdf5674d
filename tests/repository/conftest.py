"""A small driver in a repository, in both object formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from gitmaking import commit, init

DRIVER = "int frob_init(void)\n{\n\treturn 0;\n}\n"
BETTER = "int frob_init(void)\n{\n\treturn -EINVAL;\n}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    folder: Path
    first: str
    second: str
    digits: int


@pytest.fixture(params=["sha1", "sha256"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    folder = init(tmp_path / "clone", f"--object-format={request.param}")
    first = commit(folder, "frob: add it", {"frob/main.c": DRIVER, "README": "frob\n"})
    second = commit(folder, "frob: fail", {"frob/main.c": BETTER}, 1_700_000_100)
    return Made(folder=folder, first=first, second=second, digits=40 if request.param == "sha1" else 64)
