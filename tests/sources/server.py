"""A real public-inbox server on loopback, over an inbox made for the test."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

PROGRAMS = ("public-inbox-init", "public-inbox-index", "public-inbox-httpd", "git")
ADDRESS = "list@dev.example"


def missing() -> str:
    """The first program that is not installed, or an empty string."""
    return next((program for program in PROGRAMS if shutil.which(program) is None), "")


@contextmanager
def serving(folder: Path, mails: Iterable[bytes]) -> Generator[str, None, None]:
    """Serve `mails` as the list `demo`; gives the address of the list, which ends in a slash."""
    environment = {**os.environ, "HOME": str(folder), "PI_CONFIG": str(folder / "config"), "LC_ALL": "C"}
    inbox = folder / "demo"

    def run(*command: str, data: bytes | None = None) -> None:
        done = subprocess.run(command, check=False, env=environment, input=data, capture_output=True, cwd=folder)
        assert done.returncode == 0, f"{command}: {done.stderr.decode(errors='replace')}"

    run("public-inbox-init", "-V2", "-L", "full", "demo", str(inbox), "http://127.0.0.1/demo", ADDRESS)
    epoch = inbox / "git" / "0.git"
    run("git", "init", "--quiet", "--bare", str(epoch))
    run("git", "--git-dir", str(epoch), "fast-import", "--quiet", data=b"".join(map(_commit, mails)))
    run("public-inbox-index", "-L", "full", "-j", "0", str(inbox))
    command = ("public-inbox-httpd", "-W0", "-l", "http://127.0.0.1:0")
    with subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://{_bound(process)}/demo/"
        finally:
            process.terminate()


def _bound(process: subprocess.Popen[str]) -> str:
    """The host and port that a server says it is bound to."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if match := re.search(r"bound http://(127\.0\.0\.1:\d+)", line):
            return match[1]
    raise AssertionError(said)


def _commit(mail: bytes) -> bytes:
    head = b"commit refs/heads/master\ncommitter List <list@dev.example> 1741000000 +0000\ndata 2\nm\n"
    return head + b"M 100644 inline m\ndata %d\n%s\n" % (len(mail), mail)


def get(address: str) -> bytes:
    """What a loopback server has at an address."""
    with build_opener(ProxyHandler({})).open(address, timeout=20) as answer:
        data: bytes = answer.read()
    return data
