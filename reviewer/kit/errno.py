"""Error numbers: their names, and where code hands one to its caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from reviewer.rule import Node

_ERRNOS_NAMES = (
    "EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN EWOULDBLOCK ENOMEM EACCES EFAULT ENOTBLK "
    "EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK "
    "EPIPE EDOM ERANGE EDEADLK EDEADLOCK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP ENOMSG EIDRM ECHRNG EL2NSYNC "
    "EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT EBFONT ENOSTR ENODATA "
    "ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW "
    "ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK "
    "EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT "
    "EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN "
    "ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE "
    "EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED "
    "EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON"
)
ERRNOS = frozenset(_ERRNOS_NAMES.split())
"""What user space knows: errno-base.h and asm-generic/errno.h."""

INTERNAL: Mapping[str, int] = {
    "ERESTARTSYS": 512,
    "ERESTARTNOINTR": 513,
    "ERESTARTNOHAND": 514,
    "ENOIOCTLCMD": 515,
    "ERESTART_RESTARTBLOCK": 516,
    "EPROBE_DEFER": 517,
    "EOPENSTALE": 518,
    "ENOPARAM": 519,
    "EBADHANDLE": 521,
    "ENOTSYNC": 522,
    "EBADCOOKIE": 523,
    "ENOTSUPP": 524,
    "ETOOSMALL": 525,
    "ESERVERFAULT": 526,
    "EBADTYPE": 527,
    "EJUKEBOX": 528,
    "EIOCBQUEUED": 529,
    "ERECALLCONFLICT": 530,
    "ENOGRACE": 531,
}
"""What only the kernel knows, and its number: include/linux/errno.h."""

How = Literal["return", "assign", "ERR_PTR"]
_THROUGH = frozenset({"parenthesized_expression", "cast_expression"})


class Given(Struct, frozen=True, kw_only=True):
    """An errno that code hands on: `name` as written (without its sign), `node` with the sign if there is one."""

    name: str
    node: Node
    how: How


def negated(node: Node) -> str | None:
    """The name of the errno that `node` is the negative of (`-EINVAL`), else None."""
    operator, argument = node.child("operator"), node.child("argument")
    if node.kind != "unary_expression" or operator is None or operator.text != "-" or argument is None:
        return None
    name = argument.text
    return name if name in ERRNOS or name in INTERNAL else None


def how_given(node: Node) -> How | None:
    """How the value of `node` is handed on, through brackets, casts and branches of `?:`; None for a comparison etc."""
    inner = node
    for outer in node.ancestors():
        if outer.kind == "return_statement":
            return "return"
        if outer.kind in ("assignment_expression", "init_declarator"):
            return "assign" if inner.field in ("right", "value") else None
        if outer.kind == "argument_list":
            function = outer.parent.child("function") if outer.parent is not None else None
            return "ERR_PTR" if function is not None and function.text == "ERR_PTR" else None
        branch = outer.kind == "conditional_expression" and inner.field != "condition"
        if not branch and outer.kind not in _THROUGH:
            return None
        inner = outer
    return None


def given(nodes: Iterable[Node]) -> Iterator[Given]:
    """The negative errnos among `nodes` (unary expressions) that are returned, assigned or made an error pointer."""
    for node in nodes:
        name = negated(node)
        how = how_given(node) if name is not None else None
        if name is not None and how is not None:
            yield Given(name=name, node=node, how=how)
