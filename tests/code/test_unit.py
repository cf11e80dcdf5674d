from __future__ import annotations

import pytest
from code_values import fragment, hunk, named, whole

from reviewer.code.node import Node
from reviewer.code.unit import Unit

SOURCE = """\
static int frob_limit;

static struct frob *frob_add(struct frob *f, const u8 *data)
{
	unsigned int i, *counts;
	struct scatterlist *sg;

	for_each_sgtable_dma_sg(f->sgt, sg, i) {
		f->total += sg_dma_len(sg);
		for (int k = 0; k < 3; k++)
			frob_one(f, k);
	}
	while (f->busy)
		cpu_relax();
	do {
		frob_two(f);
	} while (--i);
	scoped_guard(mutex, &f->lock)
		for (;;)
			frob_three(f);
	f->ops->run(f);
	return f;
}

SYSCALL_DEFINE2(frob, int, fd, struct frob __user *, arg)
{
	return frob_one(NULL, fd);
}

TEST(frob_works)
{
	frob_four();
}
"""


@pytest.fixture(scope="module")
def unit() -> Unit:
    return whole(SOURCE)


def test_parses_without_errors(unit: Unit):
    assert unit.errors == 0
    assert unit.rung == "blob"
    assert unit.path == "net/frob.c"
    assert unit.peers == ()
    assert repr(unit) == "<Unit net/frob.c new 33 lines>"


def test_functions(unit: Unit):
    assert [(f.name, f.first_row, f.last_row, f.complete) for f in unit.functions] == [
        ("frob_add", 2, 22, True),
        ("frob", 24, 27, True),
        ("frob_works", 29, 32, True),
    ]
    assert unit.function_at(0) is None
    assert unit.function_at(23) is None
    function = unit.function_of(unit.calls("frob_four")[0])
    assert function is not None
    assert function.name == "frob_works"


def test_loops(unit: Unit):
    heads = [(loop.head, [argument.text for argument in loop.arguments]) for loop in unit.loops]
    assert heads == [
        ("for_each_sgtable_dma_sg", ["f->sgt", "sg", "i"]),
        ("for", ["int k = 0;", "k < 3", "k++"]),
        ("while", ["f->busy"]),
        ("do", ["--i"]),
        ("for", []),
    ]
    assert [loop.body is not None and loop.body.kind for loop in unit.loops] == [
        "compound_statement",
        "expression_statement",
        "expression_statement",
        "compound_statement",
        "expression_statement",
    ]


@pytest.mark.parametrize(
    ("call", "head"),
    [
        ("frob_one", "for"),
        ("sg_dma_len", "for_each_sgtable_dma_sg"),
        ("cpu_relax", "while"),
        ("frob_two", "do"),
        ("frob_three", "for"),
        ("frob_four", None),
    ],
)
def test_innermost_loop(unit: Unit, call: str, head: str | None):
    loop = unit.loop_of(unit.calls(call)[0])
    assert (loop.head if loop else None) == head


def test_a_scoped_guard_is_no_loop():
    unit = fragment("\tscoped_guard(mutex, &f->lock) {\n\t\tfrob(f);\n\t}\n")
    assert unit.loops == ()
    assert unit.loop_of(unit.calls("frob")[0]) is None


def test_a_loop_whose_head_is_cut_is_none():
    unit = fragment("\t\t    i < n; i++) {\n\t\tfrob(f);\n\t}\n", "int frob_run(void)")
    assert unit.loops == ()
    unit = fragment("\tfor_each_frob(f) /* all */ {\n\t\tfrob(f);\n", "int frob_run(void)")
    (loop,) = unit.loops
    assert [argument.text for argument in loop.arguments] == ["f"]
    assert not unit.whole(loop.node)


def test_calls(unit: Unit):
    assert [call.text for call in unit.calls("frob_one", "frob_two", "frob_one")] == [
        "frob_one(f, k)",
        "frob_two(f)",
        "frob_one(NULL, fd)",
    ]
    assert unit.calls("frob_five") == ()
    assert unit.calls("total") == ()
    assert "f->ops->run(f)" in [call.text for call in unit.calls()]
    assert unit.mentions("frob_five", "busy")
    assert not unit.mentions("frob_five")


def test_find_is_in_document_order(unit: Unit):
    found = unit.find("call_expression", "for_statement", "call_expression")
    assert list(found) == sorted(found, key=lambda node: node.order)
    assert {node.kind for node in found} == {"call_expression", "for_statement"}
    assert unit.find("nothing") == ()


def test_node_reads_itself(unit: Unit):
    call = unit.calls("sg_dma_len")[0]
    assert call.field == "right"
    assert call.row == call.end_row == 8
    assert [node.kind for node in call.ancestors()][:3] == [
        "assignment_expression",
        "expression_statement",
        "compound_statement",
    ]
    function = call.child("function")
    assert function is not None
    assert function.text == "sg_dma_len"
    assert call.child("body") is None
    assert [child.text for child in call.named_children] == ["sg_dma_len", "(sg)"]
    assert [node.text for node in call.walk()] == ["sg_dma_len(sg)", "sg_dma_len", "(sg)", "(", "sg", ")"]
    assert repr(function) == f"<identifier {call.start}-{call.start + 10} 'sg_dma_len'>"
    assert not call.broken
    assert not call.missing


def test_where_a_node_is():
    change = hunk(" \tint x;\n-\tfrob(1);\n+\tfrob(2);\n \treturn x;\n }\n", "int frob_run(void)")
    ((before, after),) = change.units
    (old,), (new,) = before.calls("frob"), after.calls("frob")
    place = before.at(old)
    assert (place.kind, place.file, place.line, place.side, place.part) == ("code", "net/frob.c", 101, "old", 1)
    assert (place.function, place.text, place.body_line) == ("frob_run", "\tfrob(1);", 25)
    assert (after.at(new).line, after.at(new).body_line, after.at(new).side) == (101, 26, "new")
    assert after.touched(new)
    assert before.touched(old)
    assert not after.touched(after.find("return_statement")[0])
    assert after.touched(after.root)


def test_lines_of_a_whole_file_know_the_mail():
    from code_values import patch_of

    from reviewer.code.unit import whole_file_unit

    change = hunk(" int a;\n+int b;\n")
    shown = {line.new: line for line in change.file.hunks[0].lines if line.new}
    patch, series = patch_of("diff --git a/x.c b/x.c\nold mode 100644\nnew mode 100755\n")
    text = "int z;\n" * 99 + "int a;\nint b;"
    unit = whole_file_unit(text, file=change.file, patch=patch, series=series, side="new", rung="blob", shown=shown)
    assert len(unit.lines) == 101
    assert [(line.touched, line.body_line) for line in unit.lines[98:]] == [(False, None), (False, 24), (True, 25)]
    assert unit.touched(named(unit, "b"))
    assert not unit.touched(named(unit, "a"))


def test_odd_characters_keep_their_places():
    unit = whole("int a; /* \x00\x0c\x85\u2028 \ud800 grün */ int b = 'ü'; \x00 int c;\n")
    assert [node.text for node in unit.find("comment")] == ["/* \x00\x0c\x85\u2028 \ud800 grün */"]
    assert named(unit, "c").row == 0
    assert len(unit.lines) == 1
    cut = Node("x", 0, 1, unit.root._source)
    assert cut.text == "i"
    source = unit.root._source
    assert source.text(source.data.index("ü".encode()), source.data.index("ü".encode()) + 1) == "\ufffd"


NAMES = {
    "the rows up to the brace": (
        "\treturn 0;\n}\n\nint x;\n\nint frob_b(void)\n{\n\ty();\n",
        "int frob_a(void)",
        [("frob_a", 0, 1, False), ("frob_b", 5, 7, False)],
    ),
    "nothing before a head": ("int frob_b(void)\n{\n\treturn 0;\n}\n", "int frob_a(void)", [("frob_b", 0, 3, True)]),
    "no function outside": ("int x;\n\nint y;\n", "int frob_a(void)", []),
    "no function in a struct": ("\tint x;\n\tint y;\n", "struct frob {", []),
    "a body": ("{\n\treturn 0;\n}\n", "int frob_a(void)", [("frob_a", 0, 2, False)]),
    "a comment inside": ("\t/*\n\t * x\n\t */\n", "int frob_a(void)", [("frob_a", 0, 2, False)]),
    "a comment outside": ("/*\n * x\n */\n", "int frob_a(void)", []),
    "a prototype": ("\t   int b,\n\t   int c);\nint x;\n", "int frob_a(int a,", [("frob_a", 0, 1, False)]),
    "a head's end": ("\t   int b)\n{\n\tx();\n}\nint y;\n", "int frob_a(int a,", [("frob_a", 0, 3, False)]),
    "a head that ends the hunk": ("\nint frob_b(int a,\n\t   int b)\n", "", [("frob_b", 1, 2, False)]),
    "a pointer to pointer": ("struct f **frob_b(int a)\n{\n}\n", "", [("frob_b", 0, 2, True)]),
    "a head that does not parse": (
        "frob_t @ frob_b(int ) a {(\n\tint b)\n{\n\tx(;\n}\n\nint z(void)\n{\n}\n",
        "",
        [("frob_b", 0, 5, False), ("z", 6, 8, True)],
    ),
    "a head that is hidden": (
        "frob_t 3 3 ( frob_b{(int\n\tint b);\n\n#endif\nFROB(3 frob_c(int\n)))\n{\n\tx(;\n}\n",
        "",
        [("FROB", 4, 8, False)],
    ),
    "a brace below something else": ("@ 3 ) @\n\nint frob_x = 3 @ (\n)))\n{\n\tx(;\n", "", []),
    "no head to find": ("\n\n{\n\tx();\n}\n", "", []),
    "a macro without parameters": ("FROB_TEST()\n{\n}\n", "", [("FROB_TEST", 0, 2, True)]),
}


@pytest.mark.parametrize("case", NAMES)
def test_names_of_functions(case: str):
    text, section, expected = NAMES[case]
    unit = fragment(text, section)
    found = [(f.name, f.first_row, f.last_row, f.complete) for f in unit.functions]
    assert found == expected


def test_a_function_may_return_a_function():
    unit = whole("int (*frob_pick(int a))(int b)\n{\n\treturn frob_one;\n}\n")
    assert [function.name for function in unit.functions] == ["frob_pick"]


def test_odd_heads_have_no_name():
    assert whole("int frob\n{\n\treturn 1;\n}\n").functions == ()


def test_heads_that_are_cut_or_commented():
    unit = fragment("\tfor_each_frob(f /* all */, g)\n\t\tx();\n\tdo {\n\t\ty();\n", "int frob_run(void)")
    assert [(loop.head, [node.text for node in loop.arguments]) for loop in unit.loops] == [
        ("for_each_frob", ["f", "g"]),
        ("do", []),
    ]
