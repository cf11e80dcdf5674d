"""The keys of `reviewer.toml`, and what their values must be. docs/configuration.md tells them to people."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, cast

from msgspec import Struct

from reviewer.model import CONFIDENCES, LEVELS
from reviewer.report import FORMATS

Check = Callable[[object, Path], object]
"""A value as TOML gives it, and the folder of the file, to the value that is meant. Raises WrongValueError."""

T = TypeVar("T")

MOST_SECONDS = 3600
MOST_HOURS = 24 * 365


class WrongValueError(Exception):
    """A value that cannot be used. Its text stands behind the key's name."""


class Key(Struct, frozen=True, kw_only=True):
    """One key: its check, and the attribute of the options that it sets (None while nothing acts on it)."""

    check: Check
    sets: str | None = None


def _kind(value: object) -> str:
    """What TOML calls the type of a value."""
    names: dict[type, str] = {bool: "a boolean", int: "a number", float: "a number"}
    names |= {str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


def _typed(value: object, kind: type[T], wanted: str) -> T:
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise WrongValueError(f"must be {wanted}, not {_kind(value)}")
    return value


def _filled(value: object) -> str:
    word = _typed(value, str, "a string")
    if not word.strip():
        raise WrongValueError("is empty")
    return word


def text(value: object, _folder: Path) -> str:
    """A string that is not empty and holds no control characters."""
    word = _filled(value)
    if any(char < " " or char == "\x7f" for char in word):
        raise WrongValueError("holds control characters")
    return word


def path(value: object, folder: Path) -> Path:
    """A path, from the folder of the file on; `~` is the home."""
    word = _filled(value)
    if "\0" in word:
        raise WrongValueError("holds a NUL character, which no path has")
    return folder / os.path.expanduser(word)


def place(value: object, folder: Path) -> Path | str:
    """A path, or the address of a feed."""
    word = text(value, folder)
    return word if word.lower().startswith(("http://", "https://")) else path(word, folder)


def address(value: object, folder: Path) -> str:
    """The mail address of a person, without the name."""
    word = text(value, folder)
    local, _, host = word.rpartition("@")
    if not local or not host or any(char in " <>,\"'" for char in word):
        raise WrongValueError(f"holds {word}, which is no address: give it as name@host, without the person's name")
    return word


def server(value: object, folder: Path) -> str:
    """The base address of a public-inbox server."""
    word = text(value, folder)
    if not word.lower().startswith(("http://", "https://")):
        raise WrongValueError("must begin with http:// or https://")
    return word


def flag(value: object, _folder: Path) -> bool:
    """True or false."""
    return _typed(value, bool, "true or false")


def cache(value: object, folder: Path) -> bool | Path:
    """True, false, or a folder."""
    return value if isinstance(value, bool) else path(_typed(value, str, "true, false or a folder"), folder)


def port(value: object, _folder: Path) -> int:
    """A TCP port."""
    number = _typed(value, int, "a whole number")
    if not 0 < number < 1 << 16:
        raise WrongValueError("must be from 1 to 65535")
    return number


def number(least: float, most: float) -> Check:
    """A check for numbers in that range, ends included."""

    def check(value: object, _folder: Path) -> float:
        given = value if isinstance(value, float) else _typed(value, int, "a number")
        if not least <= given <= most:  # false for nan as well
            raise WrongValueError(f"must be from {least:g} to {most:g}")
        return given

    return check


def one_of(*words: str) -> Check:
    """A check for a choice."""

    def check(value: object, _folder: Path) -> str:
        word = _typed(value, str, f"one of {', '.join(words)}")
        if word not in words:
            raise WrongValueError(f"must be one of {', '.join(words)}, not {word!r}")
        return word

    return check


def several(inner: Check) -> Check:
    """A check for a list of what `inner` takes."""

    def check(value: object, folder: Path) -> tuple[object, ...]:
        return tuple(inner(item, folder) for item in cast("list[object]", _typed(value, list, "a list of strings")))

    return check


def branches(value: object, folder: Path) -> Mapping[str, str]:
    """A table from tags of subjects to branches."""
    table = cast("dict[str, object]", _typed(value, dict, "a table"))
    found: dict[str, str] = {}
    for tag, branch in table.items():
        try:
            found[text(tag, folder)] = text(branch, folder)
        except WrongValueError as error:
            raise WrongValueError(f"{tag!r} {error}") from None
    return found


_HOURS = number(0, MOST_HOURS)

KEYS: Mapping[str, Key] = {
    "review.tree": Key(check=path, sets="tree"),
    "review.base": Key(check=text, sets="base"),
    "review.apply_to": Key(check=text, sets="apply_to"),
    "review.cache": Key(check=path, sets="cache"),
    "review.min_confidence": Key(check=one_of(*CONFIDENCES[::-1]), sets="min_confidence"),
    "review.fail_on": Key(check=one_of(*LEVELS, "never"), sets="fail_on"),
    "review.format": Key(check=one_of(*FORMATS), sets="format"),
    "review.rules": Key(check=several(path), sets="rules"),
    "review.select": Key(check=several(text), sets="select"),
    "review.ignore": Key(check=several(text), sets="ignore"),
    "review.templates": Key(check=path, sets="templates"),
    "review.baseline": Key(check=path, sets="baseline"),
    "review.show_old": Key(check=flag, sets="show_old"),
    "review.branches": Key(check=branches, sets="branches"),
    "people.maintainers": Key(check=several(address), sets="maintainers"),
    "fetch.server": Key(check=server, sets="server"),
    "fetch.cache": Key(check=cache, sets="fetch_cache"),
    "fetch.timeout": Key(check=number(0.1, MOST_SECONDS), sets="timeout"),
    "fetch.offline": Key(check=flag, sets="offline"),
    "bot.from": Key(check=text),
    "bot.state": Key(check=path),
    "bot.outbox": Key(check=path),
    "bot.approval": Key(check=one_of("manual", "automatic")),
    "bot.patience_hours": Key(check=_HOURS),
    "bot.source.kind": Key(check=one_of("maildir", "public-inbox", "mbox", "atom")),
    "bot.source.path": Key(check=place),
    "bot.policy.list": Key(check=text),
    "bot.policy.reply": Key(check=one_of("mute", "author", "list")),
    "bot.policy.level": Key(check=one_of(*LEVELS)),
    "bot.policy.confidence": Key(check=one_of(*CONFIDENCES)),
    "bot.policy.embargo_hours": Key(check=_HOURS),
    "bot.smtp.host": Key(check=text),
    "bot.smtp.port": Key(check=port),
}
"""All keys by their full names, in the order of the page that tells of them."""

REPEATED = frozenset(("bot.source", "bot.policy"))
"""Sections that are written as `[[name]]`, each a table of its own."""
SECTIONS = frozenset(name.rpartition(".")[0] for name in KEYS)
