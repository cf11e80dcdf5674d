"""Globs over paths of a patch, as rules declare them."""

from __future__ import annotations

import re
from functools import lru_cache

_PATH_MAX, _NAME_MAX = 4096, 255
"""No file of Linux has a longer path, or a longer name in it: what does costs no search."""
_WORDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Whether `path` fits one of `globs` and none that begin with `!`. `**` crosses folders, `*` does not."""
    return (len(path) <= _NAME_MAX or _may_be(path)) and _pattern(globs).fullmatch(path) is not None


def _may_be(path: str) -> bool:
    return len(path) <= _PATH_MAX and max(map(len, path.split("/"))) <= _NAME_MAX


@lru_cache(maxsize=512)
def _pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    wanted = "|".join(_regex(glob) for glob in globs if not glob.startswith("!")) or ".*"
    unwanted = "|".join(_regex(glob[1:]) for glob in globs if glob.startswith("!"))
    return re.compile((rf"(?!(?:{unwanted})\Z)" if unwanted else "") + f"(?:{wanted})", re.DOTALL)


def _regex(glob: str) -> str:
    return "".join(_WORDS.get(piece, re.escape(piece)) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob))
