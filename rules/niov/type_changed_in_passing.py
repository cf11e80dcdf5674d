"""DM209: a patch about something else changes the sign of an existing variable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.types import ctype
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
    Struct,
    code,
)

_REASONS = frozenset(
    {
        *("signed", "unsigned", "signedness", "type", "types", "overflow", "overflows", "underflow", "underflows"),
        *("wrap", "wraps", "negative", "truncation", "truncated", "truncates", "warning", "warnings"),
    }
)


class TypeChangedInPassing(ChangeRule):
    """The sign of a variable that was there does not change in a patch that does not speak of it.

    What it does: compares the declarations that a group of changed lines removes and adds, and reports variables whose
    type becomes unsigned from signed, or signed from unsigned, without becoming wider.

    Why it matters: a difference that was negative is huge now, and passes where `< 0` caught it; readers look for the
    reason and find none. Such a change is a patch of its own.

    When it stays silent: the type becomes wider, as the new code may need; the message speaks of types, signs or
    overflow, or names one of the types; the variable has another use now (its function is new, or nothing else
    remains); pointers and structs.

    Sources: <CAHS8izNdJ1LTOr_pLjXef6Yv-=JOFPe1GcZtcbStD93Tkpy1XQ@mail.gmail.com>;
    <15e72c82-ca99-481b-bd53-744fabd503b0@redhat.com>; RULES.md DM209, which has it as a note: both mails ask for the
    change to be taken back, so it is a warning here, and in return about signs alone.
    """

    id = "DM209"
    name = "type-changed-in-passing"
    title = "Sign of a variable changed in passing"
    why = "A change of sign has its own consequences, and a reader needs its reason: it belongs in a patch of its own."
    level = "warning"
    confidence = "medium"
    category = "overflow/integer-width"
    needs = ("hunk",)
    paths = ("net/**", "io_uring/**", "drivers/net/**", "drivers/dma-buf/**", "include/net/**")

    def check(self, change: Change) -> Iterator[Result]:
        """Yield a hit for each variable whose sign changed."""
        told: bool | None = None
        for group in change.groups:
            turned = _turned(change, group) if group.removed and group.added else ()
            if not turned:
                continue
            told = _speaks_of_types(change.patch) if told is None else told
            kept = [one for one in turned if not (told or _named(change.patch, one))]
            place = change.place_of(_line(change, group.added, kept[0].node)) if kept else None
            if place is None:
                continue
            signed = kept[0].was_signed
            risk = "what was negative is huge now" if signed else "what was huge is negative now"
            listed = "; ".join(f"{one.name} was {_a(one.old)} and becomes {_a(one.new)}" for one in kept)
            message = (
                f"{listed}: {risk}, and the message does not say why. Keep the type, or change it in its own patch."
            )
            yield Hit(at=place[0].at_row(place[1]), message=message, level=None if signed else "note")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: an offset loses its sign. Good: told. Look-alikes: wider, other names, a message about it."""
        path = "net/core/frob.c"
        signed, size = _FROB.replace("TYPE", "ssize_t"), _FROB.replace("TYPE", "size_t")
        return (
            code("bad", path, size, before=signed, finds=[Find(line="+\tsize_t offset;")]),
            code("bad", path, signed, before=size, finds=[Find(line="+\tssize_t offset;", level="note")]),
            code("good", path, size, before=signed, message="Offsets are unsigned.\n"),
            code("good", path, size, before=signed, message="Use a size_t for what is added to a size_t.\n"),
            code("look-alike", path, _FROB.replace("TYPE", "u64"), before=_FROB.replace("TYPE", "int"), note="wider"),
            code("look-alike", path, size.replace("offset", "where"), before=signed, note="another name"),
        )


class _Turned(Struct, frozen=True, kw_only=True):
    """A variable whose sign a group of changed lines turns: its new declaration, and both types as written."""

    name: str
    node: Node
    old: str
    new: str
    was_signed: bool


def _turned(change: Change, group: ChangeGroup) -> tuple[_Turned, ...]:
    before = _declared(change, group.removed)
    found: list[_Turned] = []
    for name, (node, new) in (_declared(change, group.added) if before else {}).items():
        old = before[name][1] if name in before else ""
        was, becomes = ctype(old), ctype(new)
        if was is not None and becomes is not None and was.signed != becomes.signed and becomes.bits <= was.bits:
            found.append(_Turned(name=name, node=node, old=old, new=new, was_signed=was.signed))
    return tuple(found)


def _declared(change: Change, lines: tuple[DiffLine, ...]) -> dict[str, tuple[Node, str]]:
    """The plain variables that `lines` declare in functions, with the text of their types."""
    if not any(line.text.rstrip().endswith((";", ",")) for line in lines):
        return {}
    found: dict[str, tuple[Node, str]] = {}
    for node in change.nodes(lines, "declaration"):
        written = node.child("type")
        if written is None or node.parent is None or node.parent.kind == "translation_unit":
            continue
        for child in node.children:
            name = child.child("declarator") if child.kind == "init_declarator" else child
            if child.field == "declarator" and name is not None and name.kind == "identifier":
                found[name.text] = (node, " ".join(written.text.split()))
    return found


def _line(change: Change, lines: tuple[DiffLine, ...], node: Node) -> DiffLine:
    """The line of `lines` that `node` begins on."""
    return next(line for line in lines if (place := change.place_of(line)) is not None and place[1] == node.row)


def _speaks_of_types(patch: Patch) -> bool:
    words = _text(patch).replace("-", " ").split()
    return not _REASONS.isdisjoint(word.strip(".,:;()`'\"") for word in words)


def _named(patch: Patch, one: _Turned) -> bool:
    """Whether the message names one of the types."""
    text = _text(patch)
    return one.old in text or one.new in text


def _text(patch: Patch) -> str:
    lines = [patch.mail.subject.title, *(line.text for line in patch.text.message)]
    trailers = ("-by:", "@")
    return "\n".join(line for line in lines if not any(mark in line for mark in trailers)).lower()


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' and not name.startswith('u') else 'a'} {name}"


_FROB = """
static int frob_find(struct frob *fb, unsigned long addr)
{
	TYPE offset;

	offset = addr - fb->base;
	frob_trace(fb);
	return fb->slots[offset >> 4];
}
"""
