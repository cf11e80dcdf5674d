"""DM301: a failure is reported with an errno that means something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.failures import failures
from reviewer.rule import CodeRule, Example, Find, Hit, Result, Unit, code

from ._classes import kind_of


class ErrnoForFailure(CodeRule):
    """A new branch fails for a reason that has an errno of its own, and gives another.

    What it does: where the whole condition of a new failing branch is of one well-known kind it compares the errno
    with those that the kernel gives for it: an allocation that gave NULL, a copy from or to user space, a missing
    capability, a queue that AF_XDP uses; as notes missing ops (net), values that are not aligned, and a queue index
    beyond the end.

    Why it matters: user space decides by the errno whether to try again, to fall back, or to give up.

    When it stays silent: conditions that ask for several kinds of things, or whose kind cannot be seen; errnos that a
    callee gave; where an errno became another one (DM302 speaks).

    Sources: man errno(3); net/core/netdev_rx_queue.c; <20240827190805.7f82deb0@kernel.org>; RULES.md DM301, of whose
    table the rows are left out that cannot be told from the condition alone.
    """

    id = "DM301"
    name = "errno-for-failure"
    title = "An errno that means something else"
    why = "User space decides by the errno whether to try again, to fall back or to give up."
    level = "warning"
    confidence = "medium"
    category = "errno-choice"
    needs = ("hunk",)
    paths = ("**/*.c", "**/*.h", "!tools/**", "!samples/**", "!scripts/**", "!**/test*/**", "!src/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each new failure whose errno is not one of its kind."""
        for failure in failures(unit):
            node = failure.errno.node
            kind = kind_of(unit, failure) if unit.touched(node) else None
            if kind is not None and failure.name not in kind.allowed:
                yield Hit(
                    at=unit.at(node),
                    message=kind.message.format(name=failure.name),
                    level=kind.level,
                    evidence=failure.evidence,
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: one of each kind. Look-alikes: several things asked for, pools of other things, callees' errnos."""
        path = "net/core/frob.c"
        start = [Find(line="return -EINVAL;"), Find(line="return -ENODEV;"), Find(line="return -EIO;")]
        queue = [
            Find(line="return -EPERM;", level="note"),
            Find(line="return -EEXIST;"),
            Find(line="return -ENOMEM;", level="note"),
        ]
        return (
            code("bad", path, _START, finds=start),
            code("bad", path, _QUEUE, finds=queue),
            code("bad", path, _OPS_MISSING, finds=[Find(line="return -EINVAL;", level="note")]),
            code("good", path, _START.replace("EINVAL", "EPERM").replace("ENODEV", "EFAULT").replace("EIO", "ENOMEM")),
            code("good", path, _OPS_MISSING.replace("EINVAL", "EOPNOTSUPP")),
            code("look-alike", path, _SEVERAL, note="several things asked for, or somebody else's errno"),
            code("look-alike", path, _OPS_OF_SOCKET, note="ops of a socket, which the device knows nothing of"),
            code("look-alike", "drivers/frob/frob.c", _OPS_MISSING, note="other subsystems have other habits"),
            code("look-alike", path, _QUEUE_OF_FROB, note="another pool, and errnos that fit"),
        )


_START = """
int frob_start(struct frob *fb, void __user *arg)
{
	struct frob_args args;

	if (!capable(CAP_NET_ADMIN))
		return -EINVAL;
	if (copy_from_user(&args, arg, sizeof(args)))
		return -ENODEV;
	fb->map = kcalloc(args.count, sizeof(*fb->map), GFP_KERNEL);
	if (unlikely(!fb->map))
		return -EIO;
	return 0;
}
"""
_QUEUE = """
int frob_queue(struct net_device *dev, unsigned int index, size_t len)
{
	struct netdev_rx_queue *rxq;

	if (index >= dev->real_num_rx_queues)
		return -EPERM;
	rxq = frob_rx_queue(dev, index);
	if (rxq->pool)
		return -EEXIST;
	if (!IS_ALIGNED(len, rxq->unit))
		return -ENOMEM;
	return 0;
}
"""
_QUEUE_OF_FROB = """
int frob_queue(struct frob_device *dev, struct frob_queue *rxq, unsigned int index, size_t len)
{
	if (index >= dev->num_rx_queues || !dev->ready)
		return -EPERM;
	if (rxq->pool)
		return -EEXIST;
	if (!is_power_of_2(len))
		return -ERANGE;
	return 0;
}
"""
_OPS_MISSING = """
int frob_bind(struct net_device *dev)
{
	if (!dev->frob_ops || !dev->frob_ops->bind)
		return -EINVAL;
	return dev->frob_ops->bind(dev);
}
"""
_OPS_OF_SOCKET = """
int frob_name(struct sock *sk, char *name)
{
	if (!inet_csk(sk)->icsk_ca_ops || !sk->frob_ops)
		return -EINVAL;
	return frob_copy_name(sk, name);
}
"""
_SEVERAL = """
int frob_open(struct frob *fb, void __user *arg, struct frob_queue *rxq)
{
	u32 kind;
	int err;

	fb->name = kstrdup(fb->label, GFP_KERNEL);
	if (!fb->name || !fb->ready)
		return -EINVAL;
	if (get_user(kind, (u32 __user *)arg) || kind > FROB_KINDS)
		return -EINVAL;
	if (rxq->pool)
		return -EEXIST;
	fb->map = frob_map(fb);
	if (!fb->map)
		return -ENXIO;
	err = frob_start(fb);
	return err;
}
"""
