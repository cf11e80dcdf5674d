"""Reading `reviewer.toml`: every key known, every value of its kind, or one line that names what is not."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from reviewer.config_keys import KEYS, REPEATED, SECTIONS, WrongValueError
from reviewer.errors import UsageError

LARGEST = 256 << 10
"""Bytes of a configuration that are read."""

Table = Mapping[str, object]


class Config(Struct, frozen=True, kw_only=True):
    """A configuration file. `path` is absolute.

    `values` holds what it sets by the full names of the keys, paths made absolute, what repeats as a tuple of mappings;
    `settings` the same by the attributes of the options that act on it; `lines` the lines (from 1) of keys whose place
    is plain to see.
    """

    path: str
    values: Mapping[str, Any]
    settings: Mapping[str, Any]
    lines: Mapping[str, int]


def read_config(path: Path) -> Config:
    """The configuration in `path`. Raises UsageError, one line, for a file that cannot be read or is not right."""
    text = _text(path)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for dates and numbers that cannot be
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise UsageError(f"{path} is no TOML: {reason}") from None
    lines = lines_of(text)
    folder = Path(os.path.abspath(path)).parent
    values: dict[str, Any] = {}
    for name, value in _leaves("", tables, path, lines):
        try:
            values[name] = _checked(name, value, folder)
        except WrongValueError as error:
            raise UsageError(f"{_place(path, lines.get(name))}: {name} {error}") from None
    settings = {sets: value for name, value in values.items() if name in KEYS and (sets := KEYS[name].sets) is not None}
    return Config(path=os.path.abspath(path), values=values, settings=settings, lines=lines)


def _text(path: Path) -> str:
    """What the file holds. A pipe or a device is not waited for, and a large file is not read to its end."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise UsageError(f"{path} is no file: give a configuration such as docs/configuration.md shows")
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UsageError(f"{path} is larger than {LARGEST >> 10} KiB: is it a configuration?")
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start + 1}): save it as UTF-8") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder: give the file in it") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def _leaves(section: str, table: Table, path: Path, lines: Mapping[str, int]) -> Iterator[tuple[str, object]]:
    """The known keys of a section with their values, those of its sections among them. Raises UsageError for others."""
    for key, value in table.items():
        name = f"{section}.{key}" if section else key
        if name in KEYS or name in REPEATED:
            yield name, value
        elif name in SECTIONS:
            if not isinstance(value, dict):
                raise UsageError(f"{_place(path, lines.get(name))}: {name} must be a table: write [{name}]")
            yield from _leaves(name, cast("Table", value), path, lines)
        else:
            raise UsageError(f"{_place(path, lines.get(name))}: {_unknown(section, key, isinstance(value, dict))}")


def _checked(name: str, value: object, folder: Path) -> object:
    if name in KEYS:
        return KEYS[name].check(value, folder)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in cast("list[object]", value)):
        raise WrongValueError(f"must be written as [[{name}]]")
    return tuple(_entry(name, table, folder) for table in cast("list[Table]", value))


def _entry(section: str, table: Table, folder: Path) -> Mapping[str, Any]:
    """One table of a section that repeats."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if f"{section}.{key}" not in KEYS:
            raise WrongValueError(f"holds an {_unknown(section, key, table=False)}")
        try:
            found[key] = KEYS[f"{section}.{key}"].check(value, folder)
        except WrongValueError as error:
            raise WrongValueError(f"has a {key} that {error}") from None
    return found


def _unknown(section: str, key: str, table: bool) -> str:
    """What to say of a key or section that nobody knows: where it belongs, or what it may have been meant to be."""
    from difflib import get_close_matches

    homes = [home for home, _, last in (name.rpartition(".") for name in KEYS) if last == key]
    if homes and not table:
        return f"unknown key {key} {_where(section)}; it belongs in [{homes[0]}]"
    names = sorted(SECTIONS) if table and not section else [one.rpartition(".")[2] for one in _within(section)]
    near = get_close_matches(key.lower().replace("-", "_"), names, n=1)
    far = near or get_close_matches(key.lower().replace("-", "_"), [one.rpartition(".")[2] for one in KEYS], n=1)
    if far:
        hint = f"did you mean {far[0]}?"
    else:
        hint = f"known here: {', '.join(sorted(names))}" if section else f"known: {', '.join(sorted(SECTIONS))}"
    return f"unknown {'section' if table else 'key'} {key} {_where(section)}; {hint}"


def _within(section: str) -> list[str]:
    """The full names of the keys and sections right below a section."""
    return [one for one in (*KEYS, *sorted(SECTIONS)) if one.rpartition(".")[0] == section]


def _where(section: str) -> str:
    return f"in [{section}]" if section else "at the top"


def _place(path: Path, line: int | None) -> str:
    return f"{path}:{line}" if line is not None else str(path)


def lines_of(text: str) -> dict[str, int]:
    """The lines, from 1, of the keys and sections of a TOML document by their full names, each the first time.

    Only lines of the plain kind are understood, `[section]` and `key = value`; none when a string of several lines is
    in the document, since its lines could look like that.
    """
    found: dict[str, int] = {}
    if '"""' in text or "'''" in text:
        return found
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words.startswith("["):
            head, closed, _ = words.lstrip("[").partition("]")
            if closed and "=" not in head:
                section = head.strip()
                found.setdefault(section, number)
        elif not words.startswith("#") and "=" in words:
            key = words.partition("=")[0].strip().strip("\"'")
            found.setdefault(f"{section}.{key}" if section else key, number)
    return found
