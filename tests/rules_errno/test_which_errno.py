"""DM301, DM302, DM311 and DM312 on functions of our own: which errno is given, and whose."""

from __future__ import annotations

import pytest
from errno_telling import body, found, lines, said

# DM301


@pytest.mark.parametrize(
    ("statements", "line"),
    [
        ("\tp = kzalloc(8, GFP_KERNEL);\n\tif (!p)\n\t\treturn -EIO;\n", "return -EIO;"),
        ("\tfb->p = vzalloc(8);\n\tif (fb->p == NULL)\n\t\treturn ERR_PTR(-EINVAL);\n", "return ERR_PTR(-EINVAL);"),
        ("\tif (!(p = kmemdup(fb, 8, GFP_KERNEL)))\n\t\treturn -EIO;\n", "return -EIO;"),
        ("\tif (copy_to_user(to, fb, 8) || put_user(1, to))\n\t\treturn -EIO;\n", "return -EIO;"),
        ("\tif (!ns_capable(ns, CAP_NET_ADMIN)) {\n\t\terr = -EINVAL;\n\t\tgoto out;\n\t}\n", "err = -EINVAL;"),
    ],
)
def test_a_failure_of_a_known_kind_has_an_errno_of_its_own(statements: str, line: str) -> None:
    assert said("DM301", body(statements)) == [(line, "warning", "medium")]


@pytest.mark.parametrize(
    "statements",
    [
        "\tp = kzalloc(8, GFP_KERNEL);\n\tif (!p)\n\t\treturn -ENOBUFS;\n",
        "\tp = kzalloc(8, GFP_KERNEL);\n\tif (!p)\n\t\terr = -EIO;\n",
        "\tp = kzalloc(8, GFP_KERNEL);\n\tif (p)\n\t\treturn -EEXIST;\n",
        "\tp = kzalloc(8, GFP_KERNEL);\n\tp = frob(p);\n\tif (!p)\n\t\treturn -EIO;\n",
        "\tif (!p)\n\t\treturn -EIO;\n",
        "\tif (capable(CAP_NET_ADMIN))\n\t\treturn -EINVAL;\n",
        "\tif (!(p = frob()))\n\t\treturn -EIO;\n",
        "\tif (fb->fast)\n\t\treturn 0;\n\telse\n\t\treturn -EIO;\n",
        "\tfor (;;)\n\t\treturn -EIO;\n",
        "\treturn fb->err ? fb->err : -EIO;\n",
        "\tif (fb->pool)\n\t\treturn -EEXIST;\n",
        "\tif (frob()->pool)\n\t\treturn -EEXIST;\n",
        "\tif (index > limit)\n\t\treturn -EPERM;\n",
    ],
)
def test_other_failures_are_not_judged(statements: str) -> None:
    assert lines("DM301", body(statements)) == []


def test_a_changed_errno_is_only_spoken_of_once() -> None:
    old = body("\tp = kzalloc(8, GFP_KERNEL);\n\tif (!p)\n\t\treturn -ENOMEM;\n\treturn 0;\n")
    new = old.replace("ENOMEM", "EIO")
    assert lines("DM301", new, old) == ["return -EIO;"]
    assert lines("DM302", new, old) == ["return -EIO;"]


# DM302, a constant that goes

OLD = body("\tif (!frob_map(fb)) {\n\t\terr = -ENOMEM;\n\t\tgoto out;\n\t}\nout:\n\treturn err;\n")


def replaced(call: str, test: str = "err") -> str:
    return body(f"\terr = {call};\n\tif ({test})\n\t\tgoto out;\nout:\n\treturn err;\n")


def test_a_constant_goes_and_a_callees_errno_comes() -> None:
    new = replaced("dma_map_sgtable(dev, t, dir, 0)")
    assert said("DM302", new, OLD) == [("err = dma_map_sgtable(dev, t, dir, 0);", "note", "medium")]
    assert lines("DM302", replaced("dma_map_sgtable(dev, t, dir, 0)", "err < 0"), OLD) != []
    assert lines("DM302", new, OLD, message="Give what the map gives, not ENOMEM.\n") == []


@pytest.mark.parametrize(
    "new",
    [
        replaced("sg_alloc_table(t, 1, GFP_KERNEL)"),
        replaced("frob_map_all(fb)"),
        replaced("dma_map_sgtable(dev, t, dir, 0)", "fb->off"),
        replaced("dma_map_sgtable(dev, t, dir, 0)").replace("err", "ret"),
        body("out:\n\treturn err;\n"),
        body("\treturn dma_map_sgtable(dev, t, dir, 0);\n"),
    ],
    ids=["allocates", "unknown", "not tested", "another variable", "nothing", "returned"],
)
def test_a_constant_that_goes_for_something_else(new: str) -> None:
    assert lines("DM302", new, OLD) == []


# DM311


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("\tp = frob();\n\tif (IS_ERR(p))\n\t\treturn -EIO;\n", ("return -EIO;", "note", "high")),
        ("\tif (unlikely(xa_insert(x, 1, p, g)))\n\t\treturn -EIO;\n", ("return -EIO;", "note", "high")),
        ("\terr = xa_insert(x, 1, p, g);\n\tif (err != 0)\n\t\treturn -EIO;\n", ("return -EIO;", "note", "medium")),
        ("\tfb->map = 1;\n\tpercpu_ref_init(r, f, 0, g);\n", ("percpu_ref_init(r, f, 0, g);", "warning", "medium")),
        ("\tkref_get_unless_zero(&fb->ref);\n", ("kref_get_unless_zero(&fb->ref);", "warning", "medium")),
    ],
)
def test_errnos_that_get_lost(statements: str, expected: tuple[str, str, str]) -> None:
    assert said("DM311", body(statements)) == [expected]


@pytest.mark.parametrize(
    "statements",
    [
        "\tp = frob();\n\tif (IS_ERR(p))\n\t\treturn -EPROBE_DEFER;\n",
        "\tp = frob();\n\tif (IS_ERR(p) || !p->ready)\n\t\treturn -EIO;\n",
        "\tif (xa_alloc(x, &i, p, l, g))\n\t\treturn -ENOMEM;\n",
        "\terr = xa_insert(x, 1, p, g);\n\tif (err == -EBUSY)\n\t\treturn -EIO;\n",
        "\terr = xa_insert(x, 1, p, g);\n\tif (err > 0)\n\t\treturn -EIO;\n",
        "\tfb->err = xa_insert(x, 1, p, g);\n\tif (fb->err < 0)\n\t\treturn -EIO;\n",
        "\tif (err)\n\t\treturn -EIO;\n",
        "\tif (xa_insert(x, 1, p, g) < 0)\n\t\treturn -EIO;\n",
        "\terr = percpu_ref_init(r, f, 0, g);\n",
        "\treturn refcount_inc_not_zero(&fb->ref);\n",
    ],
)
def test_errnos_that_are_heard(statements: str) -> None:
    assert lines("DM311", body(statements)) == []


def test_only_what_is_new_is_reported() -> None:
    old = body("\tp = frob();\n\tif (IS_ERR(p))\n\t\treturn -EIO;\n\treturn 0;\n")
    assert lines("DM311", old.replace("return 0", "return 1"), old) == []
    assert lines("DM311", old.replace("IS_ERR(p)", "IS_ERR(fb->p)"), old) == ["return -EIO;"]


# DM312


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tp = memdup_user(u, 8);\n\tif (IS_ERR_OR_NULL(p))\n\t\treturn -1;\n", 1),
        ("\tp = memdup_user(u, 8);\n\tif (fb->off || IS_ERR_OR_NULL(p))\n\t\treturn -1;\n", 1),
        ("\tp = memdup_user(u, 8);\n\tif (IS_ERR(p) || IS_ERR_OR_NULL(q))\n\t\treturn -1;\n", 0),
        ("\tp = clk_get(dev, 0);\n\tif (IS_ERR_OR_NULL(p))\n\t\treturn -1;\n", 0),
        ("\treturn memdup_user(u, 8); /* not IS_ERR_OR_NULL */\n", 0),
    ],
)
def test_never_null(statements: str, count: int) -> None:
    assert len(lines("DM312", body(statements))) == count


# DM309, the result behind a pointer


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\t*out = frob();\n\tif (!out)\n\t\treturn -1;\n", 1),
        ("\t*out = frob();\n\tif (fb->off || IS_ERR(out))\n\t\treturn -1;\n", 1),
        ("\t*out = frob();\n\tif (IS_ERR(*out))\n\t\treturn -1;\n", 0),
        ("\t*out = frob();\n\tif (!fb)\n\t\treturn -1;\n", 0),
        ("\t*out = frob();\n\treturn 0;\n", 0),
        ("\t*out = frob();\n", 0),
        ("\t*out = frob();\n\tfb->x = 1;\n\tif (!out)\n\t\treturn -1;\n", 0),
    ],
)
def test_the_pointer_that_the_result_went_through(statements: str, count: int) -> None:
    assert len(lines("DM309", body(statements))) == count


def test_messages_name_what_is_to_be_done() -> None:
    (one,) = found("DM311", body("\tp = frob();\n\tif (IS_ERR(p))\n\t\treturn -EIO;\n"))
    assert "PTR_ERR(p)" in one.message
    assert "-EIO" in one.message
