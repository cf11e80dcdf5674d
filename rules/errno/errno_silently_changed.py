"""DM302: one errno becomes another and nobody says why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from reviewer.kit.callees import ERRNO
from reviewer.kit.errno import Given, given
from reviewer.kit.expressions import bare, called, mentions, plain, target
from reviewer.rule import (
    Change,
    ChangeGroup,
    ChangeRule,
    DiffLine,
    Example,
    Find,
    Hit,
    Node,
    Patch,
    Result,
    Unit,
    code,
)

_SPOKEN_OF = re.compile(r"errno|error codes?\b|error values?\b|return (?:value|code)s?\b", re.IGNORECASE)
_NAME = re.compile(r"\bE[A-Z0-9]{3,}\b")
_ASKING = frozenset({"unlikely", "likely", "ret", "err", "rc", "error", "retval"})


class ErrnoSilentlyChanged(ChangeRule):
    """An errno that an existing path gives becomes another, and the commit message does not say so.

    What it does: within the removed and added lines of one place (no context line between), in one function, with as
    many errnos removed as added, it pairs them in order and reports a pair that differs. A note where a constant goes
    and the variable now gets what a well-known function gives, which may be another errno.

    Why it matters: the errno reaches user space, which may tell a retry from a give-up by it; a reader of the patch
    cannot know whether the change was meant.

    When it stays silent: the message or the notes below `---` name one of the two errnos, or speak of errno, error
    code or return value; the removed and the added place test different things; the errnos only change places; new
    or moved functions.

    Sources: RULES.md DM302; <20260611-tcpdm-large-niovs-v2-0-ee2bf15e7523@meta.com> went back to the old errno;
    <259df561c4bb4ef484799e3776dbb402@intel.com> asks about a constant that went.
    """

    id = "DM302"
    name = "errno-silently-changed"
    title = "An errno changed without a word about it"
    why = "User space sees which errno a path gives, so a change of it is a change of behaviour that needs a reason."
    level = "warning"
    confidence = "medium"
    category = "errno-choice"
    needs = ("hunk",)
    supersedes = ("DM301",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**")

    def check(self, change: Change) -> Iterator[Result]:
        """Yield a hit for each pair of errnos that differs."""
        pairs = [pair for group in change.groups for pair in _changed(change, group)]
        dropped = [one for group in change.groups for one in _dropped(change, group)]
        spoken = _spoken_of(change.patch) if pairs or dropped else None
        if spoken is None:
            return
        yield from (_now_the_callees(unit, old, call) for unit, old, call in dropped if old.name not in spoken)
        for unit, old, new in pairs:
            if spoken.isdisjoint((old.name, new.name)):
                function = unit.function_of(new.node)
                where = f"{function.name}()" if function else "This path"
                yield Hit(
                    at=unit.at(new.node),
                    message=f"{where} gave -{old.name} here and now gives -{new.name}, which the commit message does "
                    f"not mention. If the change is not meant, keep -{old.name}; if it is, say why.",
                    evidence=f"{where}: {old.name} {new.name}",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: changed in silence. Look-alikes: said, exchanged, another test."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _NEW, before=_OLD, finds=[Find(line="return -EINVAL;")]),
            code("bad", path, _CALLEES, before=_CONSTANT, finds=[Find(line="err = dma_map_sgtable(", level="note")]),
            code("good", path, _NEW.replace("EINVAL", "E2BIG"), before=_OLD),
            code(
                "look-alike",
                path,
                _NEW,
                before=_OLD,
                message="Give -EINVAL for a wrong order, as the other providers do.\n",
                note="the message names the errno",
            ),
            code(
                "look-alike",
                path,
                _NEW,
                before=_OLD,
                message="The error code for a wrong order is now that of the other providers.\n",
                note="the message speaks of the error code",
            ),
            code("look-alike", path, _OTHER_NEW, before=_OTHER_OLD, note="another failure, with an errno of its own"),
            code(
                "look-alike",
                path,
                _CALLEES.replace("dma_map_sgtable", "frob_map_all"),
                before=_CONSTANT,
                note="what the function gives is not known",
            ),
            code(
                "look-alike",
                path,
                _OLD.replace("\tif (pool->order", "\tif (!pool->ready)\n\t\treturn -EINVAL;\n\tif (pool->order"),
                before=_OLD,
                note="a new branch",
            ),
        )


def _changed(change: Change, group: ChangeGroup) -> Iterator[tuple[Unit, Given, Given]]:
    """(unit, old, new) of each errno of `group` that has become another."""
    places = _place(change, group.removed), _place(change, group.added)
    if places[0] is None or places[1] is None:
        return
    before, after = places[0], places[1]
    old = list(given(change.nodes(group.removed, "unary_expression")))
    new = list(given(change.nodes(group.added, "unary_expression")))
    gone = Counter(one.name for one in old) - Counter(one.name for one in new)
    if len(old) != len(new) or not gone:
        return
    before_names = {one.name for one in old}
    for was, now in zip(old, new, strict=True):
        moved = was.name not in gone or now.name in before_names
        if was.name != now.name and not moved and _same_place(before, was, after, now):
            yield after, was, now


def _dropped(change: Change, group: ChangeGroup) -> Iterator[tuple[Unit, Given, Node]]:
    """(unit, old, call) where the variable that got the constant `old` now gets what `call` gives, and is tested."""
    if not any("-E" in line.text for line in group.removed) or not group.added:
        return
    old = list(given(change.nodes(group.removed, "unary_expression")))
    place = change.place_of(group.added[0])
    if len(old) != 1 or old[0].how != "assign" or place is None:
        return
    variable = target(old[0].node)
    tests = [node.child("condition") for node in change.nodes(group.added, "if_statement")]
    for call in change.nodes(group.added, "call_expression"):
        now = target(call)
        if variable is None or now is None or called(call) not in ERRNO or plain(now) != plain(variable):
            continue
        allocates = old[0].name == "ENOMEM" and "alloc" in called(call)
        if not allocates and any(test is not None and mentions(bare(test), plain(now)) for test in tests):
            yield place[0], old[0], call


def _now_the_callees(unit: Unit, old: Given, call: Node) -> Hit:
    function = unit.function_of(call)
    where = f"{function.name}()" if function else "This path"
    return Hit(
        at=unit.at(call),
        message=f"{where} gave -{old.name} here and now gives whatever {called(call)}() does, which the commit message "
        "does not mention: is that meant, and harmless to the callers?",
        level="note",
        evidence=f"{where}: {old.name} {called(call)}",
    )


def _place(change: Change, lines: tuple[DiffLine, ...]) -> Unit | None:
    if not any("-E" in line.text for line in lines):
        return None
    found = change.place_of(lines[0])
    return found[0] if found else None


def _same_place(before: Unit, was: Given, after: Unit, now: Given) -> bool:
    """Whether both errnos are given in one function, in one way, and upon tests of the same thing."""
    functions = before.function_of(was.node), after.function_of(now.node)
    if was.how != now.how or (functions[0] and functions[0].name) != (functions[1] and functions[1].name):
        return False
    tests = _test(was.node), _test(now.node)
    if tests[0] is None or tests[1] is None:
        return tests[0] is tests[1] and was.how != "assign"
    return plain(tests[0]) == plain(tests[1]) or bool(_things(tests[0]) & _things(tests[1]))


def _test(node: Node) -> Node | None:
    """The condition under which the errno is given, as far as it is visible."""
    inner = node
    for outer in node.ancestors():
        if outer.kind == "if_statement" and inner.field == "consequence":
            return outer.child("condition")
        inner = outer
    return None


def _things(condition: Node) -> frozenset[str]:
    """What a test asks about: whole member expressions, variables and functions; of `a->b` not `a` alone."""
    found: set[str] = set()
    pending = [condition]
    while pending:
        node = pending.pop()
        if node.kind in ("identifier", "field_expression"):
            found.add(plain(node))
        else:
            pending += node.named_children
    return frozenset(thing for thing in found if not thing.isupper()) - _ASKING


def _spoken_of(patch: Patch) -> frozenset[str] | None:
    """The errnos that the patch's text names; None when it speaks of errnos in general."""
    text = "\n".join(line.text for line in (*patch.text.message, *patch.text.notes))
    text = f"{patch.mail.subject.title}\n{text}"
    return None if _SPOKEN_OF.search(text) else frozenset(_NAME.findall(text))


_OLD = """
int frob_init(struct frob_pool *pool)
{
	struct frob *fb = pool->fb;

	if (pool->order != 0)
		return -E2BIG;

	frob_get(fb);
	return 0;
}
"""
_NEW = _OLD.replace("order != 0", "order != fb->order").replace("E2BIG", "EINVAL")
_CONSTANT = """
int frob_map(struct frob *fb)
{
	int err = 0;

	if (!dma_map_sg(fb->dev, fb->table->sgl, fb->table->nents, DMA_TO_DEVICE)) {
		err = -ENOMEM;
		goto out;
	}
	fb->mapped = true;
out:
	return err;
}
"""
_CALLEES = """
int frob_map(struct frob *fb)
{
	int err = 0;

	err = dma_map_sgtable(fb->dev, fb->table, DMA_TO_DEVICE, 0);
	if (err)
		goto out;
	fb->mapped = true;
out:
	return err;
}
"""
_OTHER_OLD = """
int frob_start(struct frob *fb)
{
	fb->map = frob_alloc(fb->count);
	if (!fb->map)
		return -ENOMEM;
	return 0;
}
"""
_OTHER_NEW = """
int frob_start(struct frob *fb)
{
	if (fb->running)
		return -EBUSY;
	return 0;
}
"""
