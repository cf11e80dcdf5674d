from __future__ import annotations

import pytest
from kit_unit import body_of, named

from reviewer.kit.sg import accesses, sg_loop, sg_loops, walking


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("for_each_sgtable_dma_sg(fb->sgt, sg, i)", ("sg", "fb->sgt", "nents")),
        ("for_each_sgtable_sg(&fb->table, sg, i)", ("sg", "fb->table", "orig_nents")),
        ("for_each_sg(fb->sgt->sgl, sg, fb->sgt->nents, i)", ("sg", "fb->sgt", "nents")),
        ("for_each_sg(fb->sgt->sgl, sg, fb->sgt->orig_nents, i)", ("sg", "fb->sgt", "orig_nents")),
        ("for_each_sg(fb->list, sg, count, i)", ("sg", "fb->list", None)),
        ("for_each_sg(list, sg, fb->count, i)", ("sg", "list", None)),
        ("for_each_sg(list, sg, n)", None),
        ("for_each_sgtable_dma_sg(fb->sgt, fb->sg, i)", None),
        ("for_each_frob(fb->sgt, sg, i)", None),
        ("while (a < b)", None),
    ],
)
def test_sg_loop(head, expected):
    unit = body_of(f"\t{head}\n\t\tuse(sg);\n")
    (loop,) = unit.loops
    found = sg_loop(loop)
    assert (found and (found.iterator, found.table, found.count)) == expected


def test_only_the_macro_says_that_the_table_is_mapped():
    unit = body_of(
        "\tfor_each_sgtable_dma_sg(t, sg, i)\n\t\tuse(sg);\n\tfor_each_sg(l, sg, t->nents, i)\n\t\tuse(sg);\n"
    )
    assert [loop.mapped for loop in sg_loops(unit)] == [True, False]


def test_walking_finds_the_innermost_loop_of_that_iterator():
    unit = body_of(
        "\tfor_each_sgtable_sg(a, sg, i) {\n\t\tfor_each_sgtable_dma_sg(b, dst, j)\n\t\t\tuse(sg, dst, gone);\n"
        "\t}\n\tuse(x);\n"
    )
    assert walking(unit, named(unit, "x")) is None
    assert walking(unit, named(unit, "gone")) is None
    sg, dst, _ = named(unit, "use(sg, dst, gone)").child("arguments").named_children
    assert walking(unit, sg).table == "a"
    assert walking(unit, dst).table == "b"


def test_accesses():
    unit = body_of("\tfor_each_sgtable_dma_sg(t, sg, i)\n\t\tuse(sg_dma_len(sg), sg_dma_len(other), sg_dma_len());\n")
    (loop,) = sg_loops(unit)
    assert [call.text for call in accesses(loop.loop.body, "sg", ("sg_dma_len",))] == ["sg_dma_len(sg)"]
