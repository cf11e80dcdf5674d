"""Globs over paths of a patch, as rules declare them."""

from __future__ import annotations

import re
from functools import lru_cache


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Whether `path` fits one of `globs` and none that begin with `!`. `**` crosses folders, `*` does not."""
    wanted = [glob for glob in globs if not glob.startswith("!")]
    return any(_pattern(glob).fullmatch(path) for glob in wanted or ("**",)) and not any(
        _pattern(glob[1:]).fullmatch(path) for glob in globs if glob.startswith("!")
    )


@lru_cache(maxsize=512)
def _pattern(glob: str) -> re.Pattern[str]:
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(words.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)
