"""Symbols over the patches of a series, from the mail alone and with the code behind it."""

from __future__ import annotations

import pytest
from driver import HEAD, MAIN, SLOTS, Tree, climb, opened, source

from reviewer.code.series_changes import SeriesChanges
from reviewer.code.symbols import Symbols

ADDED = """
int frob_reset(struct frob *fb)
{
	return frob_map(fb, FROB_MOST);
}
EXPORT_SYMBOL_GPL(frob_reset);
"""


@pytest.fixture(params=["mail", "tree"])
def symbols(request: pytest.FixtureRequest, clone: Tree) -> Symbols:
    clone.edit(
        "frob: declare",
        HEAD,
        ("#define FROB_SLOTS 64\n", "#define FROB_SLOTS 64\n#define FROB_MOST (FROB_SLOTS / 2)\n"),
        ("\tFROB_ON,\n", "\tFROB_ON,\n\tFROB_STUCK,\n"),
        ("\tu32 slots;\n", "\tu32 slots;\n\tu32 resets;\n"),
        ("int frob_map(", "int frob_reset(struct frob *fb);\nint frob_map("),
    )
    clone.commit("frob: reset", {SLOTS: source(101, 6) + ADDED})
    clone.edit("frob: use", MAIN, ("\tfb->slots += left;\n", "\tfb->slots += left;\n\tfrob_reset(fb);\n"))
    clone.edit("frob: do not", MAIN, ("\tfrob_reset(fb);\n", ""))
    clone.commit("frob: remove", {SLOTS: source(101, 6)})
    series = opened(clone.mails())
    if request.param == "mail":
        return SeriesChanges(series).symbols
    code = climb(series, clone.folder)
    return SeriesChanges(series, [seen.codes for seen in code.patches]).symbols


def told(symbols: Symbols, name: str) -> list[tuple[int, str, str]]:
    return [(one.patch.number, one.act, one.kind) for one in symbols.of(name)]


def test_a_function_comes_is_used_and_goes(symbols: Symbols) -> None:
    assert told(symbols, "frob_reset") == [
        (1, "added", "prototype"),
        (2, "added", "function"),
        (2, "added", "export"),
        (3, "used", "prototype"),
        (4, "unused", "prototype"),
        (5, "removed", "function"),
        (5, "removed", "export"),
    ]
    (used,) = symbols.of("frob_reset", "used")
    assert (used.at.file, used.at.function, used.at.text) == (MAIN, "frob_step_1", "\tfrob_reset(fb);")


def test_macros_enumerators_and_structs(symbols: Symbols) -> None:
    assert told(symbols, "FROB_MOST") == [(1, "added", "macro"), (2, "used", "macro"), (5, "unused", "macro")]
    assert told(symbols, "FROB_STUCK") == [(1, "added", "enumerator")]
    assert (1, "changed", "struct") in told(symbols, "frob")
    assert told(symbols, "FROB_SLOTS") == []
    assert told(symbols, "frob_step_1") == [(3, "changed", "function"), (4, "changed", "function")]
    assert symbols.of("nowhere") == ()


def test_a_function_that_moves_to_another_file_is_changed(clone: Tree) -> None:
    text = source(101, 6)
    clone.commit("frob: move", {SLOTS: text + "\nint frob_moved(void)\n{\n\treturn 1;\n}\n"})
    clone = Tree(folder=clone.folder, base="HEAD")
    clone = Tree(folder=clone.folder, base=clone.commit("frob: nothing", {"README": "frob\n"}))
    clone.commit("frob: move", {SLOTS: text, MAIN: source(1, 8) + "\nint frob_moved(void)\n{\n\treturn 1;\n}\n"})
    assert told(SeriesChanges(opened(clone.mails())).symbols, "frob_moved") == [(1, "changed", "function")]
