"""What kind of failure a branch stands for, and which errnos say so: the table of RULES.md DM301."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from reviewer.kit.expressions import bare, called, declared_type, last_values, operator, plain
from reviewer.kit.failures import Failure, alternatives, denied
from reviewer.rule import Node, Struct, Unit

_ALLOCATORS = frozenset(
    {
        *("kmalloc", "kzalloc", "kcalloc", "kmalloc_array", "kmalloc_node", "kzalloc_node", "kcalloc_node"),
        *("kvmalloc", "kvzalloc", "kvcalloc", "kvmalloc_array", "kvmalloc_node", "kvzalloc_node", "krealloc"),
        *("kmalloc_obj", "kzalloc_obj", "kmalloc_objs", "kzalloc_objs", "kvmalloc_obj", "kvzalloc_obj"),
        *("kvmalloc_objs", "kvzalloc_objs", "devm_kzalloc", "devm_kcalloc", "devm_kmalloc", "vmalloc", "vzalloc"),
        *("kmemdup", "kstrdup", "kstrndup", "kasprintf", "bitmap_alloc", "bitmap_zalloc", "kmem_cache_alloc"),
        *("kmem_cache_zalloc", "gen_pool_create", "alloc_workqueue", "genlmsg_new", "nlmsg_new"),
    }
)
_USER_COPIES = frozenset(
    {"copy_from_user", "copy_to_user", "get_user", "put_user", "copy_from_sockptr", "copy_to_sockptr"}
)
_CAPABILITIES = frozenset({"capable", "ns_capable", "netlink_capable", "netlink_ns_capable", "sk_ns_capable"})
_ALIGNMENTS = frozenset({"IS_ALIGNED", "is_power_of_2", "PAGE_ALIGNED", "offset_in_page"})
_QUEUE_COUNTS = frozenset({"real_num_rx_queues", "real_num_tx_queues", "num_rx_queues", "num_tx_queues"})
_RX_QUEUE = "struct netdev_rx_queue *"
_OPS = re.compile(r"(?:->|\.)(?:\w+_)?ops(?:(?:->|\.)\w+)?$")
_DEVICE = "struct net_device *"
_DEVICE_NAMES = frozenset({"dev", "netdev"})
_NET = ("net/", "drivers/net/")


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of failure: how to know it, the errnos that say it, and what to tell who gives another (`{name}`)."""

    holds: Callable[[Unit, Failure], bool]
    allowed: frozenset[str]
    message: str
    level: Literal["warning", "note"] = "warning"


def kind_of(unit: Unit, failure: Failure) -> Kind | None:
    """The kind of `failure`; None when its condition tells nothing, or asks for several things."""
    return next((kind for kind in KINDS if kind.holds(unit, failure)), None)


def _every(failure: Failure, asks: Callable[[Node], bool]) -> bool:
    """Whether whatever makes the condition true is of one kind."""
    return all(asks(test) for test in alternatives(failure.condition))


def _allocation(unit: Unit, failure: Failure) -> bool:
    return _every(failure, lambda test: _allocated(unit, denied(test)))


def _allocated(unit: Unit, value: Node | None) -> bool:
    """Whether an allocator gave `value`, or gives it right here."""
    if value is None:
        return False
    if value.kind == "assignment_expression":
        right = value.child("right")
        return right is not None and called(bare(right)) in _ALLOCATORS
    held = last_values(unit, plain(value), value, 1)
    return bool(held) and called(bare(held[0])) in _ALLOCATORS


def _user_copy(_unit: Unit, failure: Failure) -> bool:
    return _every(failure, lambda test: called(test) in _USER_COPIES)


def _capability(_unit: Unit, failure: Failure) -> bool:
    return _every(failure, lambda test: (asked := denied(test)) is not None and called(asked) in _CAPABILITIES)


def _without_ops(unit: Unit, failure: Failure) -> bool:
    return unit.path.startswith(_NET) and _every(failure, lambda test: _denies_ops(unit, test))


def _denies_ops(unit: Unit, test: Node) -> bool:
    asked = denied(test)
    if asked is None or asked.kind != "field_expression" or _OPS.search(plain(asked)) is None:
        return False
    table = asked if _field(asked).endswith("ops") else asked.child("argument")
    owner = None if table is None else table.child("argument")
    return owner is not None and _is_device(unit, owner)


def _is_device(unit: Unit, owner: Node) -> bool:
    """Whether `owner` is a network device, by its type, or by its name where the type cannot be seen."""
    if owner.kind == "identifier":
        known = declared_type(unit, owner, owner)
        return owner.text in _DEVICE_NAMES if not known else known == _DEVICE
    return owner.kind == "field_expression" and _field(owner) in _DEVICE_NAMES


def _field(node: Node) -> str:
    field = node.child("field")
    return field.text if field is not None else ""


def _af_xdp(unit: Unit, failure: Failure) -> bool:
    return _every(failure, lambda test: _is_xsk_pool(unit, test))


def _is_xsk_pool(unit: Unit, test: Node) -> bool:
    member, owner = test.child("field"), test.child("argument")
    if test.kind != "field_expression" or member is None or owner is None or member.text != "pool":
        return False
    return owner.kind == "identifier" and declared_type(unit, owner, owner) == _RX_QUEUE


def _alignment(_unit: Unit, failure: Failure) -> bool:
    return _every(failure, lambda test: called(denied(test) or test) in _ALIGNMENTS)


def _queue_index(_unit: Unit, failure: Failure) -> bool:
    tests = alternatives(failure.condition)
    limit = tests[0].child("right") if len(tests) == 1 and operator(tests[0]) in (">=", ">") else None
    return limit is not None and plain(limit).replace(".", "->").rpartition("->")[2] in _QUEUE_COUNTS


KINDS = (
    Kind(
        holds=_allocation,
        allowed=frozenset({"ENOMEM", "ENOBUFS"}),
        message="The allocation gives NULL when memory runs out, and for that user space knows -ENOMEM, not -{name}.",
    ),
    Kind(
        holds=_user_copy,
        allowed=frozenset({"EFAULT"}),
        message="A copy from or to user space fails upon a bad address, which is -EFAULT, not -{name}.",
    ),
    Kind(
        holds=_capability,
        allowed=frozenset({"EPERM", "EACCES"}),
        message="Without the capability the caller may not do this: -EPERM says so, -{name} does not.",
    ),
    Kind(
        holds=_without_ops,
        allowed=frozenset({"EOPNOTSUPP", "ENODEV", "ENOTTY"}),
        message="Without these ops the device cannot do it whatever the arguments are: -EOPNOTSUPP says so, where "
        "-{name} sends user space to look for its own mistake.",
        level="note",
    ),
    Kind(
        holds=_af_xdp,
        allowed=frozenset({"EBUSY"}),
        message="AF_XDP uses this queue, which is -EBUSY, and an extack could say so; -{name} says something else.",
    ),
    Kind(
        holds=_alignment,
        allowed=frozenset({"EINVAL", "ERANGE", "EFAULT", "EOPNOTSUPP", "EMSGSIZE", "EBADMSG"}),
        message="A value that is not aligned is a bad argument, which is -EINVAL rather than -{name}.",
        level="note",
    ),
    Kind(
        holds=_queue_index,
        allowed=frozenset({"ERANGE", "EINVAL", "ENOENT", "ENXIO"}),
        message="A queue that does not exist is -ERANGE in the core and -EINVAL in netlink handlers, not -{name}.",
        level="note",
    ),
)
