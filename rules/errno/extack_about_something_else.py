"""DM305: an extack message speaks of something that its condition does not test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, called, enclosing, identifiers, operator, plain
from reviewer.kit.formats import literal
from reviewer.kit.units import alignment_tests, is_niov_name, measure, operands
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_TEXTS = {
    "NL_SET_ERR_MSG": 1,
    "NL_SET_ERR_MSG_MOD": 1,
    "NL_SET_ERR_MSG_FMT": 1,
    "NL_SET_ERR_MSG_FMT_MOD": 1,
    "NL_SET_ERR_MSG_ATTR": 2,
    "NL_SET_ERR_MSG_ATTR_FMT": 2,
}
_POWER = re.compile(r"\bpowers?[ -]of[ -](?:2|two)\b", re.IGNORECASE)
_MULTIPLE = re.compile(r"\b(?:(?:not|be) |un|mis)aligned\b|\baligned to\b|\balignment\b|\bmultiple of\b", re.IGNORECASE)
_PAGE = re.compile(r"\bPAGE_SIZE\b|\bpage[ -](?:size|aligned)\b", re.IGNORECASE)
_OTHER_UNIT = re.compile(r"\b(?:niov|chunk|slot|rx[-_ ]buf)[-_ ]?(?:size|len)\b", re.IGNORECASE)
_DIRECTION = re.compile(r"\b(rx|tx)\b|(?<=_)(rx|tx)(?=_)", re.IGNORECASE)
_KNOWN_CALLS = frozenset({"IS_ALIGNED", "PAGE_ALIGNED", "offset_in_page", "is_power_of_2", "unlikely", "likely"})
_POWER_CALLS = frozenset({"is_power_of_2", "hweight32", "hweight64", "hweight_long"})
_REST_SIGNS = frozenset({"%", "&"})


class ExtackAboutSomethingElse(CodeRule):
    """The text of an extack names a unit, a kind of test or a direction, and the condition above tests another.

    What it does: it reads the nearest `if` around the message. "power of 2" wants a test for a power of two, "aligned"
    and "multiple of" a test for a rest, "PAGE_SIZE" a page among what is compared where niovs are, "rx" no `tx` count
    and the other way round. As a guess it notes one text that two different conditions of a function share.

    Why it matters: user space is sent to mend what was not wrong.

    When it stays silent: conditions that call functions of unknown meaning, or test a flag that was computed
    elsewhere; texts with macros in them; names of attributes in prose.

    Sources: RULES.md DM305.
    """

    id = "DM305"
    name = "extack-about-something-else"
    title = "An extack message about something else"
    why = "The extack text is all that user space learns of a failure, so it has to name what was tested."
    level = "warning"
    confidence = "medium"
    category = "extack"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each message that does not fit its condition, and for each text used twice."""
        used: dict[tuple[str, str], Node] = {}
        for call in unit.calls(*_TEXTS):
            place, given = _TEXTS[called(call)], arguments(call)
            text = literal(given[place]) if len(given) > place else None
            test = enclosing(call, "if_statement", "else_clause", "case_statement", "function_definition")
            condition = test.child("condition") if test is not None and test.kind == "if_statement" else None
            if not text or condition is None:
                continue
            wrong = _misfit(unit, text, condition)
            if wrong is not None:
                yield Hit(at=unit.at(given[place]), message=wrong, related=(unit.at(condition),))
            yield from _twice(unit, used, text, condition, given[place])

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: each misfit. Look-alikes: flags and functions of unknown meaning, both units."""
        path = "net/core/frob.c"
        aligned = "!IS_ALIGNED(len, 1UL << fb->niov_shift)"
        return (
            code("bad", path, _case(aligned, "length must be PAGE_SIZE aligned"), finds=[Find(line="length must be")]),
            code("bad", path, _case("len < PAGE_SIZE", "size must be a power of 2"), finds=[Find(line="size must")]),
            code("bad", path, _case("len > fb->limit", "length is not aligned"), finds=[Find(line="length is not")]),
            code(
                "bad",
                path,
                _case("len >= fb->dev->real_num_tx_queues", "rx queue out of range"),
                finds=[Find(line="rx queue out")],
            ),
            code("bad", path, _TWICE, finds=[Find(line="NL_SET_ERR_MSG_MOD(extack", level="note")]),
            code("good", path, _case(aligned, "length is not aligned to the niov size")),
            code("good", path, _case("!is_power_of_2(len) || len < PAGE_SIZE", "must be a power of 2 >= PAGE_SIZE")),
            code("look-alike", path, _case("!frob_size_valid(len)", "must be a power of 2"), note="who knows"),
            code("look-alike", path, _case("fb->misaligned", "length is not aligned"), note="tested elsewhere"),
            code("look-alike", path, _case("len % PAGE_SIZE", "not a multiple of the page size"), note="it fits"),
        )


def _misfit(unit: Unit, text: str, condition: Node) -> str | None:
    calls = [called(node) for node in condition.walk() if node.kind == "call_expression"]
    direction = _other_direction(text, condition)
    if direction is not None:
        return direction
    compares = any(node.kind == "binary_expression" for node in condition.walk()) or any(calls)
    if not compares or any(call not in _KNOWN_CALLS | _POWER_CALLS for call in calls):
        return None
    rest = any(operator(node) in _REST_SIGNS for node in condition.walk() if node.kind == "binary_expression")
    power = any(call in _POWER_CALLS for call in calls)
    if _POWER.search(text) and not power and not rest:
        return "The message asks for a power of 2, which the condition does not test."
    if _MULTIPLE.search(text) and not power and not rest and not any(call in _KNOWN_CALLS for call in calls):
        return "The message speaks of alignment, which the condition does not test."
    return _other_unit(unit, text, condition)


def _other_unit(unit: Unit, text: str, condition: Node) -> str | None:
    measures = {test.measure for test in alignment_tests(unit, condition)}
    measures |= {measure(unit, side) for node in condition.walk() for side in operands(node)[:2] if side is not None}
    names = identifiers(condition)
    if _PAGE.search(text) and not _OTHER_UNIT.search(text) and "niov" in measures and "page" not in measures:
        niov = next((name for name in names if is_niov_name(name)), "the niov size")
        return f"The message names the page size, but the condition tests against {niov}."
    if _OTHER_UNIT.search(text) and not _PAGE.search(text) and "page" in measures and "niov" not in measures:
        found = _OTHER_UNIT.search(text)
        return f"The message names the {found[0] if found else ''}, but the condition tests against the page size."
    return None


def _other_direction(text: str, condition: Node) -> str | None:
    """The message when the text speaks of rx queues and the condition of tx ones only, or the other way round."""
    said = {(found[1] or found[2]).lower() for found in _DIRECTION.finditer(text)}
    counts = [name for name in plain(condition).replace("->", " ").replace(".", " ").split() if "queues" in name]
    tested = {(found[1] or found[2]).lower() for name in counts for found in _DIRECTION.finditer(name)}
    if len(said) != 1 or len(tested) != 1 or said == tested:
        return None
    return f"The message speaks of {said.pop()}, but the condition tests {tested.pop()} queues."


def _twice(unit: Unit, used: dict[tuple[str, str], Node], text: str, condition: Node, at: Node) -> Iterator[Hit]:
    function = unit.function_of(at)
    key = (function.name if function else "", text)
    first = used.setdefault(key, condition)
    if first is not condition and plain(first) != plain(condition) and (unit.touched(at) or unit.touched(condition)):
        yield Hit(
            at=unit.at(at),
            message="An earlier check of this function has the same text for another condition, so user space cannot "
            "tell which of the two it failed.",
            level="note",
            confidence="low",
            related=(unit.at(first),),
        )


def _case(condition: str, text: str) -> str:
    return _CASE.replace("CONDITION", condition).replace("TEXT", text)


_CASE = """
int frob_check(struct frob *fb, size_t len, struct netlink_ext_ack *extack)
{
	if (CONDITION) {
		NL_SET_ERR_MSG(extack,
				"TEXT");
		return -EINVAL;
	}
	return 0;
}
"""
_TWICE = """
int frob_slots(struct frob *fb, struct netlink_ext_ack *extack)
{
	if (!fb->head) {
		NL_SET_ERR_MSG(extack, "no slots for 'tail'");
		return -EINVAL;
	}
	if (!fb->tail) {
		NL_SET_ERR_MSG_MOD(extack, "no slots for 'tail'");
		return -EINVAL;
	}
	return 0;
}
"""
