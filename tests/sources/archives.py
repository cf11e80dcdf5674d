"""public-inbox archives in git, made as its own import makes them: with git fast-import."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

START = 1_700_000_000


def run_git(folder: Path, *arguments: str, data: bytes = b"") -> str:
    """What git prints, run in `folder` without the configuration of whoever runs the tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *arguments], cwd=folder, input=data, capture_output=True, check=True, env=environment)
    return done.stdout.decode().strip()


def mail(number: int, text: str = "") -> bytes:
    return (
        f"From: Ada Frob <ada@frob.example>\nSubject: [PATCH] frob {number}\nMessage-ID: <{number}@frob.example>\n"
        f"Date: Tue, 14 Nov 2023 22:13:20 +0000\n\n{text or 'Body.'}\n"
    ).encode()


def fast_import(folder: Path, commits: Iterable[Sequence[tuple[str, bytes | None]]], times: Sequence[int] = ()) -> Path:
    """A bare repository with a commit for each of `commits`: paths and what is written there, None to remove."""
    if not folder.exists():
        folder.mkdir(parents=True)
        run_git(folder, "init", "-q", "--bare", "-b", "master")
    stream = bytearray(b"feature done\n")
    for number, changes in enumerate(commits):
        when = times[number] if times else START + number
        stream += b"commit refs/heads/master\ncommitter A <a@frob.example> %d +0000\ndata 1\n.\n" % when
        if number == 0 and (folder / "refs" / "heads" / "master").exists():
            stream += b"from refs/heads/master^0\n"
        for path, data in changes:
            name = path.encode()
            stream += b"D %s\n" % name if data is None else b"M 644 inline %s\ndata %d\n%s\n" % (name, len(data), data)
    run_git(folder, "fast-import", "--quiet", data=bytes(stream + b"done\n"))
    return folder


def added(data: bytes) -> list[tuple[str, bytes | None]]:
    """A commit of version 2 that adds a mail."""
    return [("d", None), ("m", data)]


def taken_back(data: bytes) -> list[tuple[str, bytes | None]]:
    """A commit of version 2 that takes a mail back."""
    return [("m", None), ("d", data)]
