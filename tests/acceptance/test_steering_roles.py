"""Who may steer what: roles, levels, patches, versions, and what is told of the rest."""

from __future__ import annotations

from typing import Any

import pytest

WARNING, OTHER, ERROR = ("DM302", "v1-1"), ("DM302", "v1-2"), ("DM303", "v1-2")
MIA, OTTO = "Mia Example <mia@tree.example>", "Otto Example <otto@x.example>"
RELAY = "Ada Example via B4 Relay <devnull+ada.frob.example@relay.example>"

LACKS = '''
"""A rule."""
from reviewer.rule import ChangeRule, Lack


class LacksIt(ChangeRule):
    """Never sees enough. Sources: none."""

    id = "XX901"
    name = "lacks-it"
    title = why = "x"
    level = "note"
    confidence = "high"
    category = "other"
    needs = ("function",)

    def check(self, change):
        yield Lack("function")
'''


def test_the_author_lowers_a_warning(desk: Any) -> None:
    mails = [*desk.series(), desk.reply("reviewer: ignore DM302 -- meant so")]
    assert desk.accepted(mails) == {WARNING: "r1@x.example", OTHER: "", ERROR: ""}
    (found,) = (one["accepted"] for one in desk.json(mails)["findings"] if one["accepted"])
    assert found == {
        "by": "Ada Example <ada@frob.example>",
        "why": "meant so",
        "source": "r1@x.example",
        "expires": None,
    }
    assert desk.notices(mails) == {}


def test_the_author_does_not_lower_an_error(desk: Any) -> None:
    mails = [*desk.series(), desk.reply("reviewer: ignore DM303 -- no", "v1-2@frob.example")]
    assert desk.accepted(mails) == {WARNING: "", OTHER: "", ERROR: ""}
    assert desk.code == 1
    (told,) = desk.notices(mails)["steering-refused"]
    assert "not acted upon for DM303, which is an error" in told
    assert "Ada Example <ada@frob.example> in <r1@x.example> says `ignore DM303`" in told


def test_a_maintainer_does_everything(desk: Any) -> None:
    mails = [*desk.series(), desk.reply("reviewer: ignore all -- taken", "v1-0@frob.example", by=MIA)]
    assert set(desk.accepted(mails, *desk.maintained()).values()) == {"r1@x.example"}
    assert desk.code == 0
    assert desk.notices(mails, *desk.maintained()) == {}


@pytest.mark.parametrize("by", [MIA, OTTO, "Ada Example <other@x.example>", "Evil Example <ada@frob.example>"])
def test_anybody_else_is_recorded_and_not_followed(desk: Any, by: str) -> None:
    mails = [*desk.series(), desk.reply("reviewer: ignore DM302 -- go away", by=by)]
    assert set(desk.accepted(mails).values()) == {""}
    (told,) = desk.notices(mails)["steering-refused"]
    assert told.startswith(f"{by} in <r1@x.example> says `ignore DM302`: not acted upon")
    assert "ignore DM302" in desk.text(mails)


def test_a_maintainer_goes_before_the_author(desk: Any) -> None:
    mails = [
        *desk.series(),
        desk.reply("reviewer: ignore all -- a", "v1-2@frob.example"),
        desk.reply("reviewer: ignore all -- m", "v1-2@frob.example", by=MIA, ident="r2@x.example"),
    ]
    assert desk.accepted(mails, *desk.maintained())[ERROR] == "r2@x.example"
    assert desk.notices(mails, *desk.maintained()) == {}


@pytest.mark.parametrize(
    ("to", "accepted"),
    [("v1-0@frob.example", {WARNING, OTHER}), ("v1-1@frob.example", {WARNING}), ("v1-2@frob.example", {OTHER})],
)
def test_a_reply_is_about_what_it_is_below(desk: Any, to: str, accepted: set[tuple[str, str]]) -> None:
    found = desk.accepted([*desk.series(), desk.reply("reviewer: ignore DM302", to)])
    assert {key for key, by in found.items() if by} == accepted


def test_an_answer_to_our_own_mail(desk: Any) -> None:
    ours = desk.send(
        "bot@reviewer.invalid",
        "Re: [PATCH net-next 1/2] net: frob: open",
        "> x\n\nIs it meant?\n\n-- \nWritten by a program\n  reviewer: ignore DM302 -- reason\n",
        parent="v1-1@frob.example",
        by="Reviewer <reviewer@reviewer.invalid>",
    )
    answer = desk.reply("> Is it meant?\n\nYes.\n\nreviewer: ignore DM302 -- yes", "bot@reviewer.invalid")
    mails = [*desk.series(), ours, answer]
    assert desk.accepted(mails)[WARNING] == "r1@x.example"
    assert desk.notices(mails) == {}
    without = [mail for mail in mails if mail is not ours]
    assert desk.accepted(without)[WARNING] == "r1@x.example"  # the subject tells


def test_words_name_rules_as_select_does(desk: Any) -> None:
    for words in ("DM302", "dm302", "errno-silently-changed", "errno-choice", "DM3", "DM302,DM306", "DM302 DM306"):
        mails = [*desk.series(), desk.reply(f"reviewer: ignore {words} -- x")]
        assert desk.accepted(mails)[WARNING] == "r1@x.example", words


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("net/frob/open.c", {WARNING}),
        ("net/frob", {WARNING, OTHER}),
        ("net/frob/", {WARNING, OTHER}),
        ("./net/frob/close.c", {OTHER}),
        ("net/fro", set()),
        ("net/frob/open.c net/frob/close.c", {WARNING, OTHER}),
    ],
)
def test_a_path_limits(desk: Any, path: str, accepted: set[tuple[str, str]]) -> None:
    found = desk.accepted([*desk.series(), desk.reply(f"reviewer: ignore DM302 {path} -- x", "v1-0@frob.example")])
    assert {key for key, by in found.items() if by} == accepted


def test_the_author_expects_below_the_cut(desk: Any) -> None:
    mails = desk.series(notes="reviewer: expect DM302 -- documented\n")
    assert desk.accepted(mails) == {WARNING: "v1-1@frob.example", OTHER: "", ERROR: ""}
    assert desk.json(mails)["findings"][0]["accepted"]["why"] == "documented"
    above = desk.series(message="reviewer: expect DM302 -- documented")
    assert desk.accepted(above)[WARNING] == ""
    assert "above the --- of the patch" in desk.notices(above)["steering-unknown"][0]


def test_behind_a_relay_it_is_the_real_author(desk: Any) -> None:
    sent = desk.series(by=RELAY, more="Reply-To: ada@frob.example\n", notes="reviewer: expect DM302 -- known\n")
    assert desk.accepted(sent)[WARNING] == "v1-1@frob.example"
    answer = desk.reply("reviewer: ignore DM302", "v1-2@frob.example")
    assert desk.accepted([*sent, answer])[OTHER] == "r1@x.example"
    other = desk.reply(
        "reviewer: ignore DM302",
        "v1-2@frob.example",
        by="Otto Example via B4 Relay <devnull+ada.frob.example@relay.example>",
        more="Reply-To: otto@x.example\n",
    )
    assert desk.accepted([*sent, other])[OTHER] == ""


def test_people_behind_one_address_of_a_list_are_not_one(desk: Any) -> None:
    sent = desk.series(by="Ada Example via Frob <frob@lists.example>")
    otto = desk.reply("reviewer: ignore DM302", by="Otto Example via Frob <frob@lists.example>")
    ada = desk.reply("reviewer: ignore DM302", by="Ada Example via Frob <frob@lists.example>", ident="r2@x.example")
    assert desk.accepted([*sent, otto])[WARNING] == ""
    assert desk.accepted([*sent, ada])[WARNING] == "r2@x.example"


def test_it_holds_for_this_version_and_later_ones(desk: Any) -> None:
    first, second = desk.series(), desk.series(2, day=8, line=40)
    early = [*first, desk.reply("reviewer: ignore DM302"), *second]
    assert desk.accepted(early)["DM302", "v2-1"] == "r1@x.example"
    late = [*first, *second, desk.reply("reviewer: ignore DM302", "v2-1@frob.example")]
    found = desk.accepted(late, "--revision", "all")
    assert (found["DM302", "v1-1"], found["DM302", "v2-1"]) == ("", "r1@x.example")
    assert desk.accepted(late, "--revision", "1")["DM302", "v1-1"] == ""


def test_a_patch_may_get_another_title(desk: Any) -> None:
    first, second = desk.series(), desk.series(2, day=8)
    second[1] = second[1].replace("net: frob: open", "net: frob: do not open")
    mails = [*first, desk.reply("reviewer: ignore DM302"), *second]
    assert desk.accepted(mails, "--revision", "all")["DM302", "v2-1"] == "r1@x.example"
    assert desk.accepted(mails)["DM302", "v2-1"] == ""  # v1 is not reviewed: nobody knows that it is the same


def test_a_single_patch_is_its_series(desk: Any) -> None:
    one = desk.send("v1@frob.example", "[PATCH net-next] net: frob: open", desk.patch())
    other = desk.send(
        "v2@frob.example", "[PATCH net-next v2] net: frob: do open", desk.patch(), parent="v1@frob.example", day=8
    )
    assert desk.accepted([one, desk.reply("reviewer: ignore DM302", "v1@frob.example"), other])["DM302", "v2"]


def test_it_does_not_reach_other_series(desk: Any) -> None:
    other = [mail.replace("v1-", "w1-").replace("frob: all of it", "frob: more of it") for mail in desk.series(day=20)]
    other = [mail.replace("net: frob: open", "net: frob: shut").replace("frob: close", "frob: lock") for mail in other]
    found = desk.accepted([*desk.series(), *other, desk.reply("reviewer: ignore all", by=MIA)], *desk.maintained())
    assert found[WARNING] == "r1@x.example"
    assert found["DM302", "w1-1"] == ""


def test_words_that_mean_nothing_are_told(desk: Any) -> None:
    mails = [
        *desk.series(),
        desk.reply("reviewer: ignore DM302 DM399 -- x\nreviewer: ignroe DM302\nreviewer: ignore a/b"),
    ]
    assert desk.accepted(mails)[WARNING] == "r1@x.example"
    (told,) = desk.notices(mails)["steering-unknown"]
    assert "`ignore DM302 DM399`: unknown rule: DM399; did you mean DM3" in told
    assert "ignroe is not understood" in told
    assert "`ignore a/b`: names no rule" in told
    assert "<r1@x.example>" in told


def test_what_matches_nothing_is_told_once_it_was_checked(desk: Any) -> None:
    mails = [*desk.series(), desk.reply("reviewer: ignore DM303 -- x")]
    (told,) = desk.notices(mails)["steering-unused"]
    assert "says `ignore DM303`, which matches nothing here" in told
    assert desk.notices(mails, rules="DM302") == {}  # DM303 was not run
    expects = desk.series(notes="reviewer: expect DM303\n")
    assert "expect DM303" in desk.notices(expects)["steering-unused"][0]
    early = [*mails, *desk.series(2, day=8)]
    assert desk.notices(early) == {}  # what was said of v1 alone is not news


def test_what_could_not_be_checked_is_not_unused(desk: Any) -> None:
    asked = desk.reply("reviewer: ignore XX901 -- x")
    for code, does in (("not-checked", 'yield Lack("function")'), ("rule-crashed", "raise ValueError")):
        folder = desk.folder / code
        folder.mkdir()
        (folder / "lacks_it.py").write_text(LACKS.replace('yield Lack("function")', does))
        found = desk.json([*desk.series(), asked], "--rules", str(folder), rules="XX901")["notices"]
        assert {one["code"] for one in found} == {code}
    incomplete = [mail for mail in desk.series() if "close" not in mail]
    asked = desk.reply("reviewer: ignore DM303", "v1-0@frob.example")
    assert desk.notices([*incomplete, asked]) == {}  # it may be for the patch that is missing


def test_two_lines_that_say_the_same_are_both_of_use(desk: Any) -> None:
    lines = "reviewer: ignore DM302 -- a\nreviewer: ignore DM302 -- b"
    mails = [*desk.series(), desk.reply(lines), desk.reply(lines, ident="r2@x.example")]
    assert desk.notices(mails) == {}


def test_a_flood_of_lines_costs_little(desk: Any) -> None:
    flood = "".join(f"reviewer: ignore {' '.join(f'QQ{at}{by}' for by in range(20))} -- x\n" for at in range(1000))
    mails = [*desk.series(), *(desk.reply(flood, ident=f"f{at}@x.example", by=OTTO) for at in range(20))]
    told = desk.notices(mails)["steering-unknown"]
    assert len(told) == 20
    assert all(len(one) < 2000 for one in told)
    assert all(one.endswith("; and 998 more") for one in told)


def test_a_mail_that_cannot_be_read_costs_itself(monkeypatch: pytest.MonkeyPatch, desk: Any) -> None:
    from reviewer.acceptance import steering

    def fail(_: object) -> None:
        raise ValueError("x")

    monkeypatch.setattr(steering, "reply_steering", fail)
    mails = [*desk.series(), desk.reply("reviewer: ignore DM302")]
    assert desk.notices(mails) == {"steering-unknown": ["r1@x.example: cannot be read (ValueError)"]}


def test_nothing_of_it_is_loaded_when_nobody_steers(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import reviewer.review

    monkeypatch.setattr(reviewer.review, "load_rules", _counted(reviewer.review.load_rules))
    desk.text(desk.series())
    assert _counted.calls == 1  # type: ignore[attr-defined]


def _counted(function: Any) -> Any:
    _counted.calls = 0  # type: ignore[attr-defined]

    def call(*given: Any) -> Any:
        _counted.calls += 1  # type: ignore[attr-defined]
        return function(*given)

    return call
