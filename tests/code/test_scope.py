from __future__ import annotations

import pytest
from code_values import fragment, named, whole

from reviewer.code.expressions import arguments, callee, fields, identifiers, operator, spelled, unparenthesised
from reviewer.code.scope import declared, declared_type, enclosing, preceding, statement_of
from reviewer.code.unit import Unit

SOURCE = """\
static const struct frob_ops *ops, *more;
extern int frob_limit;
int frob_count(void);

static int frob_run(struct frob *f, const u8 data[4], unsigned long flags, int (*done)(int))
{
	unsigned int i, *counts, table[3];
	struct scatterlist **sgs = NULL;
	struct { int a; } pair;
	size_t len = f->len;

	if (!len)
		return -EINVAL;
	for (int k = 0; k < 3; k++) {
		u64 len = k;

again:
		frob_one(len, k);
#ifdef FROB
		flags |= 1;
#endif
		switch (len) {
		case 1:
			i = 2;
			frob_two(i);
		}
	}
	return 0;
}

static int last;
"""


@pytest.fixture(scope="module")
def unit() -> Unit:
    return whole(SOURCE)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ops", "const struct frob_ops *"),
        ("more", "const struct frob_ops *"),
        ("frob_limit", "int"),
        ("f", "struct frob *"),
        ("data", "const u8"),
        ("flags", "unsigned long"),
        ("i", "unsigned int"),
        ("counts", "unsigned int *"),
        ("table", "unsigned int"),
        ("sgs", "struct scatterlist **"),
        ("pair", "struct"),
        ("k", "int"),
        ("len", "u64"),
        ("frob_count", None),
        ("done", None),
        ("last", None),
        ("nothing", None),
    ],
)
def test_types_of_names(unit: Unit, name: str, kind: str | None):
    call = unit.calls("frob_two")[0]
    assert declared_type(unit, name, call) == kind


def test_a_name_may_be_a_node(unit: Unit):
    call = unit.calls("frob_one")[0]
    found = declared(unit, arguments(call)[0], call)
    assert found is not None
    assert (found.type, found.stars, found.array, found.node.text) == ("u64", 0, False, "u64 len = k;")
    assert declared_type(unit, "len", unit.find("return_statement")[0]) == "size_t"
    table = declared(unit, "table", call)
    assert table is not None
    assert table.array


def test_the_own_declaration_and_the_head_of_a_loop_count(unit: Unit):
    assert declared_type(unit, "k", named(unit, "k < 3")) == "int"
    assert declared_type(unit, "len", named(unit, "f->len")) == "size_t"
    unit = whole("int f(void)\n{\n\tfor (u8 a = 0; ; )\n\t\tfrob(a);\n}\n")
    assert declared_type(unit, "a", unit.calls("frob")[0]) == "u8"


def test_what_is_not_visible_has_no_type():
    unit = fragment("\tfrob(x);\n", "int frob_run(void)")
    assert declared_type(unit, "x", unit.calls("frob")[0]) is None


def test_statements_before(unit: Unit):
    before = [node.text.split("\n")[0] for node in preceding(unit.calls("frob_two")[0])]
    assert before == [
        "i = 2;",
        "flags |= 1;",
        "frob_one(len, k);",
        "u64 len = k;",
        "if (!len)",
        "size_t len = f->len;",
        "struct { int a; } pair;",
        "struct scatterlist **sgs = NULL;",
        "unsigned int i, *counts, table[3];",
    ]


def test_statement_and_enclosing(unit: Unit):
    call = unit.calls("frob_two")[0]
    assert statement_of(call).text == "frob_two(i);"
    assert statement_of(statement_of(call)).text == "frob_two(i);"
    case = enclosing(call, "case_statement", "for_statement")
    assert case is not None
    assert case.kind == "case_statement"
    assert enclosing(call, "do_statement") is None


def test_expressions():
    unit = fragment(
        "\tx = ((a /* why */ -> b . c)) + frob(min_t(unsigned  int, d, e->f), \"a  b\" /* c */, 'd') + sizeof (g);\n"
        "\tf->run(1);\n\tx += 1;\n"
    )
    call = unit.calls("frob")[0]
    assert callee(call) == "frob"
    assert [argument.text for argument in arguments(call)] == ["min_t(unsigned  int, d, e->f)", '"a  b"', "'d'"]
    assert identifiers(call) == ("frob", "min_t", "unsigned  int", "d", "e")
    assert fields(unit.root) == ("b", "c", "f", "run")
    assert callee(unit.calls()[-1]) is None
    assert arguments(unit.root) == ()
    inner = unparenthesised(unit.find("parenthesized_expression")[0])
    assert (inner.kind, spelled(inner)) == ("field_expression", "a->b.c")
    assert unparenthesised(inner) is inner
    assert spelled(call) == "frob(min_t(unsigned int,d,e->f),\"a  b\",'d')"
    assert [operator(node) for node in unit.find("assignment_expression")] == ["=", "+="]
    assert operator(call) is None
    unit = fragment("\twhile (a, b)\n\t\tx();\n")
    pair = unit.find("parenthesized_expression")[0]
    assert unparenthesised(pair).kind == "comma_expression"
    unit = fragment("\tx = ( /* nothing */ );\n")
    empty = unit.find("parenthesized_expression")
    assert all(unparenthesised(node).kind for node in empty)


def test_what_is_asked_of_a_long_function_costs_little():
    body = "".join(f"\tu8 a{number} = 1 << shift;\n" for number in range(1200))
    unit = whole("void f(int shift)\n{\n" + body + "}\n")
    last = unit.find("binary_expression")[-1]
    assert sum(1 for _ in preceding(last)) == 1000
    for node in unit.find("binary_expression"):
        assert declared_type(unit, "shift", node) == "int"
    again = whole("void f(void)\n{\n" + "\t{\n\t\tu8 a;\n\t}\n" * 100 + "\tfrob(a);\n}\n")
    assert declared_type(again, "a", again.calls("frob")[0]) is None


def test_a_label_and_a_conditional_do_not_hide():
    unit = fragment("\nout:\n\tint a;\n#ifdef FROB\n\tu8 b;\n#endif\n\tfrob(a, b);\n", "int frob_run(void)")
    call = unit.calls("frob")[0]
    assert (declared_type(unit, "a", call), declared_type(unit, "b", call)) == ("int", "u8")
    unit = whole("struct frob { int a; } all, *some;\nvoid f(void)\n{\n\tfrob(all);\n}\n")
    call = unit.calls("frob")[0]
    assert (declared_type(unit, "all", call), declared_type(unit, "some", call)) == ("struct frob", "struct frob *")


def test_words_stay_apart():
    unit = whole("int f(void)\n{\n\treturn   sizeof\n\t\tx + (a, b) /* sum */;\n}\n")
    assert spelled(unit.find("return_statement")[0]) == "return sizeof x+(a,b);"
    assert operator(unit.find("parenthesized_expression")[0]) is None
    pair = whole("int x = ({ int a; a; });\n").find("parenthesized_expression")[0]
    assert unparenthesised(pair).kind == "compound_statement"
    assert unparenthesised(whole("int x = ();\n").root).kind == "translation_unit"
