"""Syntax trees kept on disk by the blob that they are of: plain tables of numbers in JSON, checked when read.

What cannot be read, or is not such a table, is as good as not there. Nothing in the folder is ever run.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewer.code.node import Node, Source
from reviewer.diff.blob import blob_id
from reviewer.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    Spans = Sequence[tuple[int, int]] | None

_FORMAT = "reviewer-trees/1"
_LARGEST = 64 << 20
_COLUMNS = 6
_NAMED, _MISSING, _BROKEN, _CUT = 1, 2, 4, 8


class Trees:
    """A folder of trees. Raises InputError when it is none and cannot be made."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--cache {folder} cannot be made: {error.strerror}; name another folder") from error
        self._folder = folder

    def get(self, source: bytes, spans: Spans) -> tuple[Node, int] | None:
        """The tree of the parts of `source` in `spans` (None: of all of it), and what its errors weigh."""
        try:
            with self._path(source, spans).open("rb") as stream:
                table = json.loads(stream.read(_LARGEST))
        except (OSError, ValueError, RecursionError):
            return None
        return _tree(table, source) if _is_table(table, len(source)) else None

    def put(self, source: bytes, spans: Spans, root: Node, errors: int) -> None:
        """Keep a tree; when that cannot be written, it is not kept."""
        from tempfile import mkstemp

        path = self._path(source, spans)
        data = json.dumps(_table(root, errors), separators=(",", ":")).encode("ascii")
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            handle, name = mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).replace(path)

    def _path(self, source: bytes, spans: Spans) -> Path:
        name = hashlib.sha256(f"{self._version} {blob_id(source, 'sha256')} {spans}".encode("ascii")).hexdigest()
        return self._folder / name[:2] / f"{name[2:]}.json"

    @cached_property
    def _version(self) -> str:
        """What trees depend on besides their text: this layer's own code and the grammar."""
        from importlib.metadata import version

        digest = hashlib.sha256(f"{_FORMAT} {version('tree-sitter-c')} {version('tree-sitter')}\n".encode())
        for path in sorted(Path(__file__).parent.glob("*.py")):
            digest.update(path.read_bytes())
        return digest.hexdigest()


def _table(root: Node, errors: int) -> dict[str, Any]:
    """Nodes in document order: parent's number, kind, start, end, flags, field; names are numbers in `names`."""
    names: dict[str, int] = {"": 0}
    numbers: dict[Node, int] = {root: 0}
    cells: list[int] = []
    for number, node in enumerate(root.walk()):
        numbers[node] = number
        flags = _NAMED * node.named + _MISSING * node.missing + _BROKEN * node.broken + _CUT * node.cut
        cells += (
            numbers[node.parent] if node.parent is not None else 0,
            names.setdefault(node.kind, len(names)),
            node.start,
            node.end,
            flags,
            names.setdefault(node.field or "", len(names)),
        )
    return {"format": _FORMAT, "errors": errors, "names": list(names), "cells": cells}


def _is_table(table: Any, size: int) -> bool:  # noqa: ANN401 - JSON can be anything
    if not _is(table, dict) or set(table) != {"format", "errors", "names", "cells"}:
        return False
    names, cells = table["names"], table["cells"]
    if table["format"] != _FORMAT or not _is(table["errors"], int) or not _is(names, list) or not _is(cells, list):
        return False
    if not cells or len(cells) % _COLUMNS or not all(_is(one, str) for one in names):
        return False
    if not all(_is(one, int) and one >= 0 for one in cells):
        return False
    parents, kinds, starts, ends, _, fields = (cells[column::_COLUMNS] for column in range(_COLUMNS))
    above = all(parent < number for number, parent in enumerate(parents[1:], 1))
    return above and max(*kinds, *fields) < len(names) and max(*starts, *ends) <= size


def _is(value: object, kind: type) -> bool:
    """Whether `value` is of this kind itself: a bool is no int."""
    return type(value) is kind


def _tree(table: dict[str, Any], text: bytes) -> tuple[Node, int]:
    """The nodes of a table that was checked."""
    names: list[str] = table["names"]
    cells: list[int] = table["cells"]
    source = Source(text)
    nodes: list[Node] = []
    children: list[list[Node]] = []
    for order in range(len(cells) // _COLUMNS):
        parent, kind, start, end, flags, field = cells[_COLUMNS * order : _COLUMNS * (order + 1)]
        node = Node(names[kind], start, end, source)
        node.named, node.missing = bool(flags & _NAMED), bool(flags & _MISSING)
        node.broken, node.cut = bool(flags & _BROKEN), bool(flags & _CUT)
        node.field = names[field] or None
        node.order = order
        if order:
            node.parent = nodes[parent]
            children[parent].append(node)
        nodes.append(node)
        children.append([])
    for node, own in zip(nodes, children, strict=True):
        node.children = tuple(own)
    return nodes[0], table["errors"]
