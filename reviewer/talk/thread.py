"""What the replies of one version hang below: mails above each, and the patch or cover letter that they lead to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from reviewer.diff.parse import parse_diff
from reviewer.mail.body import text_parts
from reviewer.mail.message import patch_texts
from reviewer.model import Mail, Series
from reviewer.series.drafts import places_of
from reviewer.series.titles import clean_title
from reviewer.talk.document import Document, document

_TELLING = 12
_HIGHEST = 30


class Thread:
    """The mails of a version, its patches and cover letter opened as documents when a reply leads to them."""

    def __init__(self, series: Series) -> None:
        outline = series.outline
        self._series = series
        self._cover = outline.cover
        self._numbers = places_of(outline)
        self._members: dict[str, Mail] = {mail.message_id: mail for mail in (*outline.replaced, *outline.patches)}
        if outline.cover is not None:
            self._members[outline.cover.message_id] = outline.cover
        self._titled = {clean_title(mail.subject): mail for mail in self._members.values()}
        self._replies = {mail.message_id: mail for mail in outline.replies}
        self._documents: dict[str, tuple[Document, ...]] = {}
        self._holders: defaultdict[str, list[Document]] | None = None
        self._about: dict[str, Mail] = {}

    def downwards(self) -> Iterator[Mail]:
        """All replies, by date, but none before the one that it answers."""
        done: set[str] = set()
        for reply in self._replies.values():
            path: dict[str, Mail] = {}
            at: Mail | None = reply
            while at is not None and at.message_id not in done and at.message_id not in path:
                path[at.message_id] = at
                at = self._replies.get(self._parent(at) or "")
            done.update(path)
            yield from reversed(path.values())

    def above(self, mail: Mail) -> tuple[Mail, ...]:
        """The replies that `mail` answers, the nearest first, thirty of them at most."""
        path: dict[str, Mail] = {}
        at = self._replies.get(self._parent(mail) or "")
        while at is not None and at is not mail and at.message_id not in path and len(path) < _HIGHEST:
            path[at.message_id] = at
            at = self._replies.get(self._parent(at) or "")
        return tuple(path.values())

    def documents(self, mail: Mail) -> tuple[Document, ...]:
        """What the reply `mail` is about: a patch or cover letter, or all the patches of one mail; empty for none.

        Where the thread breaks off below a patch that is not there, the subject tells.
        """
        path: dict[str, Mail] = {}
        at: Mail | None = mail
        member: Mail | None = None
        while at is not None and at.message_id not in path and member is None:
            path[at.message_id] = at
            member = self._about.get(at.message_id) or self._directly(at)
            at = self._replies.get(self._parent(at) or "")
        found = member or self._cover or next(iter(self._members.values()))
        self._about.update(dict.fromkeys(path, found))
        return self._opened(found)

    def _directly(self, mail: Mail) -> Mail | None:
        """The member that a reply answers itself, or that its subject names where what it answers is not there."""
        parent = self._parent(mail)
        member = self._members.get(parent or "")
        if parent in self._replies or (member is not None and member is not self._cover):
            return member
        if member is not None and mail.in_reply_to in (None, parent):
            return member
        return self._titled.get(clean_title(mail.subject)) or member

    def quoted_most(self, keys: Iterable[str]) -> Document | None:
        """The document of this version in which most of `keys`, long ones alone, are lines."""
        if self._holders is None:
            self._holders = defaultdict(list)
            for mail in self._members.values():
                for one in self._opened(mail):
                    for key in one.places:
                        if len(key) >= _TELLING:
                            self._holders[key].append(one)
        weights: Counter[int] = Counter()
        holders: dict[int, Document] = {}
        for key in keys:
            for one in self._holders.get(key, ()):
                weights[id(one)] += len(key)
                holders[id(one)] = one
        return holders[max(weights, key=lambda one: weights[one])] if weights else None

    def _parent(self, mail: Mail) -> str | None:
        """The nearest mail above that is there."""
        for one in (mail.in_reply_to or "", *reversed(mail.references)):
            if one != mail.message_id and (one in self._replies or one in self._members):
                return one
        return None

    def _opened(self, mail: Mail) -> tuple[Document, ...]:
        if mail.message_id not in self._documents:
            self._documents[mail.message_id] = tuple(self._open(mail))
        return self._documents[mail.message_id]

    def _open(self, mail: Mail) -> Iterator[Document]:
        cover = self._series.cover
        if cover is not None and mail is cover.mail:
            yield document(mail, 0, cover.text, ())
            return
        opened = [patch for patch in self._series.patches if patch.mail is mail]
        for patch in opened:
            yield document(mail, patch.number, patch.text, patch.files)
        if not opened:
            text = patch_texts(mail, text_parts(mail))[0]
            yield document(mail, self._numbers[mail.message_id], text, parse_diff(text.diff)[0])
