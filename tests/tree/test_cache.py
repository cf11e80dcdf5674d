"""Trees on disk: the same as parsed, and nothing that is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driver import source

from reviewer.code.cache import Trees
from reviewer.code.node import Node
from reviewer.code.reading import Reading, read_file
from reviewer.errors import InputError

SOURCE = (source(1, 4) + "int broken(void)\n{\n\treturn ) 1;\n}\n").encode()


def told(root: Node) -> list[tuple[object, ...]]:
    return [
        (
            node.kind,
            node.text,
            node.field,
            node.named,
            node.missing,
            node.broken,
            node.cut,
            node.parent.kind if node.parent else None,
            len(node.children),
        )
        for node in root.walk()
    ]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("spans", [None, [(120, 500), (700, 900)], []])
def test_a_kept_tree_is_the_one_that_was_parsed(tmp_path: Path, spans: list[tuple[int, int]] | None) -> None:
    trees = Trees(tmp_path / "trees")
    parsed = read_file(SOURCE, spans)
    first, second = (read_file(SOURCE, spans, trees) for _ in range(2))
    assert told(first.root) == told(second.root) == told(parsed.root)
    assert first.errors == second.errors == parsed.errors
    assert len(files(tmp_path)) == 1


def test_a_kept_tree_is_not_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = Trees(tmp_path)
    read_file(SOURCE, None, trees)
    monkeypatch.setattr("reviewer.code.reading._whole", None)
    assert read_file(SOURCE, None, Trees(tmp_path)).root.kind == "translation_unit"
    with pytest.raises(TypeError):
        read_file(SOURCE + b"\n", None, trees)


def spoiled(folder: Path, change: object) -> Reading:
    """Read with a table in the cache to which `change` was done."""
    (path,) = files(folder)
    table = json.loads(path.read_text())
    path.write_text(change(table) if callable(change) else str(change))
    return read_file(SOURCE, None, Trees(folder))


def replaced(**changes: object) -> object:
    return lambda table: json.dumps({**table, **changes})


@pytest.mark.parametrize(
    "change",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 1}',
        replaced(format="other"),
        replaced(errors="1"),
        replaced(errors=True),
        replaced(names={}),
        replaced(names=[1]),
        replaced(cells=[]),
        replaced(cells=[0] * 7),
        replaced(cells=["0"] * 6),
        replaced(cells=[True] * 6),
        replaced(cells=[0, -1, 0, 0, 0, 0]),
        replaced(cells=[0, 999, 0, 0, 0, 0]),
        replaced(cells=[0, 0, 0, 1 << 40, 0, 0]),
        replaced(cells=[0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
        replaced(more=1),
    ],
)
def test_what_is_no_table_is_as_good_as_not_there(tmp_path: Path, change: object) -> None:
    read_file(SOURCE, None, Trees(tmp_path))
    assert told(spoiled(tmp_path, change).root) == told(read_file(SOURCE).root)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--cache"):
        Trees(tmp_path / "file" / "trees")


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    trees = Trees(tmp_path / "trees")
    (tmp_path / "trees").rmdir()
    (tmp_path / "trees").write_text("")
    assert told(read_file(SOURCE, None, trees).root) == told(read_file(SOURCE).root)
