"""The functions that an exporter puts into its struct dma_buf_ops, as far as names and initialisers tell."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewer.rule import Function, Unit

_CPU_ACCESS = re.compile(r"\.(?:begin|end)_cpu_access\s*=\s*(\w+)")
_NAMED = re.compile(r"(?:begin|end)_cpu(?:_|$)")
_LOCK = re.compile(r"\b\w*(?:resv|mutex|spin|down|bo)\w*_?(?:lock|reserve|write|read)\w*\(|\bguard\(|\bscoped_guard\(")
_HELD = re.compile(r"\b(?:dma_resv_assert_held|lockdep_assert_held)\w*\(")


def is_cpu_access_hook(unit: Unit, function: Function) -> bool:
    """Whether `function` begins or ends CPU access for an exporter."""
    if any(function.name in _in_ops(each) for each in (unit, *unit.peers)):
        return True
    return _NAMED.search(function.name) is not None and "dma_buf_begin" not in function.name


@lru_cache(maxsize=256)
def _in_ops(unit: Unit) -> frozenset[str]:
    """The functions that an initialiser in `unit` names as such hooks."""
    return frozenset(_CPU_ACCESS.findall(unit.text)) if unit.mentions("_cpu_access") else frozenset[str]()


def text_of(unit: Unit, function: Function) -> str:
    """What is visible of `function`."""
    return "\n".join(line.text for line in unit.lines[function.first_row : function.last_row + 1])


def takes_a_lock(text: str) -> bool:
    """Whether a function's `text` takes a lock, or says that its caller holds one."""
    return _LOCK.search(text) is not None or _HELD.search(text) is not None
