"""The text rules on mails of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.model import Report

Judge = Callable[[str, Iterable[bytes]], Report]

DIFF = """diff --git a/net/core/frob.c b/net/core/frob.c
index 1111111..2222222 100644
--- a/net/core/frob.c
+++ b/net/core/frob.c
@@ -1,3 +1,4 @@
 int frob_a;
-int frob_b;
+int frob_c;
+int frob_d;
 int frob_e;
"""
STAT = " net/core/frob.c | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)\n"


def patch(
    message: str = "Frob.\n",
    *,
    at: int = 1,
    of: int = 1,
    stat: str = STAT,
    diff: str = DIFF,
    version: int = 1,
    notes: str = "",
) -> bytes:
    return mail(f"{message}\n---\n{notes}{stat}\n{diff}", at=at, of=of, version=version)


def mail(body: str, *, at: int, of: int, version: int = 1) -> bytes:
    tag = f"[PATCH net-next{'' if version == 1 else f' v{version}'}{f' {at}/{of}' if of > 1 or at == 0 else ''}]"
    above = "In-Reply-To: <0.frob@dev.example>\n" if at and of > 1 else ""
    return (
        f"From: A Uthor <a@dev.example>\nSubject: {tag} frob: change {at}\nDate: Mon, 5 Jan 2026 10:00:{at:02} +0000\n"
        f"Message-ID: <{at}.frob@dev.example>\n{above}Content-Type: text/plain; charset=UTF-8\n\n{body}-- \n2.47.0\n"
    ).encode()


def told(report: Report) -> list[tuple[int | None, str]]:
    assert not [notice for notice in report.notices if notice.code == "rule-crashed"]
    return [(finding.location.body_line, finding.level) for finding in report.findings]


def lacks(report: Report) -> list[str | None]:
    return [notice.needs for notice in report.notices if notice.code == "not-checked"]


# DM001


def test_rounding_explains_a_change(judge: Judge) -> None:
    good = "size   base   patched   delta\n4K     29.3      41.8   {}\n"
    for delta in ("+42.9%", "+42.4%", "42.7%"):
        assert told(judge("DM001", [patch(good.format(delta))])) == []
    for delta in ("+43.5%", "+41.7%", "-42.7%"):
        assert told(judge("DM001", [patch(good.format(delta))])) == [(2, "error")]


def test_values_that_were_cut_off_explain_a_change(judge: Judge) -> None:
    text = "size   base   patched   delta\n4K     1000      1899   +89%\n8K     1000      1099   +9.8%\n"
    assert told(judge("DM001", [patch(text)])) == []


@pytest.mark.parametrize(
    "text",
    [
        "ns         before   after   speedup\nfrob       200.0   100.0     2.00x\nunfrob     300.0   100.0     3.00x\n",
        "ns         before   after   speedup\nfrob       200.0   100.0     +100%\n",
        "ns         before   after   share\nfrob       200.0   100.0     50\n",
        "ns         before   after   diff\nfrob       200.0   100.0     -100.0\nunfrob     50.0   60.0     +10.0\n",
        "share      before   after   delta\nfrob       54.1%   35.4%   -18.7%\nunfrob     12.0%   13.0%     +1.0%\n",
        "ns         before   after   delta\nfrob       200.0   100.0   +50.0%\nunfrob     100.0   110.0   -10.0%\n",
        "frobs      before   after   delta\nfrob       200.0   400.0   200%\nunfrob     100.0   110.0   110%\n",
        "frobs      6.12     6.13    delta\nfrob       200.0   400.0   +70%\nunfrob     100.0   110.0   +10%\n",
        "           before   after   % points\nusr         26.2    23.8     -2.4\nsys      20.0    30.0    +10.0\n",
        "frobs      before   after   (+9%)\nfrob       12   15\n",
        "           before   after   delta\nwall clock   9.8s    0.4s  -95.7%\nsetup       6.14s   0.40s   -5.74s\n",
        "           before   after   delta\nusr         26.2%   23.8%   -2.4%\nGbps         50.0    60.0   +20.0%\n",
        "| frobs | before | after | change |\n|---|---|---|---|\n| a | 347 | 307 | -40 (-11.5%) |\n",
    ],
)
def test_other_conventions_are_accepted(judge: Judge, text: str) -> None:
    assert told(judge("DM001", [patch(text)])) == []


def test_unnamed_columns_need_rows_that_confirm_them(judge: Judge) -> None:
    rows = "size   6.12   6.13   delta\n4K     50.0   60.0   +20.0%\n8K     50.0   55.0   +10.0%\n"
    wrong = "16K    50.0   75.0   +25.0%\n"
    assert told(judge("DM001", [patch(rows + wrong)])) == []
    right = "32K    50.0   75.0   +50.0%\n"
    assert told(judge("DM001", [patch(rows + right + wrong)])) == [(5, "error")]


def test_a_table_without_one_right_row_is_one_question(judge: Judge) -> None:
    text = "size   base   patched   delta\n4K     50.0      60.0   +31%\n8K     50.0      70.0   +71%\n"
    report = judge("DM001", [patch(text)])
    assert told(report) == [(2, "warning")]
    assert len(report.findings[0].related) == 1
    assert "None of the 2 changes" in report.findings[0].message


def test_what_cannot_be_read_is_said(judge: Judge) -> None:
    ragged = "| size | base | patched | delta |\n|------|------|---------|-------|\n| 4K | 50.0 | 60.0 | +35% |\n"
    assert told(judge("DM001", [patch(ragged)])) == [(3, "error")]
    report = judge("DM001", [patch(ragged + "| 8K | 50.0 | 60.0 | +35% | 1 |\n")])
    assert (told(report), lacks(report)) == ([], ["mail"])
    plain = judge("DM001", [patch("  4K   50.0   60.0\n  8K   64.0   80.0\n")])
    assert (told(plain), lacks(plain)) == ([], [])


def test_messages_name_row_and_numbers(judge: Judge) -> None:
    report = judge("DM001", [patch("            before   after\nfrobs/s      1,200   1,500   (+35%)\n")])
    (finding,) = report.findings
    assert finding.message == (
        "frobs/s: 1,200 to 1,500 is +25.0 % (+24.9 to +25.1 before rounding), but the table says +35%; "
        "one of the three numbers is wrong."
    )


# DM002

TABLE = """
  size       Gbps       app sys %
  ----  ---------  --------------
  4K        300.1   54.1 +/- 1.2
  16K       321.5   41.0 +/- 1.0
  64K       330.9   35.4 +/- 0.8

"""


@pytest.mark.parametrize(
    "text",
    [
        "Sender cpu drops ~20% (60% -> 40%).",
        "The softirq share grew by 20 percent, from 40 percent to 60 percent.".replace(", from", " from"),
        "A 20% reduction of softirq load (60% to 40%) follows.",
        "This reduces the load of the sender's CPU by about 20% (60% -> 40%).",
        "With frobs\nthe app sys % drops by\n~19% from 4K to 64K." + TABLE,
        "App sys drops 13.1% between 4K and 16K." + TABLE,
        "Receiver CPU falls by 20%.\n\n                before   after\nreceiver CPU     60.0%   40.0%\n",
    ],
)
def test_points_given_as_percent(judge: Judge, text: str) -> None:
    report = judge("DM002", [patch(text + "\n")])
    assert [level for _, level in told(report)] == ["warning"]
    assert "percentage points" in report.findings[0].message
    assert any(digit in report.findings[0].location.text for digit in ("19%", "20", "13.1%"))


@pytest.mark.parametrize(
    "text",
    [
        "Sender cpu drops by 20 percentage points (60% -> 40%).",
        "Sender cpu drops by 20 pp (60% -> 40%).",
        "Sender cpu drops by 33% (60% -> 40%).",
        "Sender cpu drops by 20% (60% -> 40%), or 33% relative.",
        "Throughput grows by 7%, and softirq with it (52% -> 59%).",
        "The softirq share grows (52% -> 59%), but sys + sirq still drops by 7%.",
        "Probing shows that 75% of the tokens are not used.",
        "App sys drops 34.6% from 4K to 64K." + TABLE,
        "App sys drops 19% from 4K to 32K." + TABLE,
        "App sys drops 19% with this." + TABLE,
        "Gbps grow by 20% from 4K to 16K." + TABLE,
        "It drops by 2% (100% -> 98%).",
        "It drops by 19%. " + "frob " * 300,
    ],
)
def test_percent_where_percent_is_meant(judge: Judge, text: str) -> None:
    report = judge("DM002", [patch(text + "\n")])
    assert (told(report), lacks(report)) == ([], [])


def test_values_that_cannot_be_read_are_said(judge: Judge) -> None:
    text = "App sys drops by 19% from 4K to 64K.\n\n| a | b% |\n|---|---|\n| 4K | 54.1 | 1 |\n| 64K | 35.4 | 1 | 2 |\n"
    report = judge("DM002", [patch(text)])
    assert (told(report), lacks(report)) == ([], ["mail"])


# DM006


def test_true_numbers(judge: Judge) -> None:
    cover = f"Frob.\n\nA Uthor (2):\n  frob: change 1\n  frob: change 2\n\n{STAT}\n"
    other = DIFF.replace("net/core/frob.c", "net/core/other.c")
    both = cover.replace(
        STAT,
        " net/core/frob.c  | 3 ++-\n net/core/other.c | 3 ++-\n 2 files changed, 4 insertions(+), 2 deletions(-)\n",
    )
    patches = [patch(at=1, of=2), patch(at=2, of=2, diff=other, stat=STAT.replace("frob.c", "other.c"))]
    assert told(judge("DM006", [mail(both, at=0, of=2), *patches])) == []
    assert told(judge("DM006", [patch()])) == []
    assert told(judge("DM006", [patch(stat="")])) == []


@pytest.mark.parametrize(
    ("stat", "line", "words"),
    [
        (STAT.replace("| 3 ++-", "| 4 +++-"), 4, "gives net/core/frob.c 4 changed lines, the diff has 3"),
        (STAT.replace("2 insertions", "3 insertions"), 5, "3 insertions and 1 deletions, the diff has 2 and 1"),
        (STAT.replace("frob.c", "unfrob.c"), 4, "lists net/core/unfrob.c"),
        (
            " net/core/frob.c | 3 ++-\n net/x.c | 1 +\n 2 files changed, 3 insertions(+), 1 deletion(-)\n",
            5,
            "lists net/x.c",
        ),
        (STAT.replace("1 file ", "2 files "), 5, "counts 2 files"),
    ],
)
def test_wrong_numbers_of_a_patch(judge: Judge, stat: str, line: int, words: str) -> None:
    report = judge("DM006", [patch(stat=stat)])
    assert told(report) == [(line, "error")]
    assert words in report.findings[0].message


def test_a_file_that_the_diffstat_does_not_list(judge: Judge) -> None:
    report = judge("DM006", [patch(diff=DIFF + DIFF.replace("frob.c", "other.c"))])
    assert told(report) == [(5, "error")]
    assert "changes net/core/other.c, which the diffstat does not list" in report.findings[0].message


def test_names_as_diffstats_print_them(judge: Judge) -> None:
    renamed = """diff --git a/net/core/frob.c b/net/frob/frob.c
similarity index 90%
rename from net/core/frob.c
rename to net/frob/frob.c
index 1111111..2222222 100644
--- a/net/core/frob.c
+++ b/net/frob/frob.c
""" + DIFF.partition("+++ b/net/core/frob.c\n")[2]
    for name in ("net/{core => frob}/frob.c", "net/{core/frob.c => frob/frob.c}", ".../{core => frob}/frob.c"):
        assert told(judge("DM006", [patch(diff=renamed, stat=STAT.replace("net/core/frob.c", name))])) == []
    assert told(judge("DM006", [patch(stat=STAT.replace("net/core", "..."))])) == []
    assert told(judge("DM006", [patch(stat=STAT.replace("net/core", "/core"))])) == [(4, "error")]
    twins = DIFF.replace("net/core", "uapi/net") + DIFF.replace("net/core", "tools/uapi/net").replace(
        "+int frob_d;\n", ""
    ).replace("1,4", "1,3")
    stat = (
        " uapi/net/frob.c    | 3 ++-\n .../uapi/net/frob.c | 2 +-\n 2 files changed, 3 insertions(+), 2 deletions(-)\n"
    )
    assert told(judge("DM006", [patch(diff=twins, stat=stat)])) == []
    same = " .../net/frob.c | 3 ++-\n .../net/frob.c | 2 +-\n 2 files changed, 3 insertions(+), 2 deletions(-)\n"
    assert told(judge("DM006", [patch(diff=twins, stat=same)])) == []


def test_binary_files_have_no_lines(judge: Judge) -> None:
    binary = (
        "diff --git a/fw/frob.bin b/fw/frob.bin\nindex 1111111..2222222 100644\n"
        "Binary files a/fw/frob.bin and b/fw/frob.bin differ\n"
    )
    stat = " fw/frob.bin | Bin 10 -> 12 bytes\n" + STAT.replace("1 file ", "2 files ")
    assert told(judge("DM006", [patch(diff=binary + DIFF, stat=stat)])) == []


def test_a_damaged_diff_is_not_judged(judge: Judge) -> None:
    report = judge("DM006", [patch(diff=DIFF.replace("+int frob_d;\n", ""))])
    assert (told(report), lacks(report)) == ([], ["hunk"])


COVER = f"Frob.\n\nA Uthor (1):\n  frob: change 1\n\n{STAT}\n"


def test_wrong_numbers_of_a_cover_letter(judge: Judge) -> None:
    one = patch(at=1, of=1).replace(b"[PATCH net-next]", b"[PATCH net-next 1/1]")
    assert told(judge("DM006", [mail(COVER, at=0, of=1), one])) == []
    for wrong, line, words in (
        (COVER.replace("| 3 ++-", "| 5 ++-"), 6, "the series has 3"),
        (COVER.replace("2 insertions", "4 insertions"), 7, "or +3 lines, the patches together to +1"),
        (COVER.replace("(1):", "(3):"), 3, "shortlog counts 3 patches, the series has 1"),
        (COVER.replace("Frob.", "Patches:\n- 1: frob\n- 2-3: more"), 3, "names patch 3"),
        (COVER.replace("frob.c", "other.c"), 6, "lists net/core/other.c"),
    ):
        report = judge("DM006", [mail(wrong, at=0, of=1), one])
        assert told(report) == [(line, "error")]
        assert words in report.findings[0].message


def test_what_a_cover_letter_cannot_tell(judge: Judge) -> None:
    """A file that two patches touch may have any number of lines, but no other sum."""
    back = DIFF.replace("-int frob_b;\n+int frob_c;\n+int frob_d;\n", "+int frob_b;\n-int frob_c;\n-int frob_d;\n")
    back = back.replace("@@ -1,3 +1,4 @@", "@@ -1,4 +1,3 @@")
    two = [
        patch(at=1, of=2),
        patch(at=2, of=2, diff=back, stat=STAT.replace("2 ins", "1 ins").replace("1 del", "2 del")),
    ]
    cover = COVER.replace("(1):", "(2):").replace("| 3 ++-", "| 0")
    true = cover.replace("2 insertions(+), 1 deletion(-)", "0 insertions(+), 0 deletions(-)")
    assert told(judge("DM006", [mail(true, at=0, of=2), *two])) == []
    assert told(judge("DM006", [mail(cover, at=0, of=2), *two])) == [(7, "error")]


def test_missing_and_later_patches_leave_a_cover_letter_alone(judge: Judge) -> None:
    wrong = mail(COVER.replace("| 3 ++-", "| 5 ++-").replace("(1):", "(2):"), at=0, of=2)
    report = judge("DM006", [wrong, patch(at=1, of=2)])
    assert (told(report), lacks(report)) == ([], ["series"])
    later = patch(at=3, of=2, diff=DIFF.replace("frob.c", "late.c"), stat=STAT.replace("frob.c", "late.c"))
    report = judge("DM006", [wrong, patch(at=1, of=2), patch(at=2, of=2), later])
    assert (told(report), lacks(report)) == ([], ["series"])


def test_a_cover_letter_whose_patches_have_no_version_is_compared(judge: Judge) -> None:
    cover = COVER.replace("(1):", "(2):")
    two = [patch(at=1, of=2), patch(at=2, of=2, diff=DIFF.replace("frob.c", "two.c"), stat="")]
    report = judge("DM006", [mail(cover, at=0, of=2, version=2), *two])
    assert (told(report), lacks(report)) == ([(7, "error")], [])


def test_a_damaged_patch_leaves_its_cover_letter_alone(judge: Judge) -> None:
    broken = patch(at=2, of=2, diff=DIFF.replace("+int frob_d;\n", ""))
    report = judge("DM006", [mail(COVER.replace("(1):", "(2):"), at=0, of=2), patch(at=1, of=2), broken])
    assert (told(report), lacks(report)) == ([], ["hunk"])


# DM008


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Results\n-------\nFast.\n", 2),
        ("Results\n------- \nFast.\n", 2),
        ("Fast.\n\n---|---\n", 3),
        ("Fast.\n\n-----8<-----\n", 3),
        ("A heading that is much longer than the forty characters\n-----\n", 2),
    ],
)
def test_separators(judge: Judge, text: str, line: int) -> None:
    report = judge("DM008", [patch(text)])
    assert told(report) == [(line, "warning")]
    assert report.findings[0].message.endswith("It reads the same without the line.")


@pytest.mark.parametrize(
    "text",
    [
        "Results:\n  ------\n  12\n",
        "Results:\n--\n",
        "WARNING: possible circular locking dependency detected\n----------------------------------------\n",
        "------------[ cut here ]------------\nWARNING: CPU: 1 PID: 2 at frob.c\n",
        "Frob\n---\nResults\n-------\n",
        "Frob\n--- frob ---\nResults\n",
    ],
)
def test_no_separators(judge: Judge, text: str) -> None:
    assert told(judge("DM008", [patch(text)])) == []


def test_one_remark_for_a_message_and_a_note_for_a_cover_letter(judge: Judge) -> None:
    text = "Results\n-------\nFast.\n\nMore\n----\nSlow.\n"
    report = judge("DM008", [mail(text + STAT, at=0, of=1), patch(text)])
    assert sorted(told(report)) == [(2, "note"), (2, "warning")]
    for finding in report.findings:
        assert "as does 1 more below" in finding.message
        assert finding.message.endswith("It reads the same without these lines.")
        assert [place.body_line for place in finding.related] == [6]


# All of them


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.text(alphabet="ab 10.%~|+-=>\n()\t,", max_size=300), st.sampled_from(["DM001", "DM002", "DM006", "DM008"]))
def test_no_text_breaks_a_rule(judge: Judge, text: str, rule: str) -> None:
    table = "size   before   after   delta\n" + text + "\nCPU drops by 20% from 4K to 8K, " + text
    report = judge(rule, [patch(table), mail(text + STAT, at=0, of=1)])
    assert not [notice for notice in report.notices if notice.code == "rule-crashed"]
    for finding in report.findings:
        assert finding.message.endswith((".", "?"))
        assert finding.location.body_line
