"""DM312: IS_ERR_OR_NULL() of what is never NULL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.callees import NEVER_NULL
from reviewer.kit.expressions import called
from reviewer.rule import CodeRule, Example, Find, Hit, Result, Unit, code

from ._outcome import asks_for_error, outcome_of

_MACRO = "IS_ERR_OR_NULL"


class ErrorOrNull(CodeRule):
    """IS_ERR_OR_NULL() tests the result of a function that gives a valid pointer or an error pointer, never NULL.

    What it does: for functions that never give NULL, whatever is configured, it looks at the first test of the result.

    Why it matters: readers take it that NULL is possible, and PTR_ERR() of a NULL would be 0, a success.

    When it stays silent: functions whose stubs give NULL; tests that are not in sight; another value may be in the
    variable.

    Sources: <5e2f9342-4ee9-4b30-9dcf-393e57e0f7c6@app.fastmail.com>; kernel-doc of the functions; RULES.md DM309,
    DM312.
    """

    id = "DM312"
    name = "error-or-null"
    title = "IS_ERR_OR_NULL() of what is never NULL"
    why = "The function gives a valid pointer or an errno; asking for NULL as well says that it has a third answer."
    level = "note"
    confidence = "high"
    category = "errno-choice"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each such test."""
        if not unit.mentions(_MACRO):
            return
        for call in unit.calls(*NEVER_NULL):
            outcome = outcome_of(call)
            if outcome is None or not asks_for_error(outcome.condition, outcome.result, _MACRO):
                continue
            yield Hit(
                at=unit.at(outcome.condition),
                message=f"{called(call)}() gives a valid pointer or an errno, never NULL, so IS_ERR({outcome.result}) "
                f"will do, and PTR_ERR({outcome.result}) is what to give.",
                related=(unit.at(call),),
            )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a dma-buf. Look-alike: a function that may give NULL."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _BIND, finds=[Find(line="if (IS_ERR_OR_NULL(dmabuf))")]),
            code("good", path, _BIND.replace("IS_ERR_OR_NULL", "IS_ERR")),
            code("look-alike", path, _BIND.replace("dma_buf_get", "frob_find"), note="may give NULL for all we know"),
            code("look-alike", path, _BIND.replace("dmabuf))", "fb->old))"), note="another pointer"),
        )


_BIND = """
int frob_bind(struct frob *fb, int fd)
{
	struct dma_buf *dmabuf;

	dmabuf = dma_buf_get(fd);
	if (IS_ERR_OR_NULL(dmabuf))
		return -EBADFD;
	return frob_attach(fb, dmabuf);
}
"""
