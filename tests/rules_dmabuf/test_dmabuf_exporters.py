"""DM403 to DM410 on functions of our own: syncing, directions, locks, and the tables of exporters."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import PatchExample, code, series

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "dmabuf")}
HOOK = "static int begin_cpu_frob(struct dma_buf *buf, enum dma_data_direction dir)"


def body(statements: str, head: str = "int frob_do(struct frob *fb)") -> str:
    return f"{head}\n{{\n{statements}}}\n"


def told(
    rule: str, after: str, before: str | None = None, *, path: str = "drivers/dma-buf/frob.c", context: int = 3
) -> list[tuple[str, str]]:
    """(line, level) of each finding."""
    report, _ = run_example(RULES[rule], code("bad", path, after, before=before, context=context))
    assert report.complete
    return [(one.location.text.strip(), one.level) for one in report.findings]


# DM403


@pytest.mark.parametrize(
    ("statement", "path", "count"),
    [
        ("dma_sync_single_for_cpu(dev, sg_dma_address(t->sgl), 8, dir);", "net/core/frob.c", 1),
        ("dma_sync_single_for_cpu(dev, sg_dma_address(t->sgl) + 8, 8, dir);", "net/core/frob.c", 1),
        ("dma_sync_single_for_cpu(dev, sg_dma_address(own), 8, dir);", "net/core/frob.c", 0),
        ("dma_sync_single_for_cpu(dev, fb->addr, 8, dir);", "net/core/frob.c", 0),
        ("dma_sync_single_for_cpu(dev, fb->addr, 8, dir);", "net/core/devmem.c", 1),
        ("dma_sync_single_for_cpu();", "net/core/devmem.c", 0),
    ],
)
def test_importers_do_not_sync(statement: str, path: str, count: int) -> None:
    text = body(f"\tt = dma_buf_map_attachment(fb->att, DMA_TO_DEVICE);\n\t{statement}\n")
    assert told("DM403", text, path=path) == [(statement, "error")] * count


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("int mp_dmabuf_frob_init(struct page_pool *pool)", 1),
        ("int frob_devmem_init(struct page_pool *pp, int n)", 1),
        ("int frob_dmabuf_init(struct frob *fb)", 0),
        ("int frob_dmabuf_init_one(struct page_pool *pool)", 0),
    ],
)
def test_providers_turn_syncing_off(head: str, count: int) -> None:
    text = body("\tstruct frob *fb = frob_of(0); /* page_pool */\n\n\tfrob_get(fb);\n\treturn 0;\n", head)
    assert told("DM403", text, path="net/core/frob.c") == [(head, "warning")] * count


# DM404


def mapping(map_direction: str, unmap_direction: str, unmapped: str = "fb->table") -> str:
    return body(f"\tfb->table = dma_buf_map_attachment(fb->att, {map_direction});\n\treturn 0;\n") + body(
        f"\tdma_buf_unmap_attachment(fb->att, {unmapped}, {unmap_direction});\n", "void frob_undo(struct frob *fb)"
    )


@pytest.mark.parametrize(
    ("map_direction", "unmap_direction", "count"),
    [
        ("DMA_TO_DEVICE", "DMA_FROM_DEVICE", 1),
        ("fb->dir", "DMA_FROM_DEVICE", 1),
        ("DMA_TO_DEVICE", "DMA_TO_DEVICE", 0),
        ("fb->dir", "fb->other", 0),
        ("DMA_TO_DEVICE", "dir", 0),
    ],
)
def test_directions(map_direction: str, unmap_direction: str, count: int) -> None:
    assert len(told("DM404", mapping(map_direction, unmap_direction))) == count


def test_some_map_may_have_the_direction() -> None:
    two = mapping("DMA_TO_DEVICE", "DMA_FROM_DEVICE")
    both = two + body(
        "\tfb->table = dma_buf_map_attachment(fb->att, fb->dir);\n\treturn 0;\n", "int b(struct frob *fb)"
    )
    assert told("DM404", both) == []
    assert told("DM404", mapping("DMA_TO_DEVICE", "DMA_FROM_DEVICE", "fb->else")) == []
    assert told("DM404", two.replace("fb->table = ", "return ")) == []
    assert told("DM404", two.replace(", DMA_FROM_DEVICE)", ")")) == []


def test_a_mismatch_between_hunks_and_one_that_was_there() -> None:
    far = "".join(f"int frob_{number}(void);\n" for number in range(12))
    first, second = mapping("DMA_TO_DEVICE", "DMA_TO_DEVICE").split("void")
    old = f"{first}{far}void{second}"
    new = old.replace("table, DMA_TO_DEVICE", "table, DMA_FROM_DEVICE").replace("return 0", "return 1")
    assert len(told("DM404", new, old)) == 1
    wrong = old.replace("table, DMA_TO_DEVICE", "table, DMA_FROM_DEVICE")
    assert told("DM404", wrong.replace("return 0", "return 1"), wrong) == []


def test_both_ways_is_one_note_for_a_network_device() -> None:
    text = mapping("DMA_BIDIRECTIONAL", "DMA_BIDIRECTIONAL")
    assert [level for _, level in told("DM404", text, path="net/core/frob.c")] == ["note"]
    assert told("DM404", text, path="drivers/gpu/frob.c") == []
    assert told("DM404", text.split("void")[1].join(("void", "")), path="net/core/frob.c") == []


# DM405

LOCK = "\tdma_resv_lock(fb->resv, NULL);\n"
UNLOCK = "\tdma_resv_unlock(fb->resv);\n"
VMAP = "\tdma_buf_vmap_unlocked(fb->buf, &map);\n"


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        (LOCK + VMAP + UNLOCK, 1),
        (LOCK + "\tif (fb->a) {\n\t" + VMAP + "\t}\n" + UNLOCK, 1),
        ("\tif (fb->a) {\n\t" + LOCK + "\t}\n" + VMAP, 0),
        (LOCK + UNLOCK + VMAP, 0),
        (VMAP + LOCK + UNLOCK, 0),
    ],
)
def test_the_lock_that_is_held(statements: str, count: int) -> None:
    assert told("DM405", body(statements)) == [(VMAP.strip(), "warning")] * count


def test_the_lock_of_another_function() -> None:
    assert told("DM405", body(LOCK) + body(VMAP, "int frob_b(struct frob *fb)")) == []


ATTACH = "\tfb->att = dma_buf_attach(fb->buf, fb->dev);\n"
MAP = "\tfb->t = dma_buf_map_attachment(fb->att, DMA_TO_DEVICE);\n"
UNDO = "\tdma_buf_unmap_attachment(fb->att, fb->t, DMA_TO_DEVICE);\n\tdma_buf_detach(fb->buf, fb->att);\n"


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (ATTACH + MAP, [MAP.strip()]),
        (ATTACH + MAP + UNDO, [MAP.strip()]),
        (UNDO, [UNDO.split("\n", maxsplit=1)[0].strip()]),
        (MAP, []),
        (ATTACH + LOCK + MAP + UNLOCK, []),
        (ATTACH + "\tfrob_bo_reserve(fb);\n" + MAP, []),
        (ATTACH + "\tguard(mutex)(&fb->lock);\n" + MAP, []),
    ],
)
def test_the_lock_that_nothing_takes(statements: str, found: list[str]) -> None:
    assert [line for line, _ in told("DM405", body(statements), path="net/core/frob.c")] == found


def test_before_the_rules_changed_the_plain_variants_were_right(monkeypatch: pytest.MonkeyPatch) -> None:
    example = code("bad", "net/core/frob.c", body(ATTACH + MAP))
    monkeypatch.setattr("reviewer.examples._mail", _in_the_year_2020)
    report, _ = run_example(RULES["DM405"], example)
    assert report.findings == ()


def _in_the_year_2020(number: int, subject: str, text: str, *, parent: int | None) -> bytes:
    head = f"From: A <a@dev.example>\nSubject: {subject}\nDate: Mon, 6 Jan 2020 10:00:00 +0000\n"
    return f"{head}Message-ID: <{number}.example@examples.example>\n\n{text}".encode()


def test_hooks_by_name_and_by_initialiser() -> None:
    statements = LOCK + "\tfrob(buf);\n" + UNLOCK + "\treturn 0;\n"
    assert told("DM405", body(statements, HOOK)) == [(LOCK.strip(), "warning")]
    other = body(statements, "static int frob_sync(struct dma_buf *buf)")
    assert told("DM405", other) == []
    ops = "static const struct dma_buf_ops ops = {\n\t.end_cpu_access = frob_sync,\n};\n"
    assert told("DM405", other + ops) == [(LOCK.strip(), "warning")]
    assert told("DM405", body("\tdma_resv_lock();\n", HOOK)) == [("dma_resv_lock();", "warning")]


@pytest.mark.parametrize(
    ("ops", "count"),
    [
        ("{ .allow_peer2peer = true }", 1),
        ("{ .move_notify = frob_moved }", 0),
        ("{ .invalidate_mappings = frob_moved }", 0),
        ("FROB_OPS", 0),
    ],
)
def test_dynamic_attachments(ops: str, count: int) -> None:
    call = "return dma_buf_dynamic_attach(fb->buf, fb->dev, &frob_ops, fb);"
    text = f"static const struct dma_buf_attach_ops frob_ops = {ops};\nint frob_x = 1;\n" + body(f"\t{call}\n")
    assert told("DM405", text) == [(call, "warning")] * count
    assert told("DM405", body("\treturn dma_buf_dynamic_attach(fb->buf, fb->dev, NULL, NULL);\n")) == []
    assert told("DM405", body("\treturn dma_buf_dynamic_attach(fb);\n")) == []


# DM407 and DM408


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("sg_set_folio(sg, f, 8, fb->offs[i]);", 1),
        ("sg_set_folio(sg, f, 8, fb->off);", 1),
        ("sg_set_folio(sg, f, 8, off + 8);", 1),
        ("sg_set_folio(sg, f, 8, off);", 0),
        ("sg_set_folio(sg, f, 8, 0);", 0),
        ("sg_set_folio(sg, f, 8, fb->off % PAGE_SIZE);", 0),
        ("sg_set_folio(sg, f, 8, frob_offset(fb));", 0),
        ("sg_set_folio(sg, f, 8);", 0),
        ("sg_set_page(sg, p, 8, fb->off);", 0),
    ],
)
def test_offsets_into_folios(statement: str, count: int) -> None:
    assert told("DM407", body(f"\t{statement}\n")) == [(statement, "warning")] * count


def test_offsets_that_a_variable_holds() -> None:
    call = "sg_set_folio(sg, f, 8, off);"
    assert told("DM407", body(f"\toff = fb->off;\n\t{call}\n")) == [(call, "warning")]
    assert told("DM407", body(f"\toff = offset_in_page(fb->off);\n\t{call}\n")) == []


def test_an_entry_for_each_page_is_a_guess_for_exporters() -> None:
    loop = body("\twhile (n--)\n\t\tsg_set_page(sg, p, PAGE_SIZE, 0);\n")
    assert told("DM407", loop) == [("sg_set_page(sg, p, PAGE_SIZE, 0);", "note")]
    assert told("DM407", loop, path="drivers/gpu/frob.c") == []
    assert told("DM407", loop.replace("\twhile (n--)\n", "")) == []


@pytest.mark.parametrize(
    ("length", "count"),
    [
        ("n << PAGE_SHIFT", 1),
        ("(n * PAGE_SIZE)", 1),
        ("n << 3", 0),
        ("m << PAGE_SHIFT", 0),
        ("fb->n << PAGE_SHIFT", 0),
        ("n", 0),
    ],
)
def test_lengths_in_pages(length: str, count: int) -> None:
    call = f"sg_set_page(sg, p, {length}, 0);"
    text = body(f"\tunsigned long n = fb->n;\n\tunsigned int m = 1;\n\n\t{call}\n")
    assert told("DM408", text) == [(call, "note")] * count
    assert told("DM408", text.replace("fb->n;", "min(fb->n, fb->max_segment);")) == []
    assert told("DM408", f"#define FROB {call}\n") == []


# DM409


def built(counting: str, filling: str) -> str:
    return body(
        f"\tfor (i = 0; i < n; {counting})\n\t\tnents++;\n\tif (sg_alloc_table(t, nents, GFP_KERNEL))\n"
        f"\t\treturn -ENOMEM;\n\tfor (i = 0; i < n; {filling})\n\t\tsg_set_page(sg, fb->p[i], PAGE_SIZE, 0);\n"
    )


@pytest.mark.parametrize(
    ("counting", "filling", "count"),
    [
        ("i += frob_run(fb, i)", "i++, sg = sg_next(sg)", 1),
        ("i += 2", "sg = sg_next(sg), i++", 1),
        ("i++", "i++, sg = sg_next(sg)", 0),
        ("i += run", "i += run, sg = sg_next(sg)", 0),
        ("i++", "i--, sg = sg_next(sg)", 0),
        ("i++", "i++, k++", 0),
    ],
)
def test_steps(counting: str, filling: str, count: int) -> None:
    assert len(told("DM409", built(counting, filling))) == count


def test_walks_that_cannot_be_compared() -> None:
    text = built("i += 2", "i++")
    assert told("DM409", text.replace("nents++", "nents--")) == []
    assert told("DM409", text.replace("\t\tnents++", "\t\tif (fb->p[i])\n\t\t\tnents++")) == []
    assert told("DM409", text.replace("nents, GFP", "n + 1, GFP")) == []
    assert told("DM409", text.replace("nents, GFP", "other, GFP")) == []
    assert told("DM409", text.replace("sg_set_page", "frob_set")) == []
    assert told("DM409", text.replace("\tfor (i = 0; i < n; i += 2)", "\twhile (i-- > 0)")) == []
    assert told("DM409", text.replace("(t, nents, GFP_KERNEL)", "(t)")) == []


# DM410

CACHE = "\tif (!fb->sg)\n\t\tfb->sg = frob_table(fb);\n"


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        (CACHE, 1),
        (CACHE.replace("!fb->sg", "fb->sg == NULL"), 1),
        ("\tmutex_lock(&fb->lock);\n" + CACHE, 0),
        ("\tdma_resv_assert_held(buf->resv);\n" + CACHE, 0),
        (CACHE.replace("!fb->sg", "fb->sg"), 0),
        (CACHE.replace("!fb->sg", "!sg"), 0),
        ("\tif (!fb->sg)\n\t\treturn -EINVAL;\n", 0),
    ],
)
def test_cached_tables(statements: str, count: int) -> None:
    text = body(f"{statements}\treturn 0;\n", HOOK)
    assert [level for _, level in told("DM410", text)] == ["warning"] * count


def test_hooks_in_another_file_are_not_known() -> None:
    ops = "const struct dma_buf_ops ops = {\n\t.begin_cpu_access = frob_do,\n};\n"
    files = (("drivers/dma-buf/a.c", None, body(CACHE)), ("drivers/dma-buf/b.c", None, ops))
    report, _ = run_example(RULES["DM410"], series("bad", (PatchExample(files=files),)))
    assert report.findings == ()
