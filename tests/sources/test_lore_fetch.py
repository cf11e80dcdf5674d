"""Fetching from servers that are slow, busy, huge or hostile: all of them on loopback."""

from __future__ import annotations

import gzip
import os
import re
import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest

from reviewer import __version__
from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources import read_sources
from reviewer.sources.cache import FRESH, default_cache_dir
from reviewer.sources.fetch import MAX_WAIT, Fetcher, next_address
from reviewer.sources.transport import RequestError

MAIL = b"From: Ann <ann@dev.example>\nSubject: x\nMessage-ID: <m@x>\n\nText\n"
CHUNK = 1 << 16


def asked(case: str) -> int:
    """How often a case was asked for; late threads of other cases do not count."""
    return sum(one == case for one, _ in list(Handler.seen))


class Handler(BaseHTTPRequestHandler):
    """Does what the case in `/list/<case>@x/...` asks for; remembers every request."""

    seen: list[tuple[str, str]] = []  # noqa: RUF012 - emptied for each test
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        case = unquote(self.path).split("/")[-2].partition("@")[0]
        self.seen.append((case, self.headers["User-Agent"]))
        number = asked(case)
        again = number > 1
        if case in ("busy", "later", "date", "away"):
            wait = {"busy": None, "later": "2", "date": _date(5), "away": "3600"}[case]
            self._answer(*((200, MAIL) if again and wait else (503 if wait is None else 429, b"")), wait=wait)
        elif case in ("hop", "loop", "file", "ftp", "login", "bad"):
            self._redirect(case, number)
        elif case == "slow":
            time.sleep(0.5)
        elif case == "drip":
            self._endless(b"x", 0.05)
        elif case == "endless":
            self._endless(b"x" * CHUNK, 0)
        elif case == "huge":
            self._answer(200, b"", length=1 << 40)
        elif case == "cut" or (case == "short" and not again):
            self._answer(200, MAIL, length=len(MAIL) + 10)
        else:
            self._answer(int(case) if case.isdecimal() else 200, MAIL)

    def _answer(self, status: int, body: bytes, *, wait: str | None = None, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        if wait is not None:
            self.send_header("Retry-After", wait)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _redirect(self, case: str, number: int) -> None:
        target = {
            "hop": "../there@x/raw", "loop": "?" + str(number), "file": "file:///etc/passwd",
            "ftp": "ftp://127.0.0.1/x", "login": "http://a:b@127.0.0.1/", "bad": "http://[x/",
        }[case]  # fmt: skip
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", str(1 << 40))
        self.end_headers()
        self.close_connection = True

    def _endless(self, chunk: bytes, pause: float) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for _ in range(200):
                self.wfile.write(chunk)
                time.sleep(pause)
        except OSError:
            pass
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Standard error is for failures."""


def _date(seconds: int) -> str:
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + seconds))


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are what is tested."""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/list"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def forget() -> None:
    Handler.seen.clear()


@pytest.fixture(params=["liblore", "plain"])
def liblore(request: pytest.FixtureRequest) -> bool:
    if request.param == "liblore":
        pytest.importorskip("liblore", reason="the extra `lore` is not installed")
    return bool(request.param == "liblore")


def fetch(base: str, case: str, liblore: bool, waits: list[float] | None = None, **options: float) -> bytes:
    return Fetcher(
        use_liblore=liblore,
        sleep=(waits if waits is not None else []).append,
        timeout=options.get("timeout", 5),
        patience=options.get("patience", 5),
        max_bytes=int(options.get("max_bytes", 1 << 20)),
    ).fetch(f"{base}/{case}@x/")


def told(base: str, case: str, liblore: bool, waits: list[float] | None = None, **options: float) -> str:
    with pytest.raises(InputError) as info:
        fetch(base, case, liblore, waits, **options)
    assert "\n" not in str(info.value)
    assert str(info.value).startswith(f"{base}/{case}@x/: ")
    return str(info.value)


def test_a_request_says_who_asks(base: str, liblore: bool) -> None:
    assert fetch(base, "fine", liblore) == MAIL
    assert ("fine", f"reviewer/{__version__}") in Handler.seen


@pytest.mark.parametrize(("case", "waits"), [("later", [2.0]), ("date", [pytest.approx(5, abs=2)])])
def test_a_busy_server_is_asked_again_when_it_says(base: str, liblore: bool, case: str, waits: list[float]) -> None:
    waited: list[float] = []
    assert fetch(base, case, liblore, waited) == MAIL
    assert waited == waits


def test_a_server_that_stays_busy_is_left_alone(base: str, liblore: bool) -> None:
    waits: list[float] = []
    assert told(base, "busy", liblore, waits).endswith("the server is busy (503): try again later")
    assert waits == [1, 2, 4]


def test_nobody_waits_for_an_hour(base: str, liblore: bool) -> None:
    waits: list[float] = []
    assert "busy (429) and asks to wait 3600 seconds: try again later" in told(base, "away", liblore, waits)
    assert (waits, MAX_WAIT) == ([], 60)


def test_redirects_are_followed_but_not_for_ever(base: str, liblore: bool) -> None:
    assert fetch(base, "hop", liblore) == MAIL
    assert (asked("hop"), asked("there")) == (1, 1)
    assert "more than 5 redirects" in told(base, "loop", liblore)
    assert asked("loop") == 6


@pytest.mark.parametrize("case", ["file", "ftp", "login", "bad"])
def test_redirects_stay_on_the_web(base: str, liblore: bool, case: str) -> None:
    assert re.search(r"redirects to '\S+', which is not followed", told(base, case, liblore))


def test_redirects_never_leave_https() -> None:
    assert next_address("http://a.example/x", "https://b.example/y#z") == "https://b.example/y"
    with pytest.raises(RequestError):
        next_address("https://a.example/x", "http://a.example/x")


def test_a_server_that_does_not_answer(base: str, liblore: bool) -> None:
    waits: list[float] = []
    assert "timed out" in told(base, "slow", liblore, waits, timeout=0.05)
    assert waits == [1, 2, 4]


def test_a_server_that_answers_byte_by_byte(base: str, liblore: bool) -> None:
    assert "takes longer than 0.2 seconds" in told(base, "drip", liblore, patience=0.2)


@pytest.mark.parametrize("case", ["huge", "endless"])
def test_an_answer_that_is_too_large(base: str, liblore: bool, case: str) -> None:
    assert "larger than 1 MiB: save the thread and give the file" in told(base, case, liblore)
    assert asked(case) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(base: str, liblore: bool) -> None:
    assert fetch(base, "short", liblore) == MAIL
    assert asked("short") == 2
    assert told(base, "cut", liblore)


@pytest.mark.parametrize(("case", "text"), [("404", "not found at"), ("410", "not found at"), ("403", "answers 403")])
def test_what_the_server_refuses(base: str, liblore: bool, case: str, text: str) -> None:
    waits: list[float] = []
    assert text in told(base, case, liblore, waits)
    assert not waits


def test_an_error_of_the_server_may_pass(base: str, liblore: bool) -> None:
    waits: list[float] = []
    assert "answers 500" in told(base, "500", liblore, waits)
    assert waits == [1, 2, 4]


def test_a_missing_page_is_told_as_one(base: str) -> None:
    with pytest.raises(InputError, match=r"not found at .*: check the address"):
        Fetcher().fetch(f"{base}/404@x/0001.html")


def test_no_server_at_all(liblore: bool) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        waits: list[float] = []
        assert "Connection refused" in told(f"http://127.0.0.1:{port}/l", "x", liblore, waits)
        assert not waits


def test_a_bomb_is_read_no_further_than_allowed(base: str, tmp_path: Path) -> None:
    line = b"From mboxrd@z Thu Jan  1 00:00:00 1970\n"
    packed = gzip.compress(line + MAIL + b"\n" + line + MAIL + b"x\n" * (10 << 20))
    path = tmp_path / "bomb"
    path.write_bytes(packed)
    [_, notice] = read_sources([str(path)], max_bytes=1 << 20)
    assert isinstance(notice, Notice)
    assert "unpacks to more than 1048576 bytes" in notice.message


def test_what_was_fetched_is_kept_for_ten_minutes(base: str, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "cache"
    fetcher = Fetcher(cache_dir=folder)
    assert fetcher.fetch(f"{base}/a@x/") == fetcher.fetch(f"{base}/a@x/T/#u") == MAIL
    assert asked("a") == 1
    [kept] = folder.iterdir()
    assert re.fullmatch(r"[0-9a-f]{64}\.fetched", kept.name)
    assert folder.stat().st_mode & 0o777 == 0o700
    for age in (FRESH + 10, -100):
        os.utime(kept, (time.time() - age,) * 2)
        Handler.seen.clear()
        assert fetcher.fetch(f"{base}/a@x/") == MAIL
        assert asked("a") == 1


def test_what_is_no_longer_fresh_is_dropped(base: str, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    old = tmp_path / f"{'0' * 64}.fetched"
    for path in (other, old):
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    Fetcher(cache_dir=tmp_path).fetch(f"{base}/a@x/")
    assert other.exists()
    assert not old.exists()


def test_a_cache_that_cannot_be_written_does_no_harm(base: str, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    assert Fetcher(cache_dir=blocked / "cache").fetch(f"{base}/a@x/") == MAIL


def test_failures_are_not_kept(base: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Fetcher(cache_dir=tmp_path).fetch(f"{base}/404@x/")
    assert not list(tmp_path.iterdir())


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / "reviewer"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / ".cache" / "reviewer"


def test_sources_are_fetched_into_the_users_cache(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    [mail] = read_sources([f"{base}/a@x/"])
    assert mail.source == f"{base}/a@x/"
    assert len(list((tmp_path / "reviewer").iterdir())) == 1
