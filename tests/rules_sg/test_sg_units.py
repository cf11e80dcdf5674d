"""What the rules on units and sizes of tables say: DM104, DM105, DM108 to DM111, and the page steps of DM103."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import Example, PatchExample

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "sg")}


def report_of(rule, after, before=None, path="net/core/frob.c", context=3):
    patch = PatchExample(files=((path, before, after),), diffstat=f" {path} | 1 +\n 1 file changed, 1 insertion(+)\n")
    report, _ = run_example(RULES[rule], Example(kind="bad", patches=(patch,), context=context))
    assert report.complete
    return report


def said(rule, after, before=None, path="net/core/frob.c", context=3):
    """(level, remarked line) of each finding, and whether the rule lacks context."""
    report = report_of(rule, after, before, path, context)
    findings = [(finding.level, finding.location.text.strip()) for finding in report.findings]
    return findings, any(notice.code == "not-checked" for notice in report.notices)


def levels(rule, after, **more):
    findings, lacks = said(rule, after, **more)
    assert not lacks
    return [level for level, _ in findings]


def function(body, head="static int frob(struct frob *fb)"):
    return f"{head}\n{{\n{body}}}\n"


FIT = """\
	unsigned int shift = START;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		STEP
	}
	AFTER
	fb->shift = shift;
	return 0;
"""
BOTH = "__ffs64(sg_dma_address(sg) | sg_dma_len(sg))"
CHECK = "if (shift < PAGE_SHIFT) return -EINVAL;"


def fit(step, after=CHECK, start="FROB_MAX"):
    return function(FIT.replace("STEP", step).replace("AFTER", after).replace("START", start))


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (f"shift = min(shift, {BOTH});", []),
        (f"shift = shift < {BOTH} ? shift : {BOTH};", []),
        (f"if ({BOTH} < shift) shift = {BOTH};", []),
        (f"unsigned int fits = {BOTH}; shift = min(shift, fits);", []),
        (f"unsigned int fits = {BOTH}; frob_use(fits);", []),
        (f"frob_use({BOTH});", []),
        (f"fb->list[i] = {BOTH};", []),
        (f"fb->least = {BOTH};", ["error"]),
        ("shift = min(shift, fls(sg_dma_len(sg)));", ["error"]),
        ("shift = rounddown_pow_of_two(sg_dma_len(sg));", ["error"]),
        (f"shift = min(shift, {BOTH}); return 0;", ["error"]),
        (f"shift = min(shift, {BOTH}); if (!shift) return 0;", []),
        ("shift = min(shift, __ffs64(sg_dma_address(sg)));", ["warning"]),
        ("shift = min(shift, __ffs(fb->size));", []),
        ("shift = frob_least(shift, __ffs(sg_dma_len(sg)));", []),
    ],
)
def test_units_of_tables(step, expected):
    assert levels("DM104", fit(step)) == expected


@pytest.mark.parametrize(
    ("after", "start", "expected"),
    [
        (CHECK, "UINT_MAX", ["warning"]),
        (f"shift = min(shift, FROB_MAX); {CHECK}", "UINT_MAX", []),
        (f"if (shift > FROB_MAX) shift = FROB_MAX; {CHECK}", "~0U", []),
        ("shift = clamp(shift, PAGE_SHIFT, FROB_MAX);", "-1", []),
        ("shift = min(shift, FROB_MAX);", "63", ["warning"]),
        ("return shift;", "31", []),
        ("frob_trace(fb);", "FROB_MAX", ["warning"]),
    ],
)
def test_limits_of_units(after, start, expected):
    assert levels("DM104", fit(f"shift = min(shift, {BOTH});", after, start)) == expected


def test_a_unit_in_a_function_that_is_not_shown_is_not_checked():
    before = fit(f"shift = min(shift, {BOTH});", "\n".join(["frob_a(fb);"] * 9))
    assert said("DM104", before.replace("min(", "min_t(u32, "), before=before, context=1) == ([], True)
    assert said("DM104", before.replace("for_each_sgtable_dma_sg", "for_each_sgtable_sg")) == ([], False)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("fb->shift = __ffs(sg_dma_len(fb->sg));", ["warning"]),
        ("fb->shift = __ffs64(sg_dma_address(sg) | sg_dma_len(sg));", ["note"]),
        ("u32 len = sg_dma_len(sg); fb->shift = ilog2(len);", ["warning"]),
        ("u32 len = sg_dma_len(sg); if (len < 8) return 0; fb->shift = ilog2(len);", []),
        ("u32 len = sg_dma_len(sg); if (!is_power_of_2(len)) return 0; fb->shift = ilog2(len);", []),
        ("u32 len = sg_dma_len(sg); if (!IS_ALIGNED(len, 8)) return 0; fb->shift = ilog2(len);", ["warning"]),
        ("if (sg_dma_len(sg)) fb->shift = __fls(sg_dma_len(sg));", []),
        ("fb->shift = sg_dma_len(sg) ? __fls(sg_dma_len(sg)) : 0;", []),
        ("fb->shift = __ffs(fb->len);", []),
        ("u32 len = sg_dma_len(sg); len = fb->len; fb->shift = ilog2(len);", []),
        ("fb->shift = __ffs(fb->dmabuf->size);", ["warning"]),
        ("fb->shift = __ffs(fb->dmabuf->size + 1);", []),
        ("fb->shift = frob_ffs(sg_dma_len(sg));", []),
    ],
)
def test_zeroes_in_bit_searches(body, expected):
    assert levels("DM105", function(f"\t{body}\n\treturn 0;\n")) == expected


def test_a_search_in_a_function_that_is_not_shown_is_not_checked():
    before = function("\tu32 len = sg_dma_len(sg);\n" + "\tfrob_a(fb);\n" * 9 + "\tfb->shift = fls(len);\n")
    assert said("DM105", before.replace("fls(len)", "__fls(sg_dma_len(sg))"), before=before, context=1) == ([], True)


GET = "u64 v = nla_get_uint(fb->attr);"
REG = "struct frob_reg reg; if (copy_from_user(&reg, fb->arg, sizeof(reg))) return 1;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{GET} fb->shift = ilog2(v);", ["warning"]),
        (f"{GET} if (FROB_MAX < v) return 1; fb->shift = ilog2(v);", []),
        (f"{GET} if (v >= FROB_MAX) return 1; fb->shift = ilog2(v);", []),
        (f"{GET} if (v == FROB_MAX) return 1; fb->shift = ilog2(v);", ["warning"]),
        (f"{GET} if (v <= FROB_MAX) fb->shift = ilog2(v);", []),
        (f"{GET} if (fb->on && v < 9) fb->shift = ilog2(v);", []),
        (f"{GET} fb->size = 1UL << v;", ["warning"]),
        (f"{GET} fb->size = 1UL << 3;", []),
        (f"{GET} fb->niov_shift = v;", ["warning"]),
        (f"{GET} fb->p.order = v;", ["warning"]),
        (f"{GET} fb->other = v;", []),
        ("fb->shift = ilog2(nla_get_u64(fb->attr));", ["warning"]),
        ("fb->shift = ilog2(clamp(nla_get_u64(fb->attr), 1, 9));", []),
        ("fb->p.order = min_t(u32, nla_get_u32(fb->attr), 9);", []),
        (f"{REG} fb->shift = ilog2(reg.len);", ["warning"]),
        (f"{REG} reg.len = 8; fb->shift = ilog2(reg.len);", []),
        ("struct frob_reg reg; fb->shift = ilog2(reg.len); copy_from_user(&reg, fb->arg, 1);", []),
    ],
)
def test_upper_bounds_of_user_sizes(body, expected):
    assert levels("DM108", function(f"\t{body}\n\treturn 0;\n")) == expected


def test_a_bound_above_what_is_shown_is_not_missed():
    head = "static int frob(struct frob *fb, struct frob_reg *reg)"
    before = function("\tfrob_a(fb);\n" * 9 + "\tfb->shift = 1;\n", head)
    after = before.replace("fb->shift = 1", "fb->shift = ilog2(reg->len)")
    assert said("DM108", after, before=before, context=1) == ([], False)
    assert [level for level, _ in said("DM108", after)[0]] == ["warning"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("u32 v = nla_get_u32(fb->attr); fb->len = ALIGN(fb->len, v);", 1),
        ("u32 v = nla_get_u32(fb->attr); if (!is_power_of_2(v)) return 1; fb->len = ALIGN(fb->len, v);", 0),
        ("u32 v = nla_get_u32(fb->attr); fb->len = ALIGN(v, 8);", 0),
        ("u32 v = nla_get_u32(fb->attr); fb->len = ALIGN(v);", 0),
        (f"{REG} fb->len = round_down(fb->len, reg.unit);", 1),
        (f"{REG} if (reg.unit & (reg.unit - 1)) return 1; fb->len = round_down(fb->len, reg.unit);", 0),
    ],
)
def test_alignment_to_user_values(body, expected):
    assert levels("DM111", function(f"\t{body}\n\treturn 0;\n")) == ["warning"] * expected


BIND = """\
	ABOVE
	fb->map = ALLOC;
	return 0;
"""
HEAD = "static int frob(struct frob *fb, struct dma_buf *dmabuf, unsigned int niov_shift)"
SLOTS = "kvmalloc_array(dmabuf->size >> niov_shift, 8, GFP_KERNEL)"


def bind(above, alloc=SLOTS):
    return function(BIND.replace("ABOVE", above).replace("ALLOC", alloc), HEAD)


@pytest.mark.parametrize(
    ("above", "alloc", "expected"),
    [
        ("", SLOTS, ["error"]),
        ("if (dmabuf->size % PAGE_SIZE) return 1;", SLOTS, ["error"]),
        ("if (!PAGE_ALIGNED(dmabuf->size)) return 1;", SLOTS, ["error"]),
        ("if (!PAGE_ALIGNED(dmabuf->size)) frob_warn();", SLOTS, ["error"]),
        ("if (dmabuf->size & (BIT(niov_shift) - 1)) return 1;", SLOTS, []),
        ("size_t len = dmabuf->size; if (!IS_ALIGNED(len, 1UL << niov_shift)) return 1;", SLOTS, []),
        ("if (!PAGE_ALIGNED(dmabuf->size)) return 1;", "kvcalloc(dmabuf->size / PAGE_SIZE, 8, GFP_KERNEL)", []),
        ("if (dmabuf->size % fb->step) return 1;", SLOTS, []),
        ("size_t n = dmabuf->size >> niov_shift;", "kvmalloc_array(n, 8, GFP_KERNEL)", ["error"]),
        ("size_t n = fb->size >> niov_shift;", "kvmalloc_array(n, 8, GFP_KERNEL)", []),
        ("", "kvmalloc_array(DIV_ROUND_UP(dmabuf->size, 8), 8, GFP_KERNEL)", []),
        ("", "frob_alloc(dmabuf->size >> niov_shift)", []),
        ("frob_own(kvmalloc(dmabuf->size >> niov_shift, GFP_KERNEL));", "NULL", []),
    ],
)
def test_sizes_of_dmabufs_and_their_units(above, alloc, expected):
    assert levels("DM110", bind(above, alloc)) == expected


def test_a_wrong_check_is_told_and_a_check_that_is_not_shown_is_not_missed():
    calls = "\tfrob_a(fb);\n" * 9
    before = bind("if (!PAGE_ALIGNED(dmabuf->size)) return 1;\n" + calls, "NULL")
    after = before.replace("NULL", SLOTS)
    assert said("DM110", after, before=before, context=1) == ([], True)
    assert [level for level, _ in said("DM110", after, before=before, context=20)[0]] == ["error"]
    other = before.replace("frob_a", "frob_c", 1) + after.replace("static int frob(", "static int frob_b(")
    assert said("DM110", other.replace("frob_c", "frob_d"), before=other, context=1) == ([], False)


def test_a_caller_of_the_series_that_passes_pages_makes_it_a_warning():
    checked = bind("if (!PAGE_ALIGNED(dmabuf->size)) return 1;")
    caller = function("\treturn frob(fb, fb->buf,\n\t\t    PAGE_SHIFT);\n", "int frob_doit(struct frob *fb)")
    assert levels("DM110", checked + caller) == ["warning"]
    assert levels("DM110", checked + caller.replace("PAGE_SHIFT", "fb->niov_shift")) == ["error"]


FILL = """\
	struct scatterlist *sg;
	size_t virt = 0;
	int i;

	fb->map = ALLOC;
	for_each_sgtable_dma_sg(fb->sgt, sg, i) {
		fb->map[STORE] = sg;
		virt += sg_dma_len(sg);
	}
	AFTER
	return 0;
"""


def fill(after="", store="virt >> niov_shift", alloc=SLOTS):
    return function(FILL.replace("ALLOC", alloc).replace("STORE", store).replace("AFTER", after), HEAD)


@pytest.mark.parametrize(
    ("after", "store", "alloc", "expected"),
    [
        ("", "virt >> niov_shift", SLOTS, ["warning"]),
        ("", "(virt / PAGE_SIZE) + 1", SLOTS, ["warning"]),
        ("", "i", SLOTS, []),
        ("if (virt != dmabuf->size) return 1;", "virt >> niov_shift", SLOTS, []),
        ("if (fb->total < virt) return 1;", "virt >> niov_shift", SLOTS, []),
        ("if (dmabuf->size == fb->total) return 1;", "virt >> niov_shift", SLOTS, []),
        ("if (dmabuf->size == 0) return 1;", "virt >> niov_shift", SLOTS, ["warning"]),
        ("if (fb->total == i) return 1;", "virt >> niov_shift", SLOTS, ["warning"]),
        ("", "virt >> niov_shift", SLOTS.replace("malloc_array", "calloc"), []),
        ("", "virt >> niov_shift", SLOTS.replace("GFP_KERNEL", "GFP_KERNEL | __GFP_ZERO"), []),
    ],
)
def test_arrays_that_entries_fill(after, store, alloc, expected):
    assert levels("DM109", fill(after, store, alloc)) == expected


def test_an_array_whose_unit_changes_is_a_note_in_whatever_hunks():
    before = fill("\n".join(["frob_a(fb);"] * 9), "virt / PAGE_SIZE", SLOTS.replace(">> niov_shift", "/ PAGE_SIZE"))
    after = before.replace("/ PAGE_SIZE", ">> niov_shift")
    assert [level for level, _ in said("DM109", after, before=before, context=1)[0]] == ["note"]


def test_an_array_that_another_function_fills():
    alloc = function(f"\tfb->map = {SLOTS};\n\treturn 0;\n", HEAD)
    other = fill("AFTER", alloc="frob_map(fb)").replace("static int frob(", "static int frob_b(")
    assert levels("DM109", alloc + other.replace("AFTER", "")) == ["note"]
    assert levels("DM109", alloc + other.replace("AFTER", "if (virt != dmabuf->size) return 1;")) == []


PAGES = """\
	HEAD(fb->sgt, &iter, 0) {
		BODY
	}
	return 0;
"""


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("for_each_sgtable_dma_page", "if (sg_page_iter_dma_address(&iter) == next) n++; next += PAGE_SIZE;", 1),
        ("for_each_sgtable_dma_page", "frob_map(fb, sg_page_iter_dma_address(&iter));", 0),
        ("for_each_sgtable_dma_page", "addr = sg_page_iter_dma_address(&iter);", 0),
        ("for_each_sgtable_dma_page", "n++;", 0),
        ("for_each_sgtable_page", "if (sg_page_iter_dma_address(&iter) == next) n++;", 0),
    ],
)
def test_page_steps_through_mapped_entries(head, body, expected):
    text = function(PAGES.replace("HEAD", head).replace("BODY", body))
    assert levels("DM103", text) == ["warning"] * expected


@pytest.mark.parametrize(("rule", "use"), [("DM108", "ilog2(reg->len)"), ("DM111", "ALIGN(fb->len, reg->len)")])
def test_a_check_of_a_member_may_stand_above_what_is_shown(rule, use):
    before = function("\tfrob_a(fb);\n" * 9 + "\tstruct frob_reg *reg = fb->reg;\n\tfb->n = 1;\n\treturn 0;\n")
    after = before.replace("fb->n = 1", f"fb->n = {use}")
    assert said(rule, after, before=before, context=1) == ([], True)
    assert [level for level, _ in said(rule, after)[0]] == ["warning"]
