"""Cut ends: hunks that begin and end anywhere."""

from __future__ import annotations

import random

import pytest
from code_values import fragment, named, whole

FUNCTION = "int frob_run(struct frob *f)"

CLEAN = {
    "statements": ("\tx = 1;\n\tfrob(x);\n", FUNCTION),
    "the end of a block": ("\t\treturn x;\n\t}\n\treturn 0;\n}\n", FUNCTION),
    "else": ("\telse if (x)\n\t\ty();\n", FUNCTION),
    "a brace and else": ("\t\tx();\n\t} else {\n\t\ty();\n", FUNCTION),
    "do while": ("\t\tx();\n\t} while (y);\n", FUNCTION),
    "an open block": ("\tif (x) {\n\t\ty();\n", FUNCTION),
    "an open condition": ("\tif (x &&\n\t    y ||\n", FUNCTION),
    "an open call": ("\tfrob(x,\n\t     y,\n", FUNCTION),
    "the end of a call": ("\t     x, y);\n\tz();\n", FUNCTION),
    "the end of a condition": ("\t    y && z) {\n\t\tx();\n\t}\n", FUNCTION),
    "the end of a condition in an operator": ("\t    && z)\n\t\tx();\n", FUNCTION),
    "half an expression": ("\tx = y +\n", FUNCTION),
    "the other half": ("\t    + y;\n\tx();\n", FUNCTION),
    "an if without statement": ("\tx();\n\tif (y)\n", FUNCTION),
    "an else without statement": ("\tif (y)\n\t\tx();\n\telse\n", FUNCTION),
    "an open for": ("\tfor (i = 0; i <\n", FUNCTION),
    "an open loop macro": ("\tfor_each_frob(a, b) {\n\t\tx();\n", FUNCTION),
    "a cut loop macro": ("\tfor_each_frob(a,\n", FUNCTION),
    "cases": ("\tcase A:\n\t\tbreak;\n\tcase B:\n\t\tx();\n", FUNCTION),
    "the end of a switch": ("\t\tbreak;\n\tdefault:\n\t\tx();\n\t}\n", FUNCTION),
    "a label": ("\treturn 0;\n\nerr:\n", FUNCTION),
    "a label first": ("err:\n\tx();\n\treturn y;\n}\n", FUNCTION),
    "a return without a value": ("\tx();\n\treturn\n", FUNCTION),
    "a do": ("\tx();\n\tdo\n", FUNCTION),
    "an open do": ("\tdo {\n\t\tx();\n", FUNCTION),
    "a body": ("{\n\tint x;\n\n\tx = 1;\n", FUNCTION),
    "a head's end": ("\t\tstruct frob *f, int n)\n{\n\treturn n;\n}\n", "int frob_run(int a,"),
    "a prototype's end": ("\t\tstruct frob *f, unsigned int n);\nint y(void);\n", "int frob_run(int a,"),
    "a head's begin": ("static int x(int a,\n\t     int b)\n", FUNCTION),
    "a head's cut": ("static int x(int a,\n", FUNCTION),
    "a head without its type": ("x(int a, struct frob *b)\n{\n\treturn a;\n}\n", "static int"),
    "a prototype without its type": ("x(int a, struct frob *b);\nint y(void);\n", "struct frob *"),
    "functions": ("\treturn 0;\n}\n\nint x(void)\n{\n\treturn 1;\n}\n\nint y(void)\n{\n\tz();\n", FUNCTION),
    "members": ("\tint a;\n\tstruct frob *b;\n\tu8 c : 3;\n", "struct frob_all {"),
    "the end of members": ("\tint a;\n\tu8 b : 1;\n};\n", "struct frob_all {"),
    "a nested struct": ("\t\tint a : 3;\n\t} b;\n\tint c : 2;\n", "struct frob_all {"),
    "an open struct": ("struct frob {\n\tint a;\n\tunion {\n\t\tint b;\n", ""),
    "entries of an enum": ("\tFROB_A,\n\tFROB_B = 3,\n", "enum {"),
    "the end of an enum": ("\tFROB_A,\n\tFROB_B,\n\n\t__FROB_MAX\n};\n", "enum frob {"),
    "an open enum": ("enum frob {\n\tFROB_A,\n", ""),
    "an initialiser": ("\t.a = 1,\n\t.b = x,\n", "static const struct frob frobs[] = {"),
    "the end of an initialiser": ("\t.b = x,\n};\n\nint y;\n", "static const struct frob frobs[] = {"),
    "an entry's end and an entry's begin": (
        "\t\t.b = x,\n\t},\n\t{\n\t\t.a = 2,\n",
        "static const struct frob frobs[] = {",
    ),
    "an open initialiser": ("static struct frob frobs[] = {\n\t{ 1, 2 },\n\t{ 3,\n", ""),
    "a designated initialiser": (
        "\t[FROB_A] = { .type = 1, },\n\t[FROB_B] = {\n",
        "static const struct frob frobs[] = {",
    ),
    "an initialiser in a function": ("\t\t.a = 1,\n\t\t.b = 2,\n\t};\n\n\tx(&frob);\n}\n", FUNCTION),
    "an open comment": ("\tx();\n\n\t/* It is\n\t * said\n", FUNCTION),
    "the end of a comment": (" * don't: it's said\n */\nint x(void)\n{\n\treturn 0;\n}\n", FUNCTION),
    "a comment's middle": (" * Some (text that\n * isn't code.\n *\n", FUNCTION),
    "the middle of a macro": ("\t\tx;\t\\\n\t} while (0)\n\nint y;\n", "#define FROB(x)"),
    "an open macro": ("#define FROB(x) \\\n\tdo { \\\n", ""),
    "an index": ("\tx = y[\n", FUNCTION),
    "the end of an index": ("\t\ti + 1] = y;\n", FUNCTION),
    "a conditional's second half": ("\tx();\n#else\n\ty();\n#endif\n\tz();\n", FUNCTION),
    "a conditional's first half": ("\tx();\n#ifdef FROB\n\ty();\n", FUNCTION),
    "a conditional in a list": ("\t.a = 1,\n#ifdef FROB\n\t.b = 2,\n#endif\n};\n", "struct frob frobs = {"),
    "a conditional in a condition": ("\tif (a\n#ifdef FROB\n\t    && b\n#endif\n\t    )\n\t\tx();\n", FUNCTION),
    "two heads for one block": ("#ifdef A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t\tx();\n\t}\n", FUNCTION),
    "an else before a conditional's end": ("#ifdef A\n\tif (a)\n\t\tx();\n\telse\n#endif\n\t\ty();\n", FUNCTION),
    "an else in a conditional": ("\tif (a)\n\t\tx();\n#ifdef A\n\telse if (b)\n\t\ty();\n#endif\n", FUNCTION),
    "code that is switched off": ("#if 0\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t\tx();\n\t}\n", FUNCTION),
    "a conditional that never was": ("#pragma frob\n\tx();\n", FUNCTION),
    "a statement expression": ("\tx = ({\n\t\tint a = 1;\n", FUNCTION),
    "a conditional operator": ("\t\t: b;\n\tx();\n", FUNCTION),
    "a list in a list": ("\t\t\t1, 2 },\n\t\t{ 3, 4 },\n\t},\n", "static const struct frob frobs[] = {"),
    "an unnamed struct's end": ("\t\t\tint a : 2;\n\t\t};\n\t};\n\tint b : 2;\n", "struct frob_all {"),
    "a pointer to a function in a struct": ("\t\t    int a, int b);\n\tint c : 2;\n};\n", "struct frob_all {"),
    "the end of a for": ("\t     i < n; i++) {\n\t\tx();\n\t}\n", FUNCTION),
    "a literal": ("\tx = (struct frob) {\n\t\t.a = 1,\n", FUNCTION),
    "nothing": ("\n", FUNCTION),
}


@pytest.mark.parametrize("case", CLEAN)
def test_is_closed_without_errors(case: str):
    text, section = CLEAN[case]
    unit = fragment(text, section)
    assert unit.errors == 0, (unit.root, unit.text)
    assert not unit.root.broken


@pytest.mark.parametrize("case", CLEAN)
def test_shows_the_visible_lines_and_nothing_else(case: str):
    unit = fragment(*CLEAN[case])
    size = len(unit.text)
    assert unit.root.kind == "translation_unit"
    orders = [node.order for node in unit.root.walk()]
    assert orders == sorted(set(orders))
    for node in unit.root.walk():
        assert 0 <= node.start <= node.end <= size
        assert node.text == unit.text[node.start : node.end]
        assert 0 <= node.row <= node.end_row < len(unit.lines)
        assert all(child.parent is node for child in node.children)


def test_nodes_of_the_frame_are_left_out():
    unit = fragment("\t\treturn x;\n\t}\n\treturn 0;\n}\n", FUNCTION)
    assert unit.find("function_definition") == ()
    assert [node.cut for node in unit.find("compound_statement")] == [True, True]
    assert [unit.whole(node) for node in unit.find("return_statement")] == [True, True]


def test_what_the_tail_closes_is_cut():
    unit = fragment("\tif (x) {\n\t\ty();\n", FUNCTION)
    (statement,) = unit.find("if_statement")
    assert statement.cut
    assert not unit.whole(statement)
    assert statement.text == "if (x) {\n\t\ty();"
    condition = statement.child("condition")
    assert condition is not None
    assert unit.whole(condition)


def test_the_first_branch_is_kept():
    unit = fragment("#ifdef A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t\tx();\n\t}\n", FUNCTION)
    assert [node.text for node in unit.find("identifier")] == ["a", "x"]
    unit = fragment("#if 0\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t\tx();\n\t}\n", FUNCTION)
    assert [node.text for node in unit.find("identifier")] == ["b", "x"]


def test_whole_branches_stay():
    unit = whole("#ifdef A\nint a(void)\n{\n\treturn 0;\n}\n#else\nint a(void);\n#endif\n")
    assert [node.kind for node in unit.find("preproc_ifdef", "preproc_else")] == ["preproc_ifdef", "preproc_else"]


def test_the_type_of_a_function_may_be_cut_off():
    unit = fragment("x(int a, struct frob *b)\n{\n\treturn a;\n}\n", "static int")
    (function,) = unit.functions
    assert (function.name, function.first_row, function.last_row, function.complete) == ("x", 0, 3, True)
    assert function.node is not None
    assert function.node.child("type") is None


def test_errors_are_counted_and_stay_local():
    good = "int x%d(void)\n{\n\treturn frob(%d);\n}\n\n"
    text = "".join(good % (number, number) for number in range(300))
    unit = whole(text + "int bad(void)\n{\n\tcase +, ) if ( = ;\n}\n\n" + text)
    assert 0 < unit.errors < 100
    assert len(unit.calls("frob")) == 600
    assert [node.broken for node in unit.calls("frob")] == [False] * 600


def test_a_long_file_keeps_its_conditionals():
    text = "#ifdef FROB\n" + "int x(void)\n{\n\treturn frob(1);\n}\n\n" * 300 + "#endif\n"
    unit = whole(text)
    assert unit.errors == 0
    assert len(unit.find("preproc_ifdef")) == 1
    assert len(unit.functions) == 300


@pytest.mark.parametrize(
    "piece",
    [
        "x = {( ] ;",
        "->* ",
        "case +,: ",
        "} else {\n",
        ".a = ",
        "(",
        ")",
        "{",
        "}",
        "/*",
        '"',
        "\x00",
        "#if x\n",
        "typeof(",
        "#else\n",
        "__free(",
        "struct_group(",
        "A_B(\n",
        "for_each_x(",
        "f(){\n{\n",
        "\tfoo(x) {\n",
        "a ",
        "\\\n",
        "\x85\x0c",
    ],
)
def test_rubbish_costs_little_and_loses_nothing(piece: str):
    unit = fragment("\t" + piece * (12_000 // len(piece)) + "\n", FUNCTION)
    assert unit.root.end == len(unit.text.encode())
    assert [function.name for function in unit.functions][:1] in ([], ["frob_run"])
    assert all(unit.at(node).file for node in unit.find("identifier")[:50])


def test_a_tree_is_never_too_high():
    unit = fragment("\tx = " + "-(" * 5000 + "y" + ")" * 5000 + ";\n", FUNCTION)
    assert max(sum(1 for _ in node.ancestors()) for node in list(unit.root.walk())[:3000]) <= 1000


def test_any_cut_of_a_function_can_be_read():
    text = (
        "static int frob_run(struct frob *f, unsigned int n)\n{\n\tstruct frob_entry *e;\n\tint err = -EINVAL, i;\n\n"
        '\tif (!f || n > 3) {\n\t\tfrob_warn("no %d",\n\t\t\t  n);\n\t\treturn -ENOENT;\n\t}\n\n'
        "\tlist_for_each_entry(e, &f->entries, list) {\n\t\t/* each\n\t\t * one\n\t\t */\n\t\tswitch (e->kind) {\n"
        "\t\tcase 1:\n\t\t\tbreak;\n\t\tdefault:\n\t\t\tgoto out;\n\t\t}\n\t}\n\n\tfor (i = 0;\n\t     i < n; i++)\n"
        "\t\tf->a[i] = (struct frob_cfg) {\n\t\t\t.x = 1,\n\t\t\t.y = 2,\n\t\t};\n\n\terr = 0;\nout:\n"
        "\treturn err;\n}\n"
    )
    lines = text.splitlines(keepends=True)
    order = random.Random(1)
    clean = tried = 0
    for start in range(1, len(lines) - 1):
        for size in (3, 7, order.randrange(4, 20)):
            unit = fragment("".join(lines[start : start + size]), "static int frob_run(struct frob *f, unsigned int n)")
            tried += 1
            clean += unit.errors == 0
            assert {function.name for function in unit.functions} <= {"frob_run"}
    assert clean >= 0.9 * tried


def test_the_name_of_a_loop_macro_is_the_text_of_its_keyword():
    unit = fragment("\tfor_each_frob(f, g) {\n\t\tx();\n\t}\n", FUNCTION)
    assert named(unit, "for_each_frob", "while").row == 0


def test_a_corpus_of_hunks_is_closed(corpus):
    from corpus_hunks import hunks_of

    seen = clean = 0
    for unit in hunks_of(corpus):
        seen += 1
        clean += unit.errors == 0
    assert seen > 30
    assert clean >= 0.9 * seen
