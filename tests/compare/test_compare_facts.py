"""What becomes of findings, tags and numbers, and where changelog and change disagree."""

from __future__ import annotations

import pytest
from compare_story import Story, diff, finding
from msgspec.structs import replace

from reviewer.compare.values import Comparison
from reviewer.model import Location

COUNT = ("net: frob: count slots", diff("net/a.c", "frob_count_slots(fb)", "frob_count_all_slots(fb)"))
MAP = ("net: frob: map slots", diff("net/b.c", "frob_map_slots(fb)", "frob_map_all_slots(fb)", function="frob_bind"))
FEW = (COUNT[0], COUNT[1].replace("frob_count_slots", "frob_count_few"))
ACKED = "Acked-by: Rita Example <rita@x.example>\n"


def log(text: str) -> str:
    return f"Changes in v2:\n{text}"


def two(old: list[tuple[str, str]], new: list[tuple[str, str]], notes: str = "", **own: object) -> Comparison:
    made = Story()
    made.version(1, old)
    made.version(2, new, notes=notes, **own)  # type: ignore[arg-type]
    return made.compared()


# findings


def test_findings_go_stay_and_come() -> None:
    made = Story()
    made.version(1, [COUNT, MAP])
    made.version(2, [COUNT, MAP])
    found = [
        finding("v1-1@frob.example", fingerprint="gone"),
        finding("v1-2@frob.example", fingerprint="kept"),
        finding("v2-2@frob.example", fingerprint="kept"),
        finding("v2-1@frob.example", fingerprint="new", rule="DM001"),
        finding("v2-1@frob.example", fingerprint="old", origin="preexisting"),
        finding("v1-0@frob.example", fingerprint="cover"),
        finding("v2-0@frob.example", fingerprint="cover"),
    ]
    changes = made.compared(found).findings
    assert [(change.fate, one.fingerprint) for change in changes if (one := change.new or change.old)] == [
        ("kept", "kept"),
        ("new", "new"),
        ("kept", "cover"),
        ("gone", "gone"),
    ]  # fmt: skip


def test_findings_move_with_the_patch_or_to_another_file() -> None:
    made = Story()
    made.version(1, [COUNT, MAP])
    made.version(2, [COUNT, MAP])
    one = finding("v1-1@frob.example", fingerprint="a")
    there = replace(one, patch="v2-2@frob.example")
    assert [change.fate for change in made.compared([one, there]).findings] == ["moved"]
    other = Location(kind="code", file="net/other.c", line=3, text="\treturn -EINVAL;")
    there = replace(one, patch="v2-1@frob.example", fingerprint="b", location=other)
    assert [change.fate for change in made.compared([one, there]).findings] == ["moved"]
    same = replace(one, patch="v2-1@frob.example", fingerprint="b")
    assert [change.fate for change in made.compared([one, same]).findings] == ["kept"]


def test_a_finding_goes_with_its_patch() -> None:
    made = Story()
    made.version(1, [COUNT, MAP])
    made.version(2, [COUNT])
    (change,) = made.compared([finding("v1-2@frob.example")]).findings
    assert (change.fate, change.with_patch) == ("gone", True)


# tags


def test_tags_are_kept_carried_dropped_lapsed_new_or_unseen() -> None:
    made = Story()
    made.version(1, [COUNT, MAP, ("net: frob: third", diff("net/c.c", "frob_third_thing(fb)"))], trailers={1: ACKED})
    made.reply("r2@x.example", "v1-2@frob.example", ACKED.replace("Acked", "Reviewed"))
    made.reply("r3@x.example", "v1-3@frob.example", ACKED)
    made.reply("t1@x.example", "v1-1@frob.example", ACKED.replace("Acked", "Tested"))
    made.version(
        2,
        [COUNT, MAP],
        trailers={1: ACKED, 2: "Reviewed-by: Rita Example <rita@x.example>\nAcked-by: Otto Example <otto@x.example>\n"},
    )
    made.reply(
        "n@x.example", "v2-2@frob.example", "Tested-by: Nora Example <n@x.example>\n", by="Nora Example <n@x.example>"
    )
    tags = [(one.fate, one.name, one.person, [patch.number for patch in one.patches]) for one in made.compared().tags]
    assert tags == [
        ("dropped", "Tested-by", "Rita Example", [1]),
        ("lapsed", "Acked-by", "Rita Example", [3]),
        ("unseen", "Acked-by", "Otto Example", [2]),
        ("new", "Tested-by", "Nora Example", [2]),
        ("carried", "Reviewed-by", "Rita Example", [2]),
        ("kept", "Acked-by", "Rita Example", [1]),
    ]


def test_a_tag_of_an_earlier_version_is_not_unseen() -> None:
    made = Story()
    made.version(1, [COUNT])
    made.reply("r@x.example", "v1-1@frob.example", ACKED)
    made.version(2, [FEW])
    made.version(3, [FEW], trailers={1: ACKED})
    assert [one.fate for one in made.compared().tags] == ["new"]


# changelog


def claims(comparison: Comparison) -> list[tuple[str, str, int | None]]:
    return [
        (one.fate, one.entry.text if one.entry else "", one.patch.number if one.patch else None)
        for one in comparison.claims
    ]


def test_a_claim_without_a_change() -> None:
    text = "- use frob_map_slots() only when it is bound\n- count few with frob_count_few()\n"
    assert claims(two([COUNT, MAP], [FEW, MAP], log(text))) == [
        ("no-change", "use frob_map_slots() only when it is bound", None)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- use frob_count_few() for frob_count_all_slots()\n",  # near a difference
        "- use frob_elsewhere() now\n",  # not in the series
        "- thanks to frob_map_slots() it is fast\n",  # nothing was done
        "- use it in the right way\n",  # no name
    ],
)
def test_a_claim_that_may_be_true(text: str) -> None:
    assert not [one for one in claims(two([COUNT, MAP], [FEW, MAP], log(text))) if one[0] == "no-change"]


def test_claims_are_not_judged_with_holes_or_patches_that_come() -> None:
    text = log("- use frob_map_slots() only when it is bound\n")
    other = ("net: frob: third", diff("net/c.c", "frob_third_thing(fb)"))
    assert claims(two([COUNT, MAP], [FEW, MAP, other], text)) == []
    made = Story()
    made.version(1, [COUNT, MAP], holes=(1,))
    made.version(2, [FEW, MAP], notes=text)
    assert claims(made.compared()) == []


def test_a_patch_that_says_that_it_did_not_change() -> None:
    note = {1: "v2: no changes\n", 2: "v2: no changes\n"}
    assert claims(two([COUNT, MAP], [FEW, MAP], note=note)) == [("not-unchanged", "no changes", 1)]


def test_a_patch_that_was_only_laid_on_other_code() -> None:
    moved = (FEW[0], FEW[1].replace("frob_lock(fb)", "frob_lock_all(fb)"))
    assert claims(two([COUNT, MAP], [moved, MAP], note={1: "v2: no changes\n"})) == []


def test_a_change_that_no_entry_can_mean() -> None:
    assert claims(two([COUNT, MAP], [FEW, MAP], log("- describe the measurements in more detail\n"))) == [
        ("unclaimed", "", 1)
    ]


@pytest.mark.parametrize(
    "text",
    ["- address the comments of Rita\n", "- only count some\n", "- few\n", "- the lot of slots is less\n", ""],
)
def test_a_change_that_an_entry_may_mean(text: str) -> None:
    assert claims(two([COUNT, MAP], [FEW, MAP], log(text) if text else "")) == []


def test_a_change_in_a_patch_with_a_log_of_its_own() -> None:
    note = {1: "v2:\n- different approach to everything here\n"}
    assert claims(two([COUNT, MAP], [FEW, MAP], log("- describe the measurements in more detail\n"), note=note)) == []


# numbers


def numbers(old: str, new: str) -> list[tuple[str, str]]:
    made = Story()
    made.version(1, [COUNT], text=old)
    made.version(2, [COUNT], text=new)
    return [(one.old, one.new) for one in made.compared().numbers]


def test_numbers_that_changed() -> None:
    assert numbers("Throughput is 12.5 Gbit/s.\n", "Throughput is 13.1 Gbit/s.\n") == [
        ("Throughput is 12.5 Gbit/s.", "Throughput is 13.1 Gbit/s.")
    ]
    table = "size  rate\n4096  {}\n8192  20.0\n"
    assert numbers(table.format("10.0"), table.format("11.0")) == [("4096  10.0", "4096  11.0")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("It takes 5 ms.\n", "It takes 5 ms.\n"),
        ("It takes 5 ms.\n", "It lasts 6 ms.\n"),
        ("See https://x.example/1\n", "See https://x.example/2\n"),
        ("Fixed since v1 by 3\n", "Fixed since v1 by 4\n"),
        (" net/a.c | 3 +++\n", " net/a.c | 4 +++\n"),
        (" 1 file changed, 3 insertions(+)\n", " 1 file changed, 4 insertions(+)\n"),
        ("one is 1\none is 2\n", "one is 3\none is 4\n"),
        ("No number.\n", "None.\n"),
        ("Based on next-20260203.\n", "Based on next-20260204.\n"),
        ("- 6: pick the size\n2. test it\n", "- 4: pick the size\n3. test it\n"),
    ],
)
def test_lines_that_tell_nothing(old: str, new: str) -> None:
    assert numbers(old, new) == []


def test_a_series_without_cover_letter() -> None:
    made = Story()
    for version, mark in ((1, ""), (2, " v2")):
        body = f"It is needed.\n\nSigned-off-by: A <a@x.example>\n---\n{COUNT[1]}"
        made.send(f"s{version}@frob.example", f"[PATCH{mark}] {COUNT[0]}", body, day=version)
    assert made.compared().numbers == ()
