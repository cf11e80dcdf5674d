"""Where a report goes: standard output, or a file that is whole or not there."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from reviewer.errors import InputError


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
