from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from reviewer.model import Notice, Series, Tag
from reviewer.report.summary import by_confidence, by_level, credits_of, objections_of, patches_named, unchecked


def _tagged(series: Series, numbers: tuple[int, ...], *tags: Tag, cover: bool = False) -> Series:
    patches = tuple(
        replace(patch, tags=(*patch.tags, *tags)) if patch.number in numbers else patch for patch in series.patches
    )
    return replace(
        series, patches=patches, cover=replace(series.cover, tags=tags) if cover and series.cover else series.cover
    )


def _tag(name: str = "Reviewed-by", value: str = "Rita Example <rita@x.example>", **changes: Any) -> Tag:
    return replace(Tag(name=name, value=value, source="r@x.example", counted=True, why=""), **changes)


def test_patches_are_named_as_people_do(sample: Any) -> None:
    series = sample.report(sample.series_of(4)).series[0]
    ids = [patch.mail.message_id for patch in series.patches]
    assert patches_named(ids[:1], series) == "patch 1"
    assert patches_named(ids[:3], series) == "patches 1-3"
    assert patches_named(ids, series) == "all patches"
    assert patches_named([series.outline.id, ids[1]], series) == "cover letter and patch 2"
    single = sample.report([sample.series_of(1, cover=False)[0]]).series[0]
    assert patches_named([single.outline.id], single) == ""


def test_tags_of_people_are_credited_and_those_of_origin_not(sample: Any) -> None:
    series = sample.report(sample.series_of(3)).series[0]
    series = _tagged(series, (1, 3), _tag())
    series = _tagged(
        series, (2,), _tag("Reported-by"), _tag("Tested-by", "tess@x.example"), _tag("Fixes", '1234 ("x")')
    )
    credits = credits_of(series, counted=True)
    assert [(one.name, one.person, one.patches) for one in credits] == [
        ("Reviewed-by", "Rita Example", "patches 1, 3"),
        ("Tested-by", "tess@x.example", "patch 2"),
    ]


def test_a_tag_on_the_cover_is_told_once_for_its_patches(sample: Any) -> None:
    series = sample.report(sample.series_of(3)).series[0]
    credits = credits_of(_tagged(series, (1, 2, 3), _tag(), cover=True), counted=True)
    assert [(one.person, one.patches) for one in credits] == [("Rita Example", "all patches")]


def test_tags_that_do_not_count_say_why(sample: Any) -> None:
    series = sample.report(sample.series_of(2)).series[0]
    nack = _tag("Nacked-by", counted=False, why="objection")
    fixed = _tag("Reviewed-by", "not a person", counted=False, why="sender is Otto")
    found = _tag("Reported-by", counted=False, why="from a bot", source="report@bots.example")
    series = _tagged(series, (2,), nack, fixed, found)
    credits = credits_of(series, counted=False)
    assert [(one.name, one.person, one.patches, one.why) for one in credits] == [
        ("Reviewed-by", "not a person", "patch 2", "sender is Otto"),
    ]
    assert credits_of(series, counted=True) == ()
    assert [(one.name, one.person, one.patches, one.why) for one in objections_of(series)] == [
        ("Nacked-by", "Rita Example", "patch 2", ""),
    ]


def test_findings_are_counted_worst_first(sample: Any) -> None:
    levels = [sample.finding("x", level=level, confidence="low") for level in ("note", "error", "note")]
    assert [(one.number, one.word) for one in by_level(levels)] == [(1, "error"), (2, "note")]
    assert [(one.number, one.word) for one in by_confidence(levels)] == [(3, "low")]


def test_what_lacks_the_same_context_stands_together(sample: Any) -> None:
    series = sample.report(sample.series_of(3)).series[0]

    def lacks(rule: str, *patches: int, needs: str = "the whole function") -> Notice:
        ids = tuple(f"v1-{number}@frob.example" for number in patches)
        return Notice(code="not-checked", message=f"{rule} needs {needs}", rule=rule, patches=ids)

    entries = unchecked(
        [
            lacks("DM202", 1, 3),
            lacks("DM107", 1, 3),
            lacks("DM101", 2),
            lacks("DM020", 1, 2, 3, needs="a tree"),
            Notice(code="not-checked", message="DM1 needs it", rule="DM1", patches=("elsewhere@x.example",)),
            Notice(code="bad-diff", message="broken", patches=("v1-1@frob.example",)),
        ],
        series,
    )
    assert [(entry.needs, entry.groups) for entry in entries] == [
        ("the whole function", (("DM107, DM202", "patches 1, 3"), ("DM101", "patch 2"))),
        ("a tree", (("DM020", "all patches"),)),
    ]
