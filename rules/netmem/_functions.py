"""The text of functions, and which driver sends net_iovs."""

from __future__ import annotations

from reviewer.rule import Function, Unit

from ._series import folder_of, mentioned

NETMEM_TX = "netmem_tx"
"""The member of struct net_device by which a driver says that it can send net_iovs (netmem.rst)."""


def text_of(unit: Unit, function: Function) -> str:
    """What is visible of `function`."""
    return "\n".join(line.text for line in unit.lines[function.first_row : function.last_row + 1])


def sends_netmem(unit: Unit) -> bool:
    """Whether what is visible of a driver, or of its folder in the series, speaks of `netmem_tx`."""
    if any(each.mentions(NETMEM_TX) for each in (unit, *unit.peers)):
        return True
    return mentioned(unit.series, folder_of(unit), NETMEM_TX)
