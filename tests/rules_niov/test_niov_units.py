"""What DM206 and DM208 to DM213 say beyond their own examples."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import Example, PatchExample

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "niov")}
DEVMEM = "net/core/devmem.c"


def said(rule, after, before=None, path=DEVMEM, context=3, message="Frob.\n"):
    """(level, remarked line) of each finding, and whether the rule lacks context."""
    stat = f" {path} | 1 +\n 1 file changed, 1 insertion(+)\n"
    patch = PatchExample(files=((path, before, after),), diffstat=stat, message=message)
    report, _ = run_example(RULES[rule], Example(kind="bad", patches=(patch,), context=context))
    assert report.complete
    findings = [(finding.level, finding.location.text.strip()) for finding in report.findings]
    return findings, any(notice.code == "not-checked" for notice in report.notices)


def levels(rule, after, **more):
    findings, lacks = said(rule, after, **more)
    assert not lacks
    return [level for level, _ in findings]


def function(body, head="static int frob(struct frob *fb)"):
    return f"{head}\n{{\n{body}}}\n"


TAKE = "struct frob *fb = pool->mp_priv;"
POOL = "int frob_init(struct page_pool *pool)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("struct frob *fb = pool->mp_priv; return 0;", ["error"]),
        ("fb = pool->mp_priv; return 0;", ["error"]),
        ("pool->mp_priv = NULL; return 0;", []),
        ("frob_use(pool->mp_priv); return 0;", []),
        ("struct frob *fb = pool->mp_priv; if (pool->p.order != fb->order) return 1; return 0;", []),
        ("struct frob *fb = pool->mp_priv; if (pool->p.order != fb->order) frob_warn(); return 0;", ["error"]),
        ("struct frob *fb = pool->mp_priv; frob_use(pool->p.order); return 0;", ["error"]),
        ("struct frob *fb = pool->mp_priv; if (fb) return pool->p.order; return 0;", ["error"]),
        ("if (pool->p.order > 3) return 1; return 0;", []),
        (f"{TAKE} if (pool->p.order > 3) return 1; return 0;", ["warning"]),
        (f"{TAKE} if (pool->p.order > 3 || pool->p.order != fb->order) return 1; return 0;", []),
        (f"{TAKE} frob_get(fb); if (pool->p.order) return 1; return 0;", ["error"]),
        (f"{TAKE} frob_get(fb); if (pool->p.order) {{ frob_put(fb); return 1; }} return 0;", []),
        (f"{TAKE} frob_get(fb); if (pool->p.order) goto out; out: return 0;", []),
        (f"{TAKE} frob_trace(fb); if (pool->p.order) return 1; frob_get(fb); return 0;", []),
        (f"{TAKE} if (pool->p.order != fb->order - 1) return 1; return 0;", []),
        (f"{TAKE} if (pool->p.order != order - PAGE_SHIFT) return 1; return 0;", []),
        (f"{TAKE} if (pool->p.order != fb->niov_shift - PAGE_SHIFT) return 1; return 0;", ["note"]),
    ],
)
def test_pools_of_another_order(body, expected):
    assert levels("DM206", function(f"\t{body}\n", POOL)) == expected
    assert levels("DM206", function(f"\t{body}\n", "int frob_init(struct frob *pool)")) == []
    assert levels("DM206", function(f"\t{body}\n", POOL.replace("init", "exit"))) == []


def test_an_init_that_is_not_shown_is_not_checked():
    before = function("\tfrob_a(fb);\n" * 9 + "\tfb = pool->priv;\n" + "\tfrob_a(fb);\n" * 9, POOL)
    after = before.replace("pool->priv", "pool->mp_priv")
    assert said("DM206", after, before=before, context=1) == ([], True)
    untouched = before.replace("pool->priv", "pool->mp_priv").replace("frob_a(fb);\n}", "frob_b(fb);\n}")
    assert said("DM206", untouched, before=after, context=1) == ([], False)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("u32 size = fb->dmabuf->size;", 1),
        ("int size; size = fb->dmabuf->size;", 1),
        ("u64 size = fb->dmabuf->size;", 0),
        ("u32 size = fb->dmabuf->size >> 12;", 0),
        ("fb->size = fb->dmabuf->size;", 0),
        ("u32 *size = &fb->dmabuf->size;", 0),
        ("unsigned int slot = 1UL << fb->slot_shift;", 1),
        ("unsigned int slot = 1UL << order;", 1),
        ("unsigned int slot = 1UL << fb->bit;", 0),
        ("unsigned int slot = 1UL << SLOT_SHIFT;", 0),
        ("unsigned int slot = 1U << fb->slot_shift;", 0),
        ("u32 sum = 0; for_each_sg(fb->sgl, sg, fb->n, i) { u32 len = sg_dma_len(sg); sum += len; }", 1),
        ("u32 sum = 0; for_each_sg(fb->sgl, sg, fb->n, i) sum += fb->len;", 0),
        ("u32 sum = 0; for_each_sg(fb->sgl, sg, fb->n, i) sum -= sg_dma_len(sg);", 0),
        ("u32 sum = 0; sum += sg_dma_len(sg);", 0),
        ("u32 sum = 0; while (fb->on) sum += sg_dma_len(sg);", 0),
    ],
)
def test_sizes_in_32_bits(body, expected):
    assert levels("DM208", function(f"\t{body}\n\treturn 0;\n")) == ["warning"] * expected


def typed(kind, extra=""):
    return function(f"\t{kind} offset{extra};\n\n\toffset = frob_a(fb);\n\treturn offset > 3;\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ssize_t", "size_t", ["warning"]),
        ("int", "u32", ["warning"]),
        ("u32", "int", ["note"]),
        ("s64", "u32", ["warning"]),
        ("int", "u64", []),
        ("int", "s64", []),
        ("int", "struct frob", []),
        ("struct frob", "u32", []),
    ],
)
def test_signs_that_change(old, new, expected):
    assert levels("DM209", typed(new), before=typed(old)) == expected
    assert levels("DM209", typed(new, " = 0"), before=typed(old, " = 0")) == expected
    assert levels("DM209", typed(new, "[2]"), before=typed(old, "[2]")) == []
    assert levels("DM209", typed(f"{new} *"), before=typed(f"{old} *")) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Count slots.\n", ["warning"]),
        ("Design the signal.\n", ["warning"]),
        ("Slots are never negative.\n", []),
        ("Make it `unsigned`.\n", []),
        ("It is compared with a size_t.\n", []),
    ],
)
def test_a_message_that_speaks_of_the_type(message, expected):
    assert levels("DM209", typed("size_t"), before=typed("ssize_t"), message=message) == expected


def test_only_variables_of_functions_change_their_sign_in_passing():
    member = "struct frob {\n\tTYPE offset;\n};\n"
    assert levels("DM209", member.replace("TYPE", "u32"), before=member.replace("TYPE", "int")) == []
    value = "static TYPE offset;\n"
    assert levels("DM209", value.replace("TYPE", "u32"), before=value.replace("TYPE", "int")) == []
    call = function("\tfrob_VERB(fb,\n\t\t   1);\n")
    assert levels("DM209", call.replace("VERB", "a"), before=call.replace("VERB", "b")) == []
    head = function("\tif (fb->VERB) {\n\t\tfrob_a(fb);\n\t}\n")
    assert levels("DM209", head.replace("VERB", "a"), before=head.replace("VERB", "b")) == []


@pytest.mark.parametrize(
    ("expression", "path", "expected"),
    [
        ("addr / step", DEVMEM, ["error"]),
        ("(addr - 1) % step", DEVMEM, ["error"]),
        ("len / addr", DEVMEM, ["error"]),
        ("(addr >> 3) / step", DEVMEM, ["error"]),
        ("(1 << addr) / step", DEVMEM, []),
        ("(u64)len / step", DEVMEM, ["error"]),
        ("len / step", DEVMEM, []),
        ("len / niov_size", DEVMEM, ["note"]),
        ("len % niov_size", "io_uring/zcrx.c", []),
        ("addr / niov_size", DEVMEM, ["error"]),
        ("addr / PAGE_SIZE", DEVMEM, []),
        ("addr / (8 * FROB_STEP)", DEVMEM, []),
        ("addr / sizeof(len)", DEVMEM, []),
        ("addr / step", "drivers/net/frob.c", []),
    ],
)
def test_divisions_by_variables(expression, path, expected):
    head = "static size_t frob(dma_addr_t addr, size_t len, u32 step, size_t niov_size)"
    assert levels("DM210", function(f"\treturn {expression};\n", head), path=path) == expected


MAKE = "\t/* COMMENT */\n\tfb->pool = gen_pool_create(SHIFT, nid);\n\treturn 0;\n"


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("niovs are PAGE_SIZE", ["note"]),
        ("page-sized chunks", ["note"]),
        ("we expect to make PAGE_SIZE allocations,\n\t * but can do better", ["note"]),
        ("PAGE_SIZE is what the CPU has", []),
        ("niovs are large", []),
        ("a chunk is at least PAGE_SIZE", []),
        ("a chunk is PAGE_SIZE << shift", []),
        ("the shift of a niov, PAGE_SHIFT", []),
    ],
)
def test_comments_that_promise_pages(comment, expected):
    before = function(MAKE.replace("COMMENT", comment).replace("SHIFT", "PAGE_SHIFT"))
    after = function(MAKE.replace("COMMENT", comment).replace("SHIFT", "fb->niov_shift"))
    assert levels("DM211", after, before=before) == expected
    assert levels("DM211", after) == []


def test_two_comments_of_one_function_are_one_remark():
    body = MAKE.replace("COMMENT", "niovs are PAGE_SIZE") + "\t/* so each chunk is page sized */\n"
    before, after = (function(body.replace("SHIFT", shift)) for shift in ("PAGE_SHIFT", "fb->niov_shift"))
    assert levels("DM211", after, before=before) == ["note"]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("BUILD_BUG_ON(FROB_SIZE != PAGE_SIZE)", 1),
        ('BUILD_BUG_ON_MSG(PAGE_SIZE != 4096, "no")', 1),
        ("static_assert(PAGE_SHIFT == 12)", 1),
        ("BUILD_BUG_ON(FROB_SHIFT != PAGE_SIZE)", 1),
        ("BUILD_BUG_ON(FROB_SIZE == PAGE_SIZE)", 0),
        ("static_assert(PAGE_SIZE != 4096)", 0),
        ("BUILD_BUG_ON(PAGE_SIZE != PAGE_SIZE)", 0),
        ("BUILD_BUG_ON(FROB_SIZE != 4096)", 0),
        ("BUILD_BUG_ON(FROB_SIZE * 2 != FROB_OTHER)", 0),
        ("BUILD_BUG_ON(!PAGE_SIZE)", 0),
        ("BUILD_BUG_ON()", 0),
    ],
)
def test_builds_that_break_by_the_size_of_pages(test, expected):
    assert levels("DM212", function(f"\t{test};\n\treturn 0;\n")) == ["warning"] * expected


def test_a_definition_in_another_hunk_is_charged_for_all_uses():
    gap = "".join(f"int frob_{number};\n" for number in range(12))
    use = function("\treturn PAGE_SIZE + fb->n;\n")
    before = "#define OLD 1\n" + gap + function("\treturn fb->n;\n")
    path = "examples/frob.c"
    assert levels("DM213", gap + use, before=gap + function("\treturn fb->n;\n"), path=path) == ["warning"]
    defined = "#define PAGE_SIZE 4096\n" + gap + use
    assert levels("DM213", defined, before=before, path=path) == ["note"]
    asked = "#define PAGE_SIZE sysconf(_SC_PAGESIZE)\n" + gap + use
    assert levels("DM213", asked, before=before, path=path) == []
    named = "#define PAGE_SIZE frob_page_size\n" + gap + use
    assert levels("DM213", named, before=before, path=path) == []


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("n = gen_pool_size(fb->pool) / PAGE_SIZE;", ["warning"]),
        ("n = gen_pool_avail(fb->pool) >> PAGE_SHIFT;", ["warning"]),
        ("n = PAGE_SIZE / gen_pool_size(fb->pool);", []),
        ("n = gen_pool_size(fb->pool) + PAGE_SIZE;", []),
        ("n = frob_size(fb->pool) / PAGE_SIZE;", []),
    ],
)
def test_the_size_of_a_pool_in_pages(statement, expected):
    assert levels("DM201", function(f"\t{statement}\n")) == expected


def test_the_check_of_a_dmabufs_size_is_another_rules():
    body = "\tif (!IS_ALIGNED(SIZE, PAGE_SIZE))\n\t\treturn 1;\n\tfb->n = SIZE >> SHIFT;\n\treturn 0;\n"
    for size, expected in (("fb->dmabuf->size", []), ("fb->size", ["warning"])):
        before = function(
            body.replace("SIZE >>", "fb->len >>").replace("(SIZE", f"({size}").replace("SHIFT", "PAGE_SHIFT")
        )
        after = before.replace(">> PAGE_SHIFT", ">> fb->niov_shift")
        assert levels("DM202", after, before=before, context=20) == expected
