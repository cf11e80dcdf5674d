"""One HTTP request: by the standard library, or by liblore where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

_CHUNK = 1 << 16
_MOST_CAUSES = 10


class RequestError(Exception):
    """A request without an answer. Its text says why, fit to follow a colon; `again` whether another try may help."""

    def __init__(self, text: str, *, again: bool) -> None:
        super().__init__(text)
        self.again = again


class Answer(Struct, frozen=True, kw_only=True):
    """A server's answer: its status, headers by lower-case name, and its body in chunks, still to be read."""

    status: int
    headers: Mapping[str, str]
    body: Iterator[bytes]


class Transport(Protocol):
    """Opens an address; the answer is to be read within the context. Raises RequestError, also out of the body."""

    def __call__(self, url: str, *, agent: str, timeout: float) -> AbstractContextManager[Answer]:
        """Ask for `url` as `agent`; no wait for the server takes more than `timeout` seconds."""
        ...


def lore_transport(base: str) -> Transport | None:
    """The transport that asks through liblore for addresses below `base`; None when it is not installed."""
    if find_spec("liblore") is None or find_spec("urllib3") is None:
        return None
    # read1 gives what is there without waiting for more, so that time is kept; urllib3 has it from 2.0 on
    return _Lore(base) if hasattr(import_module("urllib3.response").HTTPResponse, "read1") else None


@contextmanager
def plain(url: str, *, agent: str, timeout: float) -> Generator[Answer, None, None]:
    """Ask with the standard library, over http and https alone. `timeout` is for each wait, in seconds."""
    from http.client import HTTPException
    from urllib.request import Request

    try:
        with _opener().open(Request(url, headers=_headers(agent)), timeout=timeout) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            yield Answer(status=response.status, headers=headers, body=_chunks(response.read1))
    except (OSError, HTTPException) as error:
        raise _failure(error) from None


def _headers(agent: str) -> dict[str, str]:
    return {"User-Agent": agent, "Accept-Encoding": "identity"}


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while chunk := read(_CHUNK):
        yield chunk


def _opener() -> OpenerDirector:
    """An opener that knows http, https and proxies, and neither files nor redirects: those are left to the caller."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (request.ProxyHandler(), request.HTTPHandler(), request.HTTPSHandler()):
        opener.add_handler(handler)
    return opener


def _failure(error: BaseException) -> RequestError:
    """What a failed request is told as: by the system's error behind it, when there is one."""
    import socket
    import ssl

    causes = [error]
    while len(causes) < _MOST_CAUSES:
        cause = getattr(causes[-1], "reason", None) or causes[-1].__cause__ or causes[-1].__context__
        if not isinstance(cause, BaseException):
            break
        causes.append(cause)
    told = next((one.strerror for one in causes if isinstance(one, OSError) and one.strerror), None) or str(causes[-1])
    for_good = any(isinstance(one, socket.gaierror | ssl.SSLError | ConnectionRefusedError) for one in causes)
    text = " ".join(told.split())[:200] or type(error).__name__
    return RequestError(f"{text}: check the address and the connection", again=not for_good)


class _Lore:
    """A LoreNode's request with a session of our own: no configuration is read, since git's may be a stranger's."""

    def __init__(self, base: str) -> None:
        self._base = base

    @contextmanager
    def __call__(self, url: str, *, agent: str, timeout: float) -> Generator[Answer, None, None]:
        import logging

        logger = logging.getLogger("liblore")
        if not logger.handlers:  # else its warnings would go to standard error
            logger.addHandler(logging.NullHandler())
        requests, urllib3, liblore = (import_module(name) for name in ("requests", "urllib3", "liblore"))
        with requests.Session() as session, liblore.LoreNode(self._base, request_timeout=(timeout, timeout)) as node:
            session.headers.update(_headers(agent))
            session.get_redirect_target = _no_redirect
            node.set_requests_session(session)
            try:
                with node.request("GET", url, stream=True) as response:
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    yield Answer(status=response.status_code, headers=headers, body=_chunks(response.raw.read1))
            except (liblore.LibloreError, requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
                raise _failure(error) from None


def _no_redirect(_response: object) -> None:
    """Keeps requests from following redirects, and from reading all that comes with one into memory."""
