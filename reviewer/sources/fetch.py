"""Fetching what an address or a Message-ID names, within limits of time and size."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from reviewer import __version__
from reviewer.errors import InputError
from reviewer.sources.cache import cached, keep
from reviewer.sources.lore import DEFAULT_SERVER, Request, request_for
from reviewer.sources.transport import Answer, RequestError, Transport, lore_transport, plain

MAX_FETCH = 64 << 20
MAX_REDIRECTS = 5
MAX_WAIT = 60

_AGENT = f"reviewer/{__version__}"
_TRIES = 4
_BUSY = frozenset((429, 502, 503, 504))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))


class Fetcher(Struct, frozen=True, kw_only=True):
    """How things are fetched.

    `server` is the base address for bare Message-IDs, `cache_dir` where answers are kept for ten minutes (None: not
    at all), `max_bytes` the largest answer as sent, `timeout` the longest single wait for the server and `patience`
    the longest time for one answer, in seconds. `sleep` waits between tries, at most MAX_WAIT seconds each.
    `use_liblore` lets liblore ask public-inbox servers when it is installed.
    """

    server: str = DEFAULT_SERVER
    cache_dir: Path | None = None
    max_bytes: int = MAX_FETCH
    timeout: float = 30
    patience: float = 300
    sleep: Callable[[float], None] = time.sleep
    use_liblore: bool = True

    def fetch(self, name: str) -> bytes:
        """What an address, or a Message-ID (`<id>` or `id@host`), holds: the bytes as sent, compressed or not.

        Messages and threads of public-inbox servers give the whole thread as `t.mbox.gz`. Raises InputError, one line
        that says what to do, when there is no such thing or it cannot be got.
        """
        request = request_for(name, self.server)
        data = cached(self.cache_dir, request.url)
        if data is None:
            data = self._ask(request, name)
            keep(self.cache_dir, request.url, data)
        return data

    def _ask(self, request: Request, name: str) -> bytes:
        for number in range(1, _TRIES + 1):
            try:
                return self._follow(request)
            except _BusyError as error:
                wait = error.wait if error.wait is not None else float(1 << (number - 1))
                if number == _TRIES or wait > MAX_WAIT:
                    raise InputError(f"{name}: {error}: try again later") from None
            except _MissingError:
                raise InputError(f"{name}: not found at {request.url}: {_advice(request)}") from None
            except RequestError as error:
                if not error.again or number == _TRIES:
                    raise InputError(f"{name}: cannot get {request.url}: {error}") from None
                wait = float(1 << (number - 1))
            self.sleep(wait)
        raise AssertionError  # the last try returns or raises

    def _follow(self, request: Request) -> bytes:
        """The answer at the end of the redirects."""
        url = request.url
        for _ in range(MAX_REDIRECTS + 1):
            with self._transport(request, url)(url, agent=_AGENT, timeout=self.timeout) as answer:
                location = answer.headers.get("location", "")
                if answer.status not in _REDIRECTS or not location:
                    return self._body(answer)
            url = next_address(url, location)
        raise RequestError(f"more than {MAX_REDIRECTS} redirects: check the address", again=False)

    def _transport(self, request: Request, url: str) -> Transport:
        if self.use_liblore and request.base is not None and url.startswith(f"{request.base}/"):
            return lore_transport(request.base) or plain
        return plain

    def _body(self, answer: Answer) -> bytes:
        if answer.status in _BUSY:
            raise _BusyError(f"the server is busy ({answer.status})", _seconds(answer.headers.get("retry-after", "")))
        if answer.status in (404, 410, 300):
            raise _MissingError
        if answer.status != 200:
            raise RequestError(f"the server answers {answer.status}: check the address", again=answer.status >= 500)
        limit = f"larger than {self.max_bytes >> 20} MiB: save the thread and give the file"
        length = answer.headers.get("content-length", "")
        if length.isdecimal() and int(length[:18]) > self.max_bytes:
            raise RequestError(limit, again=False)
        data = bytearray()
        end = time.monotonic() + self.patience
        for chunk in answer.body:
            data += chunk
            if len(data) > self.max_bytes:
                raise RequestError(limit, again=False)
            if time.monotonic() > end:
                raise RequestError(f"takes longer than {self.patience:g} seconds: try again later", again=False)
        if length.isdecimal() and len(data) < int(length[:18]):
            raise RequestError("the answer breaks off: try again later", again=True)
        return bytes(data)


class _BusyError(Exception):
    """A server that asks to come back, after `wait` seconds when it says so."""

    def __init__(self, text: str, wait: float | None) -> None:
        super().__init__(text if wait is None or wait <= MAX_WAIT else f"{text} and asks to wait {wait:.0f} seconds")
        self.wait = wait


class _MissingError(Exception):
    """A server that does not have what was asked for."""


def _advice(request: Request) -> str:
    if request.base is None:
        return "check the address"
    return "check the Message-ID, or give the address of the message in its list's archive"


def next_address(url: str, location: str) -> str:
    """Where a redirect leads. Raises RequestError unless it is http or https, and never from https to http."""
    try:
        new = urljoin(url, location.strip())
        parts = urlsplit(new)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        new, usable = location, False
        parts = urlsplit("")
    if not usable or (url.startswith("https:") and parts.scheme == "http"):
        raise RequestError(
            f"the server redirects to {new[:200]!a}, which is not followed: check the address", again=False
        )
    return parts._replace(fragment="").geturl()


def _seconds(retry_after: str) -> float | None:
    """The wait that a Retry-After header asks for (RFC 9110: seconds, or a date); None when it says nothing."""
    text = retry_after.strip()
    if text.isdecimal():
        return float(int(text[:9]))
    try:
        when = time.strptime(text, "%a, %d %b %Y %H:%M:%S GMT")
    except ValueError:
        return None
    import calendar

    return max(calendar.timegm(when) - time.time(), 0.0)
