"""DM410: a cached table is made on first use, and nothing keeps two users from making it at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import assignments, bare, plain
from reviewer.kit.failures import denied
from reviewer.rule import CodeRule, Example, Find, Function, Hit, Lack, Node, Result, Unit, code

from ._hooks import is_cpu_access_hook, takes_a_lock, text_of


class CachedTableUnlocked(CodeRule):
    """A hook for CPU access makes a table when there is none yet, without the reservation lock.

    What it does: in the hooks that begin and end CPU access for an exporter it looks for `if (!x->sg)` whose branch
    sets `x->sg`, and for a lock in the function.

    Why it matters: user space may call DMA_BUF_IOCTL_SYNC from two threads; both find no table, both make one, and
    one is leaked, or freed under the other.

    When it stays silent: any lock is taken, or asserted to be held; other functions. Where the begin of the function
    is not in sight, the rule says that it needs the whole function.

    Sources: <20260625-b4-disp-a9216ef0-v2-1-4819401e7086@proton.me>; RULES.md DM410.
    """

    id = "DM410"
    name = "cached-table-unlocked"
    title = "A cached table without the reservation lock"
    why = "Two threads may begin CPU access at once, and without a lock both make the cached table."
    level = "warning"
    confidence = "medium"
    category = "locking"
    needs = ("function",)
    paths = ("drivers/dma-buf/**", "drivers/gpu/**", "drivers/accel/**", "drivers/media/**", "drivers/misc/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each table that is made without a lock, a lack where the lock may be out of sight."""
        for statement in unit.find("if_statement"):
            cached = _made_on_first_use(statement) if unit.touched(statement) else None
            function = unit.function_of(statement)
            if cached is None or function is None or not is_cpu_access_hook(unit, function):
                continue
            if takes_a_lock(text_of(unit, function)):
                continue
            yield _hit(unit, statement, cached, function) if function.node is not None else Lack("function")

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: check, then set. Look-alikes: locked, no hook, not seen."""
        path = "drivers/dma-buf/frob.c"
        lock = "\terr = dma_resv_lock_interruptible(buf->resv, NULL);\n\tif (err)\n\t\treturn err;\n"
        return (
            code("bad", path, _BEGIN, finds=[Find(line="if (!fb->table)")]),
            code("good", path, _BEGIN.replace("\tif (!fb", lock + "\tif (!fb")),
            code("look-alike", path, _BEGIN.replace("begin_cpu", "open"), note="one user only"),
            code("look-alike", path, _BEGIN.replace("!fb->table", "!fb->ready"), note="nothing cached by that test"),
            code("look-alike", path, _LONG_NEW, before=_LONG_OLD, lacks=True, note="the lock may be above"),
        )


def _made_on_first_use(statement: Node) -> str | None:
    """The member that `if (!x->sg) x->sg = ...` makes; None for other statements."""
    condition, then = statement.child("condition"), statement.child("consequence")
    wanted = denied(bare(condition)) if condition is not None else None
    if wanted is None or then is None or wanted.kind != "field_expression":
        return None
    made = any(plain(left) == plain(wanted) for left, _ in assignments(then.walk()))
    return plain(wanted) if made else None


def _hit(unit: Unit, statement: Node, cached: str, function: Function) -> Hit:
    return Hit(
        at=unit.at(statement),
        message=f"Two threads in {function.name}() may both find no `{cached}` and both make one. It needs the "
        "reservation lock of the dma-buf around it (dma_resv_lock_interruptible()).",
    )


_BEGIN = """
static int begin_cpu_frob(struct dma_buf *buf, enum dma_data_direction dir)
{
	struct frob *fb = buf->priv;
	int err = 0;

	if (!fb->table) {
		fb->table = frob_table(buf, dir);
		err = PTR_ERR_OR_ZERO(fb->table);
	}
	return err;
}
"""
_LONG_OLD = _BEGIN.replace(
    "\tif (!fb", "\tfrob_a(fb);\n\tfrob_b(fb);\n\tfrob_c(fb);\n\tfrob_d(fb);\n\tif (!fb"
).replace("\t\tfb->table = frob_table(buf, dir);\n", "")
_LONG_NEW = _LONG_OLD.replace("\t\terr = PTR", "\t\tfb->table = frob_table(buf, dir);\n\t\terr = PTR")
