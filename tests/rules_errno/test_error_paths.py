"""DM307 and DM308 on functions of our own: what is returned on the way out."""

from __future__ import annotations

import pytest
from errno_telling import body, lacking, lines, said

# DM307

END = "\treturn 0;\nerr_put:\n\tfrob_put(fb);\n\treturn err;\n"


def jump(before: str, test: str = "fb->odd", end: str = END, branch: str = "\t\tgoto err_put;\n") -> str:
    return body(f"\tint err;\n\n{before}\tif ({test})\n{branch}{end}")


AFTER_CALL = "\terr = frob_a(fb);\n\tif (err)\n\t\treturn err;\n"


@pytest.mark.parametrize(
    "before",
    [
        AFTER_CALL,
        AFTER_CALL.replace("(err)", "(unlikely(err < 0))"),
        AFTER_CALL.replace("(err)", "(err != 0)"),
        "\tif ((err = frob_a(fb)))\n\t\treturn err;\n",
        "\terr = 0;\n\tfrob_b(fb);\n",
        "\terr = frob_a(fb);\n\tif (err)\n\t\tgoto err_put;\n\tfrob_b(&fb->x);\n",
    ],
)
def test_the_variable_is_surely_zero(before: str) -> None:
    assert said("DM307", jump(before))[-1] == ("goto err_put;", "warning", "medium")
    assert said("DM307", jump(before, "frob_odd(fb)"))[-1] == ("goto err_put;", "error", "medium")


def test_whoever_complains_means_a_failure() -> None:
    branch = '\t{\n\t\tnetdev_err(dev, "odd");\n\t\tgoto err_put;\n\t}\n'
    assert said("DM307", jump(AFTER_CALL, branch=branch)) == [("goto err_put;", "error", "medium")]


def test_enclosing_ifs_are_looked_through_and_error_pointers_too() -> None:
    nested = body(f"\tint err = 0;\n\n\tif (fb->a) {{\n\t\tif (fb->b)\n\t\t\tgoto err_put;\n\t}}\n{END}")
    assert lines("DM307", nested) == ["goto err_put;"]
    pointer = jump(AFTER_CALL, end=END.replace("return err;", "return ERR_PTR(err);"))
    assert lines("DM307", pointer) == ["goto err_put;"]
    chained = END.replace("err_put:\n", "err_free:\n\tfrob_free(fb);\nerr_put:\nerr_last:\n")
    assert lines("DM307", jump(AFTER_CALL, end=chained)) == ["goto err_put;"]


@pytest.mark.parametrize(
    ("before", "test", "end", "branch"),
    [
        ("\terr = -EINVAL;\n", "fb->odd", END, None),
        ("\terr = frob_a(fb);\n", "fb->odd", END, None),
        (AFTER_CALL, "err || fb->odd", END, None),
        (AFTER_CALL, "fb->odd", END, "\t{\n\t\terr = -EIO;\n\t\tgoto err_put;\n\t}\n"),
        (AFTER_CALL, "fb->odd", END, "\t{\n\t\t/* nothing to do */\n\t\tgoto err_put;\n\t}\n"),
        (AFTER_CALL + "\tfrob_b(&err);\n", "fb->odd", END, None),
        (AFTER_CALL + "\terr++;\n", "fb->odd", END, None),
        (AFTER_CALL + "again:\n\tfrob_b(fb);\n", "fb->odd", END, None),
        (AFTER_CALL.replace("\t\treturn err;\n", "\t\tfrob_b(fb);\n"), "fb->odd", END, None),
        (AFTER_CALL.replace("(err)", "(err == -EIO)"), "fb->odd", END, None),
        (AFTER_CALL + "\terr = frob_b(fb);\n", "fb->odd", END, None),
        (AFTER_CALL, "fb->odd", END.replace("err_put:\n", "err_put:\n\terr = -EIO;\n"), None),
        (AFTER_CALL, "fb->odd", END.replace("return err", "return -EIO"), None),
        (AFTER_CALL, "fb->odd", END.replace("return err;", "return;"), None),
        (AFTER_CALL, "fb->odd", END.replace("return err;", "goto last;\nlast:\n\treturn err;"), None),
        (AFTER_CALL, "fb->odd", END.replace("\treturn 0;\n", ""), None),
        (AFTER_CALL, "fb->odd", END.replace("return 0;", "goto err_put;"), None),
        (AFTER_CALL, "fb->odd", END.replace("\treturn err;\n", ""), None),
    ],
)
def test_jumps_that_may_be_right(before: str, test: str, end: str, branch: str | None) -> None:
    text = jump(before, test, end, branch) if branch else jump(before, test, end)
    assert lines("DM307", text) == []


def test_a_loop_around_the_jump_leaves_it_open() -> None:
    assert lines("DM307", body(f"\tint err = 0;\n\n\twhile (fb->a)\n\t\tif (fb->b)\n\t\t\tgoto err_put;\n{END}")) == []
    many = AFTER_CALL + "\tfrob_b(fb);\n" * 70
    assert lines("DM307", jump(many)) == []
    long = AFTER_CALL + "\tdo {\n" + "\t\tfrob_b(fb);\n" * 220 + "\t} while (0);\n"
    assert lines("DM307", jump(long)) == []


def test_a_label_in_a_block_of_its_own_and_one_that_is_never_left() -> None:
    inner = body(f"\tint err = 0;\n\n\tif (fb->b)\n\t\tgoto err_put;\n\tif (fb->c)\n\t\terr_put: frob(fb);\n{END[:11]}")
    assert lines("DM307", inner) == []


def test_a_label_out_of_sight_is_said_to_be_missing() -> None:
    rest = "".join(f"\tfrob_{letter}(fb);\n" for letter in "cdefgh")
    old = body(f"\tint err;\n\n{AFTER_CALL}{rest}{END}")
    new = old.replace("\tfrob_c(fb);\n", "\tif (frob_c(fb))\n\t\tgoto err_put;\n")
    assert lines("DM307", new, old) == []
    assert lacking("DM307", new, old)
    assert not lacking("DM307", new.replace("err_put", "out"), old)


# DM308

LOOP = "\tfor (i = 0; i < n; i++)\n\t\terr = frob_one(fb, i);\n"
HEAD = "int frob_all(struct frob *fb, int n)"


def looped(loop: str = LOOP, end: str = "\treturn err;\n", first: str = "\tint err;\n", head: str = HEAD) -> str:
    return body(f"{first}\tint i;\n\n{loop}{end}", head)


@pytest.mark.parametrize(
    ("loop", "level"),
    [
        (LOOP, "note"),
        (LOOP.replace("i < n", "i < fb->count"), "warning"),
        ("\twhile (frob_more(fb))\n\t\terr = frob_next(fb);\n", "warning"),
        ("\twhile (n--) {\n\t\tfor (i = 0; i < 3; i++)\n\t\t\terr = frob_one(fb, i);\n\t}\n", "note"),
        ("\tlist_for_each_entry(slot, &fb->slots, node)\n\t\terr = frob_one(slot, 0);\n", "warning"),
    ],
)
def test_what_only_a_loop_sets(loop: str, level: str) -> None:
    assert said("DM308", looped(loop)) == [("int err;", level, "medium")]


@pytest.mark.parametrize(
    "end", ["\tfrob_end(fb);\n\treturn err;\n", "\treturn ERR_PTR(err);\n", "\treturn i ? 0 : err;\n"]
)
def test_ways_to_return_it(end: str) -> None:
    assert lines("DM308", looped(end=end)) == ["int err;"]


@pytest.mark.parametrize(
    "text",
    [
        looped(first="\tint err = 0;\n"),
        looped(first="\tstatic int err;\n"),
        looped("\terr = 0;\n" + LOOP),
        looped(LOOP.replace("i < n", "i < 4")),
        looped(LOOP.replace("i < n", "i < FROB_MOST")),
        looped(LOOP.replace("i < n", "i < ARRAY_SIZE(frobs)")),
        looped(LOOP.replace("i = 0; i < n; i++", ";;")),
        looped("\twhile (1)\n\t\terr = frob_next(fb);\n"),
        looped("\tdo {\n\t\terr = frob_next(fb);\n\t} while (n);\n"),
        looped("\tif (n < 1)\n\t\treturn 0;\n" + LOOP),
        looped("\tfrob_for_each(fb, err)\n\t\terr = frob_next(fb);\n"),
        looped("\tif (fb) {\n" + LOOP + "\t}\n"),
        looped(LOOP + "\terr = frob_end(fb);\n"),
        looped("\tfrob_init(fb, &err);\n" + LOOP),
        looped(end="\tif (!i)\n\t\treturn 0;\n\treturn err;\n"),
        looped(end="\tfrob_log(err);\n\treturn err;\n"),
        looped(end="\treturn 0;\n"),
        looped(end=""),
        looped("\terr = frob_one(fb, 0);\n"),
        looped(""),
        looped(end="\treturn frob_give(err);\n"),
    ],
)
def test_what_has_a_value_or_cannot_be_told(text: str) -> None:
    assert lines("DM308", text) == []


def test_old_functions_are_left_alone() -> None:
    assert (
        lines(
            "DM308", looped(end="\tfrob_end(fb, 1);\n\treturn err;\n"), looped(end="\tfrob_end(fb);\n\treturn err;\n")
        )
        == []
    )


REFILL = looped(end="\treturn i ? 0 : err;\n", head="static int frob_refill(struct frob *fb, int n)")
COUNT = body(
    "\tint n = 0;\n\tint i;\n\n\tfor (i = 0; i < 9; i++)\n\t\tif (fb->free[i])\n\t\t\tn++;\n\treturn n;\n",
    "static int frob_count(struct frob *fb)",
)
CALL = body("\tint want;\n\n\twant = frob_count(fb);\n\treturn frob_refill(fb, 3);\n", "int frob_go(struct frob *fb)")


def test_a_count_that_may_now_be_zero() -> None:
    old = REFILL + COUNT + CALL
    new = old.replace("fb, 3)", "fb, want)")
    assert said("DM308", new, old, context=40) == [("return frob_refill(fb, want);", "note", "low")]
    assert said("DM308", new, old) == []
    guarded = new.replace("\treturn frob_refill", "\tif (!want)\n\t\treturn 0;\n\treturn frob_refill")
    assert said("DM308", guarded, old, context=40) == []
    assert (
        said("DM308", new.replace("int n = 0;", "int n = 1;"), old.replace("int n = 0;", "int n = 1;"), context=40)
        == []
    )


def test_the_end_of_the_called_function_is_enough() -> None:
    long = REFILL.replace("\tint i;\n", "\tint i;\n" + "\tfrob_wait(fb);\n" * 12)
    old = long + COUNT + CALL
    new = old.replace("fb, 3)", "fb, want)").replace("\tint n = 0;", "\tint n = 0; /* so far */")
    assert said("DM308", new, old, context=8) == [("return frob_refill(fb, want);", "note", "low")]


def test_without_such_a_function_no_call_is_asked() -> None:
    full = REFILL.replace("\tint err;", "\tint err = 0;") + COUNT + CALL
    assert said("DM308", full.replace("fb, 3)", "fb, want)"), full, context=40) == []
