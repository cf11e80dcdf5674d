"""The flow of a function: what it consists of, and what runs on the way out."""

from __future__ import annotations

from driver import MAIN, Tree, opened

from reviewer.code.change import changes_of
from reviewer.code.control import Flow, flow_of, label_of, way_out

FUNCTION = """\
static int frob_open(struct frob *fb)
{
	int err = 0;

	if (!fb)
		return -EINVAL;
	for_each_slot(fb, i) {
		err = frob_map(fb, i);
		if (err)
			goto unmap;
	}
	switch (fb->state) {
	case FROB_ON:
		goto done;
	default:
		break;
	}
	goto missing;
again:
	err = 1;
	goto again;
unmap:
	frob_unmap(fb);
	{
		frob_log(fb);
	}
free:
	frob_free(fb);
	goto done;
done:
	return err;
}

static void frob_close(struct frob *fb)
{
	if (fb)
		goto out;
	frob_unmap(fb);
out:
	frob_free(fb);
}
"""


def flows(clone: Tree, text: str = FUNCTION) -> dict[str, Flow | None]:
    clone.commit("frob: open", {"drivers/net/frob/open.c": text})
    series = opened(clone.mails())
    (change,) = changes_of(series.patches[0], series)
    unit = change.units[0][1]
    return {function.name: flow_of(unit, function) for function in unit.functions}


def test_what_a_function_consists_of(clone: Tree) -> None:
    flow = flows(clone)["frob_open"]
    assert flow is not None
    assert [node.kind for node in flow.branches] == ["if_statement", "if_statement", "switch_statement"]
    assert [loop.head for loop in flow.loops] == ["for_each_slot"]
    assert list(flow.labels) == ["again", "unmap", "free", "done"]
    assert [label_of(node) for node in flow.gotos] == ["unmap", "done", "missing", "again", "done"]
    assert [node.text for node in flow.returns] == ["return -EINVAL;", "return err;"]
    assert [node.text for node in flow.statements][:3] == ["int err = 0;", "return -EINVAL;", "err = frob_map(fb, i);"]
    assert label_of(flow.body) == ""


def ways(flow: Flow | None) -> list[list[str]]:
    assert flow is not None
    return [[node.text for node in way_out(flow, start)] for start in (*flow.gotos, *flow.returns)]


def test_ways_out_follow_labels(clone: Tree) -> None:
    found = flows(clone)
    assert ways(found["frob_open"]) == [
        ["goto unmap;", "frob_unmap(fb);", "frob_log(fb);", "frob_free(fb);", "goto done;", "return err;"],
        ["goto done;", "return err;"],
        ["goto missing;"],
        ["goto again;", "err = 1;", "goto again;"],
        ["goto done;", "return err;"],
        ["return -EINVAL;"],
        ["return err;"],
    ]
    assert ways(found["frob_close"]) == [["goto out;", "frob_free(fb);"]]


def test_a_function_that_is_not_all_there_has_no_flow(clone: Tree) -> None:
    clone.edit("frob: change", MAIN, ("int left = 3;", "int left = 33;"))
    series = opened(clone.mails())
    (change,) = changes_of(series.patches[0], series)
    unit = change.units[0][1]
    assert [flow_of(unit, function) for function in unit.functions] == [None] * len(unit.functions)


def test_broken_code_has_no_flow(clone: Tree) -> None:
    found = flows(clone, FUNCTION.replace("goto unmap;", "goto ) unmap;"))
    assert found["frob_open"] is None
    assert found["frob_close"] is not None
