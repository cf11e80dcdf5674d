"""Addresses in archives, and bare Message-IDs: what is fetched for them."""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from msgspec import Struct

from reviewer.errors import InputError

DEFAULT_SERVER = "https://lore.kernel.org/all/"

_BARE = re.compile(r"[^\s/<>@]+@[^\s/<>@]+")
_BRACKETED = re.compile(r"<([^\s<>]+)>")
_FILES = (".mbox", ".eml", ".gz", ".xz", ".patch", ".diff", ".html", ".atom", ".txt")
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.%]+\]")
_VIEWS = frozenset(("t", "T", "raw", "t.mbox.gz", "t.atom", "d", "s", "R"))
_IN_PATH = "@!$&'()*+,;=:~"
_REDIRECTORS = frozenset(("patch.msgid.link", "msgid.link", "lkml.kernel.org"))


class Request(Struct, frozen=True, kw_only=True):
    """What is fetched for a name: its address, and the base of the public-inbox server it belongs to, if it is one."""

    url: str
    base: str | None


def is_address(name: str) -> bool:
    """Tell whether a source's name is to be fetched: an address, `<Message-ID>`, or `id@host`.

    The last only where no such file is, and when `id` is long and looks made by a program: a file with a mistyped name
    and the address of a person are not asked for in public.
    """
    if name.lower().startswith(("http://", "https://")) or _BRACKETED.fullmatch(name.strip()):
        return True
    if not _BARE.fullmatch(name.strip()) or name.lower().endswith(_FILES):
        return False
    return _is_made(name.strip().partition("@")[0]) and not os.path.exists(name)


def _is_made(local: str) -> bool:
    """Whether the part of a Message-ID before the @ looks made by a program: by its digits, or its mixture of cases.

    All 2,472 Message-IDs of real threads do, and one of the 251 addresses of people in them.
    """
    digits = sum(char.isdecimal() for char in local)
    mixed = len(local) >= 16 and "." not in local and local not in (local.lower(), local.upper())
    return len(local) >= 10 and (digits >= 3 or mixed)


def request_for(name: str, server: str = DEFAULT_SERVER) -> Request:
    """What to fetch for a name that `is_address`.

    A Message-ID, and an address of a message or thread on any public-inbox server (`/list/<id>/`, with `T/`, `t/`,
    `raw`... behind it or not), gives the whole thread's `t.mbox.gz`; any other address is fetched as it is. `server`
    is the base address for Message-IDs. Raises InputError for an address that cannot be used.
    """
    name = name.strip()
    if not name.lower().startswith(("http://", "https://")):
        match = _BRACKETED.fullmatch(name)
        return _thread(_checked(server), match[1] if match else name)
    url = _checked(name)
    parts = urlsplit(url)
    steps = parts.path.split("/")
    at = _place(steps)
    if parts.query or at is None:
        return Request(url=url, base=None)
    message_id = unquote(steps[at])
    base = "/".join(steps[:at])
    if (parts.hostname or "") in _REDIRECTORS:
        return _thread(DEFAULT_SERVER, message_id)
    if steps[at - 1] == "r":  # the server's own redirector, which knows no t.mbox.gz
        base = "/".join((*steps[: at - 1], "all"))
    return _thread(urlunsplit((parts.scheme, parts.netloc, base, "", "")), message_id)


def _place(steps: list[str]) -> int | None:
    """Where the Message-ID stands in the path of a message or thread; None where there is none."""
    for at, step in enumerate(steps[1:], 1):
        behind = [one for one in steps[at + 1 :] if one]
        if "@" in unquote(step):
            return at if not behind or behind[0] in _VIEWS else None
    return None


def _thread(base: str, message_id: str) -> Request:
    base = base.rstrip("/")
    return Request(url=f"{base}/{quote(message_id, safe=_IN_PATH, errors='replace')}/t.mbox.gz", base=base)


def _checked(url: str) -> str:
    """The address without its fragment, percent-encoded where it must be. Raises InputError unless it is http(s)."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(f"{url} is no address ({error}): copy it again") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{url} is no address: give http:// or https://, a server and a path")
    if parts.username is not None or parts.password is not None:
        raise InputError(f"{parts.scheme}://{parts.hostname}: give the address without user name and password")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    try:
        host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        host = ""
    if not _HOST.fullmatch(host):
        raise InputError(f"{url} is no address: its server's name cannot be used")
    path = quote(parts.path, safe="/%" + _IN_PATH, errors="replace")
    query = quote(parts.query, safe="/%?" + _IN_PATH, errors="replace")
    return urlunsplit((parts.scheme, f"{host}:{port}" if port else host, path, query, ""))
