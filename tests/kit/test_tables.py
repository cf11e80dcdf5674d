"""Tables in the layouts that mails have, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.kit.tables import LONGEST_LINE, LONGEST_TEXT, Tables, read_tables
from reviewer.rule import TextLine


def read(text: str) -> Tables:
    return read_tables(tuple(TextLine(text=line, body_line=at) for at, line in enumerate(text.split("\n"), 1)))


def values(tables: Tables) -> list[list[float | str]]:
    (table,) = tables.tables
    return [[cell.number.value if cell.number else cell.text for cell in row.cells] for row in table.rows]


LAYOUTS = {
    "markdown": """
| size | before | after |
|------|-------:|------:|
| 4K   |   50.0 |  60.0 |
| 8K   |   64.0 |  80.0 |
""",
    "pipes without a rule": """
| size | before | after |
| 4K   |   50.0 |  60.0 |
| 8K   |   64.0 |  80.0 |
""",
    "psql": """
 size | before | after
------+--------+-------
 4K   |   50.0 |  60.0
 8K   |   64.0 |  80.0
""",
    "grid": """
+------+--------+-------+
| size | before | after |
+======+========+=======+
| 4K   |   50.0 |  60.0 |
+------+--------+-------+
| 8K   |   64.0 |  80.0 |
+------+--------+-------+
""",
    "box": """
┌──────┬────────┬───────┐
│ size │ before │ after │
├──────┼────────┼───────┤
│ 4K   │   50.0 │  60.0 │
│ 8K   │   64.0 │  80.0 │
└──────┴────────┴───────┘
""",
    "dashed rules": """
  size   before    after
  ----  -------  -------
  4K       50.0     60.0
  8K       64.0     80.0
""",
    "closed by a rule, text around": """
Throughput in Gb/s is much better, as all runs of the test with 12 flows show:
  size   before    after
  ====  =======  =======
  4K       50.0     60.0
  8K       64.0     80.0
  ====  =======  =======
Everything else stays as it was, and that is what was to be expected of 4 threads.
""",
    "aligned": """
  size   before    after
  4K       50.0     60.0
  8K       64.0     80.0
""",
    "aligned to the left": """
size    before  after
4K      50.0    60.0
8K      64.0    80.0
""",
    "aligned over a line": """
size    before  after
---------------------
4K      50.0    60.0
8K      64.0    80.0
""",
    "closed by a rule above": """
+------+--------+-------+
| size | before | after |
| 4K   |   50.0 |  60.0 |
| 8K   |   64.0 |  80.0 |
""",
    "tabs": """
size\tbefore\tafter
4K\t50.0\t60.0
8K\t64.0\t80.0
""",
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layouts(text: str) -> None:
    tables = read(text)
    assert values(tables) == [[4, 50, 60], [8, 64, 80]]
    assert tables.tables[0].header == ("size", "before", "after")
    assert tables.unread == 0
    assert [row.label for row in tables.tables[0].rows] == ["4K", "8K"]
    assert all(row.label in text.split("\n")[row.line.body_line - 1] for row in tables.tables[0].rows)


def test_headers_of_two_lines() -> None:
    tables = read("""
            read     write
  size      Gbps      Gbps
  ----  --------  --------
  4K        50.0      60.0
""")
    assert tables.tables[0].header == ("size", "read Gbps", "write Gbps")
    grid = read("""
| size | read | write |
|      | Gbps | Gbps  |
|------|------|-------|
| 4K   | 50.0 |  60.0 |
""")
    assert grid.tables[0].header == tables.tables[0].header


def test_a_name_over_two_columns_is_not_theirs() -> None:
    tables = read("""
             before                 after
  size   Gbps     CPU          Gbps     CPU
  ----   ----     ---          ----     ---
  4K     50.0     10.0         60.0     11.0
""")
    assert tables.tables[0].header == ("size", "Gbps", "CPU", "Gbps", "CPU")


def test_a_column_without_a_name_and_blank_cells() -> None:
    tables = read("""
                              before    after
  frobs per unit (sender)      16-17      1-2
  throughput (Gb/s)            389.6    389.6
  sender CPU (sys)             12.0%     6.7%   (-44%)
  receiver CPU                   n/a     7.0%
""")
    (table,) = tables.tables
    assert table.header == ("", "before", "after", "")
    assert [cell.text for cell in table.rows[2].cells] == ["sender CPU (sys)", "12.0%", "6.7%", "(-44%)"]
    assert table.rows[3].cells[1].blank
    assert table.rows[0].cells[3].text == ""


def test_a_remark_beyond_the_last_dashes() -> None:
    tables = read("""
  shape        before    after    delta
  ---------  --------  -------  -------
  rule        56.8 ns  28.0 ns     -51%
  controls   340.0 ns   147 ns     -57%  (4 -> 2 frobs)
""")
    (table,) = tables.tables
    assert table.header == ("shape", "before", "after", "delta", "")
    assert [row.cells[4].text for row in table.rows] == ["", "(4 -> 2 frobs)"]


def test_spreads_keep_to_their_numbers() -> None:
    tables = read("""
   size          Gbps           sys %
     4K  80.34 +/-  7.05   54.15 +/- 10.23
    64K  86.91 +/-  0.55    9.54 +/-  3.51
""")
    (table,) = tables.tables
    assert table.header == ("size", "Gbps", "sys %")
    assert [cell.number.spread for cell in table.rows[1].cells[1:] if cell.number] == [0.55, 3.51]


def test_lost_alignment() -> None:
    tables = read("""
before after
frobs per unit (sender) 16-17 1-2
throughput (Gb/s) 208.6 211.2
sender CPU (sys) 40.8% 19.5% (-52%)
""")
    (table,) = tables.tables
    assert table.header == ("", "before", "after", "")
    assert [cell.text for cell in table.rows[2].cells] == ["sender CPU (sys)", "40.8%", "19.5%", "(-52%)"]
    assert read("before after\nfrobs 12\nthroughput (Gb/s) 208.6 211.2\n").unread == 1


UNREADABLE = {
    "ragged pipes": """
| size | before | after |
|------|--------|-------|
| 4K   |   50.0 |  60.0 |
| 8K   |   64.0 |  80.0 | 12 |
""",
    "cells across columns": """
  size   before    after
  ----  -------  -------
  4K   50.000000000 60.0     12
  8K       64.0     80.0
""",
    "results of a robot": """
9f68395333ad7f5b 070f5e860ee2bf588c99ef7b4c2
---------------- ---------------------------
         %stddev     %change         %stddev
    210696 +-  6%      -3.0%     204465 +-  7%  frobs.usage
     76.42           +15.1%      87.99 +-  3%  frobs.boot
""",
    "two cells in one column": """
  size   before    after
  4K     50.0      60.0
  8K  10  64.0  11   80.0
  16K  1234567890123     80.0
""",
    "numbers without a header": """
  4K       50.0     60.0
  8K       64.0     80.0
""",
    "a header that fits no column": """
  a  b  c  d  e
  4K                                50.0     60.0
  8K                                64.0     80.0
""",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable_tables_are_counted(text: str) -> None:
    tables = read(text)
    assert (tables.tables, tables.unread) == ((), 1)


NO_TABLES = {
    "diffstat": """
 net/core/frob.c       | 12 ++++++++----
 .../net/frob_test.c   |  3 +++
 fw/frob.bin           | Bin 0 -> 12 bytes
 3 files changed, 11 insertions(+), 4 deletions(-)
""",
    "call trace": """
 RIP: 0010:frob_store+0x504/0x590
 RAX: 0000000000000003 RBX: ffffb62c4120cb14 RCX: 0000000000000ec0
  ? frob_warn+0x84/0x130
  frob_find+0x11f/0x2e0
""",
    "profile": """
  10.94% frob_store        5.06% frob_store
   3.74% frob_find         1.49% frob_find
""",
    "list": """
 - 1: frob the units
 - 2-3: prepare (4 files)
 * 12 runs of 60s
""",
    "code": """
	u32	frobs;	/* 12 */
	u32	units;	/* 16 */
	int	rest = 12;
""",
    "drawing": """
+-------+-------+
| page0 | page1 |
+-------+-------+
""",
    "kernel log": """
[   12.345678] frob: unit 1   2   3
[   12.345679] frob: unit 4   5   6
""",
    "output with a prefix": """
  client:          2460   555 201      7    0 35035136  855
  client:          3130   664 149      2    0 34394112  956
""",
    "dump": """
00000010: 12 34 56 78 9a bc de f0  12 34 56 78 9a bc de f0
00000020: 12 34 56 78 9a bc de f0  12 34 56 78 9a bc de f0
""",
    "prose": """
We saw 12.  Then 13 of them, and 14 later, which is 15 % of all.
With 4 flows, a || b is 12 || 13.
""",
    "settings": """
  flows:     4
  mtu:       4200
""",
    "words in pipes": """
| name | what |
|------|------|
| frob | unit |
""",
    "ragged words": "| a | b |\n|---|---|\n| 1 |\n| x | y | z |\n",
    "rules and nothing else": "+---+\n+---+\n1",
    "a header without rows": "  size   before\n  ----  -------\n\n12",
}


@pytest.mark.parametrize("text", NO_TABLES.values(), ids=NO_TABLES.keys())
def test_no_tables(text: str) -> None:
    tables = read(text)
    assert (tables.tables, tables.unread) == ((), 0)


def test_two_tables_in_one_block() -> None:
    tables = read("""
size   before    after
4K       50.0     60.0
and with more flows than the machine has CPUs, which is what most people will see:
size   before    after
8K       64.0     80.0
""")
    assert [table.rows[0].label for table in tables.tables] == ["4K", "8K"]


def test_limits() -> None:
    long = "1   " * (LONGEST_LINE // 4 + 1)
    assert read(f"a   b   c\n{long}\n{long}") == Tables(tables=(), blocks=())
    row = "4K   50.0   60.0\n"
    assert len(read("size   a   b\n" + row * (LONGEST_TEXT + 10)).tables[0].rows) == LONGEST_TEXT - 1
    wide = "   ".join(["1"] * 90) + "\n"
    assert read(wide * 3) == Tables(tables=(), blocks=())


@given(st.text(alphabet="ab 1.%|+-=\t\n()→│─±", max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    tables = read(text)
    for table in tables.tables:
        assert table.rows
        assert all(len(row.cells) == len(table.header) for row in table.rows)
        assert any(table.numbers_in(column) for column in range(len(table.header)))
    assert all(tables.blocks)


@given(st.lists(st.tuples(st.integers(1, 9999), st.integers(1, 9999)), min_size=2, max_size=8), st.integers(1, 14))
def test_aligned_columns_of_any_width_are_read(rows: list[tuple[int, int]], width: int) -> None:
    lines = [f"{'size':<8}{'before':>{width + 8}}{'after':>{width + 8}}"]
    lines += [f"row {at:<4}{before:>{width + 8}}{after:>{width + 8}}" for at, (before, after) in enumerate(rows)]
    assert [row[1:] for row in values(read("\n".join(lines)))] == [[before, after] for before, after in rows]
