"""What each family of rules costs: CPU time of a review of all threads in a folder, as shares of the whole.

    python benchmarks/families.py THREADS [--runs 2]

THREADS is a folder of mboxes (also gzipped). In one process, the threads are read and reviewed without rules, with all
rules, and with those of one family at a time; of each the cheapest of several rounds counts. The shares of the families
add up to more than that of all rules together, since families share the parsing of C that the first rule to look at a
function pays for.
"""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path
from time import process_time

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.spool import Spool
from reviewer.reading import read_mails
from reviewer.registry import load_rules
from reviewer.rule import Rule
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

FAMILIES = {
    "DM0": "text",
    "DM1": "sg entries",
    "DM2": "niov units",
    "DM3": "errno, extack",
    "DM4": "dma-buf pages",
    "DM5": "netmem",
}
NOTHING, EVERYTHING = "no rules", "all rules"


def main() -> int:
    """Print a line a family."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("threads", type=Path)
    ask.add_argument("--runs", type=int, default=2)
    given = ask.parse_args()
    threads = sorted(path for path in given.threads.iterdir() if ".mbox" in path.name)
    if not threads:
        print(f"no mboxes in {given.threads}", file=sys.stderr)
        return 2
    gc.set_threshold(100_000, 20, 20)  # as the command does
    rules = load_rules((shipped("rules"),), installed=False)
    sets = {NOTHING: (), EVERYTHING: rules}
    sets |= {family: tuple(rule for rule in rules if rule.id.startswith(family)) for family in FAMILIES}
    costs = cheapest(threads, sets, given.runs)
    print(f"{len(threads)} threads, {given.runs} runs; shares of a review with all rules, {costs[EVERYTHING][0]:.2f} s")
    print_share(NOTHING, "", 0, costs[NOTHING], 0.0, costs)
    for family, title in FAMILIES.items():
        print_share(family, title, len(sets[family]), costs[family], costs[NOTHING][0], costs)
    print_share(EVERYTHING, "", len(rules), costs[EVERYTHING], costs[NOTHING][0], costs)
    return 0


def print_share(
    name: str,
    title: str,
    rules: int,
    cost: tuple[float, int],
    without: float,
    costs: dict[str, tuple[float, int]],
) -> None:
    share = (cost[0] - without) / costs[EVERYTHING][0]
    print(f"{name:10}{title:16}{rules:>4} rules {share:>7.1%} {cost[1]:>6} findings")


def cheapest(threads: list[Path], sets: dict[str, tuple[Rule, ...]], runs: int) -> dict[str, tuple[float, int]]:
    """CPU seconds and findings of each set of rules. The sets take turns, so that a slow minute is everybody's."""
    costs: dict[str, tuple[float, int]] = {}
    for _ in range(runs + 1):  # the first warms the caches
        for name, rules in sets.items():
            costs[name] = min(costs.get(name, (float("inf"), 0)), once(threads, rules))
    return costs


def once(threads: list[Path], rules: tuple[Rule, ...]) -> tuple[float, int]:
    """Read and review everything. Nothing is kept, so that each run parses the code again."""
    gc.collect()
    began = process_time()
    findings = 0
    for path in threads:
        with Spool() as spool:
            assembly = assemble(read_mails([str(path)], spool, []))
            opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
            findings += len(review(assembly, opened, rules, ()).findings)
    return process_time() - began, findings


if __name__ == "__main__":
    sys.exit(main())
