"""The dma-buf rules on functions of our own."""

from __future__ import annotations

import pytest

from reviewer.examples import failures, run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import code

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "dmabuf")}
MAP = "\tt = dma_buf_map_attachment(fb->att, DMA_TO_DEVICE);\n"


def told(rule: str, statements: str, *, path: str = "net/core/frob.c") -> list[tuple[str, str]]:
    """(line, level) of each finding on a function with these statements."""
    text = f"int frob_do(struct frob *fb)\n{{\n{statements}}}\n"
    report, _ = run_example(RULES[rule], code("bad", path, text))
    assert report.complete
    return [(one.location.text.strip(), one.level) for one in report.findings]


@pytest.mark.parametrize("rule", sorted(RULES))
def test_examples(rule: str) -> None:
    assert [one.reason for one in failures(RULES[rule])] == []


def test_the_family_is_complete() -> None:
    assert sorted(RULES) == [f"DM4{number:02}" for number in range(1, 11)]


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("sg_page(t->sgl);", 1),
        ("sg_miter_start(&miter, t->sgl, t->nents, 0);", 1),
        ("dma_map_sgtable(dev, t, DMA_TO_DEVICE, 0);", 1),
        ("sg_copy_to_buffer(t->sgl, t->nents, buf, len);", 1),
        ("sg_set_page(own, page, sg_dma_len(t->sgl), 0);", 0),
        ("sg_page(own);", 0),
        ("sg_dma_address(t->sgl);", 0),
        ("sg_miter_start(&miter);", 0),
    ],
)
def test_pages_of_an_imported_table(statement: str, count: int) -> None:
    assert told("DM401", f"{MAP}\t{statement}\n", path="drivers/frob/frob.c") == [(statement, "error")] * count


def test_in_the_importer_itself_any_table_counts() -> None:
    statements = "\tsg_page(fb->first);\n\tfor_each_sg_page(fb->first, &piter, 1, 0)\n\t\tfrob(fb);\n"
    assert len(told("DM401", statements, path="net/core/devmem.c")) == 2
    assert told("DM401", statements) == []


@pytest.mark.parametrize(
    ("statement", "path", "count"),
    [
        ("pfn_to_page(sg_dma_address(sg) >> PAGE_SHIFT);", "net/core/frob.c", 1),
        ("devm_memremap(dev, sg_dma_address(sg), 8, 0);", "io_uring/frob.c", 1),
        ("devm_memremap(sg_dma_address(sg));", "io_uring/frob.c", 0),
        ("ioremap(niov->desc.dma_addr, 8);", "drivers/net/frob.c", 1),
        ("ioremap(fb->bar, 8);", "drivers/net/frob.c", 0),
        ("ioremap(sg_dma_address(sg), 8);", "drivers/frob/frob.c", 0),
        ("dma_buf_vmap(buf, &map);", "drivers/frob/frob.c", 0),
    ],
)
def test_dma_addresses_taken_for_physical_ones(statement: str, path: str, count: int) -> None:
    assert told("DM402", f"\t{statement}\n", path=path) == [(statement, "error")] * count


def test_whoever_maps_a_dmabuf_is_an_importer() -> None:
    statement = "\tioremap(sg_dma_address(sg), 8);\n"
    assert len(told("DM402", MAP + statement, path="drivers/frob/frob.c")) == 1


def test_a_map_outside_of_any_function_is_not_judged() -> None:
    text = "#define FROB_MAP(x) frob(x)\nint frob = dma_buf_vmap(buf, &map);\n"
    report, _ = run_example(RULES["DM402"], code("bad", "net/core/frob.c", text))
    assert report.findings == ()


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("sg_dma_len(t->sgl) -= 4;", 1),
        ("sg_dma_address(t->sgl)++;", 1),
        ("t->orig_nents = 1;", 1),
        ("t->sgl->length = 0;", 1),
        ("t->private = fb;", 0),
        ("fb->nents = t->nents;", 0),
        ("nents = t->nents;", 0),
        ("sg_dma_len(own) = 4;", 0),
        ("sg_free_table(t);", 1),
        ("kfree(fb);", 0),
        ("kfree();", 0),
    ],
)
def test_writing_to_an_imported_table(statement: str, count: int) -> None:
    assert told("DM406", f"{MAP}\t{statement}\n", path="drivers/frob/frob.c") == [(statement, "error")] * count


def test_net_code_never_maps_entries_itself() -> None:
    assert len(told("DM406", "\tsg_dma_len(own) = 4;\n", path="io_uring/frob.c")) == 1
