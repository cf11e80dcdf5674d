"""CPU seconds and peak memory of a command, as the kernel counts them for the child."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """User and system CPU seconds together, and the peak resident set in bytes."""

    cpu: float
    memory: int
    code: int


def cost(command: Sequence[str], *, runs: int, environment: Mapping[str, str] | None = None) -> Cost:
    """The cheapest of `runs` runs after one that warms caches; standard output and error are thrown away."""
    costs = [_once(command, environment) for _ in range(runs + 1)][1:]
    return Cost(cpu=min(one.cpu for one in costs), memory=min(one.memory for one in costs), code=costs[-1].code)


def _once(command: Sequence[str], environment: Mapping[str, str] | None) -> Cost:
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(cpu=usage.ru_utime + usage.ru_stime, memory=usage.ru_maxrss * 1024, code=process.returncode)
