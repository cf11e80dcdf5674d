"""What each form of a report costs: CPU seconds of rendering alone, beside JSON in the same run.

    python benchmarks/rendering.py MBOX...

The mails are read and reviewed once, all versions. Each form is then rendered in a forked child, so that it pays for
the modules that only it loads; the cheapest of several children counts. The target is half a second for 25 patches.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
from pathlib import Path
from time import process_time

from reviewer.discussed import followed
from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.spool import Spool
from reviewer.model import Report
from reviewer.reading import read_mails
from reviewer.registry import load_rules
from reviewer.report import FOLDERS, FORMATS, render, render_files
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

FIRST = "json"
LIMIT = 0.5


def main() -> int:
    """Print a line a form; 1 when one misses the target."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("mboxes", type=Path, nargs="+", metavar="MBOX")
    ask.add_argument("--runs", type=int, default=5)
    given = ask.parse_args()
    with Spool() as spool:
        assembly = assemble(read_mails([str(path) for path in given.mboxes], spool, []))
        opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
        report = followed(review(assembly, opened, load_rules((shipped("rules"),), installed=False), ()), opened)
        patches = sum(len(series.patches) for series in opened)
        comments = sum(map(len, report.comments.values()))
        print(f"{patches} patches, {len(report.findings)} findings, {comments} comments; {given.runs} runs")
        folders = FOLDERS if len(assembly.lineages) == 1 else ()
        costs = {form: min(_cost(report, form) for _ in range(given.runs)) for form in (*FORMATS, *folders)}
    for form, seconds in costs.items():
        print(f"{form:<10} {seconds:6.3f} s  {seconds / costs[FIRST]:6.1f} x {FIRST}")
    return int(max(costs.values()) > LIMIT)


def _cost(report: Report, form: str) -> float:
    """CPU seconds of one rendering in a child."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, struct.pack("d", _rendered(report, form)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    (seconds,) = struct.unpack("d", data)
    return float(seconds)


def _rendered(report: Report, form: str) -> float:
    before = process_time()
    if form in FOLDERS:
        render_files(report, form, min_confidence="low")
    else:
        render(report, form, templates=None, min_confidence="low")
    return process_time() - before


if __name__ == "__main__":
    sys.exit(main())
