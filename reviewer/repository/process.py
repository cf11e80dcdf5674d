"""Running git through GitPython, one process at a time that can be read from, written to, and stopped."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, cast

from reviewer.errors import InputError

if TYPE_CHECKING:
    from subprocess import Popen

    from git import Git

_TAIL = 4096
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "protocol.allow=never",
)
_FLAGS = ("--no-pager", *(word for setting in _SETTINGS for word in ("-c", setting)))


class Process:
    """A running git. `arguments` start with its subcommand, `environment` comes on top of ours.

    Standard error is read in the background, its end kept, so that a git that complains at length never stalls.
    Raises InputError when git cannot be started.
    """

    def __init__(self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str], *, talk: bool) -> None:
        self._running = _start(folder, [*_FLAGS, *arguments], dict(environment), talk=talk)
        self._inner = cast("Popen[bytes]", self._running.proc)  # pyright: ignore[reportUnknownMemberType]  # GitPython's
        self.stdin = cast("IO[bytes]", self._inner.stdin)  # None unless `talk`
        self.stdout = cast("IO[bytes]", self._inner.stdout)
        self._errors = cast("IO[bytes]", self._inner.stderr)
        self._said = b""
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait(self) -> int:
        """The exit code, once git has ended on its own."""
        code = self._inner.wait()
        self._close()
        return code

    def stop(self) -> str:
        """End git now; gives its complaint."""
        if self._inner.poll() is None:
            self._inner.kill()
        self.wait()
        return self.complaint()

    def write(self, data: bytes) -> bool:
        """Tell git something at once; False when it does not listen any more."""
        try:
            self.stdin.write(data)
            self.stdin.flush()
        except BrokenPipeError:
            return False
        return True

    def complaint(self) -> str:
        """The last error that git printed, once it has ended, as one short line without control characters."""
        lines = [line for line in self._said.decode("utf-8", "replace").splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines or ["no reason given"]
        text = "".join(char for char in told[-1] if char.isprintable())
        return text.removeprefix("fatal: ").removeprefix("error: ")[:200]

    def _listen(self) -> None:
        while data := os.read(self._errors.fileno(), _TAIL):
            self._said = (self._said + data)[-_TAIL:]

    def _close(self) -> None:
        self._listener.join()
        for pipe in (self._inner.stdin, self.stdout, self._errors):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()


def stream(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str], shown: str
) -> Generator[bytes, None, None]:
    """The lines of git's standard output as they come; git is stopped when the reader stops.

    Raises InputError, with `shown` in front, when git fails.
    """
    process = Process(folder, arguments, environment, talk=False)
    try:
        yield from process.stdout
    except BaseException:
        process.stop()
        raise
    if process.wait():
        raise InputError(f"{shown}: git cannot read it ({process.complaint()})")


def _start(folder: Path, arguments: list[str], environment: dict[str, str], *, talk: bool) -> Git.AutoInterrupt:
    from subprocess import PIPE  # slow to load, and most reviews need no git

    try:
        from git import Git
        from git.exc import GitError
    except ImportError:  # GitPython looks for git when it is imported
        raise InputError("git cannot be run: install git, or put it in the PATH") from None
    stdin = PIPE if talk else None
    try:
        return Git(str(folder)).execute(["git", *arguments], istream=stdin, as_process=True, env=environment)
    except (GitError, OSError) as error:
        raise InputError(
            f"git cannot be run ({error.__class__.__name__}): install git, or put it in the PATH"
        ) from None
