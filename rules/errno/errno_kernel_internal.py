"""DM303: an errno that user space does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reviewer.kit.errno import INTERNAL, Given, given
from reviewer.rule import CodeRule, Example, Find, Hit, Result, Unit, code

_INSTEAD: Mapping[str, str] = {
    "ENOIOCTLCMD": "ENOTTY",
    "EOPENSTALE": "ESTALE",
    "ENOPARAM": "EINVAL",
    "EBADHANDLE": "EINVAL",
    "ENOTSYNC": "EIO",
    "EBADCOOKIE": "EINVAL",
    "ENOTSUPP": "EOPNOTSUPP",
    "ETOOSMALL": "EMSGSIZE",
    "ESERVERFAULT": "EIO",
    "EBADTYPE": "EINVAL",
    "EJUKEBOX": "EAGAIN",
    "EIOCBQUEUED": "EINPROGRESS",
    "ERECALLCONFLICT": "EBUSY",
    "ENOGRACE": "EINVAL",
}
"""What to give instead. Restart codes and EPROBE_DEFER are missing: signal delivery and the driver core take them."""


class ErrnoKernelInternal(CodeRule):
    """An errno of 512 or above is returned, assigned or made an error pointer.

    What it does: looks for the negative of one of the names in the second half of include/linux/errno.h.

    Why it matters: these numbers are for the kernel alone; a caller in user space that gets one prints "Unknown error
    524". checkpatch speaks of ENOTSUPP for the same reason.

    Only a warning where a variable gets it, since what becomes of the variable is not looked at.

    When it stays silent: comparisons and case labels; restart codes and EPROBE_DEFER, which the kernel itself takes;
    ENOIOCTLCMD in a function that serves ioctls, where it is the agreed sign for "try the next one"; EIOCBQUEUED in
    io_uring and in functions on iocbs, where it means "queued"; BPF, whose helpers give ENOTSUPP to programs.

    Sources: include/linux/errno.h; RULES.md DM303.
    """

    id = "DM303"
    name = "errno-kernel-internal"
    title = "An errno that user space does not know"
    why = "Errnos from 512 on are for use inside the kernel; user space has no name for them."
    level = "error"
    confidence = "high"
    category = "errno-choice"
    needs = ("hunk",)
    paths = (
        "net/**",
        "io_uring/**",
        "drivers/net/**",
        "drivers/dma-buf/**",
        "include/net/**",
        "include/linux/net*.h",
        "include/linux/dma-buf*.h",
        "include/linux/io_uring*.h",
        "!**/*bpf*",
        "!net/core/filter.c",
        "!net/core/sock_map.c",
    )

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each errno that is handed on."""
        if not unit.mentions(*_INSTEAD):
            return
        for found in given(unit.find("unary_expression")):
            instead = _INSTEAD.get(found.name)
            if instead is not None and not _agreed(unit, found):
                yield Hit(
                    at=unit.at(found.node),
                    message=f"-{found.name} ({INTERNAL[found.name]}) is for use inside the kernel; user space that "
                    f"gets it has no name for it. Should this be -{instead}?",
                    level="warning" if found.how == "assign" else None,
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: returned, assigned, made a pointer. Look-alikes: compared, agreed between two parts of the kernel."""
        path = "net/core/frob.c"
        return (
            code(
                "bad",
                path,
                _BAD,
                finds=[Find(line="return -ENOTSUPP;"), Find(line="err = -ETOOSMALL;", level="warning")],
            ),
            code("bad", path, _POINTER, finds=[Find(line="ERR_PTR(-ENOTSUPP)")]),
            code("good", path, _BAD.replace("ENOTSUPP", "EOPNOTSUPP").replace("ETOOSMALL", "EMSGSIZE")),
            code("look-alike", path, _COMPARED, note="it is asked for, not given"),
            code("look-alike", path, _IOCTL, note="the socket layer takes it for: not mine, try the next"),
            code("look-alike", "drivers/net/frob.c", _PROBE, note="the driver core takes it for: try again later"),
        )


def _agreed(unit: Unit, found: Given) -> bool:
    """Whether this is one of the places where one part of the kernel answers another with it."""
    function = unit.function_of(found.node)
    name = function.name if function else ""
    if found.name == "ENOIOCTLCMD":
        return not name or "ioctl" in name or "ioc" in name.split("_")
    return found.name == "EIOCBQUEUED" and (unit.path.startswith("io_uring/") or not name or "iocb" in name)


_BAD = """
int frob_set(struct frob *fb, size_t len)
{
	int err = 0;

	if (!fb->ops)
		return -ENOTSUPP;
	if (len < fb->least)
		err = -ETOOSMALL;
	return err;
}
"""
_POINTER = """
struct frob *frob_get(int fd)
{
	return fd ? frob_find(fd) : ERR_PTR(-ENOTSUPP);
}
"""
_COMPARED = """
int frob_try(struct frob *fb)
{
	int err = frob_set(fb, 1);

	if (err == -ENOTSUPP)
		return 0;
	switch (err) {
	case -ETOOSMALL:
		return 1;
	}
	return err;
}
"""
_IOCTL = """
static int frob_ioctl(struct frob *fb, unsigned int cmd)
{
	return cmd == 7 ? frob_seven(fb) : -ENOIOCTLCMD;
}
"""
_PROBE = """
static int frob_probe(struct frob *fb)
{
	if (!fb->clock)
		return -EPROBE_DEFER;
	return 0;
}
"""
