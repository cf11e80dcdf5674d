"""DM310: a positive errno where a negative one belongs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from reviewer.kit.errno import ERRNOS, INTERNAL, How, how_given
from reviewer.kit.expressions import plain, target
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_BARE = re.compile(r"(?:\breturn|=|[?:]|\bERR_PTR\()\s*\(?\s*E[A-Z0-9]{2,}\b")
_RESULT = re.compile(r"(?:err|error|ret|rc|retval)[0-9]?")


class ErrnoSignMissing(CodeRule):
    """An errno is returned, assigned to the result, or made an error pointer without its minus sign.

    What it does: looks for `return EINVAL;`, `err = EINVAL;` and `ERR_PTR(EINVAL)`.

    Why it matters: callers test for `< 0` or IS_ERR(), so a positive errno passes for success, or for a pointer.

    When it stays silent: members such as sk->sk_err, which are positive by design, and variables that go there;
    variables of which no negative value is visible and which are not returned; functions that already gave positive
    errnos before the patch; variables that are not called err, error, ret, rc or retval; user space code.

    Sources: Documentation/process/coding-style.rst, 16; RULES.md DM310.
    """

    id = "DM310"
    name = "errno-sign-missing"
    title = "An errno without its minus sign"
    why = "Callers take a positive number for success and IS_ERR() does not know it, so the failure goes unnoticed."
    level = "error"
    confidence = "medium"
    category = "errno-choice"
    needs = ("hunk",)
    paths = (
        "**/*.c",
        "**/*.h",
        "!tools/**",
        "!samples/**",
        "!scripts/**",
        "!usr/**",
        "!arch/**",
        "!fs/xfs/**",
        "!Documentation/**",
        "!**/examples/**",
        "!**/test/**",
        "!src/**",
    )

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each errno that lacks its sign."""
        rows = unit.rows(_BARE)
        if not rows:
            return
        found: list[tuple[Node, How]] = []
        for node in unit.find("identifier"):
            how = _positive(unit, node) if node.row in rows else None
            if how is not None:
                found.append((node, how))
        by_design = {_function(unit, node) for node, how in found if how == "return" and not unit.touched(node)}
        for node, how in found:
            if _function(unit, node) not in by_design:
                yield Hit(at=unit.at(node), message=_message(node, how))

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: returned, assigned, made a pointer. Look-alikes: socket errors, comparisons, old positive returns."""
        path = "net/core/frob.c"
        finds = [Find(line="return EINVAL;"), Find(line="err = ENOMEM;")]
        return (
            code("bad", path, _BAD, finds=finds),
            code("bad", path, _POINTER, finds=[Find(line="ERR_PTR(EOPNOTSUPP)")]),
            code("good", path, _BAD.replace("EINVAL", "-EINVAL").replace("ENOMEM", "-ENOMEM")),
            code("look-alike", path, _SOCKET, note="sk_err is positive, and so are the labels of switch (-err)"),
            code(
                "look-alike",
                path,
                _MAPPED.replace("\treturn EIO;", "\tif (status == 2)\n\t\treturn EBUSY;\n\treturn EIO;"),
                before=_MAPPED,
                note="a function that gives positive errnos",
            ),
            code("look-alike", "tools/testing/selftests/net/frob.c", _BAD, note="user space"),
        )


def _positive(unit: Unit, node: Node) -> How | None:
    """How the errno that `node` names is handed on without a sign; None when it is no errno or may be positive."""
    if node.text not in ERRNOS and node.text not in INTERNAL:
        return None
    how = how_given(node)
    if how != "assign":
        return how
    variable = target(node)
    if variable is None or not _RESULT.fullmatch(plain(variable)):
        return None
    function = unit.function_of(node)
    rows = (function.first_row, function.last_row) if function else (0, len(unit.lines))
    return how if _is_negative(unit, *rows, plain(variable)) else None


@lru_cache(maxsize=64)
def _is_negative(unit: Unit, first: int, last: int, variable: str) -> bool:
    """Whether these rows show that `variable` holds negative errnos: one is assigned to it, or it is returned."""
    text = "\n".join(line.text for line in unit.lines[first : last + 1])
    if re.search(rf"-\s*{variable}\b|\bsk_err(_soft)?\b|\bstrerror\b", text):
        return False
    return bool(re.search(rf"\b{variable}\s*=\s*-\s*E[A-Z]|\breturn\s+{variable}\s*;|ERR_PTR\({variable}\)", text))


def _function(unit: Unit, node: Node) -> str:
    function = unit.function_of(node)
    return function.name if function else ""


def _message(node: Node, how: How) -> str:
    name = node.text
    if how == "ERR_PTR":
        return f"ERR_PTR({name}) is no error pointer: IS_ERR() wants a negative errno, as in ERR_PTR(-{name})."
    return f"{name} lacks its minus sign, so callers that test for a negative value take this failure for a success."


_BAD = """
int frob_set(struct frob *fb, size_t len)
{
	int err = 0;

	if (!fb->ops)
		return EINVAL;
	if (len < fb->least)
		err = ENOMEM;
	return err;
}
"""
_POINTER = """
struct frob *frob_get(int fd)
{
	return ERR_PTR(EOPNOTSUPP);
}
"""
_SOCKET = """
void frob_shut(struct sock *sk, int err)
{
	int soft;

	sk->sk_err = EPIPE;
	soft = EHOSTUNREACH;
	if (!soft)
		err = ECONNREFUSED;
	frob_done(sk, err);
	switch (-err) {
	case ENOMEM:
		frob_report(sk, soft == EINVAL, EIO);
		break;
	}
}
"""
_MAPPED = """
int frob_errno(int status)
{
	if (status == 1)
		return ENOMEM;
	return EIO;
}
"""
