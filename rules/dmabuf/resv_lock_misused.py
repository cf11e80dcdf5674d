"""DM405: the locked and unlocked variants of dma-buf calls, and how exporters take the reservation lock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from reviewer.kit.expressions import arguments, called, plain, within
from reviewer.kit.resources import ACQUIRED
from reviewer.kit.taint import scope
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Node, Result, Unit, code

from ._hooks import is_cpu_access_hook, takes_a_lock, text_of

_UNLOCKED = (
    "dma_buf_map_attachment_unlocked",
    "dma_buf_unmap_attachment_unlocked",
    "dma_buf_vmap_unlocked",
    "dma_buf_vunmap_unlocked",
)
_ATTACHMENT = ACQUIRED["dma_buf_attach"]
_LOCKED = {"dma_buf_map_attachment": _ATTACHMENT.acquire, "dma_buf_unmap_attachment": _ATTACHMENT.release}
"""Calls that want the lock, and what tells that the function serves nobody who could hold it."""
_LOCKS = ("dma_resv_lock", "dma_resv_lock_interruptible", "dma_resv_lock_slow", "dma_resv_trylock")
_UNLOCK = "dma_resv_unlock"
_MOST = 20
"""Calls of these above a call that are looked at."""
_SINCE = date(2022, 11, 1)
"""When importers had to choose: Documentation/driver-api/dma-buf.rst, "Locking Rules" (v6.2)."""
_NOTIFIED = frozenset({"move_notify", "invalidate_mappings"})


class ResvLockMisused(CodeRule):
    """A dma-buf call is made with the reservation lock in the wrong state, or an exporter waits for it uninterruptibly.

    What it does: warns of an `_unlocked` variant between taking and releasing the lock; of the plain variant in a
    function that attaches or detaches by itself and takes no lock (in mail from November 2022 on); of dma_resv_lock()
    in the hooks for CPU access, which user space waits for; of a dynamic attachment whose ops cannot be told that the
    buffer moves.

    Why it matters: the `_unlocked` variants take the lock themselves and would wait for it for ever; the plain ones
    assert that it is held. While the lock is held the exporter may wait for the hardware.

    When it stays silent: a lock by another name is taken, or asserted to be held; the attachment is made elsewhere;
    the calls stand in different branches.

    Sources: Documentation/driver-api/dma-buf.rst, "Locking Rules"; <5867fd98-f8ed-4892-a48a-eaefb4c76900@amd.com>,
    <CAMArcTUqqxam+BPwGExOFOLVi3t=dwA-5sSagKC5dndv07GDLQ@mail.gmail.com>; RULES.md DM405.
    """

    id = "DM405"
    name = "resv-lock-misused"
    title = "The reservation lock in the wrong state"
    why = "Each dma-buf call takes the reservation lock or wants it held, and its holder may wait for the hardware."
    level = "warning"
    confidence = "medium"
    category = "locking"
    needs = ("function", "hunk")
    paths = ("**/*.c", "**/*.h", "!tools/**", "!drivers/dma-buf/dma-buf.c", "!drivers/dma-buf/dma-resv.c")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each call in the wrong state, each wait and each attachment."""
        for call in unit.calls(*_UNLOCKED):
            if unit.touched(call):
                yield from _held(unit, call)
        if unit.mentions(*_LOCKED) and _recent(unit):
            for function in unit.functions:
                yield from _not_held(unit, function)
        for call in unit.calls("dma_resv_lock"):
            hook = unit.function_of(call)
            if hook is not None and unit.touched(call) and is_cpu_access_hook(unit, hook):
                yield _uninterruptible(unit, call, hook)
        for call in unit.calls("dma_buf_dynamic_attach"):
            yield from _not_told(unit, call)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: each state. Look-alikes: released before, held by the caller, not a hook."""
        path = "drivers/frob/frob.c"
        locked = "\tdma_resv_lock(fb->dmabuf->resv, NULL);\n"
        unlock = "\tdma_resv_unlock(fb->dmabuf->resv);\n"
        plain_map = _MAP.replace("_unlocked", "")
        exporter = "drivers/dma-buf/frob.c"
        return (
            code("bad", path, _MAP.replace("LOCK\n", locked), finds=[Find(line="dma_buf_map_attachment_unlocked(")]),
            code("bad", path, plain_map.replace("LOCK\n", ""), finds=[Find(line="dma_buf_map_attachment(")]),
            code("bad", exporter, _BEGIN, finds=[Find(line="dma_resv_lock(")]),
            code("bad", path, _DYNAMIC, finds=[Find(line="dma_buf_dynamic_attach(")]),
            code("good", path, _MAP.replace("LOCK\n", "")),
            code("good", path, plain_map.replace("LOCK\n", locked)),
            code(
                "good",
                exporter,
                _BEGIN.replace("resv_lock(buf->resv, NULL);", "resv_lock_interruptible(buf->resv, NULL);"),
            ),
            code("good", path, _DYNAMIC.replace("allow", "move_notify = frob_moved,\n\t.allow")),
            code("look-alike", path, _MAP.replace("LOCK\n", locked + unlock), note="released before"),
            code(
                "look-alike",
                path,
                plain_map.replace("LOCK\n", "\tdma_resv_assert_held(fb->dmabuf->resv);\n"),
                note="the caller holds it",
            ),
            code("look-alike", exporter, _BEGIN.replace("begin_cpu", "pin"), note="no hook for CPU access"),
        )


def _held(unit: Unit, call: Node) -> Iterator[Hit]:
    """A hit when the nearest dma_resv_lock() above `call`, in its block or around, was not released before it."""
    first, _ = scope(unit, call)
    above = [one for one in unit.calls(*_LOCKS, _UNLOCK) if one.start < call.start][-_MOST:]
    around = frozenset(call.ancestors())
    lock: Node | None = None
    for one in above:
        if one.row >= first and called(one) == _UNLOCK:
            lock = None
        elif one.row >= first and _block(one) in around:
            lock = one
    if lock is not None:
        name = called(call)
        yield Hit(
            at=unit.at(call),
            message=f"{name}() takes the reservation lock, which {called(lock)}() has taken already. Should this be "
            f"{name.removesuffix('_unlocked')}()?",
            related=(unit.at(lock),),
        )


def _block(node: Node) -> Node | None:
    return next((outer for outer in node.ancestors() if outer.kind == "compound_statement"), None)


def _not_held(unit: Unit, function: Function) -> Iterator[Hit]:
    """One hit for the calls of `function` that want the lock, when it attaches by itself and takes none."""
    text = text_of(unit, function)
    if not function.complete or takes_a_lock(text):
        return
    own = within(unit.calls(*_LOCKED), function.first_row, function.last_row)
    calls = [call for call in own if _serves_nobody(text, called(call))]
    if any(unit.touched(call) for call in calls):
        name = called(calls[0])
        yield Hit(
            at=unit.at(calls[0]),
            message=f"{name}() asserts that the reservation lock is held, and nothing in {function.name}() takes it. "
            f"Should this be {name}_unlocked()" + (", and the same below?" if len(calls) > 1 else "?"),
            related=tuple(unit.at(call) for call in calls[1:]),
        )


def _serves_nobody(text: str, name: str) -> bool:
    return any(f"{other}(" in text for other in _LOCKED[name])


def _uninterruptible(unit: Unit, call: Node, function: Function) -> Hit:
    given = arguments(call)
    lock = plain(given[0]) if given else "..."
    return Hit(
        at=unit.at(call),
        message=f"User space waits in {function.name}(), and the holder of this lock may wait for the hardware. "
        f"Could it be dma_resv_lock_interruptible({lock}, NULL), so that a signal gets through?",
    )


def _not_told(unit: Unit, call: Node) -> Iterator[Hit]:
    given = arguments(call)
    ops = plain(given[2]).lstrip("&") if len(given) > 2 else ""
    for each in (unit, *unit.peers):
        for node in each.find("init_declarator") if each.mentions(ops) else ():
            name, value = node.child("declarator"), node.child("value")
            if name is None or value is None or name.text != ops or value.kind != "initializer_list" or value.broken:
                continue
            members = {field.text for field in value.walk() if field.kind == "field_identifier"}
            if members.isdisjoint(_NOTIFIED) and (unit.touched(call) or each.touched(node)):
                yield Hit(
                    at=unit.at(call),
                    message=f"`{ops}` has no move_notify, without which dma_buf_dynamic_attach() refuses the ops. The "
                    "importer has to give up its mapping when the buffer moves.",
                    related=(each.at(node),),
                )


def _recent(unit: Unit) -> bool:
    """Whether the mail was written after the calls had to be told apart; yes when it has no date."""
    sent = unit.patch.mail.date
    return sent is None or sent.date() >= _SINCE


_MAP = """
int frob_map(struct frob *fb)
{
	fb->attachment = dma_buf_attach(fb->dmabuf, fb->dev);
	if (IS_ERR(fb->attachment))
		return PTR_ERR(fb->attachment);
LOCK
	fb->table = dma_buf_map_attachment_unlocked(fb->attachment, DMA_TO_DEVICE);
	return PTR_ERR_OR_ZERO(fb->table);
}
"""
_BEGIN = """
static int begin_cpu_frob(struct dma_buf *buf, enum dma_data_direction dir)
{
	int err = 0;

	dma_resv_lock(buf->resv, NULL);
	err = frob_begin(buf->priv, dir);
	dma_resv_unlock(buf->resv);
	return err;
}
"""
_DYNAMIC = """
static const struct dma_buf_attach_ops frob_attach_ops = {
	.allow_peer2peer = true,
};

int frob_attach(struct frob *fb)
{
	fb->attachment = dma_buf_dynamic_attach(fb->dmabuf, fb->dev, &frob_attach_ops, fb);
	return PTR_ERR_OR_ZERO(fb->attachment);
}
"""
