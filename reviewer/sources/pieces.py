"""The preformatted blocks of an archive's page: text and links, and the parts of a mail among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from msgspec import Struct

from reviewer.sources.markup import Event
from reviewer.sources.rebuilt import ShownPart

_TYPE = re.compile(r"Type: ([\w.+-]+/[\w.+-]+)")
_DOWNLOAD = re.compile(r"[\d.]+-(.+)")
_MADE_UP_NAMES = ("a.txt", "a.bin")


class Anchor(NamedTuple):
    """A link or a target: its `href` and `id` (empty when it has none) and its text, what it holds flattened."""

    href: str
    id: str
    text: str

    @property
    def target(self) -> str:
        """What stands behind the `#` of its address."""
        return self.href.partition("#")[2]

    @property
    def last(self) -> str:
        """The last step of its path, percent-encoding undone: the Message-ID in a link to a message."""
        path = self.href.partition("#")[0].partition("?")[0].rstrip("/")
        return unquote(path.rpartition("/")[2])


Piece = str | Anchor


class Block(Struct, frozen=True, kw_only=True):
    """What stands between <pre> and </pre>. `id` is empty when it has none."""

    id: str
    pieces: tuple[Piece, ...]


def pre_blocks(events: Iterable[Event]) -> Iterator[Block]:
    """The <pre> blocks of a page, in order."""
    pieces: list[Piece] | None = None
    block_id = ""
    link: tuple[str, str] | None = None
    text: list[str] = []
    for event in events:
        if event.kind == "open" and event.value == "pre" and pieces is None:
            pieces, block_id, link, text = [], event.attributes.get("id", ""), None, []
        elif pieces is None or event.kind == "comment":
            continue
        elif event.kind == "text":
            text.append(event.value)
        elif event.value == "a":
            if event.kind == "open" and link is None:
                pieces, text = _with_text(pieces, text), []
                link = (event.attributes.get("href", ""), event.attributes.get("id", ""))
            elif event.kind == "close" and link is not None:
                pieces.append(Anchor(*link, "".join(text)))
                link, text = None, []
        elif event.kind == "close" and event.value == "pre":
            yield Block(id=block_id, pieces=tuple(_with_text(pieces, text)))
            pieces = None


def _with_text(pieces: list[Piece], text: Sequence[str]) -> list[Piece]:
    if text:
        pieces.append("".join(text))
    return pieces


def flat(pieces: Iterable[Piece]) -> str:
    """The text that a reader sees."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in pieces)


def split_at_blank(pieces: Sequence[Piece], start: int = 0) -> tuple[tuple[Piece, ...], tuple[Piece, ...]] | None:
    """The pieces before and behind the first empty line at or behind piece `start`; None without one."""
    for at in range(start, len(pieces)):
        piece = pieces[at]
        if isinstance(piece, str) and "\n\n" in piece:
            head, _, rest = piece.partition("\n\n")
            return (*pieces[:at], head), (rest, *pieces[at + 1 :])
    return None


def mail_parts(pieces: Iterable[Piece]) -> tuple[ShownPart, ...]:
    """The parts of a mail that a page shows one below the other, the line that announces each taken off.

    public-inbox puts a line `[-- Attachment #2: ... --]` with a link before each part of a mail that has several, or
    whose only part has a file name; parts that hold no text are announced and not shown.
    """
    shown: list[tuple[Anchor | None, list[str]]] = [(None, [])]
    for piece in pieces:
        if isinstance(piece, Anchor) and _announces(piece):
            shown.append((piece, []))
        else:
            shown[-1][1].append(piece if isinstance(piece, str) else piece.text)
    parts: list[ShownPart] = []
    for number, (label, texts) in enumerate(shown, 1):
        text = "".join(texts)
        if number < len(shown):
            text = text.removesuffix("\n")
        if label is not None:
            text = text.removeprefix("\n")
            if text.startswith("\n"):
                parts.append(_announced(label, text[1:]))
        elif text or len(shown) == 1:
            parts.append(ShownPart(text=text))
    return tuple(parts)


def _announces(anchor: Anchor) -> bool:
    return (
        anchor.text.startswith(("[-- Attachment #", "[-- Warning: "))
        and "#" not in anchor.href
        and _DOWNLOAD.fullmatch(anchor.last) is not None
    )


def _announced(label: Anchor, text: str) -> ShownPart:
    kind = _TYPE.search(label.text, label.text.rfind("Type: "))
    named = _DOWNLOAD.fullmatch(label.last)
    name = named[1] if named and named[1] not in _MADE_UP_NAMES else None
    return ShownPart(text=text, content_type=kind[1].lower() if kind else "text/plain", filename=name)
