"""Saved pages of hypermail archives, and of MHonArc's, which write hypermail's pages for the kernel lists today.

Both keep the headers in comments: hypermail `<!-- subject="..." -->` (src/print.c), MHonArc `<!--X-Subject: ... -->`
with the sender in its own rot13. The text stands between two comments. hypermail prints it in one of three ways
(`showhtml` in its configuration): in <pre>; with <br> at the ends of lines, and <p> or another <br> for a blank one;
or as a document with lists (src/txt2html.c), which tells less. Tabs and leading spaces are kept only where the archive
kept them. Below the text it lists attachments, which are pages of their own (src/parse.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from html import unescape

from msgspec import Struct, field

from reviewer.sources.markup import Event, read_html
from reviewer.sources.raw import Raw, RawMail, bad_mail
from reviewer.sources.rebuilt import Shown, ShownPart, from_header, from_text, mail_date, rebuild
from reviewer.sources.stream import BrokenError

_HEAD = 1 << 16
_MARK = re.compile(rb'<!--\s*(?:X-Subject:|X-Message-Id:|subject="|isosent=")')
_QUOTED = re.compile(r'\s*(\w+)="(.*)"\s*', re.DOTALL)
_NAMED = re.compile(r"X-([\w-]+):?\s*(.*)", re.DOTALL)
_CHARSET = re.compile(rb'charset\s*=\s*["\']?([\w.:-]{1,40})', re.IGNORECASE)
_MASKED = re.compile(r"@x+\b|\[hidden\]|\.\.\.|@\[", re.IGNORECASE)
_AT = re.compile(r"_at_(?!.*_at_)|\(at\)| at ", re.DOTALL)
_LEADING = re.compile("^\N{NO-BREAK SPACE}+", re.MULTILINE)
_BREAK = re.compile("\n?\0\n?|\1\n?")
_NOTHING = ("(no email)", "(no name)", "(no date)", "(no subject)")
_ISO = "%Y%m%d%H%M%S"
_PATCH = re.compile(r"text/x-(?:patch|diff)|\.(?:patch|diff|mbox|eml)\b", re.IGNORECASE)
_OWN = frozenset(("headers", "received"))
"""What hypermail calls the elements of the text that hold its own words, as id or class."""
_OPENS = {"br": "\0", "p": "\1", "li": "-"}
"""What the text gets for an element that opens."""
_BODY_STARTS = ('body="start"', "X-Body-of-Message")
_BODY_ENDS = ('body="end"', "X-Body-of-Message-End")
_UPPER = "@ABCDEFGHIJKLMNOPQRSTUVWXYZ["
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_ROT13 = str.maketrans(_UPPER + _LOWER, _UPPER[14:] + _UPPER[:14] + _LOWER[13:] + _LOWER[:13])


def is_hypermail(data: bytes) -> bool:
    """Tell whether a page keeps a mail's headers in its comments. A page of public-inbox holds no comments at all."""
    return _MARK.search(data, 0, _HEAD) is not None


def read_hypermail(data: bytes, source: str) -> Raw:
    """The mail of a page, and a Notice when its patch is not on it.

    Raises BrokenError for a page without a mail, or one that breaks off within it.
    """
    events, damage = read_html(_in_utf8(data))
    page = _Page()
    page.read(events)
    if not page.started:
        raise BrokenError("is a page without a mail")
    if not page.ended:
        raise BrokenError(f"{damage or 'breaks off'} before its mail ends")
    shown = _shown(page)
    if "isdeleted" in page.fields and shown.parts[0].text.count("\n") <= 1:
        raise BrokenError("is the page of a mail that was taken out of the archive")
    yield RawMail(data=rebuild(shown), source=source)
    lost = next(filter(_PATCH.search, page.attachments), None)
    if lost is not None:
        yield bad_mail(source, 1, f"has an attachment that is not on its page ({lost})", "read without it")


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
    attachments: list[str] = field(default_factory=lambda: [])
    opened: int | None = None
    closed: int | None = None
    """How many pieces of text stood before the last list, and before its end."""
    started: bool = False
    ended: bool = False

    def read(self, events: Iterable[Event]) -> None:
        pre = depth = 0
        skipped = ""
        for event in events:
            if event.kind == "comment":
                self._comment(event.value)
            elif not self.started or self.ended:
                continue
            elif depth:
                depth += (event.value == skipped) * ((event.kind == "open") - (event.kind == "close"))
            elif event.kind == "open" and _is_heading(event):
                skipped, depth = event.value, 1
            elif event.value == "pre" and event.kind != "text":
                pre = max(pre + (1 if event.kind == "open" else -1), 0)
            elif event.kind == "text":
                self.text.append(event.value if pre else event.value.replace("\r\n", "\n"))
            elif event.kind == "open" and event.value in _OPENS:
                self.text.append(_OPENS[event.value])
            elif event.value == "ul":
                self._list(begins=event.kind == "open")

    def _comment(self, text: str) -> None:
        stripped = text.strip()
        if stripped in _BODY_STARTS:
            self.started = True
        elif stripped in _BODY_ENDS:
            self.ended = True
        elif self.started and stripped.startswith("attachment="):
            self._attachment()
        elif not self.started:
            match = _QUOTED.fullmatch(text) or _NAMED.match(stripped)
            if match is not None:
                self.fields.setdefault(match[1].lower(), []).append(unescape(match[2]))

    def _list(self, *, begins: bool) -> None:
        if begins:
            self.opened, self.closed = len(self.text), None
        else:
            self.closed = len(self.text)

    def _attachment(self) -> None:
        """Take the list that tells of an attachment, which ends here or goes on, out of the text."""
        if self.opened is None:
            return
        if self.closed is None or not any(map(str.strip, self.text[self.closed :])):
            self.attachments.append(" ".join("".join(self.text[self.opened :]).split()).lstrip("- ")[:200])
            del self.text[self.opened :]
        else:
            self.opened = None


def _is_heading(event: Event) -> bool:
    """Whether an element within hypermail's body holds its headers or a note of its own."""
    names = (event.attributes.get("id", ""), *event.attributes.get("class", "").split())
    return not _OWN.isdisjoint(names) or event.value in ("script", "style")


def _shown(page: _Page) -> Shown:
    fields = {name: values[0] for name, values in page.fields.items() if values[0] not in _NOTHING}
    parents = tuple(page.fields.get("reference", ())) or _one(_restored(fields.get("inreplyto", "")))
    return Shown(
        message_id=fields.get("message-id") or _restored(fields.get("id", "")),
        author=_author(fields),
        subject=fields.get("subject", ""),
        date=fields.get("date") or fields.get("sent") or _date(fields.get("isosent", "")),
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


def _date(iso: str) -> str:
    """A Date header for a time in UTC such as 20250303120000; empty for anything else."""
    try:
        return mail_date(datetime.strptime(iso, _ISO).replace(tzinfo=UTC))
    except ValueError:
        return ""


def _one(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _text(text: str) -> str:
    """The text of a body: a <br> (NUL) ends a line together with the line ends beside it, a <p> (SOH) is a blank one.

    The line end behind a <p> is the archive's.
    """
    text = _BREAK.sub("\n", text)
    text = _LEADING.sub(lambda match: " " * len(match[0]), text)
    return "\n".join(line.rstrip("\r") for line in text.strip("\n").split("\n")) + "\n"
