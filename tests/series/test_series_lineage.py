"""Which series are versions of one another, and which is the latest."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from msgspec.structs import replace

from reviewer.model import Address, Mail
from reviewer.series.assemble import assemble, latest

Post = Callable[..., Mail]

BOB = Address(name="Bob Builder", email="bob@dev.example")
DAY = 24 * 60


def groups(mails: Iterable[Mail]) -> list[list[str]]:
    return [[outline.id for outline in lineage.outlines] for lineage in assemble(mails).lineages]


def series(post: Post, name: str, titles: str, *, tag: str = "PATCH", at: float = 0, cover: str = "") -> list[Mail]:
    """A cover titled `cover` and a patch for each letter of `titles`."""
    total = len(titles)
    head = [post(f"[{tag} 0/{total}] {cover}", f"{name}0", at=at, stat=True)] if cover else []
    above = [mail.message_id for mail in head]
    return head + [
        post(f"[{tag} {n}/{total}] frob: {letter}", f"{name}{n}", *above, at=at + n / 10)
        for n, letter in enumerate(titles, 1)
    ]


def test_an_equal_change_id_joins_whatever_the_titles(post: Post) -> None:
    one = post("[PATCH] frob: x", "a", change_id="20250101-frob-0123")
    two = post("[PATCH v2] brix: y", "b", at=DAY, by=BOB, change_id="20250101-frob-0123")
    assert groups([two, one]) == [["a", "b"]]


def test_a_link_to_an_earlier_version_joins(post: Post) -> None:
    one = post("[PATCH] frob: x", "a")
    two = post("[PATCH v2] brix: y", "b", at=DAY, links=("a",))
    stranger = post("[PATCH] crox: z", "c", at=2 * DAY, by=BOB, links=("a",))
    assert groups([one, two, stranger]) == [["a", "b"], ["c"]]


def test_links_to_the_same_absent_version_join(post: Post) -> None:
    one = post("[PATCH v2] frob: x", "a", links=("gone",))
    two = post("[PATCH v3] brix: y", "b", at=DAY, links=("gone",))
    assert groups([one, two]) == [["a", "b"]]


def test_the_same_person_and_title_join(post: Post) -> None:
    mails = [
        post("[PATCH v3] Frob:  make it faster", "c", at=2 * DAY),
        post("[PATCH] frob: make it faster", "a"),
        post("[PATCH] frob: make it faster, (v2).", "b", at=DAY),
        post("[PATCH] frob: make it faster", "d", at=3 * DAY, by=BOB),
    ]
    assert groups(mails) == [["a", "b", "c"], ["d"]]


def test_one_title_with_two_change_ids_is_two_things_in_one_version_only(post: Post) -> None:
    one = post("[PATCH] frob: update", "a", change_id="20250101-a")
    two = post("[PATCH] frob: update", "b", at=DAY, change_id="20250201-b")
    assert groups([one, two]) == [["a"], ["b"]]
    third = post("[PATCH v2] frob: update", "c", at=2 * DAY, change_id="20250301-c")
    assert groups([one, third]) == [["a", "c"]]


def test_half_of_the_patch_titles_join(post: Post) -> None:
    one = series(post, "a", "qwer", cover="frob: old name")
    two = series(post, "b", "qwxy", tag="PATCH v2", at=DAY, cover="frob: new name")
    less = series(post, "c", "qijk", tag="PATCH v2", at=DAY, cover="frob: third name")
    assert groups([*one, *two]) == [["a0", "b0"]]
    assert groups([*one, *less]) == [["a0"], ["c0"]]


def test_a_patch_split_off_a_series_is_no_version_of_it(post: Post) -> None:
    assert groups([*series(post, "a", "qwer", cover="frob: all"), post("[PATCH] frob: w", "s", at=DAY)]) == [
        ["a0"],
        ["s"],
    ]


def test_a_higher_version_in_reply_joins_under_a_new_title_of_the_same_kind(post: Post) -> None:
    one = post("[PATCH] frob: mend it", "a")
    two = post("[PATCH v2] frob: take the lock first", "b", "a", at=DAY)
    other = post("[PATCH v2] brix: unrelated thing", "c", "a", at=DAY)
    words = post("[PATCH v2] brix: mend it", "d", "a", at=DAY)
    assert groups([one, two]) == [["a", "b"]]
    assert groups([one, other]) == [["a"], ["c"]]
    assert groups([one, words]) == [["a", "d"]]


def test_somebody_who_takes_a_series_over_continues_it(post: Post) -> None:
    one = series(post, "a", "qw", cover="Proposal for a frob controller")
    two = [
        replace(mail, author=BOB)
        for mail in series(post, "b", "xy", tag="PATCH v2", at=DAY, cover="Proposal for a frob controller")
    ]
    assert groups([*one, *two]) == [["a0", "b0"]]
    short = [replace(mail, author=BOB) for mail in series(post, "c", "xy", tag="PATCH v2", at=DAY, cover="frob fixes")]
    assert groups([*series(post, "d", "qw", cover="frob fixes"), *short]) == [["d0"], ["c0"]]


def test_latest_is_the_highest_version_not_the_newest(post: Post) -> None:
    mails = [
        post("[PATCH v3] frob: x", "c", at=DAY),
        post("[PATCH v2] frob: x", "b"),
        post("[PATCH v2 RESEND] frob: x", "again", at=5 * DAY),
    ]
    (lineage,) = assemble(mails).lineages
    assert latest(lineage).id == "c"
    assert [outline.id for outline in lineage.outlines] == ["again", "c"]


def test_latest_among_equals_is_the_newest_complete_one(post: Post) -> None:
    whole = series(post, "a", "qwe", cover="frob: x")
    second = series(post, "b", "qwe", at=DAY, cover="frob: x")
    holes = series(post, "c", "qwe", at=2 * DAY, cover="frob: x")[:2]
    (lineage,) = assemble([*whole, *second, *holes]).lineages
    assert len(lineage.outlines) == 3
    assert latest(lineage).id == "b0"


def test_latest_of_incomplete_ones_is_the_newest(post: Post) -> None:
    covers = [post("[PATCH 0/3] frob: x", "a"), post("[PATCH 0/3] frob: x", "b", at=3 * DAY)]
    (lineage,) = assemble(covers).lineages
    assert latest(lineage).id == "b"


def test_versions_start_again_when_an_rfc_becomes_a_patch(post: Post) -> None:
    mails = [
        post("[RFC PATCH] frob: x", "r1"),
        post("[RFC PATCH v3] frob: x", "r3", at=DAY),
        post("[PATCH] frob: x", "p1", at=2 * DAY),
    ]
    (lineage,) = assemble(mails).lineages
    assert [outline.id for outline in lineage.outlines] == ["r1", "r3", "p1"]
    assert latest(lineage).id == "p1"
    assert lineage.title == "frob: x"


@pytest.mark.parametrize("order", [1, -1])
def test_lineages_are_in_the_order_of_their_first_mails(post: Post, order: int) -> None:
    mails = [post("[PATCH] crox: c", "c"), post("[PATCH] frob: a", "a", at=1), post("[PATCH] brix: b", "b", at=2)]
    assert groups(mails[::order]) == [["c"], ["a"], ["b"]]
