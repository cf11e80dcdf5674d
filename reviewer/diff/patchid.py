"""The patch-id of a diff: the same for the same change, wherever it lands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial

from reviewer.diff.names import NULL
from reviewer.model import FileDiff

_SPACE = str.maketrans("", "", " \t\n\r")
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_ALL = 1 << 160
_sha1 = partial(hashlib.sha1, usedforsecurity=False)


def patch_id(files: tuple[FileDiff, ...]) -> str:
    """What `git patch-id --stable` prints for the diff of `files`: 40 hex digits, zeros for none.

    The order of files, white space, and where the hunks stand do not matter (git's patch-id.c). Heads are written
    anew with the prefixes `a/` and `b/`, so a diff made without prefixes has the id of the one made with them.
    """
    if not files:
        return "0" * 40
    total = 0
    hashed = _sha1()
    ends_hunks = after_binary = False
    for file in files:
        if ends_hunks:
            total, hashed = _added(total, hashed.digest()), _sha1()
        ends_hunks = bool(file.hunks)
        if not after_binary:  # git passes over the `diff` line below a binary patch
            hashed.update(_squeezed(_command(file)))
        after_binary = file.binary
        for line in _facts(file):
            hashed.update(_squeezed(line))
        if file.binary:
            hashed.update(f"{file.old_blob or ''}{file.new_blob or ''}".encode())
            total, hashed = _added(total, hashed.digest()), _sha1()
        elif file.hunks:
            for line in _changes(file):
                hashed.update(_squeezed(line))
    return _added(total, hashed.digest()).to_bytes(20, "little").hex()


def _added(total: int, digest: bytes) -> int:
    return (total + int.from_bytes(digest, "little")) % _ALL


def _squeezed(line: str) -> bytes:
    return line.translate(_SPACE).encode("utf-8", "surrogatepass")


def _command(file: FileDiff) -> str:
    return f"diff --git {_quoted('a/' + file.old_path)} {_quoted('b/' + file.path)}"


def _facts(file: FileDiff) -> Iterator[str]:
    """The extended header lines that git hashes, in git's order."""
    if file.status == "added" and file.new_mode:
        yield f"new file mode {file.new_mode}"
    elif file.status == "deleted" and file.old_mode:
        yield f"deleted file mode {file.old_mode}"
    elif file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        yield f"old mode {file.old_mode}"
        yield f"new mode {file.new_mode}"
    if file.status in ("renamed", "copied"):
        verb = file.status.removesuffix("d").replace("copie", "copy")
        if file.similarity is not None:
            yield f"similarity index {file.similarity}%"
        yield f"{verb} from {_quoted(file.old_path)}"
        yield f"{verb} to {_quoted(file.path)}"


def _changes(file: FileDiff) -> Iterator[str]:
    yield f"--- {NULL if file.status == 'added' else _quoted('a/' + file.old_path)}"
    yield f"+++ {NULL if file.status == 'deleted' else _quoted('b/' + file.path)}"
    for hunk in file.hunks:
        for line in hunk.lines:
            yield line.mark + line.text


def _quoted(path: str) -> str:
    """`path` as git prints it: in C quotes when it holds control characters, quotes or other than ASCII."""
    raw = path.encode("utf-8", "surrogatepass")
    if not any(byte in _ESCAPES or not 32 <= byte < 127 for byte in raw):
        return path
    return '"' + "".join(map(_quoted_byte, raw)) + '"'


def _quoted_byte(byte: int) -> str:
    return _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
