"""What the rules on the size of niovs say, beyond their own examples: series, partial views, shapes."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import Example, PatchExample

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "niov")}
DEVMEM = "net/core/devmem.c"
STAT = " net/core/devmem.c | 1 +\n 1 file changed, 1 insertion(+)\n"


def report_of(rule, *files, context=3):
    """The report on a series, a patch for each (path, before, after)."""
    patches = tuple(PatchExample(files=(file,), diffstat=STAT) for file in files)
    report, _ = run_example(RULES[rule], Example(kind="bad", patches=patches, context=context))
    assert report.complete
    return report


def said(rule, after, before=None, path=DEVMEM, context=3):
    """(level, remarked line) of each finding, and whether the rule lacks context."""
    report = report_of(rule, (path, before, after), context=context)
    findings = [(finding.level, finding.location.text.strip()) for finding in report.findings]
    return findings, any(notice.code == "not-checked" for notice in report.notices)


def function(body, head="static int frob(struct frob *fb)"):
    return f"{head}\n{{\n{body}}}\n"


SHIFT = "struct frob {\n\tunsigned int niov_shift;\n};\n\n"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("fb->nr_iovs = size >> PAGE_SHIFT;", True),
        ("fb->nr_pages = size >> PAGE_SHIFT;", False),
        ("fb->count = size >> PAGE_SHIFT;", False),
        ("u32 niov_idx = off / PAGE_SIZE;", True),
        ("if (token >= fb->size >> PAGE_SHIFT) return 1;", False),
        ("frob_a(virt >> PAGE_SHIFT);", True),
        ("frob_a(fb->map[off >> PAGE_SHIFT]);", True),
        ("frob_a(PAGE_SHIFT, PAGE_SIZE);", False),
        ("frob_a(PAGE_SIZE >> virt);", False),
        ("off = virt % PAGE_SIZE;", True),
        ("off = virt & ~PAGE_MASK;", True),
        ("off = len % PAGE_SIZE;", False),
        ("off = offset_in_page(virt);", True),
        ("off = offset_in_page(ptr);", False),
        ("fb->pool = gen_pool_create(PAGE_SHIFT, nid);", True),
        ("fb->pool = gen_pool_create(order, PAGE_SHIFT);", False),
        ("gen_pool_free(fb->pool, addr);", False),
        ("dma_sync_single_range_for_device(dev, addr, off, PAGE_SIZE, dir);", True),
        ("dma_sync_single_range_for_device(dev, PAGE_SIZE, off, len, dir);", False),
        ("addr = net_iov_idx(niov) << PAGE_SHIFT;", True),
        ("page = fb->list[net_iov_idx(niov) << PAGE_SHIFT];", False),
        ("addr = idx << PAGE_SHIFT;", False),
        ("fb->niov_shift = PAGE_SHIFT;", False),
        ("if (size < PAGE_SIZE) return 1;", False),
        ("return PAGE_SIZE;", False),
    ],
)
def test_shapes_that_count_niovs(statement, expected):
    findings, _ = said("DM201", SHIFT + function(f"\t{statement}\n"))
    assert bool(findings) is expected
    assert said("DM201", function(f"\t{statement}\n".replace("niov_shift", "shift"))) == ([], False)


def test_the_shift_may_come_from_an_earlier_patch_but_not_from_a_later_one():
    header = ("net/core/devmem.h", None, SHIFT)
    user = (DEVMEM, None, function("\toff = virt % PAGE_SIZE;\n"))
    assert [finding.patch[:1] for finding in report_of("DM201", header, user).findings] == ["2"]
    assert report_of("DM201", user, header).findings == ()
    other = ("drivers/net/frob.h", None, SHIFT)
    assert report_of("DM201", other, user).findings == ()


def test_a_shift_that_is_taken_away_is_none():
    user = (DEVMEM, None, function("\toff = virt % PAGE_SIZE;\n"))
    gone = ("net/core/devmem.h", SHIFT, SHIFT.replace("niov_shift", "other"))
    assert report_of("DM201", gone, user).findings == ()


def test_what_stood_in_pages_is_not_charged_to_a_change_beside_it():
    before = SHIFT + function("\toff = virt % PAGE_SIZE;\n\tfrob_a(off);\n")
    assert said("DM201", before.replace("frob_a", "frob_b"), before) == ([], False)


BOUND = function("\tLEFT\n\tfb->count = COUNT;\n\tfrob_a(fb);\n")


@pytest.mark.parametrize(
    ("left", "level"),
    [
        ("if (!IS_ALIGNED(size, PAGE_SIZE)) return 1;", "warning"),
        ("off = size % PAGE_SIZE;", "warning"),
        ("size = PAGE_ALIGN(size);", "warning"),
        ("off += PAGE_SIZE;", "warning"),
        ("fb->num_niovs = size >> PAGE_SHIFT;", "error"),
        ("gen_pool_free(fb->pool, addr, (PAGE_SIZE));", "error"),
        ("off = (size & ~PAGE_MASK) + 1;", "warning"),
        ("fb->niov_shift = PAGE_SHIFT;", None),
        ("off = PAGE_SIZE;", None),
        ("off = size + PAGE_SIZE;", None),
        ("if (size <= PAGE_SIZE) return 1;", None),
        ("if (size != PAGE_SIZE - 1) return 1;", None),
        ("shift = fb->niov_shift - PAGE_SHIFT;", None),
        ("fb->nr_pages = size >> PAGE_SHIFT;", None),
        ("if (!IS_ALIGNED(PAGE_SIZE, size)) return 1;", None),
        ("frob_b(PAGE_SHIFT, size);", None),
        ("off = size ? PAGE_SIZE : 1;", None),
    ],
)
def test_what_is_left_in_pages(left, level):
    before = BOUND.replace("LEFT", left).replace("COUNT", "size / PAGE_SIZE")
    after = before.replace("fb->count = size / PAGE_SIZE", "fb->count = size >> fb->niov_shift")
    findings, lacks = said("DM202", after, before)
    assert findings == ([(level, "fb->count = size >> fb->niov_shift;")] if level else [])
    assert not lacks


def test_what_the_patch_does_not_show_is_not_checked():
    lines = "".join(f"\tfrob_{name}(fb);\n" for name in "abcdefgh")
    before = function(f"{lines}\tfb->count = size / PAGE_SIZE;\n{lines}")
    after = before.replace("size / PAGE_SIZE", "size >> fb->niov_shift")
    assert said("DM202", after, before) == ([], True)
    assert said("DM202", after, before, context=20) == ([], False)
    assert said("DM202", after.replace("frob_a(fb)", "frob_z(fb)"), after) == ([], False), "converted before"


def test_a_function_that_was_half_converted_before_is_not_charged():
    before = BOUND.replace("LEFT", "off = size % PAGE_SIZE;").replace("COUNT", "size >> fb->niov_shift")
    assert said("DM202", before.replace("frob_a", "frob_b"), before) == ([], False)


def test_names_outside_of_functions_convert_nothing():
    assert said("DM202", SHIFT + "int frob_size = PAGE_SIZE / 2;\n") == ([], False)


POOLED = """\
	fb->pool = gen_pool_create(ORDER, nid);
	fb->map = kvmalloc_array(size >> COUNT, 8, GFP_KERNEL);
"""


@pytest.mark.parametrize(
    ("order", "count", "use", "expected"),
    [
        ("fb->niov_shift", "fb->niov_shift", "gen_pool_free(fb->pool, addr, PAGE_SIZE);", True),
        ("PAGE_SHIFT", "fb->niov_shift", "gen_pool_free(fb->pool, addr, niov_size);", True),
        ("PAGE_SHIFT", "fb->niov_shift", "gen_pool_free(fb->pool, addr, PAGE_SIZE);", False),
        ("PAGE_SHIFT", "fb->niov_shift", "gen_pool_free(fb->pool, addr, len);", False),
        ("PAGE_SHIFT", "fb->niov_shift", "gen_pool_free(pool, addr, niov_size);", False),
        ("PAGE_SHIFT", "fb->niov_shift", "gen_pool_free(fb->pool);", False),
        ("PAGE_SHIFT", "fb->niov_shift", "frob_a(fb->map[off / PAGE_SIZE]);", True),
        ("PAGE_SHIFT", "PAGE_SHIFT", "frob_a(fb->map[(off >> fb->niov_shift) + i]);", True),
        ("PAGE_SHIFT", "fb->niov_shift", "frob_a(fb->map[off >> fb->niov_shift], map[off]);", False),
        ("PAGE_SHIFT", "fb->niov_shift", "frob_a(kmalloc_array(size / PAGE_SIZE, 8, GFP_KERNEL));", False),
    ],
)
def test_pairs(order, count, use, expected):
    code = function(POOLED.replace("ORDER", order).replace("COUNT", count) + f"\t{use}\n")
    findings, _ = said("DM204", code)
    assert findings == ([("error", use)] if expected else [])


def test_the_first_of_two_is_named_shortly():
    long = "gen_pool_free(fb->pool, frob_address_of_the_niov(fb, niov), PAGE_SIZE);"
    create = "fb->pool = gen_pool_create(ORDER, nid);"
    before = function(f"\t{create}\n\t{long}\n".replace("ORDER", "PAGE_SHIFT"))
    report = report_of("DM204", (DEVMEM, before, before.replace("create(PAGE_SHIFT", "create(niov_shift")))
    (finding,) = report.findings
    assert "gen_pool_free() counts it in pages" in finding.message
    before = function("\tfrob_a(fb->map[frob_offset_of_the_niov(fb, niov) >> PAGE_SHIFT]);\n\tfrob_b(0);\n")
    after = before.replace("frob_b(0)", "frob_b(fb->map[x >> niov_shift])")
    (finding,) = report_of("DM204", (DEVMEM, before, after)).findings
    assert "another use counts it in pages" in finding.message


@pytest.mark.parametrize(
    ("statement", "level"),
    [
        ("addr = fb->base + (idx << PAGE_SHIFT);", "error"),
        ("addr = fb->base + (idx << 3);", None),
        ("addr = fb->base + (3 << PAGE_SHIFT);", None),
        ("addr = fb->base + ((u64)idx << PAGE_SHIFT);", None),
        ("addr = fb->base + (big << PAGE_SHIFT);", None),
        ("addr = fb->base + (unknown << PAGE_SHIFT);", None),
        ("addr = fb->base + UINT_MAX * idx;", "error"),
        ("addr = fb->base + U32_MAX * big;", None),
        ("addr = fb->base + idx * 2;", None),
        ("small = net_iov_idx(niov) << PAGE_SHIFT;", None),
        ("unseen_off = net_iov_idx(niov) << PAGE_SHIFT;", "error"),
        ("unseen_len = net_iov_idx(niov) << PAGE_SHIFT;", None),
        ("fb->unseen_off = net_iov_idx(niov) << PAGE_SHIFT;", None),
        ("frob_a(net_iov_idx(niov) << PAGE_SHIFT);", None),
        ("addr = (dma_addr_t)net_iov_idx(niov) << PAGE_SHIFT;", None),
    ],
)
def test_widening(statement, level):
    head = "static void frob(struct frob *fb, u32 idx, u64 big)"
    body = f"\tu32 small;\n\tu64 addr;\n\t{statement}\n"
    code = "struct frob {\n\tdma_addr_t base;\n};\n\n" + function(body, head)
    assert [found for found, _ in said("DM205", code)[0]] == ([level] if level else [])


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("mp_params.rx_page_size = size;", True),
        ("fb->mp_params.rx_page_size = size;", True),
        ("fb->mp_params.other = size;", False),
        ("rx_page_size = size;", False),
        ("fb->config.rx_page_size = size;", False),
        ("if (shift == PAGE_SHIFT)\n\t\treturn 1;\n\tmp_params.rx_page_size = size;", False),
        ("if (fb->ready)\n\t\tmp_params.rx_page_size = size;", True),
        ("struct pp_memory_provider_params p = { .rx_page_size = size, .a = 1 };", True),
        ("struct netdev_queue_config p = { .rx_page_size = size };", False),
        ("return (struct frob){ .rx_page_size = size };", False),
    ],
)
def test_rx_page_size(statements, expected):
    findings, lacks = said("DM207", function(f"\t{statements}\n"))
    assert [level for level, _ in findings] == ["error"] * expected
    assert not lacks


def test_a_condition_may_stand_above_the_hunk():
    lines = "".join(f"\t\tfrob_{name}(fb);\n" for name in "abcdefgh")
    before = function(
        f"\tif (fb->size) {{\n{lines}\t\tfb->x = 1;\n\t}}\n{lines.replace(chr(9) * 2, chr(9))}\tfb->y = 1;\n"
    )
    deep = before.replace("fb->x = 1;", "fb->mp_params.rx_page_size = 1;")
    flat = before.replace("fb->y = 1;", "fb->mp_params.rx_page_size = 1;")
    assert said("DM207", deep, before) == ([], True)
    assert said("DM207", flat, before)[0] == [("error", "fb->mp_params.rx_page_size = 1;")]
    assert said("DM207", deep.replace("frob_h(fb)", "frob_z(fb)"), deep) == ([], False)
