"""What DM203 makes of a series: what is converted, what is left, what is not shown, and in which order."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import Example, PatchExample

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "niov")}
HEADER = "net/core/devmem.h"
DEVMEM = "net/core/devmem.c"


def function(name, body):
    return f"static long {name}(struct frob *fb, struct net_iov *niov, size_t virt)\n{{\n\t{body}\n}}\n"


def report_of(*files):
    """The report on a series, a patch for each (path, before, after)."""
    stat = " net/core/devmem.c | 1 +\n 1 file changed, 1 insertion(+)\n"
    patches = tuple(PatchExample(files=(file,), diffstat=stat) for file in files)
    report, _ = run_example(RULES["DM203"], Example(kind="bad", patches=patches))
    assert report.complete
    return report


def said(*files):
    """(number of the patch, level) of each finding, and whether the rule lacks context."""
    report = report_of(*files)
    lacks = any(notice.code == "not-checked" for notice in report.notices)
    return [(int(one.patch.partition(".")[0]), one.level) for one in report.findings], lacks


ADDRESS = function("frob_address", "return (dma_addr_t)net_iov_idx(niov) << PAGE_SHIFT;")
ADDRESS_NIOV = ADDRESS.replace("PAGE_SHIFT", "fb->niov_shift")
LOOKUP = function("frob_lookup", "return fb->map[virt / PAGE_SIZE];")
LOOKUP_NIOV = LOOKUP.replace("/ PAGE_SIZE", ">> fb->niov_shift")
FILL = function("frob_fill", "fb->nr_pages = virt >> PAGE_SHIFT;\n\treturn fb->n;")
CONVERSION = (HEADER, ADDRESS, ADDRESS_NIOV)
SEEN = (HEADER, LOOKUP + "int frob_a;\n", LOOKUP + "int frob_b;\n")
ENABLED = ("net/core/frob.c", "int frob_a;\n", function("frob_set", "fb->niov_shift = ilog2(virt);\n\treturn 0;"))


def test_what_is_left_is_a_note_until_the_shift_may_differ():
    assert said(CONVERSION) == ([], False)
    assert said(CONVERSION, SEEN) == ([(1, "note")], False)
    assert said(SEEN, CONVERSION) == ([(2, "note")], False)
    assert said(CONVERSION, SEEN, ENABLED) == ([(1, "warning")], False)


def test_the_table_names_everything_once():
    left = (HEADER, LOOKUP + "int frob_a;\n" + FILL, LOOKUP + "int frob_b;\n" + FILL)
    (finding,) = report_of(CONVERSION, left).findings
    assert "frob_lookup() (`virt / PAGE_SIZE`)" in finding.message
    assert "Converted: frob_address()." in finding.message
    assert "With pages, but not for niovs: frob_fill()." in finding.message
    assert "Not shown" not in finding.message


def test_functions_that_no_hunk_shows_are_named_or_not_checked():
    conversion = (DEVMEM, ADDRESS, ADDRESS_NIOV)
    assert said(conversion) == ([], True)
    (finding,) = report_of(conversion, (DEVMEM, *SEEN[1:])).findings
    assert "Not shown: net_devmem_get_dma_addr(), " in finding.message
    assert said(conversion, ENABLED, (HEADER, LOOKUP, LOOKUP_NIOV)) == ([(3, "warning")], False)


def test_a_line_that_a_later_patch_takes_out_is_not_left():
    assert said(CONVERSION, SEEN, (HEADER, LOOKUP, LOOKUP_NIOV)) == ([], False)
    assert said(CONVERSION, SEEN, (HEADER, LOOKUP, "")) == ([], False)


def test_conversions_belong_before_what_enables_them():
    lookup = (HEADER, LOOKUP, LOOKUP_NIOV)
    assert said(CONVERSION, lookup, ENABLED) == ([], False)
    assert said(CONVERSION, ENABLED, lookup) == ([(3, "warning")], False)
    assert said(ENABLED, CONVERSION, lookup) == ([(2, "warning"), (3, "warning")], False)


@pytest.mark.parametrize(
    ("setting", "enables"),
    [
        ("fb->niov_shift = ilog2(virt);", True),
        ("fb->niov_shift = virt;", True),
        ("fb->niov_shift = PAGE_SHIFT;", False),
        ("fb->niov_shift = niov_shift;", False),
        ("fb->niov_shift = other->niov_shift;", False),
        ("fb->other_shift = ilog2(virt);", False),
        ("fb->niov_size = ilog2(virt);", False),
        ("fb->niov_shift += 1;", False),
        ("virt = fb->niov_shift;", False),
        ("frob_set(fb->niov_shift = virt);", True),
    ],
)
def test_what_lets_the_shift_differ(setting, enables):
    other = ("net/core/frob.c", "int frob_a;\n", function("frob_set", f"{setting}\n\treturn 0;") + "/* _shift = */\n")
    findings, _ = said(other, CONVERSION)
    assert bool(findings) is enables


def test_a_series_that_converts_nothing_is_silent():
    new = (HEADER, None, ADDRESS_NIOV + LOOKUP)
    assert said(new) == ([], False)
    elsewhere = ("drivers/net/frob.c", ADDRESS, ADDRESS_NIOV)
    assert said(elsewhere, SEEN) == ([], False)
    apart = (
        HEADER,
        ADDRESS + LOOKUP,
        ADDRESS.replace("PAGE_SHIFT", "12") + LOOKUP + function("frob_c", "niov_shift = 1;"),
    )
    assert said(apart) == ([], False)


def test_many_functions_are_cut_short():
    many = "".join(LOOKUP.replace("frob_lookup", f"frob_lookup_{number}") for number in range(9))
    (finding,) = report_of(CONVERSION, (HEADER, many, many.replace("return fb", "\n\treturn fb"))).findings
    assert finding.message.count("frob_lookup_") == 6
    converted = many.replace("/ PAGE_SIZE", ">> fb->niov_shift")
    (late,) = report_of(ENABLED, (HEADER, many, converted)).findings
    assert "and 3 more are converted only here" in late.message
