from __future__ import annotations

from code_values import changes, edit, hunk

BEFORE = """\
int frob_a(void)
{
	return 1;
}

int frob_b(void)
{
	int err;

	err = frob_a();
	if (err)
		return -EINVAL;
	return 0;
}
"""

AFTER = """\
int frob_a(void)
{
	frob_new();
	return 1;
}

int frob_b(void)
{
	int err;

	err = frob_a();
	if (err)
		return -E2BIG;
	frob_more();
	return 0;
}
"""


def test_units_of_hunks():
    change = edit(BEFORE, AFTER, context=1)
    assert [[len(unit.lines) for unit in pair] for pair in change.units] == [[2, 3], [3, 4]]
    assert [unit.rung for pair in change.units for unit in pair] == ["hunk"] * 4
    (old, new), (old_2, new_2) = change.units
    assert (old.side, new.side) == ("old", "new")
    assert old.peers == (old_2,)
    assert new_2.peers == (new,)
    assert change.units is change.units
    assert [line.number for line in new_2.lines] == [12, 13, 14, 15]
    assert [line.touched for line in new_2.lines] == [False, True, True, False]


def test_groups():
    change = hunk(" a;\n-b;\n-c;\n+d;\n e;\n+f;\n g;\n-h;\n")
    groups = [([line.text for line in group.removed], [line.text for line in group.added]) for group in change.groups]
    assert groups == [(["b;", "c;"], ["d;"]), ([], ["f;"]), (["h;"], [])]
    assert change.groups[0].hunk is change.file.hunks[0]


def test_nodes_that_begin_on_lines():
    change = edit(BEFORE, AFTER)
    (group,) = [group for group in change.groups if group.removed]
    assert [node.text for node in change.nodes(group.removed, "unary_expression", "call_expression")] == ["-EINVAL"]
    assert [node.text for node in change.nodes(group.added, "unary_expression", "call_expression")] == [
        "-E2BIG",
        "frob_more()",
    ]
    assert change.nodes(group.added)[0].text == "return -E2BIG;"
    assert change.nodes((), "identifier") == ()


def test_where_a_line_is():
    change = edit(BEFORE, AFTER, context=6)
    (group,) = [group for group in change.groups if group.removed]
    old, new = change.at(group.removed[0]), change.at(group.added[0])
    assert (old.line, old.side, old.text, old.function) == (12, "old", "\t\treturn -EINVAL;", "frob_b")
    assert (new.line, new.side, new.text, new.function, new.part) == (13, "new", "\t\treturn -E2BIG;", "frob_b", 1)
    assert new.body_line == group.added[0].body_line
    first = change.groups[0].added[0]
    assert change.function_of(first) == "frob_a"


def test_a_function_from_the_heading():
    change = hunk(" \tint x;\n+\tfrob();\n \treturn x;\n", "static int frob_run(struct frob *f)")
    assert change.function_of(change.groups[0].added[0]) == "frob_run"
    change = hunk(" }\n \n+int x;\n \n", "static int frob_run(struct frob *f)")
    assert change.function_of(change.groups[0].added[0]) is None


def test_a_new_file_is_one_unit():
    text = "".join(f"+{line}\n" for line in AFTER.splitlines())
    head = "diff --git a/net/new.c b/net/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/net/new.c\n"
    (change,) = changes(head + f"@@ -0,0 +1,{len(AFTER.splitlines())} @@\n" + text)
    ((before, after),) = change.units
    assert (before.lines, before.rung, before.functions, before.loops) == ((), "new", (), ())
    assert before.find("identifier") == ()
    assert (after.rung, after.text, after.errors) == ("new", AFTER, 0)
    assert [(function.name, function.complete) for function in after.functions] == [("frob_a", True), ("frob_b", True)]


def test_what_is_not_c_has_groups_but_no_units():
    change = hunk(" a: 1\n-b: 2\n+b: 3\n", path="Documentation/frob.yaml")
    assert change.units == ()
    assert len(change.groups) == 1
    line = change.groups[0].added[0]
    assert change.function_of(line) is None
    assert change.place_of(line) is None
    assert change.nodes((line,), "identifier") == ()
    assert change.at(line).file == "Documentation/frob.yaml"


def test_a_patch_has_a_change_for_each_file():
    one = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-int a;\n+int b;\n"
    found = changes(one.format("a.c") + one.format("b.h") + one.format("c.rst"))
    assert [(change.file.path, len(change.units)) for change in found] == [("a.c", 1), ("b.h", 1), ("c.rst", 0)]
