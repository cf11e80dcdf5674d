"""DM307: a failure jumps to the error label while the variable that is returned there holds no error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.rule import CodeRule, Example, Find, Hit, Lack, Result, Unit, code

from ._jumps import Jump, complains, explained, jumps, label_of, returned_at, surely_zero

_ERROR_LABEL = re.compile(r"err|fail|undo|unwind|rollback|revert|free|put|detach|unmap|destroy|release|abort|bad")

_USUAL = ("err", "ret", "error", "rc", "retval")


class GotoWithoutErrno(CodeRule):
    """A check fails, control goes to the error label, and the function returns 0.

    What it does: for each new `if` that goes to a label without setting the variable that is returned there, it looks
    back for the last thing that happened to the variable. When that was a test that let only success pass, or an
    assignment of 0, the failure is reported as success. An error where the test calls something or the branch
    complains (a log, an extack); else a warning, since the function may just have nothing to do.

    Why it matters: the caller goes on as if all were well, with what the error path has just freed.

    When it stays silent: labels that the way of success goes through too, by falling into them or by a goto of its
    own; jumps that a comment explains; conditions that ask for the variable; loops and switches around the jump;
    variables whose value cannot be told. Where the label is not in sight and the variable is surely 0, the rule says
    that it needs the whole function.

    Sources: Documentation/process/coding-style.rst, 7; <53433089-7beb-46cf-ae8a-6c58cd909e31@redhat.com>; RULES.md
    DM307.
    """

    id = "DM307"
    name = "goto-without-errno"
    title = "Goto the error label without an errno"
    why = "The function reports success although a check failed, and its caller uses what the error path gave back."
    level = "error"
    confidence = "medium"
    category = "errno-choice"
    needs = ("function",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**", "!src/**", "!**/examples/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each jump, and a lack where the label is out of sight."""
        if not unit.mentions("goto"):
            return
        for jump in jumps(unit):
            if not unit.touched(jump.test) or not _ERROR_LABEL.search(jump.label) or explained(jump):
                continue
            if label_of(unit, jump) is None:
                if any(surely_zero(unit, jump, name) for name in _USUAL):
                    yield Lack("function")
                continue
            variable = returned_at(unit, jump)
            if variable is not None and surely_zero(unit, jump, variable):
                yield _hit(unit, jump, variable)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: after a call that worked, after 0. Look-alikes: set before, success goes there too, a count."""
        path = "net/core/frob.c"
        late = _START.replace("\tif (!fb->ready)\n\t\tgoto", "\terr = -ENODEV;\n\tif (!fb->ready)\n\t\tgoto")
        return (
            code("bad", path, _START, finds=[Find(line="goto err_detach;", level="warning")]),
            code("bad", path, _ZERO, finds=[Find(line="goto free_slots;")]),
            code("good", path, _START.replace(_READY, _READY_SET)),
            code("good", path, late),
            code(
                "look-alike", path, _START.replace("\treturn 0;\n", ""), note="the way of success falls into the label"
            ),
            code("look-alike", path, _START.replace("\treturn 0;", "\tgoto err_detach;"), note="it goes there, too"),
            code("look-alike", path, _START.replace("err_detach", "out"), note="a label for all that is over"),
            code(
                "look-alike", path, _START.replace(_READY, "\t/* nothing to do yet */\n" + _READY), note="it says why"
            ),
            code("look-alike", path, _LOOP, note="an earlier round may have set it"),
            code("look-alike", path, _ASKED, note="the condition asks for it"),
        )


def _hit(unit: Unit, jump: Jump, variable: str) -> Hit:
    return Hit(
        at=unit.at(jump.goto),
        message=f"`{variable}` is still 0 here, so the function goes to {jump.label} and then reports success. "
        "It needs an errno first.",
        level=None if complains(jump) else "warning",
        related=(unit.at(jump.test),),
        evidence=f"{jump.condition} goto {jump.label}",
    )


_READY = "\tif (!fb->ready)\n\t\tgoto err_detach;\n"
_READY_SET = "\tif (!fb->ready) {\n\t\terr = -ENODEV;\n\t\tgoto err_detach;\n\t}\n"
_START = """
int frob_start(struct frob *fb)
{
	int err;

	err = frob_attach(fb);
	if (err)
		return err;
	if (!fb->ready)
		goto err_detach;
	frob_run(fb);
	return 0;

err_detach:
	frob_detach(fb);
	return err;
}
"""
_ZERO = """
struct frob *frob_new(unsigned int slots)
{
	struct frob *fb = frob_alloc(slots);
	int err = 0;

	if (slots > fb->limit) {
		dev_err(fb->dev, "too many");
		goto free_slots;
	}
	return fb;

free_slots:
	frob_free(fb);
	return ERR_PTR(err);
}
"""
_LOOP = """
int frob_all(struct frob *fb)
{
	int err = 0;
	int i;

	for (i = 0; i < fb->count; i++) {
		if (fb->stopped)
			goto err_undo;
		err = frob_one(fb, i);
	}
	return 0;

err_undo:
	frob_undo(fb);
	return err;
}
"""
_ASKED = """
int frob_try(struct frob *fb)
{
	int err = 0;

	frob_lock(fb);
	if ((err = frob_attach(fb)) < 0 || !fb->ready)
		goto err_unlock;
	return 0;

err_unlock:
	frob_unlock(fb);
	return err;
}
"""
