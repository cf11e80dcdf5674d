"""Where a report goes: standard output, or a file or a folder that is whole or not there."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.errors import InputError, UsageError

if TYPE_CHECKING:
    import argparse

COLUMNS = 80
NARROWEST, WIDEST = 40, 100
"""Columns between which a report is as wide as the terminal."""


def form_of(options: argparse.Namespace) -> str:
    """The format to print: what the user said; else `terminal` on a terminal, and `text` anywhere else."""
    told = "format" in options.origins
    elsewhere = options.output not in (None, Path("-"))
    return "terminal" if not told and not elsewhere and sys.stdout.isatty() else options.format


def width_of(form: str) -> int:
    """Columns of a report: for `terminal` those of the terminal within reason, 80 for the others."""
    if form != "terminal":
        return COLUMNS
    from shutil import get_terminal_size

    return max(NARROWEST, min(WIDEST, get_terminal_size((COLUMNS, 0)).columns))


def has_colour() -> bool:
    """Whether escape sequences may be printed: not for NO_COLOR (no-color.org), nor for a terminal that knows none."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def check_folder(path: Path | None) -> Path:
    """The folder that is to be written, UsageError unless it is named and is not there, or there and empty."""
    if path is None or path == Path("-"):
        raise UsageError("this format is a folder of files; name a new one with -o")
    try:
        if not os.path.lexists(path) or not any(path.iterdir()):
            return path
    except NotADirectoryError:
        raise UsageError(f"{path} is no folder; name a new one with -o") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    raise UsageError(f"{path} is not empty; name a new folder with -o, nothing is overwritten")


def write_folder(files: Mapping[str, str], path: Path | None) -> None:
    """Write files by name as UTF-8 into a new or empty folder, all of them or none; folders above it are made.

    Raises UsageError as `check_folder`, InputError when it cannot be written.
    """
    place = check_folder(path).resolve()
    beside = place.with_name(f".reviewer-{secrets.token_hex(8)}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
        try:
            for name, text in files.items():
                (beside / name).write_bytes(text.encode("utf-8", "replace"))
            beside.rename(place)
        except BaseException:  # an interrupt as well leaves nothing behind
            from shutil import rmtree

            rmtree(beside, ignore_errors=True)
            raise
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def write_output(text: str | bytes, path: Path | None) -> None:
    """Write to `path`, or to standard output for None and `-`; text as UTF-8.

    A file is written beside its place and then renamed, so that nobody sees half of it, whatever happens in between;
    a link is followed, the file that was there keeps its mode. What is no file (a pipe, /dev/null) is written to.
    Raises InputError when it cannot be written.
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if path is None or path == Path("-"):
        sys.stdout.buffer.write(data)
        return
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data)
    except (OSError, RuntimeError) as error:  # the latter for links in a circle
        raise InputError(
            f"cannot write {path}: {getattr(error, 'strerror', None) or 'its links lead nowhere'}"
        ) from error


def _replace(path: Path, data: bytes) -> None:
    beside = path.with_name(f".reviewer-{secrets.token_hex(8)}.part")
    try:
        with beside.open("xb") as file:
            if path.exists():
                os.fchmod(file.fileno(), path.stat().st_mode & 0o777)
            file.write(data)
        beside.replace(path)
    except BaseException:  # an interrupt as well leaves nothing behind
        beside.unlink(missing_ok=True)
        raise
