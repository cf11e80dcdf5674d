"""Saved pages of public-inbox servers: a message, a thread (`T/`, `t/`), search results, `new.html`.

Read as public-inbox 1.x and 2.x write them (lib/PublicInbox/View.pm), also when a browser has saved them: it makes
links absolute and quotes attributes, and nothing here depends on either. In a mail's text every `<` is escaped, so
no mail can make a tag, and the anchors that mark where a mail starts and ends are the server's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from reviewer.sources.hypermail import is_hypermail, read_hypermail
from reviewer.sources.markup import MAX_PAGE, read_html
from reviewer.sources.overview import overview, parents_of
from reviewer.sources.pieces import Anchor, Block, Piece, flat, mail_parts, pre_blocks, split_at_blank
from reviewer.sources.raw import Raw, RawMail, truncated
from reviewer.sources.rebuilt import Shown, from_header, from_text, mail_date, rebuild, shown_subject
from reviewer.sources.stream import BrokenError

_START = re.compile(r"m[0-9a-f]{40}")
_FROM = re.compile(r"From: (.*) @ (\d{4,}-\d\d-\d\d) +(\d{1,2}:\d\d) UTC \(")
_ID = re.compile(r"<([^<>\s]+)>")
_OVERVIEW = ("Thread overview:", "-- links below jump to the message on this page --")
_OVERVIEW_LINK = "[thread overview]"
_LISTS = re.compile(rb"</?(?:ul|li)\s*>", re.IGNORECASE)
_TAIL = 4096


def read_page(data: bytes, source: str) -> Raw:
    """The mails of a saved page, in its order; a Notice when it was read only in part.

    `source` is what notices call it. Only the first MAX_PAGE bytes are read. Raises BrokenError for a page without
    a mail.
    """
    if is_hypermail(data):
        yield from read_hypermail(data[:MAX_PAGE], source)
        return
    # t/ nests its lists as deep as the thread goes, deeper than the parser follows
    events, damage = read_html(_LISTS.sub(b"", data[:MAX_PAGE]))
    whole = len(data) <= MAX_PAGE and b"</html>" in data[-_TAIL:].lower()
    blocks = tuple(pre_blocks(events))
    # the parser closes what the end of the data left open
    found = _thread(blocks) or _messages(blocks if whole else blocks[:-1])
    for shown in found:
        yield RawMail(data=rebuild(shown), source=source)
    if not found:
        raise BrokenError("is a page without a mail (save a message, or its thread by the links flat or nested)")
    if len(data) > MAX_PAGE:
        yield truncated(source, f"is larger than {MAX_PAGE >> 20} MiB")
    elif damage or not whole:
        yield truncated(source, damage or "breaks off")


# Threads and search results: mails between an anchor at `*` and one at `^`


def _thread(blocks: Sequence[Block]) -> tuple[Shown, ...]:
    mails: dict[str, tuple[str, tuple[Piece, ...]]] = {}
    tree: tuple[Piece, ...] = ()
    for block in blocks:
        start = next((at for at, piece in enumerate(block.pieces) if _is_start(piece)), None)
        if start is None:
            tree = block.pieces if _has_overview(block) else tree
            continue
        anchor = block.pieces[start]
        pieces = block.pieces[start + 1 :]
        link = next((piece for piece in pieces if _is_permalink(piece)), None)
        if isinstance(anchor, Anchor) and isinstance(link, Anchor):
            mails.setdefault(anchor.id, (link.last, pieces))

    def id_of(link: Anchor) -> str:
        return mails[link.target][0] if link.target in mails else "" if link.target else link.last

    parents = parents_of(overview(tree), id_of)
    found = (_entry(pieces, parents.get(message_id), message_id) for message_id, pieces in mails.values())
    return tuple(shown for shown in found if shown is not None)


def _is_start(piece: Piece) -> bool:
    return isinstance(piece, Anchor) and piece.text == "*" and _START.fullmatch(piece.id) is not None


def _is_permalink(piece: Piece) -> bool:
    return isinstance(piece, Anchor) and piece.text == "permalink" and "#" not in piece.href


def _has_overview(block: Block) -> bool:
    return any(isinstance(piece, str) and any(mark in piece for mark in _OVERVIEW) for piece in block.pieces)


def _entry(pieces: Sequence[Piece], parents: tuple[str, ...] | None, message_id: str) -> Shown | None:
    """One mail of a thread's page; None when the page ends within it."""
    link = next(at for at, piece in enumerate(pieces) if _is_permalink(piece))
    end = next((at for at, piece in enumerate(pieces) if at > link and _is_end(piece)), None)
    split = split_at_blank(pieces[:end], link) if end is not None else None
    sent = _FROM.fullmatch(flat(pieces[:link]).rpartition("\n")[2])
    if split is None or sent is None:
        return None
    head, body = split
    if flat(head[link:]).endswith(")") and isinstance(body[0], str):  # neither To nor Cc: their line is empty
        body = (body[0].removeprefix("\n"), *body[1:])
    if parents is None:
        parents = tuple(_ID.findall(flat(head[link:]).partition("\nIn-Reply-To: ")[2])[:1])
    last = body[-1]
    return Shown(
        message_id=message_id,
        author=from_header(sent[1], ""),
        subject=shown_subject(flat(pieces[:link]).strip().partition("\n")[0]),
        date=mail_date(_when(f"{sent[2]} {sent[3]}")),
        parents=parents,
        parts=mail_parts((*body[:-1], last.removesuffix("\n") if isinstance(last, str) else last)),
    )


def _is_end(piece: Piece) -> bool:
    return isinstance(piece, Anchor) and piece.text == "^" and piece.id.startswith("e")


def _when(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return None


# The page of one message, or of several that share a Message-ID


def _messages(blocks: Sequence[Block]) -> tuple[Shown, ...]:
    tree = next((block.pieces for block in blocks if _has_overview(block) and _fields(block) is None), ())
    found: list[Shown] = []
    for block in blocks:
        read = _fields(block)
        if read is None:
            continue
        fields, body = read
        message_id = _ID.findall(fields["message-id"])[0]

        def id_of(link: Anchor, own: str = message_id) -> str:
            return own if link.target == "t" else "" if link.target else link.last

        found.append(_message(fields, body, parents_of(overview(tree), id_of).get(message_id, ())))
    return tuple(found)


def _fields(block: Block) -> tuple[Mapping[str, str], tuple[Piece, ...]] | None:
    """The headers that stand at the top of a block, by lower-case name, the first of each, and its body; or None."""
    split = split_at_blank(block.pieces)
    if split is None or block.id not in ("b", ""):
        return None
    fields: dict[str, str] = {}
    for line in _unfolded(flat(split[0])):
        name, colon, value = line.partition(": ")
        if not colon or " " in name:
            return None
        fields.setdefault(name.lower(), value)
    return (fields, split[1]) if _ID.search(fields.get("message-id", "")) else None


def _unfolded(head: str) -> Iterator[str]:
    lines: list[str] = []
    for line in head.split("\n"):
        if line[:1] in (" ", "\t") and lines:
            lines.append(line.strip())
            continue
        if lines:
            yield " ".join(lines)
        lines = [line]
    yield " ".join(lines)


def _message(fields: Mapping[str, str], body: tuple[Piece, ...], above: tuple[str, ...]) -> Shown:
    answered = tuple(_ID.findall(fields.get("in-reply-to", "")))[-1:]
    above = above or tuple(_ID.findall(fields.get("references", "")))
    return Shown(
        message_id=_ID.findall(fields["message-id"])[0],
        author=from_text(fields.get("from", "")),
        subject=fields.get("subject", ""),
        date=fields.get("date", "").partition(_OVERVIEW_LINK)[0],
        parents=above if above[-1:] == answered or not answered else above + answered,
        parts=mail_parts(body),
    )
