"""What becomes of patches from one version to the next."""

from __future__ import annotations

from compare_story import Story, diff
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.compare.patches import patch_changes
from reviewer.compare.values import Comparison

COUNT = ("net: frob: count slots", diff("net/a.c", "frob_count_slots(fb)", "frob_count_all_slots(fb)"))
MAP = ("net: frob: map slots", diff("net/b.c", "frob_map_slots(fb)", "frob_map_all_slots(fb)"))
START = ("net: frob: start queues", diff("net/c.c", "frob_start_queue(fb)", "frob_start_all_queues(fb)"))


def fates(comparison: Comparison) -> list[tuple[str, int | None, int | None]]:
    return [
        (one.fate, one.old.number if one.old else None, one.new.number if one.new else None)
        for one in comparison.patches
    ]


def story(old: list[tuple[str, str]], new: list[tuple[str, str]], **own: object) -> Comparison:
    made = Story()
    made.version(1, old)
    made.version(2, new, **own)  # type: ignore[arg-type]
    return made.compared()


def test_nothing_changed() -> None:
    assert fates(story([COUNT, MAP], [COUNT, MAP])) == [("same", 1, 1), ("same", 2, 2)]


def test_a_patch_is_added_one_dropped_with_the_changelogs_reason() -> None:
    notes = "Changes in v2:\n- drop the patch that lets frob map slots, it is in\n"
    comparison = story([COUNT, MAP], [COUNT, START], notes=notes)
    assert fates(comparison) == [("same", 1, 1), ("dropped", 2, None), ("added", None, 2)]
    assert [entry.text for entry in comparison.patches[1].reasons] == [
        "drop the patch that lets frob map slots, it is in"
    ]


def test_with_holes_nothing_is_dropped_or_added() -> None:
    assert fates(story([COUNT, MAP], [COUNT, MAP], holes=(2,))) == [("same", 1, 1)]
    made = Story()
    made.version(1, [COUNT, MAP], holes=(2,))
    made.version(2, [COUNT, MAP])
    assert fates(made.compared()) == [("same", 1, 1)]


def test_renamed_and_moved() -> None:
    renamed = ("net: frob: tally all slots", COUNT[1])
    comparison = story([COUNT, MAP, START], [MAP, START, renamed])
    assert fates(comparison) == [("same", 2, 1), ("same", 3, 2), ("message", 1, 3)]
    assert [one.moved for one in comparison.patches] == [False, False, True]
    assert [one.renamed for one in comparison.patches] == [False, False, True]
    assert [line.text for line in comparison.patches[2].message if line.outer == "-"] == ["net: frob: count slots"]


def test_context_alone_is_no_change_of_the_patch() -> None:
    (change,) = story([COUNT], [(COUNT[0], COUNT[1].replace("frob_lock(fb)", "frob_lock_all(fb)"))]).patches
    assert change.fate == "context"
    assert any(line.outer == "+" and "frob_lock_all" in line.text for line in change.code)


def test_changed_lines() -> None:
    (change,) = story([COUNT], [(COUNT[0], COUNT[1].replace("frob_count_slots", "frob_count_few"))]).patches
    assert change.fate == "changed"
    assert [line.outer + line.text for line in change.code if line.outer != " "] == [
        "-+\tfrob_count_slots(fb);",
        "++\tfrob_count_few(fb);",
    ]


def test_tags_are_no_change_of_the_message() -> None:
    acked = "Acked-by: Rita Example <rita@x.example>\n"
    (change,) = story([COUNT], [COUNT], trailers={1: acked}).patches
    assert change.fate == "same"
    (change,) = story([COUNT], [COUNT], message={1: "It is  needed.\nNow more."}).patches
    assert change.fate == "message"


def test_squashed_and_split() -> None:
    both = (COUNT[0], COUNT[1] + MAP[1])
    comparison = story([COUNT, MAP], [both])
    assert fates(comparison) == [("changed", 1, 1), ("squashed", 2, None)]
    assert [one.number for one in comparison.patches[1].others] == [1]
    comparison = story([both], [COUNT, MAP])
    assert fates(comparison) == [("changed", 1, 1), ("split", None, 2)]
    assert [one.number for one in comparison.patches[1].others] == [1]


def test_a_patch_that_adds_nothing_has_no_home() -> None:
    removal = (
        "diff --git a/net/d.c b/net/d.c\n--- a/net/d.c\n+++ b/net/d.c\n@@ -1,3 +1,2 @@\n a;\n-frob_gone(fb);\n b;\n"
    )
    assert fates(story([COUNT, ("net: frob: remove it", removal)], [COUNT])) == [("same", 1, 1), ("dropped", 2, None)]


@settings(deadline=None)
@given(st.permutations([0, 1, 2, 3]), st.sets(st.integers(0, 3), max_size=3))
def test_every_patch_of_both_versions_is_told_of_once(order: list[int], without: set[int]) -> None:
    every = [(f"net: frob: step {word}", diff(f"net/{word}.c", f"frob_{word}_it(fb)")) for word in "abcd"]
    made = Story()
    made.version(1, every)
    made.version(2, [every[at] for at in order if at not in without])
    old, new = made.report().series
    changes = patch_changes(old, new, ())
    assert sorted(one.old.number for one in changes if one.old) == [1, 2, 3, 4]
    assert [one.new.number for one in changes if one.new] == list(range(1, 5 - len(without)))
    assert sum(one.fate == "dropped" for one in changes) == len(without)
