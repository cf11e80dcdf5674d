"""The comments of one version: its replies in pieces, each with its place in a patch or in the talk above it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from reviewer.mail.body import part_lines, text_parts
from reviewer.model import Comment, CommentKind, Mail, Series, TextLine
from reviewer.series.people import People, is_bot
from reviewer.talk.anchoring import Anchor, anchors
from reviewer.talk.document import Document, key_of, location, whole
from reviewer.talk.kinds import kind_of
from reviewer.talk.splitting import Piece, Quoted, pieces
from reviewer.talk.thread import Thread

_WORDS = 12
_ENOUGH = 24
_MOST_DOCUMENTS = 20
_MOST_LINES = 40
_NEAREST = 3


class Remark(Struct, frozen=True, kw_only=True):
    """A comment with the document and the lines of it (places from `first` to `last`) that it is about.

    Without a place in the document, both are None.
    """

    comment: Comment
    document: Document
    first: int | None
    last: int | None


class _Words(Struct):
    """What one reply said, so that answers to it can be told apart: lines to remarks."""

    remarks: list[Remark] = field(default_factory=list[Remark])
    lines: dict[str, int] = field(default_factory=dict[str, int])
    joined: list[str] = field(default_factory=list[str])

    def add(self, remark: Remark, own: Sequence[TextLine]) -> None:
        keys = [key_of(line.text) for line in own]
        for key in keys:
            self.lines.setdefault(key, len(self.remarks))
        self.joined.append("".join(keys))
        self.remarks.append(remark)

    def find(self, key: str) -> Remark | None:
        """The remark that has a line, or of which `key` is a piece."""
        at = self.lines.get(key)
        if at is None and len(key) >= _WORDS:
            at = next((at for at, joined in enumerate(self.joined) if key in joined), None)
        return None if at is None else self.remarks[at]


class _Anchored(Struct):
    """The anchors of a reply's pieces in each document that was tried."""

    found: Sequence[Piece]
    done: dict[int, tuple[Anchor | None, ...]] = field(default_factory=dict[int, "tuple[Anchor | None, ...]"])

    def of(self, document: Document) -> tuple[Anchor | None, ...]:
        if id(document) not in self.done:
            self.done[id(document)] = anchors(document, self.found)
        return self.done[id(document)]


def remarks_of(series: Series, people: People) -> tuple[Remark, ...]:
    """The remarks of people, bots left out, by the date of their mail and their place in it.

    `people` knows all who wrote a mail of the series.
    """
    if series.cover is None and not series.patches:
        return ()
    reader = _Reader(series, people)
    return tuple(remark for reply in series.outline.replies for remark in reader.words[reply.message_id].remarks)


class _Reader:
    """Reads replies from the top of the thread downwards, since they answer each other."""

    def __init__(self, series: Series, people: People) -> None:
        self._series = series
        self._people = people
        self._thread = Thread(series)
        self.words: dict[str, _Words] = {}
        for mail in self._thread.downwards():
            self.words[mail.message_id] = self._read(mail)

    def _read(self, mail: Mail) -> _Words:
        words = _Words()
        if is_bot(mail.author):
            return words
        documents = self._thread.documents(mail)
        above = [self.words[one.message_id] for one in self._thread.above(mail) if one.message_id in self.words]
        found = pieces(_lines(mail), lambda key: _is_known(key, documents, above), mail.author.name, _steering(mail))
        anchored = _Anchored(found)
        for at, piece in enumerate(found):
            best = max(documents, key=lambda one: (_weight(anchored.of(one)[at]), -documents.index(one)))
            home = self._home(piece, at, best, anchored)
            words.add(self._remark(mail, piece, home, anchored.of(home)[at], above, words), piece.own)
        return words

    def _home(self, piece: Piece, at: int, first: Document, anchored: _Anchored) -> Document:
        """The document that a piece is about: `first`, unless its quote shows much more of another of the version."""
        keys = [quoted.key for quoted in piece.above]
        weight = _weight(anchored.of(first)[at])
        if 3 * weight >= sum(map(len, keys[-3:])):
            return first
        other = self._thread.quoted_most(keys)
        if other is None or other is first or len(anchored.done) >= _MOST_DOCUMENTS:
            return first
        least = max(_ENOUGH, 3 * weight) if weight else _WORDS
        return other if _weight(anchored.of(other)[at]) >= least else first

    def _remark(
        self, mail: Mail, piece: Piece, home: Document, anchor: Anchor | None, above: list[_Words], words: _Words
    ) -> Remark:
        answered = _answered(piece.above, anchor, above)
        first, last, place = None, None, whole(home)
        if anchor is not None:
            first, last, place = anchor.first, anchor.place, location(home, anchor.place)
        elif beside := answered or _beside(piece, above, words):
            home, first, last, place = beside.document, beside.first, beside.last, beside.comment.location
        overall = above[0].remarks if above and not piece.above and not words.remarks else []
        text = "\n".join(line.text.rstrip() for line in piece.own)
        line = piece.own[0].body_line
        comment = Comment(
            id=f"{mail.message_id}#{line}",
            reply=mail.message_id,
            patch=home.mail.message_id,
            author=mail.author,
            date=mail.date,
            location=place,
            kind=self._kind(mail, home, text, answering=bool(above)),
            text=text,
            line=line,
            answers=tuple(one.comment.id for one in ([answered] if answered else overall)),
        )
        return Remark(comment=comment, document=home, first=first, last=last)

    def _kind(self, mail: Mail, home: Document, text: str, *, answering: bool) -> CommentKind:
        authors = {self._people.of(self._series.outline.author), self._people.of(home.mail.author)}
        if self._people.of(mail.author) not in authors:
            return kind_of(text)
        return "answer" if answering else "information"


def _lines(mail: Mail) -> tuple[TextLine, ...]:
    """The lines of a reply's text; none of one that cannot be read, of which the series' notices tell."""
    try:
        parts = text_parts(mail)
    except Exception:
        return ()
    return part_lines(parts[0]) if parts else ()


def _steering(mail: Mail) -> frozenset[int]:
    """The places in the body of the lines that steer the reviewer: nobody says anything to people by them."""
    if not mail.steers:
        return frozenset()
    from reviewer.mail.steering import reply_steering

    try:
        return frozenset(line.body_line for line in reply_steering(text_parts(mail)))
    except Exception:  # as above
        return frozenset()


def _is_known(key: str, documents: Sequence[Document], above: Sequence[_Words]) -> bool:
    """Whether a line stands in what a reply answers."""
    if any(key in one.places or (len(key) >= _WORDS and key in one.joined) for one in documents):
        return True
    return any(one.find(key) is not None for one in above[:_NEAREST])


def _weight(anchor: Anchor | None) -> int:
    return anchor.weight if anchor else 0


def _answered(quoted: Sequence[Quoted], anchor: Anchor | None, above: Sequence[_Words]) -> Remark | None:
    """The remark whose words are quoted last, below the last line of a patch."""
    behind = anchor.at + 1 if anchor else 0
    for line in reversed(quoted[max(behind, len(quoted) - _MOST_LINES) :]):
        for words in above:
            remark = words.find(line.key)
            if remark is not None:
                return remark
    return None


def _beside(piece: Piece, above: Sequence[_Words], words: _Words) -> Remark | None:
    """Whose place a piece shares that quotes nothing known: the only remark above, else the one before it."""
    if above and len(above[0].remarks) == 1:
        return above[0].remarks[0]
    return words.remarks[-1] if piece.above and words.remarks else None
