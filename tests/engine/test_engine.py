"""The engine on real mail that is made from examples: what is charged, what is left out, what is told."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from reviewer.engine import review
from reviewer.examples import failures, mails_of, run_example
from reviewer.mail.parse import parse_mail
from reviewer.model import Finding, Report
from reviewer.review import exit_code
from reviewer.rule import ChangeRule, CodeRule, Example, Find, Hit, Lack, MessageRule, PatchExample, SeriesRule, code
from reviewer.rule import series as several
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

PATH = "net/core/frob.c"
BODY = "int frob(int a)\n{\n\tint b = a;\n\n\tfirst(b);\n\treturn b;\n}\n"


class Calls(CodeRule):
    """Speaks of each call of `bad`. Silent otherwise. Sources: none."""

    id = "XX901"
    name = "calls-bad"
    title = "bad() is called"
    why = "It is bad."
    level = "warning"
    confidence = "high"
    category = "other"
    needs = ("hunk",)

    def check(self, unit):
        for call in unit.calls("bad"):
            yield Hit(unit.at(call), "bad() is called")


class Twin(Calls):
    """Speaks of the same. Silent otherwise. Sources: none."""

    id = "XX902"
    name = "calls-bad-twin"
    supersedes: ClassVar = ("XX901",)


class Lacks(CodeRule):
    id = "XX903"
    name = "lacks-function"
    title = why = "x"
    level = "note"
    confidence = "low"
    category = "other"
    needs = ("function",)

    def check(self, unit):
        if unit.calls("first"):
            yield Lack("function")
        for call in unit.calls("bad"):
            yield Hit(unit.at(call), "bad() is called")


class Crashes(MessageRule):
    id = "XX904"
    name = "crashes-always"
    title = why = "x"
    level = "error"
    confidence = "low"
    category = "other"
    needs = ("mail",)

    def check(self, message):
        raise ValueError("on\npurpose")


class NeedsTree(ChangeRule):
    id = "XX905"
    name = "needs-tree"
    title = why = "x"
    level = "error"
    confidence = "low"
    category = "other"
    needs = ("tree",)

    def check(self, change):
        yield Hit(change.at(change.groups[0].added[0]), "never")


class Everything(SeriesRule):
    id = "XX906"
    name = "speaks-of-all"
    title = why = "x"
    level = "note"
    confidence = "low"
    category = "other"
    needs = ("series",)

    def check(self, series, changes):
        for patch in series.patches:
            yield patch, Lack("series")
        raise KeyError("late")


def run(example: Example, *rules: type) -> Report:
    mails = [parse_mail(data, "x", at, lambda data=data: data) for at, data in enumerate(mails_of(example))]
    assembly = assemble(mails)
    opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
    return review(assembly, opened, tuple(rule() for rule in rules), ())


def told(report: Report) -> list[tuple[str, str]]:
    return [(finding.rule, finding.location.text.strip()) for finding in report.findings]


def test_an_added_call_is_charged_once():
    report = run(code("bad", PATH, BODY.replace("first(b)", "bad(b)"), before=BODY), Calls)
    assert told(report) == [("XX901", "bad(b);")]
    (finding,) = report.findings
    assert finding.location.function == "frob"
    assert finding.location.line == 5
    assert finding.origin == "introduced"


def test_code_that_was_there_before_is_not_charged():
    before = BODY.replace("first(b)", "bad(b)")
    assert told(run(code("good", PATH, before.replace("= a", "= a + 1"), before=before), Calls)) == []


def test_code_that_moves_or_is_indented_anew_is_not_charged():
    before = BODY.replace("\tfirst(b);\n", "\tbad(b);\n\tfirst(b);\n")
    moved = BODY.replace("\tfirst(b);\n", "\tfirst(b);\n\tif (b)\n\t\tbad(b);\n")
    assert told(run(code("good", PATH, moved, before=before), Calls)) == []


def test_a_second_one_of_the_same_text_is_charged():
    before = BODY.replace("first(b)", "bad(b)")
    after = before.replace("\treturn", "\tbad(b);\n\treturn")
    report = run(code("bad", PATH, after, before=before), Calls)
    assert len(report.findings) == 1


def test_the_same_words_in_one_function_are_one_finding():
    bad = BODY.replace("first(b);\n", "bad(b);\n\tbad(b + 1);\n\tbad(b + 2);\n")
    report = run(code("bad", PATH, bad + bad.replace("frob", "other").replace("\tbad(b + 1);\n", "")), Calls)
    first, second = report.findings
    assert (first.location.line, [place.line for place in first.related]) == (5, [6, 7])
    assert first.message == "bad() is called The same goes for 2 more lines of frob()."
    assert second.message == "bad() is called The same goes for 1 more line of other()."


def test_the_worst_of_several_that_are_alike_is_told():
    class Grades(Calls):
        def check(self, unit):
            for hit in super().check(unit):
                yield replace(hit, level="warning" if "b + 1" in hit.at.text else "note")

    bad = BODY.replace("first(b);\n", "bad(b);\n\tbad(b + 1);\n")
    (finding,) = run(code("bad", PATH, bad), Grades).findings
    assert (finding.level, finding.location.line) == ("warning", 6)
    assert [place.line for place in finding.related] == [5]


def test_what_a_later_patch_mends_is_told_apart_from_what_stays():
    bad = BODY.replace("first(b);\n", "bad(b);\n\tbad(b + 1);\n\tbad(b + 2);\n")
    patches = (
        PatchExample(files=((PATH, None, bad),)),
        PatchExample(files=((PATH, bad, bad.replace("bad(b);", "first(b);")),)),
    )
    mended, stays = run(several("bad", patches), Calls).findings
    assert (mended.location.line, mended.related, mended.fixed_in is None) == (5, (), False)
    assert (stays.location.line, [place.line for place in stays.related], stays.fixed_in) == (6, [7], None)


def test_lines_outside_of_functions_stay_apart():
    text = "int a = bad(1);\nint b = bad(2);\n"
    assert len(run(code("bad", PATH, text), Calls).findings) == 2


def test_the_specific_rule_speaks_instead_of_the_general_one():
    example = code("bad", PATH, BODY.replace("first(b)", "bad(b)"), before=BODY)
    assert [rule for rule, _ in told(run(example, Calls, Twin))] == ["XX902"]


def test_a_rule_never_counts_as_checked_and_not_checked_for_a_patch():
    silent = code("good", PATH, BODY.replace("first(b)", "first(b + 1)"), before=BODY)
    (notice,) = run(silent, Lacks).notices
    assert (notice.code, notice.rule, notice.needs) == ("not-checked", "XX903", "function")
    both = code("bad", PATH, BODY.replace("first(b);", "first(b); bad(b);"), before=BODY)
    assert run(both, Lacks).notices == ()


def test_context_that_cannot_be_had_is_told_for_all_patches():
    report = run(code("good", PATH, BODY), NeedsTree)
    assert report.findings == ()
    assert [(one.rule, one.needs, len(one.patches)) for one in report.notices] == [("XX905", "tree", 1)]


def test_a_crash_costs_the_rule_and_makes_the_report_incomplete():
    report = run(code("bad", PATH, BODY.replace("first", "bad")), Crashes, Everything, Calls)
    assert not report.complete
    assert exit_code(report, "error") == 3
    assert told(report) == [("XX901", "bad(b);")]
    crashes = [one.message for one in report.notices if one.code == "rule-crashed"]
    assert crashes == [
        f"XX904 crashes-always crashed at test_engine.py:{line_of('raise ValueError')}: ValueError: on purpose",
        f"XX906 speaks-of-all crashed at test_engine.py:{line_of('raise KeyError')}: KeyError: 'late'",
    ]


def line_of(code: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip().startswith(code))


def test_paths_limit_a_rule():
    class Elsewhere(Calls):
        paths = ("drivers/**",)

    assert told(run(code("good", PATH, BODY.replace("first", "bad")), Elsewhere)) == []


@pytest.mark.parametrize("order", [1, -1])
def test_fingerprints_stay_and_versions_are_compared(order):
    def version(number: int, after: str) -> list[bytes]:
        example = code("bad", PATH, after, before=BODY)
        data = next(iter(mails_of(example))).replace(b"[PATCH net-next]", b"[PATCH net-next v%d]" % number)
        return [data.replace(b"<1.example", b"<v%d.example" % number).replace(b"10:00", b"1%d:00" % number)]

    bad = BODY.replace("first(b)", "bad(b)")
    shifted = bad.replace("int frob", "/* frob */\nint frob")
    data = [*version(1, bad), *version(2, shifted), *version(3, BODY.replace("first", "second"))][::order]
    mails = [parse_mail(one, "x", at, lambda one=one: one) for at, one in enumerate(data)]
    assembly = assemble(mails)
    (lineage,) = assembly.lineages
    report = review(assembly, [open_series(one) for one in lineage.outlines], (Calls(),), ())
    first, second = report.findings
    assert first.fingerprint == second.fingerprint
    assert (first.since[0], second.since[0]) == (1, 1)
    assert first.gone_in is not None
    assert second.gone_in is not None
    assert (first.gone_in[0], second.gone_in[0]) == (3, 3)


def test_levels_and_confidence_can_only_be_lowered():
    class Louder(Calls):
        def check(self, unit):
            for call in unit.calls("bad"):
                yield Hit(unit.at(call), "x", level="error", confidence="low")

    (finding,) = run(code("bad", PATH, BODY.replace("first", "bad")), Louder).findings
    assert (finding.level, finding.confidence) == ("warning", "low")


def test_findings_come_in_the_order_of_the_series():
    after = BODY.replace("first", "bad")
    patches = [
        PatchExample(files=(("net/z.c", None, after), ("net/a.c", None, after)), subject="frob: first"),
        PatchExample(files=(("net/b.c", None, after),), subject="frob: second"),
    ]
    report = run(several("bad", patches), Calls)
    assert [finding.location.file for finding in report.findings] == ["net/z.c", "net/a.c", "net/b.c"]
    assert all(isinstance(finding, Finding) for finding in report.findings)


def test_what_is_wrong_with_examples_is_told():
    class Wrong(Calls):
        @staticmethod
        def examples():
            return [
                code("bad", PATH, BODY, finds=[Find(line="first(b)"), Find(line="int")]),
                code("good", PATH, BODY.replace("first", "bad")),
            ]

    reasons = " / ".join(one.reason for one in failures(Wrong()))
    assert "has no look-alike example" in reasons
    assert "no finding on '+\\tfirst(b);'" in reasons
    assert "'int' stands on" in reasons
    assert "unexpected warning on" in reasons


def test_an_example_goes_through_the_real_readers():
    report, mails = run_example(Calls(), code("bad", PATH, BODY.replace("first", "bad")))
    assert [*mails] == ["1.example@examples.example"]
    assert report.series[0].patches[0].files[0].status == "added"
    assert report.series[0].patches[0].text.diffstat is not None
