"""Which mail is part of which series, and what each mail is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from msgspec.structs import replace

from reviewer.model import Address, Assembly, Mail, Outline
from reviewer.series.assemble import assemble, latest

Post = Callable[..., Mail]

BOB = Address(name="Bob Builder", email="bob@dev.example")


def outlines(assembly: Assembly) -> dict[str, Outline]:
    return {outline.id: outline for lineage in assembly.lineages for outline in lineage.outlines}


def ids(mails: Iterable[Mail]) -> list[str]:
    return [mail.message_id for mail in mails]


def codes(assembly: Assembly) -> list[str]:
    return [notice.code for notice in assembly.notices]


@pytest.fixture
def send(post: Post) -> Callable[..., list[Mail]]:
    """A cover (unless `cover` is False) and `total` patches below it; ids are `name`0, `name`1 and so on."""

    def make(
        name: str,
        total: int,
        *,
        tag: str = "PATCH",
        at: float = 0,
        to: tuple[str, ...] = (),
        cover: bool = True,
        title: str = "frob: make it faster",
        threaded: bool = True,
        by: Address | None = None,
    ) -> list[Mail]:
        who = {"by": by} if by else {}
        mails = [post(f"[{tag} 0/{total}] {title}", f"{name}0", *to, at=at, stat=True, **who)] if cover else []
        for n in range(1, total + 1):
            above = (*to, mails[0].message_id) if mails and threaded else to
            mails.append(post(f"[{tag} {n}/{total}] {title}, step {n}", f"{name}{n}", *above, at=at + n / 10, **who))
        return mails

    return make


Send = Callable[..., list[Mail]]


def test_cover_patches_and_replies_are_one_series(send: Send, post: Post) -> None:
    mails = send("a", 2)
    reply = post("Re: [PATCH 1/2] frob: make it faster, step 1", "r1", "a0", "a1", at=30, by=BOB)
    answer = post("Re: [PATCH 1/2] frob: make it faster, step 1", "r2", "a0", "a1", "r1", at=40)
    assembly = assemble([answer, *reversed(mails), reply])
    (outline,) = outlines(assembly).values()
    assert (outline.id, outline.version, outline.total, outline.missing) == ("a0", 1, 2, ())
    assert ids(outline.patches) == ["a1", "a2"]
    assert ids(outline.replies) == ["r1", "r2"]
    assert outline.title == "frob: make it faster"
    assert assembly.roles == {"r2": "reply", "a2": "patch", "a1": "patch", "a0": "cover", "r1": "reply"}
    assert set(assembly.homes.values()) == {"a0"}
    assert assembly.notices == ()


def test_patches_without_cover_below_the_first(send: Send, post: Post) -> None:
    first, second = send("a", 2, cover=False)
    second = replace(second, references=("a1",), in_reply_to="a1")
    (outline,) = outlines(assemble([first, second])).values()
    assert outline.id == "a1"
    assert outline.cover is None
    assert ids(outline.patches) == ["a1", "a2"]


def test_unthreaded_mails_are_joined_within_the_hour(send: Send) -> None:
    mails = send("a", 3, threaded=False)
    (outline,) = outlines(assemble(mails)).values()
    assert (outline.id, ids(outline.patches)) == ("a0", ["a1", "a2", "a3"])


def test_unthreaded_mails_of_another_day_tree_or_person_are_not_joined(send: Send) -> None:
    first = send("a", 2, cover=False)[:1]
    late = send("b", 2, cover=False, at=60 * 24)[1:]
    tree = send("c", 2, cover=False, tag="PATCH frob-next")[1:]
    person = send("d", 2, cover=False, by=BOB)[1:]
    assert set(outlines(assemble([*first, *late, *tree, *person]))) == {"a1", "b2", "c2", "d2"}


def test_two_series_in_one_file_stay_two(send: Send) -> None:
    mails = [*send("a", 2), *send("b", 2, title="brix: tidy up", at=1)]
    found = outlines(assemble(mails))
    assert {one: ids(outline.patches) for one, outline in found.items()} == {"a0": ["a1", "a2"], "b0": ["b1", "b2"]}


def test_two_unthreaded_series_of_one_hour_stay_two(send: Send) -> None:
    mails = [
        *send("a", 2, threaded=False),
        *send("b", 2, threaded=False, title="brix: tidy up", at=5),
        *send("c", 2, cover=False, title="crox: mend", at=10),
    ]
    assert set(outlines(assemble(mails))) == {"a0", "b0", "c1"}


def test_a_fixup_of_somebody_else_stays_apart_with_its_replies(send: Send, post: Post) -> None:
    fixup = post("[PATCH] fixup", "f", "a0", "a1", at=20, by=BOB)
    reply = post("Re: [PATCH] fixup", "r", "a0", "a1", "f", at=30)
    assembly = assemble([*send("a", 2), fixup, reply])
    assert set(outlines(assembly)) == {"a0", "f"}
    assert assembly.homes["r"] == "f"
    assert ids(outlines(assembly)["f"].replies) == ["r"]


def test_a_series_in_reply_to_another_is_its_own(send: Send) -> None:
    mails = [*send("a", 2), *send("b", 2, title="brix: tidy up", to=("a0",), at=90)]
    assert set(outlines(assemble(mails))) == {"a0", "b0"}


@pytest.mark.parametrize("cover", [True, False])
def test_a_whole_new_version_in_reply_is_a_new_version(send: Send, cover: bool) -> None:
    assembly = assemble([*send("a", 2), *send("b", 2, tag="PATCH v2", to=("a0",), at=90, cover=cover)])
    (lineage,) = assembly.lineages
    assert [outline.version for outline in lineage.outlines] == [1, 2]
    assert ids(lineage.outlines[1].patches) == ["b1", "b2"]
    assert latest(lineage).id == ("b0" if cover else "b1")


def test_new_patches_that_each_answer_the_old_ones_are_a_new_version(post: Post, send: Send) -> None:
    mails = [post(f"[PATCH v2 {n}/2] frob: step {n}", f"b{n}", "a0", f"a{n}", at=200 + n) for n in (1, 2)]
    assembly = assemble([*send("a", 2), *mails])
    assert {outline.version for outline in outlines(assembly).values()} == {1, 2}
    assert codes(assembly) == []


def test_patches_of_a_versioned_cover_need_no_version_of_their_own(send: Send) -> None:
    cover = send("a", 3, tag="RFC PATCH v2")[0]
    (outline,) = outlines(assemble([cover, *send("a", 3)[1:]])).values()
    assert (outline.version, len(outline.patches)) == (2, 3)


def test_patches_tell_the_version_that_the_cover_forgot(send: Send) -> None:
    (outline,) = outlines(assemble([send("a", 3)[0], *send("a", 3, tag="PATCH v4")[1:]])).values()
    assert (outline.version, len(outline.patches)) == (4, 3)


def test_a_partial_reroll_replaces_its_patch(send: Send, post: Post) -> None:
    again = post("[PATCH v2 2/3] frob: make it faster, step two", "n2", "a0", "a2", at=300)
    reply = post("Re: [PATCH v2 2/3] frob: make it faster, step two", "r", "a0", "a2", "n2", at=320, by=BOB)
    assembly = assemble([*send("a", 3), again, reply])
    (outline,) = outlines(assembly).values()
    assert ids(outline.patches) == ["a1", "n2", "a3"]
    assert ids(outline.replaced) == ["a2"]
    assert outline.version == 1
    assert codes(assembly) == ["partial-reroll"]
    assert assembly.homes["r"] == "a0"
    assert assembly.roles["a2"] == assembly.roles["n2"] == "patch"


def test_the_highest_of_several_rerolls_is_used(send: Send, post: Post) -> None:
    third = post("[PATCH v3 2/3] frob: make it faster, step 2", "n3", "a0", "a2", "n2", at=600)
    second = post("[PATCH v2 2/3] frob: make it faster, step 2", "n2", "a0", "a2", at=300)
    late = post("[PATCH v2 2/3] frob: make it faster, step 2", "n4", "a0", "a2", at=900)
    (outline,) = outlines(assemble([*send("a", 3), second, third, late])).values()
    assert ids(outline.patches) == ["a1", "n3", "a3"]
    assert sorted(ids(outline.replaced)) == ["a2", "n2", "n4"]


def test_a_reply_with_a_diff_is_a_reroll_only_with_version_and_counter_of_its_author(send: Send, post: Post) -> None:
    plain = post("Re: [PATCH 2/3] frob: make it faster, step 2", "r", "a0", "a2", at=30, diff=True)
    other = post("Re: [PATCH v2 2/3] frob: make it faster, step 2", "o", "a0", "a2", at=40, diff=True, by=BOB)
    again = post("Re: [PATCH v2 2/3] frob: make it faster, step 2", "n", "a0", "a2", at=50, diff=True)
    assembly = assemble([*send("a", 3), plain, other, again])
    (outline,) = outlines(assembly).values()
    assert ids(outline.patches) == ["a1", "n", "a3"]
    assert ids(outline.replies) == ["r", "o"]


def test_a_reroll_without_counter_is_known_by_its_title(send: Send, post: Post) -> None:
    again = post("[PATCH v2] frob: make it faster, step 3", "n", "a0", "a3", at=3000)
    other = post("[PATCH v2] brix: unrelated", "o", "a0", "a3", at=3000)
    assembly = assemble([*send("a", 3), again, other])
    assert ids(outlines(assembly)["a0"].patches) == ["a1", "a2", "n"]
    assert "o" in outlines(assembly)


def test_patches_below_an_absent_cover_of_a_new_version_are_no_reroll(send: Send) -> None:
    second = send("b", 3, tag="PATCH v2", to=("a0",), at=300)[1:3]
    (lineage,) = assemble([*send("a", 3), *second]).lineages
    assert [(outline.version, outline.missing) for outline in lineage.outlines] == [(1, ()), (2, (3,))]


def test_a_few_patches_that_count_otherwise_are_no_reroll(send: Send, post: Post) -> None:
    other = post("[PATCH v2 1/2] frob: make it faster, step 1", "n", "a0", "a1", at=300)
    assert outlines(assemble([*send("a", 3), other]))["a0"].patches[0].message_id == "a1"


@pytest.mark.parametrize(("between", "found"), [(1, True), (9, False)])
def test_a_late_patch_joins_across_the_fixups_of_others(send: Send, post: Post, between: int, found: bool) -> None:
    mails = send("a", 2)
    chain = ["a0", "a1"]
    for n in range(between):
        mails.append(post(f"[PATCH] fixup {n}", f"f{n}", *chain, at=100 + n, by=BOB))
        chain.append(f"f{n}")
    late = replace(mails.pop(2), references=tuple(chain), in_reply_to=chain[-1], date=mails[-1].date)
    assert (len(outlines(assemble([*mails, late]))["a0"].patches) == 2) is found


def test_a_resend_takes_the_place_of_the_first_send(send: Send) -> None:
    assembly = assemble([*send("a", 2), *send("b", 2, tag="RESEND PATCH", at=60 * 24 * 9)])
    (outline,) = outlines(assembly).values()
    assert (outline.id, outline.version, ids(outline.patches)) == ("b0", 1, ["b1", "b2"])
    assert sorted(ids(outline.replaced)) == ["a0", "a1", "a2"]
    assert codes(assembly) == ["resend"]
    assert set(assembly.homes.values()) == {"b0"}


def test_a_resend_of_one_patch_takes_its_place(send: Send, post: Post) -> None:
    again = post("[PATCH RESEND 2/3] frob: make it faster, step 2", "n", at=60 * 48)
    (outline,) = outlines(assemble([*send("a", 3), again])).values()
    assert ids(outline.patches) == ["a1", "n", "a3"]


def test_an_aborted_send_and_its_repetition_are_one_series(send: Send) -> None:
    assembly = assemble([*send("a", 3)[:3], *send("b", 3, at=70)])
    (outline,) = outlines(assembly).values()
    assert ids(outline.patches) == ["b1", "b2", "b3"]
    assert outline.missing == ()


def test_the_same_version_sent_again_untagged_after_a_complete_one_is_another(send: Send) -> None:
    (lineage,) = assemble([*send("a", 2), *send("b", 2, at=60 * 24)]).lineages
    assert [outline.id for outline in lineage.outlines] == ["a0", "b0"]
    assert latest(lineage).id == "b0"


def test_the_rest_of_a_send_without_references_joins(send: Send) -> None:
    mails = send("a", 4)
    rest = [replace(mail, references=(), in_reply_to=None) for mail in mails[3:]]
    (outline,) = outlines(assemble([*mails[:3], *rest])).values()
    assert ids(outline.patches) == ["a1", "a2", "a3", "a4"]


def test_a_cover_without_counter_is_known_by_its_diffstat(send: Send, post: Post) -> None:
    cover = post("[PATCH] frob: make it faster", "c", diff=False, stat=True)
    patches = send("a", 2, cover=False, to=("c",))
    assembly = assemble([cover, *patches])
    assert outlines(assembly)["c"].cover == cover
    assert assembly.roles["c"] == "cover"


@pytest.mark.parametrize(("by", "stat"), [(BOB, True), (None, False)])
def test_a_bug_report_at_the_root_is_no_cover(send: Send, post: Post, by: Address | None, stat: bool) -> None:
    who = {"by": by} if by else {}
    report = post("frob is slow on my machine", "c", diff=False, stat=stat, **who)
    assembly = assemble([report, *send("a", 2, cover=False, to=("c",))])
    (outline,) = outlines(assembly).values()
    assert (outline.id, outline.cover) == ("a1", None)
    assert assembly.roles["c"] == "other"
    assert assembly.homes["c"] is None


def test_one_sender_with_two_addresses_or_spellings_is_one(send: Send) -> None:
    mails = send("a", 3)
    mails[1] = replace(mails[1], author=Address(name="Ann Author", email="ann@home.example"))
    mails[2] = replace(mails[2], author=Address(name="Author, Ann", email="relay@lists.example"))
    mails[3] = replace(mails[3], author=Address(name="", email="ann+list@dev.example"))
    (outline,) = outlines(assemble(mails)).values()
    assert outline.missing == ()


def test_a_patch_sent_by_another_within_the_series_fills_its_hole_only(send: Send) -> None:
    mails = send("a", 3)
    mails[2] = replace(mails[2], author=BOB)
    (outline,) = outlines(assemble(mails)).values()
    assert outline.missing == ()
    late = replace(mails[2], date=send("x", 1, at=999)[0].date)
    assert set(outlines(assemble([*mails[:2], late, mails[3]]))) == {"a0", "a2"}


def test_a_cover_alone_misses_all_its_patches(send: Send) -> None:
    (outline,) = outlines(assemble(send("a", 4)[:1])).values()
    assert (outline.patches, outline.missing, outline.total) == ((), (1, 2, 3, 4), 4)


def test_holes_are_named(send: Send) -> None:
    mails = send("a", 4)
    (outline,) = outlines(assemble([mails[0], mails[2]])).values()
    assert outline.missing == (1, 3, 4)


def test_patches_below_an_absent_cover_are_one_series(send: Send, post: Post) -> None:
    mails = send("a", 4)
    reply = post("Re: [PATCH 1/4] frob: make it faster, step 1", "r", "a0", "a1", at=60, by=BOB)
    stranger = post("Re: [PATCH v7 1/9] frob: older", "s", "a0", "gone", at=60, by=BOB)
    assembly = assemble([mails[2], mails[4], reply, stranger])
    (outline,) = outlines(assembly).values()
    assert (outline.id, outline.missing) == ("a2", (1, 3))
    assert assembly.homes == {"a2": "a2", "a4": "a2", "r": "a2", "s": None}


def test_two_patches_under_one_number_are_noted_and_the_first_counts(send: Send, post: Post) -> None:
    double = post("[PATCH 2/3] frob: something else", "d", "a0", at=1)
    assembly = assemble([*send("a", 3), double])
    (outline,) = outlines(assembly).values()
    assert ids(outline.patches) == ["a1", "a2", "a3"]
    assert ids(outline.replaced) == ["d"]
    assert codes(assembly) == ["duplicate-patch"]


def test_a_number_beyond_the_total_is_part_of_the_series_and_noted(send: Send, post: Post) -> None:
    assembly = assemble([*send("a", 5), post("[PATCH 6/5] frob: one more", "a6", "a0", at=3)])
    (outline,) = outlines(assembly).values()
    assert (outline.total, outline.missing, len(outline.patches)) == (6, (), 6)
    assert codes(assembly) == ["bad-counter"]
    assert "6/5" in assembly.notices[0].message


def test_patches_that_count_otherwise_than_their_cover(send: Send) -> None:
    assembly = assemble([send("a", 2)[0], *send("a", 3)[1:]])
    (outline,) = outlines(assembly).values()
    assert (outline.total, outline.missing) == (3, ())
    assert codes(assembly) == ["bad-counter"]


@pytest.mark.parametrize("counter", ["0/0", "0/99999"])
def test_an_absurd_total_is_not_believed(post: Post, counter: str) -> None:
    (outline,) = outlines(assemble([post(f"[PATCH {counter}] frob: x", "a")])).values()
    assert (outline.total, outline.missing) == (None, ())


def test_a_single_patch_has_no_total(post: Post) -> None:
    (outline,) = outlines(assemble([post("[PATCH net-next] frob: x", "a")])).values()
    assert (outline.total, outline.missing, outline.cover, ids(outline.patches)) == (None, (), None, ["a"])


def test_a_diff_needs_no_tag_and_a_counter_no_diff(post: Post) -> None:
    untagged = post("frob: mend the thing", "u")
    stripped = post("[PATCH 1/1] frob: x", "s", diff=False)
    bare = post("[PATCH] frob: y", "b", diff=False)
    talk = post("[RFC] shall we frob?", "t", diff=False)
    assembly = assemble([untagged, stripped, bare, talk])
    assert assembly.roles == {"u": "patch", "s": "patch", "b": "patch", "t": "other"}


def test_a_changed_subject_in_a_thread_is_still_a_reply(send: Send, post: Post) -> None:
    mail = post("Frobbing in general (was: make it faster)", "r", "a0", at=60, by=BOB, diff=False)
    assembly = assemble([*send("a", 1), mail])
    assert (assembly.roles["r"], assembly.homes["r"]) == ("reply", "a0")


def test_an_orphaned_reply_is_placed_by_its_subject(send: Send, post: Post) -> None:
    orphan = post("Re: [PATCH 1/2] frob: make it faster, step 1", "r", "lost", at=60, by=BOB)
    unlike = post("Re: [PATCH v2 1/2] frob: make it faster, step 1", "s", "lost2", at=60, by=BOB)
    assembly = assemble([*send("a", 2), orphan, unlike])
    assert (assembly.homes["r"], assembly.homes["s"]) == ("a0", None)


@pytest.mark.parametrize(
    ("name", "email"),
    [
        ("", "patchwork-bot+netdevbpf@kernel.example"),
        ("kernel test robot", "lkp@intel.example"),
        ("syzbot", "syzbot+0123abcd@syzkaller.example"),
        ("", "pr-tracker-bot@kernel.example"),
        ("", "bot+bpf-ci@kernel.example"),
        ("Sashiko", "review@sashiko.example"),
    ],
)
def test_bots_are_known(send: Send, post: Post, name: str, email: str) -> None:
    mail = post("Re: [PATCH 1/2] frob: make it faster, step 1", "r", "a1", at=9, by=Address(name=name, email=email))
    assembly = assemble([*send("a", 2), mail])
    assert (assembly.roles["r"], assembly.homes["r"]) == ("bot", "a0")


def test_a_person_whose_name_ends_like_a_bot_is_none(send: Send, post: Post) -> None:
    mail = post("Re: [PATCH 1/2] x", "r", "a1", at=9, by=Address(name="Jo Talbot", email="jo.talbot@dev.example"))
    assert assemble([*send("a", 2), mail]).roles["r"] == "reply"


def test_a_report_of_a_bot_with_a_counter_and_a_diff_is_no_patch(post: Post) -> None:
    bot = Address(name="kernel test robot", email="lkp@intel.example")
    assembly = assemble([post("[frob:master 12/34] frob.c:1: error", "b", by=bot)])
    assert assembly.roles == {"b": "bot"}
    assert assembly.lineages == ()


@pytest.mark.parametrize(
    ("message_id", "subject", "email"),
    [
        ("1.2.git-patchwork-notify@kernel.example", "Re: [PATCH 0/2] x", "patchwork-bot+x@kernel.example"),
        ("1.2.b4-ty@dev.example", "Re: [PATCH 0/2] x", "bob@dev.example"),
        ("r", "[tip: frob/core] frob: x", "tip-bot2@dev.example"),
        ("r", 'Patch "frob: x" has been added to the 6.1-stable tree', "greg@dev.example"),
        ("r", "[merged mm-stable] frob-x.patch removed from -mm tree", "andrew@dev.example"),
        ("r", "+ frob-x.patch added to mm-unstable branch", "andrew@dev.example"),
    ],
)
def test_mails_that_say_applied(send: Send, post: Post, message_id: str, subject: str, email: str) -> None:
    mail = post(subject, message_id, "a0", at=99, by=Address(name="", email=email), diff=True)
    assembly = assemble([*send("a", 2), mail])
    assert (assembly.roles[message_id], assembly.homes[message_id]) == ("applied", "a0")


def test_pull_requests_are_no_series_unless_the_patches_follow(send: Send, post: Post) -> None:
    pull = post("[GIT PULL] frob for 6.99", "p", diff=False)
    batch = post("[GIT PULL 0/2] frob for 6.99", "q", diff=False)
    words = post("pull-request: frob-next 2025-01-01", "w", diff=False)
    assembly = assemble([pull, batch, words, *send("a", 2, tag="PULL", at=400)])
    assert set(outlines(assembly)) == {"a0"}
    assert [assembly.roles[one] for one in ("p", "q", "w", "a0")] == ["pull-request"] * 3 + ["cover"]


def test_mails_without_dates_keep_their_place(send: Send) -> None:
    mails = [replace(mail, date=None) for mail in send("a", 2)]
    naive = replace(mails[0], date=send("x", 1)[0].date.replace(tzinfo=None))  # type: ignore[union-attr]
    (outline,) = outlines(assemble([naive, *mails[1:]])).values()
    assert ids(outline.patches) == ["a1", "a2"]


def test_nothing_gives_nothing() -> None:
    assembly = assemble([])
    assert (assembly.lineages, assembly.roles, assembly.homes, assembly.notices) == ((), {}, {}, ())
