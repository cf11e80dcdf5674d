"""Saved pages of hypermail archives, and of MHonArc's, which write hypermail's pages for the kernel lists today.

Both keep the headers in comments: hypermail `<!-- subject="..." -->` (src/print.c), MHonArc `<!--X-Subject: ... -->`
with the sender in its own rot13. The text stands between two comments, in <pre> or with a <br> at the end of each
line; tabs and leading spaces are kept only where the archive kept them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape

from msgspec import Struct, field

from reviewer.sources.markup import Event, read_html
from reviewer.sources.raw import Raw, RawMail
from reviewer.sources.rebuilt import Shown, ShownPart, from_header, from_text, rebuild
from reviewer.sources.stream import BrokenError

_HEAD = 1 << 16
_MARK = re.compile(rb'<!--\s*(?:X-Subject:|X-Message-Id:|subject="|isosent=")')
_QUOTED = re.compile(r'\s*(\w+)="(.*)"\s*', re.DOTALL)
_NAMED = re.compile(r"X-([\w-]+):?\s*(.*)", re.DOTALL)
_CHARSET = re.compile(rb'charset\s*=\s*["\']?([\w.:-]{1,40})', re.IGNORECASE)
_MASKED = re.compile(r"@x+\b|\[hidden\]|\.\.\.|@\[", re.IGNORECASE)
_AT = re.compile(r"_at_(?!.*_at_)|\(at\)| at ", re.DOTALL)
_LEADING = re.compile("^\N{NO-BREAK SPACE}+", re.MULTILINE)
_BREAK = re.compile("\n?\0\n?")
_BODY_STARTS = ('body="start"', "X-Body-of-Message")
_BODY_ENDS = ('body="end"', "X-Body-of-Message-End")
_UPPER = "@ABCDEFGHIJKLMNOPQRSTUVWXYZ["
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_ROT13 = str.maketrans(_UPPER + _LOWER, _UPPER[14:] + _UPPER[:14] + _LOWER[13:] + _LOWER[:13])


def is_hypermail(data: bytes) -> bool:
    """Tell whether a page keeps a mail's headers in its comments. A page of public-inbox holds no comments at all."""
    return _MARK.search(data, 0, _HEAD) is not None


def read_hypermail(data: bytes, source: str) -> Raw:
    """The mail of a page. Raises BrokenError for a page without a mail, or one that breaks off within it."""
    events, damage = read_html(_in_utf8(data))
    page = _Page()
    page.read(events)
    if not page.started:
        raise BrokenError("is a page without a mail")
    if not page.ended:
        raise BrokenError(f"{damage or 'breaks off'} before its mail ends")
    yield RawMail(data=rebuild(_shown(page)), source=source)


def _in_utf8(data: bytes) -> bytes:
    try:
        data.decode()
    except UnicodeDecodeError:
        declared = _CHARSET.search(data, 0, _HEAD)
        try:
            return data.decode(declared[1].decode() if declared else "latin-1", "replace").encode("utf-8", "replace")
        except (LookupError, ValueError):
            return data.decode("latin-1").encode()
    return data


class _Page(Struct):
    """What is gathered of a page on the way through it."""

    fields: dict[str, list[str]] = field(default_factory=lambda: {})
    text: list[str] = field(default_factory=lambda: [])
    started: bool = False
    ended: bool = False

    def read(self, events: Iterable[Event]) -> None:
        pre = 0
        skipped: str | None = None
        for event in events:
            if event.kind == "comment":
                self._comment(event.value)
            elif not self.started or self.ended:
                continue
            elif skipped is not None:
                skipped = None if event.kind == "close" and event.value == skipped else skipped
            elif event.kind == "open" and _is_heading(event):
                skipped = event.value
            elif event.value == "pre" and event.kind != "text":
                pre = max(pre + (1 if event.kind == "open" else -1), 0)
            elif event.kind == "text":
                self.text.append(event.value if pre else event.value.replace("\r\n", "\n"))
            elif event.kind == "open" and event.value in ("br", "p"):
                self.text.append("\0" if event.value == "br" else "\1")

    def _comment(self, text: str) -> None:
        stripped = text.strip()
        if stripped in _BODY_STARTS:
            self.started = True
        elif stripped in _BODY_ENDS:
            self.ended = True
        elif not self.started:
            match = _QUOTED.fullmatch(text) or _NAMED.match(stripped)
            if match is not None:
                self.fields.setdefault(match[1].lower(), []).append(unescape(match[2]))


def _is_heading(event: Event) -> bool:
    """Whether an element within hypermail's body holds its headers or a note of its own."""
    shown = event.attributes.get("id") == "received" or event.attributes.get("class") == "headers"
    return shown or event.value in ("script", "style")


def _shown(page: _Page) -> Shown:
    fields = {name: values[0] for name, values in page.fields.items()}
    parents = tuple(page.fields.get("reference", ())) or _one(_restored(fields.get("inreplyto", "")))
    return Shown(
        message_id=fields.get("message-id") or _restored(fields.get("id", "")),
        author=_author(fields),
        subject=fields.get("subject", ""),
        date=fields.get("date") or fields.get("sent", ""),
        parents=parents,
        parts=(ShownPart(text=_text("".join(page.text))),),
    )


def _author(fields: Mapping[str, str]) -> str:
    """The From header; without an address when the archive masks it, since others are masked to the same."""
    if "from-r13" in fields:
        return from_text(fields["from-r13"].translate(_ROT13))
    email = _restored(fields.get("email", ""))
    name = fields.get("name", "")
    return from_header(name if name != fields.get("email") else "", "" if _MASKED.search(email) else email)


def _restored(address: str) -> str:
    """An address or Message-ID with the `@` that the archive took out of it."""
    return address if "@" in address else _AT.sub("@", address, count=1)


def _one(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _text(text: str) -> str:
    """The text of a body: a <br> (NUL) ends a line together with the line ends beside it, a <p> (SOH) is one more."""
    text = _BREAK.sub("\n", text).replace("\1", "\n")
    text = _LEADING.sub(lambda match: " " * len(match[0]), text)
    return "\n".join(line.rstrip("\r") for line in text.strip("\n").split("\n")) + "\n"
