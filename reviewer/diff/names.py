"""File names as diffs write them: quoted in C, with prefixes, two in one line."""

from __future__ import annotations

import re

NULL = "/dev/null"

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-3][0-7]{2})')
_LETTERS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_STAMP = re.compile(r"[ \t]+(?:\d{4}-\d\d-\d\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2}[ \d]{3}) .*", re.DOTALL)
_ODD = re.compile(r"[\x00-\x1f\x7f\\]|^/|^[A-Za-z]:|^$|^\.\.$|^\.\./|/\.\.$|/\.\./")
_PREFIXES = frozenset({("a", "b"), ("b", "a"), ("i", "w"), ("c", "i"), ("c", "w"), ("o", "w"), ("1", "2")})
_LONGEST = 200


def unquote(text: str) -> str:
    r"""The name in `text`, `"a/\303\244.c"` as `a/ä.c`, anything else as it is. Bytes no UTF-8 are replaced."""
    match = _QUOTED.fullmatch(text)
    if match is None:
        return text
    raw = match[1].encode("utf-8", "replace")
    return _ESCAPE.sub(_unescaped, raw).decode("utf-8", "replace")


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = _LETTERS.get(match[1])
    return bytes((int(match[1], 8) if code is None else code,))


def read_name(text: str, *, git: bool) -> tuple[str, str]:
    """The name behind `--- ` or `+++ `, and what follows it, such as a time.

    Git writes no time: there only a tab ends a name with spaces. Elsewhere a time is cut off though mailers turn its
    tab into spaces.
    """
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return unquote(quoted[0]), text[quoted.end() :]
    name, _, rest = text.partition("\t")
    stamp = None if git or rest else _STAMP.search(name[:_LONGEST])
    if stamp is not None:
        return name[: stamp.start()], name[stamp.start() :]
    return name, rest


def split_pair(text: str, between: str = " ") -> tuple[str, str] | None:
    """The two names of `a/x b/x`, prefixes kept; None when no way of cutting `text` is the likely one.

    Names may hold spaces. Like git, prefer the cut that gives one name twice, below prefixes of equal length.
    """
    quoted = _QUOTED.match(text)
    if quoted is not None and text.startswith(between, quoted.end()):
        return unquote(quoted[0]), unquote(text[quoted.end() + len(between) :])
    if text.endswith('"') and f'{between}"' in text[:-1]:
        old, _, new = text.partition(f'{between}"')
        return old, unquote(f'"{new}')
    half = (len(text) - len(between)) // 2
    old, new = text[:half], text[half + len(between) :]
    below = old.partition("/")[2]
    if old + between + new == text and (old == new or (below and below == new.partition("/")[2])):
        return old, new
    for cut in (f"{between}b/", f"{between}{NULL}", between):
        if text.count(cut) == 1:
            old, _, new = text.partition(cut)
            return old, cut[len(between) :] + new
    return None


def have_prefixes(old: str, new: str) -> bool:
    """Whether the first components of two names of one file are no part of it: `a/x b/x`, `linux.orig/x linux/x`.

    Beside the null file only `a/` and `b/` are surely prefixes.
    """
    if NULL in (old, new):
        return (new if old == NULL else old).startswith(("a/", "b/"))
    (first, slash, rest), (other, other_slash, other_rest) = old.partition("/"), new.partition("/")
    if not slash or not other_slash:
        return False
    return (first, other) in _PREFIXES or (first != other and rest == other_rest)


def without_prefix(name: str) -> str:
    """`name` without its first component, as `patch -p1` takes it."""
    return name if name == NULL else name.partition("/")[2] or name


def is_odd(path: str) -> bool:
    """Whether `path` leads out of a tree, or holds what no file of a source tree has in its name."""
    return _ODD.search(path) is not None


def shown(path: str) -> str:
    """`path` for a message: on one line, printable, not too long."""
    text = path if path.isprintable() and path else ascii(path)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
