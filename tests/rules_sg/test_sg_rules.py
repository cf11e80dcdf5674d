"""What the rules on sg entries say, beyond their own examples: partial views, and where a remark is put."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import Example, PatchExample

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "sg")}


def said(rule, after, before=None, path="net/core/frob.c", context=3):
    """(level, remarked line) of each finding, and whether the rule lacks context."""
    patch = PatchExample(files=((path, before, after),), diffstat=f" {path} | 1 +\n 1 file changed, 1 insertion(+)\n")
    report, _ = run_example(RULES[rule], Example(kind="bad", patches=(patch,), context=context))
    assert report.complete
    findings = [(finding.level, finding.location.text.strip()) for finding in report.findings]
    return findings, any(notice.code == "not-checked" for notice in report.notices)


def function(body, head="static int frob(struct frob *fb)"):
    return f"{head}\n{{\n{body}}}\n"


CARVED = """\
	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		size_t len = sg_dma_len(sg);
		CHECK

		frob_a(fb);
		frob_b(fb);
		frob_c(fb);
		frob_d(fb);
		CARVE
	}
"""


def carved(check, carve):
    return function(CARVED.replace("CHECK", check).replace("CARVE", carve))


@pytest.mark.parametrize(
    ("check", "carve", "level"),
    [
        ("", "fb->n = len >> fb->slot_shift;", "error"),
        ("", "fb->n = len / fb->step;", "error"),
        ("", "fb->n = len / 2 + len / FROB_STEP;", None),
        ("", "gen_pool_add(fb->pool, sg_dma_address(sg), len, nid);", "error"),
        ("", "gen_pool_add(fb->pool, addr, size, nid);", None),
        ("", "net_mp_niov_set_dma_addr(niov, sg_dma_address(sg));", "error"),
        ("", "net_mp_niov_set_dma_addr(niov, addr);", None),
        ("if (len % fb->step) return -EINVAL;", "fb->n = len / fb->step;", "warning"),
        ("if (len % fb->step) frob_warn();", "fb->n = len / fb->step;", "error"),
        ("if ((sg_dma_address(sg) | len) % fb->step) return -EINVAL;", "fb->n = len / fb->step;", None),
        ("if (fb->size % fb->step) return -EINVAL;", "fb->n = len / fb->step;", "error"),
    ],
)
def test_what_carves_and_what_checks(check, carve, level):
    findings, lacks = said("DM101", carved(check, carve))
    assert [found for found, _ in findings] == ([level] if level else [])
    assert not lacks


def test_io_uring_checks_lengths_only():
    code = carved("if (len % niov_size) return -EINVAL;", "fb->n = len / niov_size;")
    assert said("DM101", code, path="io_uring/frob.c")[0] == [("note", "fb->n = len / niov_size;")]


def test_a_loop_that_is_cut_is_not_checked():
    before = carved("frob(len);", "fb->n = 0;")
    findings, lacks = said("DM101", before.replace("fb->n = 0;", "fb->n = len / fb->step;"), before)
    assert (findings, lacks) == ([], False), "what len is stands above the hunk"
    after = before.replace("fb->n = 0;", "fb->n = sg_dma_len(sg) / fb->step;")
    assert said("DM101", after, before) == ([], False), "the head of the loop stands above the hunk"
    after = before.replace("frob(len);", "fb->n = len / fb->step;")
    assert said("DM101", after, before) == ([], True)
    assert said("DM101", after, before, context=20)[0] == [("error", "fb->n = len / fb->step;")]


def test_a_cut_loop_that_was_there_before_says_nothing():
    before = carved("fb->n = len / fb->step;", "frob_e(fb);")
    assert said("DM101", before.replace("frob_a(fb);", "frob_z(fb);"), before) == ([], False)


def test_an_empty_loop_carves_nothing():
    assert said("DM101", function("\tfor_each_sgtable_dma_sg(fb->sgt, sg, i);\n\tsg_dma_len(sg);\n")) == ([], False)


def test_a_table_of_pages_is_not_carved_for_a_device():
    code = carved("", "fb->n = len >> PAGE_SHIFT;").replace("for_each_sgtable_dma_sg", "for_each_sgtable_sg")
    assert said("DM101", code) == ([], False)


def test_cpu_fields_without_the_head_of_the_loop():
    before = carved("frob(fb);", "frob_e(fb);")
    assert said("DM102", before.replace("frob_e(fb);", "frob_e(fb, sg->length);"), before) == ([], False)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("sg->length += 1;", 1), ("sg->length = 1;", 0), ("fb->x = sg->offset;", 1), ("fb->sg->length = fb->length;", 0)],
)
def test_cpu_fields_read_and_written(statement, expected):
    code = function(f"\tfor_each_sgtable_dma_sg(fb->sgt, sg, i)\n\t\t{statement}\n")
    assert len(said("DM102", code)[0]) == expected


def test_a_changed_head_carries_the_remark():
    body = "\tfor_each_HEAD(fb->sgt, sg, i) {\n\t\tfrob_a(sg_page(sg));\n\t\tfrob_b(sg_dma_len(sg));\n\t}\n"
    before = function(body.replace("HEAD", "sgtable_dma_sg"))
    after = function(body.replace("HEAD", "sgtable_sg"))
    assert said("DM103", after, before)[0] == [("error", "for_each_sgtable_sg(fb->sgt, sg, i) {")]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("frob_b(sg_dma_len(sg));", 1),
        ("frob_b(sg_dma_len(fb->sg), sg_dma_len());", 0),
        ("sg_dma_len(sg) = sg->length;", 0),
        ("dma_unmap_page(dev, sg_dma_address(sg), sg_dma_len(sg), dir);", 0),
    ],
)
def test_dma_accessors_in_a_loop_over_pages(statement, expected):
    code = function(f"\tfor_each_sgtable_sg(fb->sgt, sg, i)\n\t\t{statement}\n")
    assert len(said("DM103", code)[0]) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("fb->sgt->sgl[k]", 1),
        ("fb->sg_table.sgl[k]", 1),
        ("t->sgl[k]", 1),
        ("d->sgl[k]", 0),
        ("fb->rows[k].sgl[k]", 0),
        ("fb->sgt->sgl[0]", 0),
        ("sgl[k]", 0),
        ("fb->sgt->sgl", 0),
    ],
)
def test_indexed_lists(expression, expected):
    code = function(f"\tfrob_a(&{expression});\n", "static void frob(struct sg_table *t, struct frob_desc *d, int k)")
    assert [level for level, _ in said("DM103", code)[0]] == ["warning"] * expected


@pytest.mark.parametrize(
    ("statement", "level"),
    [
        ("u64 size = 1 << shift;", "warning"),
        ("u64 size = 1 << niov_shift;", "error"),
        ("u64 size = 1U << niov_shift;", "warning"),
        ("u64 size = 1UL << niov_shift;", None),
        ("u64 size = 1 << NIOV_SHIFT;", None),
        ("u64 size = 1 << width;", None),
        ("u64 size = 1U << order;", None),
        ("u64 size = 1 << fb->order;", "note"),
        ("u32 size = 1 << niov_shift;", None),
        ("frob_a(1 << niov_shift);", "warning"),
        ("frob_a(1U << niov_shift);", None),
        ("frob_a(1 << shift);", None),
        ("frob_a(2 << shift, 1 >> shift);", None),
    ],
)
def test_powers(statement, level):
    assert [found for found, _ in said("DM106", function(f"\t{statement}\n"))[0]] == ([level] if level else [])


def test_the_suffix_fits_the_target():
    code = "\tsize_t a = 1 << niov_shift;\n\tdma_addr_t b = 1 << niov_shift;\n"
    files = (("net/core/frob.c", None, function(code)),)
    patch = PatchExample(files=files, diffstat=" net/core/frob.c | 1 +\n 1 file changed, 1 insertion(+)\n")
    report, _ = run_example(RULES["DM106"], Example(kind="bad", patches=(patch,)))
    assert ["1UL <<" in finding.message for finding in report.findings] == [True, False]
    assert ["1ULL <<" in finding.message for finding in report.findings] == [False, True]


@pytest.mark.parametrize(
    ("statements", "level"),
    [
        ("v = nla_get_u32(a);\n\tx = ilog2(v);", "error"),
        ("v = nla_get_u32(a);\n\tif (v & (v - 1))\n\t\treturn 1;\n\tx = ilog2(v);", "warning"),
        ("v = nla_get_u32(a);\n\tif (v & 3 || v < 4)\n\t\treturn 1;\n\tx = ilog2(v);", "error"),
        ("v = nla_get_u32(a);\n\tif (hweight32(v) != 1 || PAGE_SIZE > v)\n\t\treturn 1;\n\tx = ilog2(v);", None),
        ("v = nla_get_u32(a);\n\tv = roundup_pow_of_two(v);\n\tx = ilog2(v);", None),
        ("v = frob_size(fb);\n\tx = ilog2(v);", None),
        ("x = ilog2(v);\n\tv = nla_get_u32(a);", None),
        ("x = ilog2(fb->get(1), 2);", None),
        ("x = ilog2(frob_size(fb));", None),
        ("x = ilog2(frob()->size);", None),
        ("x = ilog2(reg->len);", "error"),
        ("x = ilog2(other->len);", None),
        ("copy_from_user(&other, arg, 4);\n\tx = ilog2(other.len);", "error"),
        ("x = ilog2(other.len);\n\tcopy_from_user(&other, arg, 4);", None),
    ],
)
def test_sizes_from_user_space(statements, level):
    code = function(f"\t{statements}\n", "static int frob(struct frob_reg *reg, struct frob *other)")
    findings, lacks = said("DM107", code)
    assert [found for found, _ in findings] == ([level] if level else [])
    assert not lacks


def test_a_check_may_stand_above_the_hunk():
    lines = "".join(f"\tfrob_{name}(reg);\n" for name in "abcdefgh")
    before = function(f"{lines}\tif (fb) {{\n\t\tstruct frob_reg *reg = fb->reg;\n\n\t\tx = 0;\n\t}}\n")
    after = before.replace("x = 0;", "copy_from_user(&now, arg, 4);\n\t\tx = ilog2(now.len);")
    assert said("DM107", after, before)[0] == [("error", "x = ilog2(now.len);")]
    after = before.replace("x = 0;", "x = ilog2(reg->len);")
    assert said("DM107", after, before) == ([], True)
    assert said("DM107", after.replace("frob_h(reg)", "frob_z(reg)"), after) == ([], False)


def test_a_loop_over_both_sides_is_told_to_become_two():
    code = function("\tfor_each_sgtable_sg(fb->sgt, sg, i)\n\t\tfrob_a(sg_page(sg), sg_dma_len(sg));\n")
    patch = PatchExample(files=(("net/core/frob.c", None, code),), diffstat="")
    report, _ = run_example(RULES["DM103"], Example(kind="bad", patches=(patch,)))
    assert "Walk the two sides in a loop each" in report.findings[0].message


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("struct scatterlist *sg = fb->sgt->sgl;", 1),
        ("struct scatterlist *sg = fb->own;", 0),
        ("struct frob *sg = fb->sgt->sgl;", 0),
    ],
)
def test_steps(declaration, expected):
    code = function(f"\t{declaration}\n\n\tsg++;\n\tfb->count++;\n\tfrob_a(&d->sgl);\n")
    assert [level for level, _ in said("DM103", code)[0]] == ["warning"] * expected
