"""Progress on a real terminal, silence in a pipe, and Ctrl-C by a real signal."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from reviewer.progress import Progress

COLOUR = re.compile(rb"\x1b\[[0-9;]*3[0-9][0-9;]*m")
SHOW_CURSOR, HIDE_CURSOR = b"\x1b[?25h", b"\x1b[?25l"
PIPE_HOLDS = 1 << 16


def thread(count: int, host: str = "frob.example") -> bytes:
    """An mbox of single patches."""
    return b"".join(
        f"From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: Ada Example <ada@frob.example>\n"
        f"Subject: [PATCH] net: frob: step {number}\nMessage-ID: <{number}@{host}>\n"
        f"Date: 3 Feb 2026 10:00:00 +0000\n\nIt.\n\nSigned-off-by: Ada Example <ada@frob.example>\n---\n\n"
        f"diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n\n".encode()
        for number in range(count)
    )


@contextmanager
def terminal() -> Iterator[tuple[int, IO[str]]]:
    """The two ends of a terminal: a descriptor that reads what is shown, and a stream that writes to it."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        yield master, stream
    os.close(master)


def shown(master: int) -> bytes:
    """All that was written to the terminal so far."""
    os.set_blocking(master, False)
    seen = b""
    with suppress(BlockingIOError, OSError):
        while data := os.read(master, PIPE_HOLDS):
            seen += data
    return seen


@contextmanager
def running(*arguments: str, stderr: Any) -> Iterator[subprocess.Popen[bytes]]:
    """The command as a process, which is ended when the test is."""
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "reviewer", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment, bufsize=0
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Give `data` to the process: once it is more than a pipe holds, the process has begun to read."""
    assert process.stdin is not None
    rest = memoryview(data)
    while rest:
        rest = rest[process.stdin.write(rest) :]


def ended(process: subprocess.Popen[bytes]) -> bytes:
    """All that a process prints until it ends by itself, its standard input still open meanwhile."""
    process.wait(30)
    return b"".join(pipe.read() for pipe in (process.stdout, process.stderr) if pipe is not None)


def feed_until_shown(process: subprocess.Popen[bytes], master: int) -> bytes:
    """Give mails until something is on the terminal, which is returned."""
    seen = b""
    for part in range(200):
        feed(process, thread(500, f"part{part}.example"))
        time.sleep(0.1)
        seen += shown(master)
        if b"mails read" in seen:
            break
    return seen


@pytest.fixture(autouse=True)
def _a_terminal_that_can_do_things(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_short_work_shows_nothing():
    with terminal() as (master, stream):
        with Progress(stream) as progress:
            assert list(progress.over(range(1000), "mails read")) == list(range(1000))
        assert shown(master) == b""


def test_a_pipe_sees_nothing(tmp_path):
    with (tmp_path / "log").open("w") as stream, Progress(stream, patience=0) as progress:
        assert list(progress.over(iter("abc"), "mails read")) == ["a", "b", "c"]
        progress.tell("mails read", 1)
    assert (tmp_path / "log").read_bytes() == b""


def test_a_terminal_that_can_do_nothing_sees_nothing(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    with terminal() as (master, stream):
        with Progress(stream, patience=0) as progress:
            list(progress.over("abc", "mails read"))
        assert shown(master) == b""


def test_long_work_shows_how_far_it_is_and_cleans_up():
    with terminal() as (master, stream):
        with Progress(stream, patience=0) as progress:
            for _ in progress.over(range(3), "mails read"):
                time.sleep(0.11)
            for _ in progress.over(range(1500), "series reviewed", 1500):
                time.sleep(0.0002)
        seen = shown(master)
    assert b"2 mails read" in seen
    assert re.search(rb"\d of 1,500 series reviewed", seen)
    assert seen.count(HIDE_CURSOR) == 1
    assert seen.rstrip().endswith(b"\x1b[2K") or seen.rfind(SHOW_CURSOR) > seen.rfind(b"series reviewed")


def test_it_does_not_flicker():
    with terminal() as (master, stream):
        with Progress(stream, patience=0) as progress:
            started = time.monotonic()
            for _ in progress.over(range(100_000), "mails read"):
                pass
            lasted = time.monotonic() - started
        drawn = shown(master).count(b"mails read")
    assert 1 <= drawn <= 3 + lasted / 0.1  # it is drawn when it comes and when it goes


def test_no_color_is_respected(monkeypatch):
    for colour in (True, False):
        if not colour:
            monkeypatch.setenv("NO_COLOR", "1")
        with terminal() as (master, stream):
            with Progress(stream, patience=0) as progress:
                list(progress.over(range(2), "series reviewed", 2))
            assert bool(COLOUR.search(shown(master))) is colour


def _interrupted(stream: IO[str]) -> None:
    with Progress(stream, patience=0) as progress:
        for _ in progress.over(range(9), "mails read"):
            raise KeyboardInterrupt


def test_an_error_leaves_the_terminal_as_it_was():
    with terminal() as (master, stream):
        with pytest.raises(KeyboardInterrupt):
            _interrupted(stream)
        seen = shown(master)
    assert seen.rfind(SHOW_CURSOR) > seen.rfind(HIDE_CURSOR) >= 0


def test_a_command_on_a_terminal():
    with terminal() as (master, stream), running("series", "-", stderr=stream) as process:
        seen = feed_until_shown(process, master)
        out, _ = process.communicate()
        seen += shown(master)
    assert process.returncode == 0
    assert HIDE_CURSOR in seen
    assert seen.rfind(SHOW_CURSOR) > seen.rfind(b" read")
    assert b"\x1b" not in out
    assert b"net: frob: step 499\n" in out


def test_a_command_in_a_pipe():
    with running("series", "-", stderr=subprocess.PIPE) as process:
        feed(process, thread(500))
        time.sleep(0.7)
        out, err = process.communicate(thread(1, "more.example"))
    assert (process.returncode, err) == (0, b"")
    assert b"\x1b" not in out


@pytest.mark.parametrize("command", ["review", "series"])
def test_ctrl_c_ends_at_once_and_leaves_nothing_behind(tmp_path: Path, command: str) -> None:
    output = tmp_path / "report.txt"
    output.write_text("the last one\n")
    with running(command, "-", "-o", str(output), stderr=subprocess.PIPE) as process:
        feed(process, thread(1000))
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        assert ended(process) == b""
        assert time.monotonic() - started < 10
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]
    assert output.read_text() == "the last one\n"


def test_ctrl_c_on_a_terminal_gives_the_cursor_back():
    with terminal() as (master, stream), running("series", "-", stderr=stream) as process:
        seen = feed_until_shown(process, master)
        process.send_signal(signal.SIGINT)
        out = ended(process)
        seen += shown(master)
    assert (process.returncode, out) == (130, b"")
    assert seen.rfind(SHOW_CURSOR) > seen.rfind(HIDE_CURSOR) >= 0
    assert b"Traceback" not in seen
