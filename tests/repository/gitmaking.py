"""Real git repositories for tests, made without the configuration of whoever runs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DRIVER = "int frob_init(void)\n{\n\treturn 0;\n}\n"
BETTER = "int frob_init(void)\n{\n\treturn -EINVAL;\n}\n"
_PEOPLE = {
    "GIT_AUTHOR_NAME": "Ada Frob",
    "GIT_AUTHOR_EMAIL": "ada@frob.example",
    "GIT_COMMITTER_NAME": "Ada Frob",
    "GIT_COMMITTER_EMAIL": "ada@frob.example",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *arguments: str, data: bytes = b"", **more: str) -> str:
    """What git prints, run in `folder`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=data,
        capture_output=True,
        check=True,
        env={**environment, **_PEOPLE, **more},
    )
    return done.stdout.decode().strip()


def commit(folder: Path, message: str, files: Mapping[str, str | bytes], when: int = 1_700_000_000) -> str:
    """A commit that writes `files`; its id."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    git(folder, "add", "--all")
    date = f"{when} +0000"
    git(folder, "commit", "-q", "--allow-empty", "-m", message, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    return git(folder, "rev-parse", "HEAD")


def init(folder: Path, *options: str) -> Path:
    """A new repository with the branch `main`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *options)
    return folder


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Sizes and times of all files below `folder`."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    folder: Path
    first: str
    second: str
    digits: int
