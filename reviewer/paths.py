"""Globs over paths of a patch, as rules declare them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_PATH_MAX, _NAME_MAX = 4096, 255
"""No file of Linux has a longer path, or a longer name in it: what does costs no search."""
_WILD = frozenset("*?")
_WORDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Whether `path` fits one of `globs` and none that begin with `!`. `**` crosses folders, `*` does not."""
    if len(path) > _NAME_MAX and not _may_be(path):
        return False
    wanted, unwanted = _sorted(globs)
    return any(fits(path) for fits in wanted) and not any(fits(path) for fits in unwanted)


def _may_be(path: str) -> bool:
    return len(path) <= _PATH_MAX and max(map(len, path.split("/"))) <= _NAME_MAX


@lru_cache(maxsize=512)
def _sorted(globs: tuple[str, ...]) -> tuple[tuple[Callable[[str], bool], ...], tuple[Callable[[str], bool], ...]]:
    wanted = tuple(_fit(glob) for glob in globs if not glob.startswith("!")) or (_fit("**"),)
    return wanted, tuple(_fit(glob[1:]) for glob in globs if glob.startswith("!"))


@lru_cache(maxsize=512)
def _fit(glob: str) -> Callable[[str], bool]:
    """What tells whether a path fits `glob`; a whole folder and an ending, the most common ones, need no regex."""
    folder, ending = glob.removesuffix("**"), glob.removeprefix("**/*")
    if glob.endswith("**") and not _WILD.intersection(folder) and folder[-1:] in ("", "/"):
        return lambda path: path.startswith(folder)
    if glob.startswith("**/*") and not _WILD.intersection(ending):
        return lambda path: path.endswith(ending)
    regex = "".join(_WORDS.get(piece, re.escape(piece)) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob))
    pattern = re.compile(regex, re.DOTALL)
    return lambda path: pattern.fullmatch(path) is not None
