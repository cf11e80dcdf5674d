"""Baseline files: accepted findings as TOML that people edit, one table an entry."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, convert

from reviewer.acceptance.entries import Baseline, Entry, merged
from reviewer.errors import UsageError
from reviewer.model import Report
from reviewer.output import write_output
from reviewer.report.escape import HIDDEN
from reviewer.report.layout import shortened

SCHEMA = "reviewer-baseline/1"
_TABLE = "accepted"
_HEAD = f"""# Findings that were accepted, written by `reviewer review --write-baseline`; see docs/accepting.md.
# `reason` and `expires` (the last day on which the entry holds, such as 2026-12-31) are for you to fill in.
schema = "{SCHEMA}"
"""
_BIGGEST = 8 << 20
"""Bytes of a file that is read."""
_LONGEST = 200
_KEYS = ("fingerprint", "rule", "file", "subject", "text", "reason")
_NEEDED = ("fingerprint", "rule")
_AT_LINE = re.compile(r" ?\(at line (\d+), column \d+\)")
_ESCAPED = re.compile(f'["\\\\{HIDDEN}]')


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises UsageError, one line that names file and line, for what is none."""
    if not path.exists():
        raise UsageError(f"no such baseline: {path}; write one with --write-baseline")
    file = _File(path, _text(path))
    try:
        document = tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        line = int(at[1]) if at else file.text.count("\n") + 1
        raise file.wrong(line, f"no baseline: {_AT_LINE.sub('', str(error))}") from error
    except RecursionError as error:
        raise file.wrong(1, "no baseline: nested too deeply") from error
    return Baseline(name=path.name, entries=tuple(_entries(file, document)))


def check_writable(path: Path) -> None:
    """Raise UsageError when `path` is something that a baseline must not replace; a file without content may be."""
    if path.name in ("", "-"):
        raise UsageError("--write-baseline needs the name of a file")
    if path.exists() and (not path.is_file() or path.stat().st_size):
        _own(path)


def is_unwritten(path: Path, target: Path) -> bool:
    """Whether the baseline at `path` is the one that is to be written to `target`, and holds nothing yet."""
    if os.path.realpath(path) != os.path.realpath(target):
        return False
    return not path.exists() or (path.is_file() and not path.stat().st_size)


def write_baseline(path: Path, report: Report, others: Baseline | None = None) -> None:
    """Write the findings of `report` to `path`, merged with the entries that are there; the file is whole or as before.

    Reasons and expiry of entries that are still there are kept, also those of `others`, the baseline in force. Raises
    UsageError for a file that is no baseline, InputError for one that cannot be written.
    """
    check_writable(path)
    own = _own(path).entries if path.exists() and path.stat().st_size else ()
    entries = merged(report, own, others.entries if others else ())
    write_output("\n".join((_HEAD, *map(_toml, entries))), path)


def _own(path: Path) -> Baseline:
    try:
        return read_baseline(path)
    except UsageError as error:
        raise UsageError(f"{error}; it is not overwritten, give --write-baseline another file") from error


def _text(path: Path) -> str:
    if not path.is_file():
        raise UsageError(f"{path}: no baseline: not a file")
    try:
        with path.open("rb") as file:
            data = file.read(_BIGGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > _BIGGEST:
        raise UsageError(f"{path}: no baseline: more than {_BIGGEST >> 20} MB")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}, line {line}: no baseline: not UTF-8") from error


class _File(Struct, frozen=True):
    """A file that was read, to name its lines: tomllib does not tell where a value stood."""

    path: Path
    text: str

    def wrong(self, line: int, problem: str) -> UsageError:
        return UsageError(f"{self.path}, line {line}: {problem}")

    def line_of(self, key: str) -> int:
        """The line, from 1, on which a key of the top or a table is named first; 1 when it cannot be told."""
        lines = enumerate(self.text.split("\n"), 1)
        return next((at for at, line in lines if line.lstrip(" \t[\"'").startswith(key)), 1)

    def line_in(self, number: int, key: str) -> int:
        """The line of a key of an entry (from 0), or of the entry; 1 when it cannot be told."""
        lines = self.text.split("\n")
        heads = [at for at, line in enumerate(lines) if line.replace(" ", "").startswith(f"[[{_TABLE}]]")]
        if number >= len(heads):
            return 1
        end = heads[number + 1] if number + 1 < len(heads) else len(lines)
        body = range(heads[number] + 1, end)
        named = (at for at in body if key and lines[at].lstrip(" \t\"'").startswith(key))
        return next(named, heads[number]) + 1


def _entries(file: _File, document: dict[str, Any]) -> Iterator[Entry]:
    if document.get("schema") != SCHEMA:
        raise file.wrong(1, f'no baseline: it lacks schema = "{SCHEMA}"')
    for key in document:
        if key not in ("schema", _TABLE):
            raise file.wrong(file.line_of(key), f"unknown key {key}")
    tables: Any = document.get(_TABLE, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in cast("list[object]", tables)):
        raise file.wrong(file.line_of(_TABLE), f"write [[{_TABLE}]] above each entry")
    for number, table in enumerate(cast("list[dict[str, object]]", tables)):
        problem = _problem(table)
        if problem:
            raise file.wrong(file.line_in(number, problem[0]), problem[1])
        yield convert(table, Entry)


def _problem(table: dict[str, object]) -> tuple[str, str] | None:
    """The first key of an entry that is wrong, empty for one that is not there, and what is wrong with it."""
    for key, value in table.items():
        if key == "expires":
            if not isinstance(value, date) or isinstance(value, datetime):
                return key, "expires is a date without quotes, such as 2026-12-31"
        elif key not in _KEYS:
            return key, f"unknown key {key}; known are {', '.join((*_KEYS, 'expires'))}"
        elif not isinstance(value, str):
            return key, f"{key} is a text in quotes"
    lacking = next((key for key in _NEEDED if not table.get(key)), None)
    return ("", f"the entry lacks its {lacking}") if lacking else None


def _toml(entry: Entry) -> str:
    lines = [f"[[{_TABLE}]]"]
    for key in _KEYS:
        value = getattr(entry, key)
        if value or key == "reason":
            shown = shortened(value, _LONGEST) if key == "text" else value
            lines.append(f"{key} = {_quoted(shown)}")
    if entry.expires is not None:
        lines.append(f"expires = {entry.expires.isoformat()}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in '"\\':
        return f"\\{char}"
    number = ord(char)
    if 0xD800 <= number <= 0xDFFF:
        number = 0xFFFD
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
