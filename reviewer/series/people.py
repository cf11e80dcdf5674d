"""Who wrote a mail: one person behind several addresses, or a bot."""

from __future__ import annotations

from collections.abc import Iterable

from reviewer.mail.address import email_key, name_key
from reviewer.model import Address

_BOT_WORDS = frozenset(
    {
        "bot",
        "bot2",
        "bots",
        "robot",
        "syzbot",
        "regzbot",
        "buildbot",
        "patchwork",
        "patchew",
        "lkp",
        "kbuild",
        "sashiko",
    }
)


def is_bot(author: Address) -> bool:
    """Whether a program wrote it, known by a word of its address or name (`patchwork-bot+x@`, `kernel test robot`)."""
    local = author.email.lower().partition("@")[0].partition("+")[0]
    return any(word in _BOT_WORDS for word in _words(local)) or any(
        word in _BOT_WORDS for word in _words(author.name.lower())
    )


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text).split()


class People:
    """Who is who among `authors`: they are one person when an address or a name is equal, be it over a third.

    A name of a single word tells nobody apart and is passed over.
    """

    def __init__(self, authors: Iterable[Address]) -> None:
        self._roots: dict[str, str] = {}
        self._ids: dict[tuple[str, str], str] = {}
        for author in authors:
            key = (author.name, author.email)
            if key in self._ids:
                continue
            name = name_key(author.name)
            email = f"e:{email_key(author.email)}" if author.email else f"n:{name}"
            self._ids[key] = email
            if " " in name:
                self._join(email, f"n:{name}")

    def of(self, author: Address) -> str:
        """A word that is the same for all addresses of this person; `author` must be one of those given."""
        return self._find(self._ids[author.name, author.email])

    def _join(self, one: str, other: str) -> None:
        low, high = sorted((self._find(one), self._find(other)))
        self._roots[high] = low

    def _find(self, key: str) -> str:
        path: list[str] = []
        while (up := self._roots.get(key, key)) != key:
            path.append(key)
            key = up
        for step in path:
            self._roots[step] = key
        return key
