"""What a function got from a dma-buf."""

from __future__ import annotations

import pytest
from kit_unit import body_of, named, unit_of, units

from reviewer.kit.taint import NOTHING, bus_addresses, comes_from_dmabuf, mapped, reads_address
from reviewer.rule import Unit

MAPPED = """
	struct sg_table *sgt = dma_buf_map_attachment(fb->att, DMA_TO_DEVICE);
	struct scatterlist *sg, *first = NULL, *own;
	int i;

	if (!sgt)
		sgt = ERR_PTR(-EIO);
	fb->table = sgt;
	first = fb->table->sgl;
	own = frob_own(fb);
	first = sg_next(first);
	for_each_sgtable_dma_sg(fb->table, sg, i)
		frob_a(sg);
	for_each_sg(fb->own.sgl, sg, 3, i)
		frob_b(sg);
	frob_c(&sgt);
	frob_d(sg_next(first));
	frob_e(own);
	frob_f((void *)fb->table->sgl);
	frob_g(sg);
"""


def argument(unit: Unit, function: str) -> str | None:
    (call,) = unit.calls(function)
    given = call.child("arguments")
    assert given is not None
    return comes_from_dmabuf(unit, given.named_children[0], mapped(unit, call))


@pytest.mark.parametrize(
    ("function", "source"),
    [
        ("frob_a", "sg"),
        ("frob_b", None),
        ("frob_c", "sgt"),
        ("frob_d", "first"),
        ("frob_e", None),
        ("frob_f", "fb->table"),
        ("frob_g", None),
    ],
)
def test_tables_entries_and_iterators(function: str, source: str | None) -> None:
    assert argument(body_of(MAPPED), function) == source


def test_what_a_function_got_is_not_what_another_got() -> None:
    other = "\nstatic void frob_two(struct frob *fb)\n{\n\tfrob_z(fb->table);\n}\n"
    unit = unit_of("static int frob(struct frob *fb)\n{\n" + MAPPED + "}\n" + other)
    assert argument(unit, "frob_z") is None
    assert mapped(unit, unit.calls("frob_z")[0]).tables == frozenset()


def test_a_table_that_may_be_ones_own_is_left_out() -> None:
    unit = body_of("\tif (a)\n\t\tt = dma_buf_map_attachment(a, 1);\n\telse\n\t\tt = frob_own();\n\tfrob_a(t);\n")
    assert argument(unit, "frob_a") is None


def test_nothing_without_a_mapping_call() -> None:
    unit = body_of("\tfrob_a(fb->sgt);\n")
    assert mapped(unit, unit.calls("frob_a")[0]) is NOTHING


@pytest.mark.parametrize(
    ("statements", "source"),
    [
        ("\tif (mem->is_dmabuf)\n\t\tfrob_a(mem->sgt);\n", "mem->sgt"),
        ("\tif (area->mem.is_dmabuf) {\n\t\tfrob_a(area->mem.sgt->sgl);\n\t}\n", "area->mem.sgt"),
        ("\tif (!mem->is_dmabuf)\n\t\tfrob_a(mem->sgt);\n", None),
        ("\tif (mem->is_dmabuf)\n\t\tfrob_b(mem);\n\telse\n\t\tfrob_a(mem->sgt);\n", None),
        ("\tif (other->is_dmabuf)\n\t\tfrob_a(mem->sgt);\n", None),
        ("\tif (mem->is_dmabuf)\n\t\tfor_each_sgtable_dma_sg(mem->sgt, sg, i)\n\t\t\tfrob_a(sg);\n", "sg"),
        ("\tfrob_a(mem->sgt);\n", None),
        ("\tfrob_a(sgt);\n", None),
    ],
)
def test_a_field_counts_only_in_the_branch_for_dmabufs(statements: str, source: str | None) -> None:
    assert argument(body_of(statements), "frob_a") == source


def test_dma_addresses_and_what_is_computed_from_them() -> None:
    unit = body_of(
        "\tdma_addr_t a = sg_dma_address(sg), b, c;\n\tsize_t len = sg_dma_len(sg);\n\n"
        "\tb = (a + len) & PAGE_MASK;\n\tc = fb->fixed ? fb->base : niov->desc.dma_addr;\n"
        "\tlen = frob_map(sg_dma_address(sg));\n\tfrob_a(a, b, c, len);\n\tc = 0;\n"
    )
    call = named(unit, "frob_a(a, b, c, len)")
    held = bus_addresses(unit, call)
    assert held == {"a", "b"}
    assert reads_address(named(unit, "niov->desc.dma_addr"), frozenset())
    assert not reads_address(named(unit, "fb->base"), held)


def test_a_hunk_without_a_head_is_one_scope() -> None:
    before = "".join(f"\tfrob_{n}();\n" for n in range(20))
    after = before.replace("\tfrob_10();\n", "\tt = dma_buf_map_attachment(a, 1);\n\tfrob_x(t);\n")
    (unit,) = units(f"int f(void)\n{{\n{after}}}\n", f"int f(void)\n{{\n{before}}}\n")
    assert argument(unit, "frob_x") == "t"
