"""Units of whole files: functions complete, lines known, and parsed only around the patch."""

from __future__ import annotations

from itertools import pairwise

import pytest
from driver import HEAD, MAIN, SLOTS, Tree, function, opened, source
from gitmaking import commit, init

from reviewer.code.change import Change, changes_of
from reviewer.code.focus import focus, spans_of, starts_of
from reviewer.code.ladder import Ladder
from reviewer.code.rows import Rows, content
from reviewer.code.versions import Tree as Wanted
from reviewer.repository import Repository

FAR = ("\t\tfrob_poke(fb, arg + 3);\n", "\t\tfrob_poke(fb, arg + 4);\n\t\tfrob_more(fb);\n")


def changes(clone: Tree, *, focused: bool = True, base: str | None = None, folder=None) -> list[Change]:
    series = opened(clone.mails())
    with Repository.open(folder or clone.folder) as repository:
        code = Ladder(repository=repository, tree=Wanted(branches={}, base=base)).climb(series)
    return [
        change
        for patch, seen in zip(series.patches, code.patches, strict=True)
        for change in changes_of(patch, series, seen.codes, focused=focused)
    ]


def test_one_pair_of_units_with_complete_functions(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, FAR)
    (change,) = changes(clone)
    ((old, new),) = change.units
    assert change.is_whole
    assert (old.rung, new.rung) == ("blob", "blob")
    assert new.text == source(1, 8).replace(*FAR)
    assert [one.name for one in new.functions if one.complete] == ["frob_step_3"]
    (call,) = new.calls("frob_more")
    at = new.at(call)
    assert (at.line, at.function, at.text) == (new.lines[call.row].number, "frob_step_3", "\t\tfrob_more(fb);")
    assert at.body_line == change.groups[0].added[1].body_line
    assert new.touched(call)
    assert new.whole(call)
    assert not old.calls("frob_more")
    assert [one.text for one in old.touched_lines] == ["\t\tfrob_poke(fb, arg + 3);"]


def test_lines_outside_of_the_hunk_have_no_place_in_the_mail(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, FAR)
    (change,) = changes(clone)
    unit = change.units[0][1]
    (lock,) = unit.calls("mutex_lock")
    assert unit.at(lock).body_line is None
    assert unit.at(lock).function == "frob_step_3"
    assert not unit.touched(lock)
    assert unit.peers == ()


def test_what_the_patch_does_not_touch_is_not_parsed_unless_asked_for(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, FAR)
    (focused,) = changes(clone)
    (whole,) = changes(clone, focused=False)
    few, all_ = focused.units[0][1], whole.units[0][1]
    assert few.text == all_.text
    assert not few.mentions("frob_step_7")
    assert all_.mentions("frob_step_7")
    assert [one.name for one in all_.functions] == [f"frob_step_{number}" for number in range(1, 9)]
    assert {one.text for one in few.calls()} < {one.text for one in all_.calls()}
    assert few.function_at(1) is None


def test_structs_and_macros_that_the_code_names_are_parsed(clone: Tree) -> None:
    head = "#define FROB_MOST 9\n\nstruct frob_ring {\n\tu32 size;\n};\n\nstruct frob_other {\n\tu32 no;\n};\n\n"
    text = head + source(1, 3).replace("int left = 2;", "struct frob_ring ring = { FROB_MOST };")
    clone = Tree(folder=clone.folder, base=clone.commit("frob: ring", {SLOTS: text}))
    clone.edit("frob: change", SLOTS, ("arg + 2", "arg + 22"))
    (change,) = changes(clone)
    unit = change.units[0][1]
    assert [node.child("name").text for node in unit.find("struct_specifier") if node.child("body")] == ["frob_ring"]
    assert unit.find("preproc_def")


def test_places_and_nodes_of_diff_lines(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, FAR)
    (change,) = changes(clone)
    (group,) = change.groups
    unit, row = change.place_of(group.added[1])
    assert unit.lines[row].text == "\t\tfrob_more(fb);"
    assert change.function_of(group.removed[0]) == "frob_step_3"
    assert [node.text for node in change.nodes(group.added, "call_expression")] == [
        "frob_poke(fb, arg + 4)",
        "frob_more(fb)",
    ]


def test_lines_that_have_moved_are_those_of_the_tree(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, FAR)
    other = init(clone.folder.parent / "other")
    commit(other, "frob: add it", {MAIN: "/* More. */\n\n" + source(1, 8)})
    (change,) = changes(clone, base="main", folder=other)
    (group,) = change.groups
    unit, row = change.place_of(group.added[1])
    assert unit.rung == "named"
    assert unit.lines[row].text == "\t\tfrob_more(fb);"
    assert unit.lines[row].number == group.added[1].new + 2


def test_new_deleted_renamed_and_other_files(clone: Tree) -> None:
    clone.commit("frob: new", {"drivers/net/frob/new.c": function(1), "drivers/net/frob/Kconfig": "config FROB\n"})
    (clone.folder / SLOTS).rename(clone.folder / "drivers/net/frob/ring.c")
    (clone.folder / HEAD).unlink()
    clone.edit("frob: rename", "drivers/net/frob/ring.c", ("int left = 103", "int left = 3"))
    kconfig, new, header, ring = changes(clone)
    assert kconfig.units == ()
    assert [unit.rung for unit in new.units[0]] == ["new", "new"]
    assert (len(header.units[0][0].lines), len(header.units[0][1].lines)) == (22, 0)
    assert ring.units[0][0].path == ring.units[0][1].path == "drivers/net/frob/ring.c"
    assert len(ring.units[0][0].lines) == len(ring.units[0][1].lines)


def test_trees_are_given_up_and_grow_again(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, FAR)
    (change,) = changes(clone)
    unit = change.units[0][1]
    first = unit.calls("frob_more")
    change.forget()
    assert first[0].parent is None
    assert unit.calls("frob_more")[0].text == first[0].text


def test_rows_are_made_when_asked_for() -> None:
    rows = Rows(content("a\nb\nc"), {})
    assert [row.text for row in rows] == ["a", "b", "c"]
    assert rows[-1].number == 3
    assert [row.text for row in rows[1:]] == ["b", "c"]
    assert rows.content.text == "a\nb\nc\n"
    with pytest.raises(IndexError):
        rows[3]
    assert content("").rows == ()


TEXT = b"""/* One
 *
 */

int a(void)
{
	return 1;
}

#define M(x) \\
	do {	\\
}	\\
	while (0)

struct s {
	int x;
};
int b(void)
{

out:
	return M(struct_s);
}

int cut(void)
{
#ifdef X
	if (a()) {
#endif

int c;

	}
	return 2;
}
"""


@pytest.mark.parametrize(
    ("word", "begin", "end"),
    [
        (b"return 1", b"\nint a(void)", b"}\n"),
        (b"One", b"/* One", b" */\n"),
        (b"return M", b"int b(void)", b"}\n"),
        (b"while (0)", b"\n#define M", b"while (0)\n"),
        (b"return 2", b"\nint cut", b"}\n"),
        (b"int c;", b"\nint cut", b"}\n"),
    ],
)
def test_spans_stand_alone(word: bytes, begin: bytes, end: bytes) -> None:
    starts = starts_of(TEXT)
    place = TEXT.index(word)
    row = max(row for row, start in enumerate(starts) if start <= place)
    spans = [TEXT[slice(*span)] for span in focus(TEXT, spans_of([row], starts))]
    (span,) = [span for span in spans if word in span]
    assert span.startswith(begin)
    assert span.endswith(end)


def test_spans_cover_what_is_wanted_in_order() -> None:
    starts = starts_of(TEXT)
    for first in range(len(starts) - 1):
        for last in (first, len(starts) - 2):
            rows = sorted({first, last})
            spans = focus(TEXT, spans_of(rows, starts))
            assert all(a < b for a, b in spans)
            assert all(one[1] < other[0] for one, other in pairwise(spans))
            for row in rows:
                assert any(a <= starts[row] and starts[row + 1] <= b for a, b in spans)
