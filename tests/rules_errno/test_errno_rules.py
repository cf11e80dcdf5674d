"""The errno and extack rules on functions of our own."""

from __future__ import annotations

import pytest

from reviewer.examples import failures, run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import Rule, code

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "errno")}


def told(
    rule: str, after: str, before: str | None = None, *, path: str = "net/core/frob.c", message: str = "Frob.\n"
) -> list[tuple[str, str, str]]:
    """(line, level, message) of each finding."""
    report, _ = run_example(RULES[rule], code("bad", path, after, before=before, message=message))
    assert report.complete
    return [(one.location.text.strip(), one.level, one.message) for one in report.findings]


def lines(rule: str, after: str, before: str | None = None, **more: str) -> list[str]:
    return [line for line, _, _ in told(rule, after, before, **more)]


def body(statements: str, head: str = "int frob_do(struct frob *fb)") -> str:
    return f"{head}\n{{\n{statements}}}\n"


@pytest.mark.parametrize("rule", sorted(RULES))
def test_examples(rule: str) -> None:
    assert [one.reason for one in failures(RULES[rule])] == []


def test_the_family_is_complete() -> None:
    listed = [
        "DM301",
        "DM302",
        "DM303",
        "DM304",
        "DM305",
        "DM306",
        "DM307",
        "DM308",
        "DM309",
        "DM310",
        "DM311",
        "DM312",
    ]
    assert sorted(RULES) == listed
    assert isinstance(RULES["DM302"], Rule)


# DM302

OLD = body("\tif (fb->order)\n\t\treturn -E2BIG;\n\treturn 0;\n")
NEW = OLD.replace("E2BIG", "EINVAL")


@pytest.mark.parametrize(
    "message",
    [
        "Give EINVAL here.\n",
        "It was E2BIG.\n",
        "Use another errno.\n",
        "The return value is now that of others.\n",
        "Mend the error codes.\n",
    ],
)
def test_a_change_that_the_message_names_is_not_silent(message: str) -> None:
    assert lines("DM302", NEW, OLD, message=message) == []


@pytest.mark.parametrize("message", ["Give ENOMEM for allocations.\n", "Fix errors.\n", "Return early.\n"])
def test_a_message_about_something_else_does_not_explain_it(message: str) -> None:
    assert lines("DM302", NEW, OLD, message=message) == ["return -EINVAL;"]


def test_the_message_names_function_and_both_errnos() -> None:
    ((_, level, text),) = told("DM302", NEW, OLD)
    assert level == "warning"
    for word in ("frob_do()", "-E2BIG", "-EINVAL"):
        assert word in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "\tif (a)\n\t\treturn -EIO;\n\tif (b)\n\t\treturn -EPERM;\n",
            "\tif (b)\n\t\treturn -EPERM;\n\tif (a)\n\t\treturn -EIO;\n",
        ),
        ("\tif (a)\n\t\treturn -EIO;\n", "\tif (b)\n\t\treturn -EPERM;\n"),
        ("\tint err = -EIO;\n", "\tint err = -EPERM;\n"),
        ("\tif (a)\n\t\treturn -EIO;\n", "\tif (a) {\n\t\terr = -EPERM;\n\t\tgoto out;\n\t}\n"),
        ("\tif (a)\n\t\treturn -EIO;\n", "\tif (a)\n\t\treturn -EIO;\n\tif (a > 1)\n\t\treturn -EPERM;\n"),
        ("\tif (err == -EIO)\n\t\treturn 0;\n", "\tif (err == -EPERM)\n\t\treturn 0;\n"),
        ("\tif (a)\n\t\treturn -EIO;\n", "\treturn -EPERM;\n"),
    ],
    ids=["order", "other test", "default", "other way", "more", "comparison", "no test"],
)
def test_what_is_no_change_of_an_errno(before: str, after: str) -> None:
    assert lines("DM302", body(after), body(before)) == []


def test_a_last_return_counts_and_so_does_an_error_pointer() -> None:
    assert lines("DM302", body("\treturn -EPERM;\n"), body("\treturn -EIO;\n")) == ["return -EPERM;"]
    old, new = "\treturn a ? a : ERR_PTR(-EIO);\n", "\treturn a ? a : ERR_PTR(-EPERM);\n"
    assert lines("DM302", body(new), body(old)) == [new.strip()]


def test_two_functions_are_not_compared() -> None:
    old = body("\treturn -EIO;\n", "int frob_one(void)")
    new = body("\treturn -EPERM;\n", "int frob_two(void)")
    assert lines("DM302", new, old) == []


# DM303


def test_only_warned_where_a_variable_gets_it() -> None:
    found = told("DM303", body("\tint err = -ENOTSUPP;\n\n\tif (!fb)\n\t\treturn -ETOOSMALL;\n\treturn err;\n"))
    assert [(line, level) for line, level, _ in found] == [
        ("int err = -ENOTSUPP;", "warning"),
        ("return -ETOOSMALL;", "error"),
    ]
    assert "-EOPNOTSUPP" in found[0][2]
    assert "525" in found[1][2]


@pytest.mark.parametrize(
    ("path", "name", "errno", "count"),
    [
        ("net/core/frob.c", "frob_ioctl", "ENOIOCTLCMD", 0),
        ("net/core/frob.c", "frob_set", "ENOIOCTLCMD", 1),
        ("io_uring/frob.c", "frob_set", "EIOCBQUEUED", 0),
        ("net/core/frob.c", "frob_iocb", "EIOCBQUEUED", 0),
        ("net/core/frob.c", "frob_set", "EIOCBQUEUED", 1),
        ("net/core/frob.c", "frob_set", "ERESTARTSYS", 0),
        ("net/core/frob_bpf.c", "frob_set", "ENOTSUPP", 0),
        ("drivers/pinctrl/frob.c", "frob_set", "ENOTSUPP", 0),
    ],
)
def test_where_an_internal_errno_is_agreed(path: str, name: str, errno: str, count: int) -> None:
    assert len(lines("DM303", body(f"\treturn -{errno};\n", f"int {name}(void)"), path=path)) == count


# DM306


def guarded(condition: str, call: str = 'NL_SET_ERR_MSG(extack, "bad size");', more: str = "") -> str:
    return body(f"{more}\tif ({condition}) {{\n\t\t{call}\n\t\treturn -EINVAL;\n\t}}\n\treturn 0;\n")


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("!IS_ALIGNED(len, fb->slot)", "`len` and `fb->slot`"),
        ("!(!likely(IS_ALIGNED(len, fb->slot)))", "`len` and `fb->slot`"),
        ("unlikely(len % fb->slot)", "`len` and `fb->slot`"),
        ("len & (slot - 1)", "`len` and `slot`"),
        ("!a || !IS_ALIGNED(a, b) || !IS_ALIGNED(c, d)", "`a`, `b` and `c`"),
        ("nla_get_u32(attr) < PAGE_SIZE", "`nla_get_u32(attr)`"),
    ],
)
def test_values_that_the_message_could_print(condition: str, values: str) -> None:
    ((line, level, text),) = told("DM306", guarded(condition))
    assert (line, level) == ('NL_SET_ERR_MSG(extack, "bad size");', "note")
    assert f"print {values}." in text


@pytest.mark.parametrize(
    "condition",
    [
        "!IS_ALIGNED(len, PAGE_SIZE)",
        "!is_power_of_2(len)",
        "len < PAGE_SIZE",
        "fb->dev != dev",
        "len & FROB_MASK",
        "!fb->ops",
        "frob_ready(fb)",
        "queue_idx >= fb->count",
        "nla_len(attr) % fb->unit",
        "mode == FROB_ONE",
    ],
)
def test_tests_without_values_worth_printing(condition: str) -> None:
    assert told("DM306", guarded(condition)) == []


def test_other_comparisons_are_a_guess() -> None:
    report, _ = run_example(RULES["DM306"], code("bad", "net/core/frob.c", guarded("len > fb->limit")))
    assert [(one.level, one.confidence) for one in report.findings] == [("note", "low")]


def test_values_from_user_space_are_followed_through_a_variable() -> None:
    more = "\tu32 size = nla_get_u32(attr);\n\n"
    assert len(told("DM306", guarded("!is_power_of_2(size) || size < PAGE_SIZE", more=more))) == 1
    assert told("DM306", guarded("!is_power_of_2(size) || size < PAGE_SIZE", more="\tu32 size = fb->size;\n\n")) == []


def test_messages_that_stand_elsewhere() -> None:
    text = 'NL_SET_ERR_MSG(extack, "bad size");'
    assert told("DM306", body(f"\t{text}\n")) == []
    assert told("DM306", body(f"\tif (!IS_ALIGNED(a, b))\n\t\tfrob();\n\telse\n\t\t{text}\n")) == []
    assert told("DM306", body(f"\tif (!IS_ALIGNED(a, b))\n\t\twhile (c)\n\t\t\t{text}\n")) == []
    assert told("DM306", guarded("!IS_ALIGNED(a, b)", "NL_SET_ERR_MSG(extack);")) == []
    assert told("DM306", guarded("!IS_ALIGNED(a, b)", 'NL_SET_ERR_MSG_FMT(extack, FROB_TEXT "%u", a);')) == []
    assert told("DM306", guarded("!IS_ALIGNED(a, b)", "NL_SET_ERR_MSG_FMT(extack);")) == []


def test_the_macro_for_modules_keeps_its_prefix() -> None:
    ((_, _, text),) = told("DM306", guarded("!IS_ALIGNED(a, b)", 'NL_SET_ERR_MSG_MOD(extack, "bad size");'))
    assert "NL_SET_ERR_MSG_FMT_MOD()" in text


def test_formats_against_declared_types() -> None:
    more = "\tconst char *name = fb->name;\n\tsize_t len = fb->len;\n\tu64 when = fb->when;\n\n"
    wrong = 'NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s %lu %u", name, len, when);'
    ((line, level, text),) = told("DM306", guarded("fb->bad", wrong, more))
    assert (line, level) == (wrong, "warning")
    assert "`len` is size_t" in text
    right = 'NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s %zu %llu %u", name, len, when, fb->count);'
    assert told("DM306", guarded("fb->bad", right, more)) == []
    uneven = 'NL_SET_ERR_MSG_FMT(extack, "%lu %u", len);'
    assert told("DM306", guarded("fb->bad", uneven, more)) == []


def test_a_text_must_fit() -> None:
    fits = 'NL_SET_ERR_MSG_FMT(extack, "' + "x" * 75 + '%u", a);'
    assert told("DM306", guarded("fb->bad", fits)) == []
    ((_, level, text),) = told("DM306", guarded("fb->bad", fits.replace("%u", "x%u")))
    assert level == "warning"
    assert "80 characters long (76 of them fixed)" in text


# DM309


@pytest.mark.parametrize(
    "statements",
    [
        "\tp = dma_buf_get(fd);\n\tif (!p)\n\t\treturn -1;\n",
        "\tp = dma_buf_get(fd);\n\tif (p == NULL || fb->off)\n\t\treturn -1;\n",
        "\tif (!(p = dma_buf_get(fd)))\n\t\treturn -1;\n",
        "\tfb->p = dma_buf_get(fd);\n\tfrob();\n\tif (unlikely(NULL == fb->p))\n\t\treturn -1;\n",
        "\tp = kzalloc(8, GFP_KERNEL);\n\tif (IS_ERR(p))\n\t\treturn -1;\n",
        "\tnm = page_pool_alloc_netmems(pool, GFP_ATOMIC);\n\tif (IS_ERR(nm))\n\t\treturn -1;\n",
        "\tif (xa_alloc_cyclic(x, &id, p, l, &n, g))\n\t\treturn -1;\n",
        "\terr = xa_alloc_cyclic(x, &id, p, l, &n, g);\n\tif (unlikely(err != 0))\n\t\treturn -1;\n",
    ],
)
def test_results_that_are_tested_in_the_wrong_way(statements: str) -> None:
    ((line, level, _),) = told("DM309", body(statements))
    assert line.startswith("if (")
    assert level == "error"


@pytest.mark.parametrize(
    "statements",
    [
        "\tp = dma_buf_get(fd);\n\tif (IS_ERR(p))\n\t\treturn -1;\n",
        "\tp = dma_buf_get(fd);\n\tif (!p || IS_ERR(p))\n\t\treturn -1;\n",
        "\tp = dma_buf_get(fd);\n\tif (!p)\n\t\treturn -1;\n\tif (IS_ERR(p))\n\t\treturn -2;\n",
        "\tp = dma_buf_get(fd);\n\tfrob(p);\n\tif (!p)\n\t\treturn -1;\n",
        "\tp = dma_buf_get(fd);\n\tif (fb->ready)\n\t\tfrob(p);\n\tif (!p)\n\t\treturn -1;\n",
        "\tint err;\n\n\terr = dma_heap_add(fb);\n\tif (!err)\n\t\treturn -1;\n",
        "\treturn dma_buf_get(fd);\n",
        "\tdma_buf_get(fd);\n\tif (!p)\n\t\treturn -1;\n",
        "\twhile (dma_buf_get(fd))\n\t\tfrob();\n",
        "\tp = kzalloc(8, GFP_KERNEL);\n\tif (IS_ERR_OR_NULL(p))\n\t\treturn -1;\n",
        "\tp = kzalloc(8, GFP_KERNEL);\n\tif (!p)\n\t\treturn -1;\n",
        "\terr = xa_alloc_cyclic(x, &id, p, l, &n, g);\n\tif (err < 0)\n\t\treturn err;\n",
        "\tif (xa_alloc_cyclic(x, &id, p, l, &n, g) < 0)\n\t\treturn -1;\n",
        "\tp = dma_buf_get(fd);\n",
    ],
)
def test_results_that_are_tested_well_or_out_of_sight(statements: str) -> None:
    assert told("DM309", body(statements)) == []


def test_a_test_far_away_is_not_looked_for() -> None:
    far = "\tp = dma_buf_get(fd);\n" + "\tfrob();\n" * 30 + "\tif (!p)\n\t\treturn -1;\n"
    assert told("DM309", body(far)) == []
    long = "\tp = dma_buf_get(fd);\n\tdo {\n" + "\t\tfrob();\n" * 70 + "\t} while (0);\n\tif (!p)\n\t\treturn -1;\n"
    assert told("DM309", body(long)) == []


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tx = f();\n\tif (IS_ERR(x))\n\t\treturn PTR_ERR(y);\n", 1),
        ("\tx = f(y);\n\tif (IS_ERR(x)) {\n\t\tfree(y);\n\t\treturn ERR_CAST(y);\n\t}\n", 1),
        ("\tif (IS_ERR(x))\n\t\treturn PTR_ERR(y);\n", 0),
        ("\tx = y = f();\n\tif (IS_ERR(x))\n\t\treturn PTR_ERR(y);\n", 0),
        ("\tx = f();\n\ty = x;\n\tif (IS_ERR(x))\n\t\treturn PTR_ERR(y);\n", 0),
        ("\tx = f();\n\tif (IS_ERR(x) || IS_ERR(y))\n\t\treturn PTR_ERR(y);\n", 0),
        ("\tx = f();\n\tif (IS_ERR(x)) {\n\t\tif (IS_ERR(y))\n\t\t\treturn PTR_ERR(y);\n\t}\n", 0),
        ("\tx = f();\n\tif (IS_ERR(x))\n\t\treturn PTR_ERR(x);\n", 0),
        ("\tx = f();\n\tif (x)\n\t\treturn PTR_ERR(y);\n", 0),
    ],
)
def test_the_error_of_another_pointer(statements: str, count: int) -> None:
    assert len(told("DM309", body(statements))) == count


@pytest.mark.parametrize(
    ("function", "count"),
    [
        ("static inline struct dma_buf *dma_buf_get(int fd)\n{\n\t/* off */\n\treturn NULL;\n}\n", 1),
        ("static inline struct dma_buf *dma_buf_get(int fd)\n{\n\treturn ERR_PTR(-EOPNOTSUPP);\n}\n", 0),
        ("struct dma_buf *dma_buf_get(int fd)\n{\n\tif (!fd)\n\t\tfrob();\n\treturn NULL;\n}\n", 0),
        ("static inline struct frob *frob_get(int fd)\n{\n\treturn NULL; /* dma_buf_get */\n}\n", 0),
    ],
)
def test_stubs(function: str, count: int) -> None:
    assert len(told("DM309", function, path="include/linux/frob.h")) == count


# DM310


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\treturn EINVAL;\n", 1),
        ("\treturn fb ? 0 : EINVAL;\n", 1),
        ("\tint err;\n\n\tif (!fb)\n\t\terr = ENOMEM;\n\telse\n\t\terr = -EIO;\n\tfrob(err);\n", 1),
        ("\tint ret = ENOTSUPP;\n\n\treturn ret;\n", 1),
        ("\tret = ENOMEM;\n\tfrob(ret);\n", 0),
        ("\tret = ENOMEM;\n\treturn -ret;\n", 0),
        ("\terr = ENOMEM;\n\tsk->sk_err = err;\n\treturn err;\n", 0),
        ("\tmode = EIO;\n\treturn mode;\n", 0),
        ("\tfb->err = EIO;\n\treturn 0;\n", 0),
        ("\treturn EFROB;\n", 0),
        ("\treturn -EINVAL;\n", 0),
        ("\treturn err == EINVAL;\n", 0),
    ],
)
def test_errnos_without_a_sign(statements: str, count: int) -> None:
    assert len(told("DM310", body(statements))) == count


def test_in_a_hunk_whose_function_is_not_named() -> None:
    before = "".join(f"#define FROB_{n} {n}\n" for n in range(4)) + "int frob_a = 1;\n"
    assert told("DM310", before + "int err = EINVAL;\n", before) == []


def test_a_condition_of_many_parts() -> None:
    condition = " || ".join(f"!is_power_of_2(a{number})" for number in range(2000))
    assert told("DM306", guarded(f"{condition} || !IS_ALIGNED(len, slot)")) == []
