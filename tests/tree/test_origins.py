"""Findings with the code behind the patch: what is new, what was there, what is mended later, what is excused."""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import MAIN, Tree, opened_in, source

from reviewer.code.ladder import Ladder
from reviewer.code.versions import Tree as Wanted
from reviewer.engine import review
from reviewer.model import Finding, Report
from reviewer.repository import Repository
from reviewer.rule import ChangeRule, CodeRule, Hit, Rule


class Calls(CodeRule):
    """Speaks of each call of `bad`."""

    id = "XX901"
    name = "calls-bad"
    title = why = "x"
    level = "warning"
    confidence = "high"
    category = "other"
    needs = ("hunk",)

    def check(self, unit):
        for call in unit.calls("bad"):
            yield Hit(unit.at(call), "bad() is called")


class Unlocked(Calls):
    """Speaks of each call of `frob_poke` below which nothing is unlocked, as far as is visible."""

    id = "XX902"
    name = "unlocked"

    def check(self, unit):
        for call in unit.calls("frob_poke"):
            function = unit.function_of(call)
            rows = range(call.row, function.last_row + 1) if function else range(call.row, len(unit.lines))
            if not any("mutex_unlock" in unit.lines[row].text for row in rows):
                yield Hit(unit.at(call), "no unlock")


class Adds(ChangeRule):
    id = "XX903"
    name = "adds-bad"
    title = why = "x"
    level = "note"
    confidence = "high"
    category = "other"
    needs = ("hunk",)

    def check(self, change):
        for group in change.groups:
            for line in group.added:
                if "bad(" in line.text:
                    yield Hit(change.at(line), "bad() is added")


class Loop(Calls):
    """Needs the whole function: speaks of a function that locks twice, where it locks."""

    id = "XX904"
    name = "locks-twice"

    def check(self, unit):
        for function in unit.functions:
            calls = [call for call in unit.calls("mutex_lock") if unit.function_of(call) == function]
            if len(calls) > 1:
                yield Hit(unit.at(calls[0]), "locks twice", evidence=function.name)


def run(clone: Tree, *rules: type[Rule], tree: bool = True, show_old: bool = False) -> Report:
    assembly, opened = opened_in(clone.mails())
    given = tuple(rule() for rule in rules)
    if not tree:
        return review(assembly, opened, given, (), show_old=show_old)
    with Repository.open(clone.folder) as repository:
        ladder = Ladder(repository=repository, tree=Wanted(branches={}))
        return review(assembly, opened, given, (), ladder=ladder, show_old=show_old)


def told(report: Report) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.origin, finding.location.text.strip()) for finding in report.findings]


ERR = "\tint err;\n"


@pytest.fixture
def bad(clone: Tree) -> Tree:
    """A driver that calls bad() already: in function 2, and in function 5."""
    text = source(1, 8)
    for number in (2, 5):
        text = text.replace(
            f"\terr = frob_do_{number}(fb, arg);\n", f"\tbad({number});\n\terr = frob_do_{number}(fb, arg);\n"
        )
    return Tree(folder=clone.folder, base=clone.commit("frob: bad", {MAIN: text}))


def test_the_same_findings_from_the_mail_alone_and_with_the_tree(bad: Tree) -> None:
    bad.edit("frob: worse", MAIN, ("\terr = frob_do_3(fb, arg);\n", "\tbad(3);\n\terr = frob_do_3(fb, arg);\n"))
    alone, whole = (run(bad, Calls, Adds, tree=tree) for tree in (False, True))
    assert told(alone) == [("XX901", "introduced", "bad(3);"), ("XX903", "introduced", "bad(3);")]
    assert [(one.fingerprint, one.location) for one in alone.findings] == [
        (one.fingerprint, one.location) for one in whole.findings
    ]


def test_what_was_there_is_shown_when_asked_for(bad: Tree) -> None:
    bad.edit("frob: worse", MAIN, ("\terr = frob_do_2(fb, arg);\n", "\tbad(22);\n\terr = frob_do_2(fb, arg);\n"))
    assert told(run(bad, Calls)) == [("XX901", "introduced", "bad(22);")]
    shown = run(bad, Calls, show_old=True)
    assert told(shown) == [
        ("XX901", "preexisting", "bad(2);"),
        ("XX901", "introduced", "bad(22);"),
        ("XX901", "preexisting", "bad(5);"),
    ]
    assert [one.location.body_line is None for one in shown.findings] == [False, False, True]
    assert [one.location.line for one in shown.findings] == sorted(one.location.line or 0 for one in shown.findings)
    assert told(run(bad, Calls, tree=False, show_old=True))[:2] == told(shown)[:2]


def test_with_the_tree_it_gives_more(clone: Tree) -> None:
    clone.edit("frob: lock", MAIN, ("\tfb->slots += left;\n", "\tfb->slots += left;\n\tmutex_lock(&fb->lock);\n"))
    assert run(clone, Loop, tree=False).findings == ()
    (finding,) = run(clone, Loop).findings
    assert finding.location.function == "frob_step_1"
    assert finding.location.body_line is None
    assert finding.location.line == 15


def mended(finding: Finding, report: Report) -> int | None:
    patches = report.series[0].patches
    return next((patch.number for patch in patches if patch.mail.message_id == finding.fixed_in), None)


def test_a_later_patch_that_removes_the_line_mends_it(clone: Tree) -> None:
    line = "\tint left = 4;\n"
    clone.edit("frob: worse", MAIN, (line, f"{line}\tbad(4);\n"))
    clone.edit("frob: above", MAIN, ("/* Frob slots. */\n", "/* Frob slots. */\n/* And more. */\n"))
    clone.edit("frob: better", MAIN, ("\tbad(4);\n", "\tgood(4);\n"))
    clone.edit("frob: worse again", MAIN, ("\tgood(4);\n", "\tbad(4);\n"))
    for tree in (False, True):
        report = run(clone, Calls, Adds, tree=tree)
        assert [(one.rule, mended(one, report)) for one in report.findings] == [
            ("XX901", 3),
            ("XX903", 3),
            ("XX901", None),
            ("XX903", None),
        ]


def test_a_line_that_only_moves_is_not_mended(clone: Tree) -> None:
    line = "\tint left = 4;\n"
    clone.edit("frob: worse", MAIN, (line, f"{line}\tbad(4);\n"))
    clone.edit("frob: move", MAIN, ("\tbad(4);\n", ""), ("\tint left = 5;\n", "\tint left = 5;\n\tbad(4);\n"))
    report = run(clone, Adds)
    assert [mended(one, report) for one in report.findings] == [None, None]


def test_a_guard_that_comes_later_mends_it(clone: Tree) -> None:
    clone.edit("frob: lock", MAIN, ("\tfb->slots += left;\n", "\tfb->slots += left;\n\tmutex_lock(&fb->lock);\n"))
    clone.edit("frob: once", MAIN, ("\tmutex_lock(&fb->lock);\n", "\tfrob_lock(fb);\n"))
    report = run(clone, Loop)
    assert [mended(one, report) for one in report.findings] == [2]


def test_what_the_rest_of_the_file_excuses_is_named(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, ("\tint left = 3;\n", "\tint left = 3;\n\tfrob_poke(fb, 0);\n"))
    (alone,) = run(clone, Unlocked, tree=False).findings
    report = run(clone, Unlocked)
    assert report.findings == ()
    (notice,) = [notice for notice in report.notices if notice.code == "excused"]
    row = (
        source(1, 8).split("\n").index("\tmutex_unlock(&fb->lock);", source(1, 8).split("\n").index("\tint left = 3;"))
    )
    assert notice.message == (
        f"XX902 unlocked is not said of {MAIN}:{alone.location.line}, since line {row + 2} excuses it: "
        "mutex_unlock(&fb->lock);"
    )
    assert notice.patches == (alone.patch,)


class Beginning(Calls):
    """Speaks of calls of `frob_poke` above which the name of the driver's licence is not visible."""

    id = "XX905"
    name = "beginning"

    def check(self, unit):
        for call in unit.calls("frob_poke"):
            if not any("Frob slots" in unit.lines[row].text for row in range(call.row)):
                yield Hit(unit.at(call), "no licence")


class Both(Calls):
    """Speaks of calls of `frob_poke` unless two things far apart are visible."""

    id = "XX906"
    name = "both"

    def check(self, unit):
        if not (unit.text.count("frob_do_1(") and unit.text.count("frob_do_8(")):
            for call in unit.calls("frob_poke"):
                yield Hit(unit.at(call), "both")


def test_an_excuse_above_the_hunk(clone: Tree) -> None:
    clone.edit("frob: poke", MAIN, ("\tint left = 3;\n", "\tint left = 3;\n\tfrob_poke(fb, 0);\n"))
    (notice,) = [notice for notice in run(clone, Beginning).notices if notice.code == "excused"]
    assert notice.message.endswith("since line 2 excuses it: /* Frob slots. */")
    (notice,) = [notice for notice in run(clone, Both).notices if notice.code == "excused"]
    assert "since line " in notice.message


def test_a_tree_that_breaks_costs_itself(clone: Tree, tmp_path: Path) -> None:
    clone.edit("frob: worse", MAIN, ("\tint left = 4;\n", "\tint left = 4;\n\tbad(4);\n"))
    assembly, opened = opened_in(clone.mails())
    folder = tmp_path / "odd"
    (folder / "objects").mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "objects" / "info").write_text("no folder\n")
    with Repository.open(folder) as repository:
        report = review(assembly, opened, (Calls(),), (), ladder=Ladder(repository=repository))
    assert len(report.findings) == 1
