"""DM516: a driver asks what kind of memory a netmem is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import called
from reviewer.rule import CodeRule, Example, Find, Hit, Result, Unit, code

_KINDS = ("netmem_is_net_iov", "netmem_to_net_iov", "net_is_devmem_iov", "skb_frag_net_iov")


class DriverLooksIntoNetmem(CodeRule):
    """A driver tells net_iovs from pages by itself.

    What it does: in drivers it looks for calls that ask whether a netmem is a net_iov, or turn it into one. One remark
    a hunk.

    Why it matters: memory providers come and change; what a driver wants to know is whether it can read the memory
    (netmem_address() gives NULL) or whether the pool is unreadable, and both are asked without the kind.

    When it stays silent: outside of drivers; netdevsim, which tests the core.

    Sources: Documentation/networking/netmem.rst, driver requirements; RULES.md DM516.
    """

    id = "DM516"
    name = "driver-looks-into-netmem"
    title = "Driver asks whether a netmem is a net_iov"
    why = "Drivers are to treat a netmem as opaque: the core knows the kinds of memory, and there will be more."
    level = "note"
    confidence = "low"
    category = "netmem-page-access"
    needs = ("hunk",)
    paths = ("drivers/net/**", "!drivers/net/netdevsim/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for the first of the calls that the patch adds."""
        calls = [call for call in unit.calls(*_KINDS) if unit.touched(call)]
        if calls:
            yield Hit(
                at=unit.at(calls[0]),
                message=f"Does the driver have to know? netmem_address() tells whether the memory can be read, without "
                f"{called(calls[0])}().",
                related=tuple(unit.at(call) for call in calls[1:]),
            )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: the kind decides. Look-alikes: the core, and the address."""
        path = "drivers/net/frob.c"
        return (
            code("bad", path, _RECEIVE.replace("ASK", "netmem_is_net_iov("), finds=[Find(line="netmem_is_net_iov(")]),
            code("good", path, _RECEIVE.replace("ASK", "!netmem_address(")),
            code("look-alike", "net/core/frob.c", _RECEIVE.replace("ASK", "netmem_is_net_iov("), note="the core"),
        )


_RECEIVE = """
void frob_receive(struct frob *fb, netmem_ref nm)
{
	if (ASKnm))
		frob_no_copy(fb);
}
"""
