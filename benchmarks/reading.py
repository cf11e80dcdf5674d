"""What it costs to read an mbox of real mails and put all its series together, beside b4 in the same run.

    python benchmarks/reading.py THREADS

THREADS is a folder of gzipped mboxrd threads. Run it in an environment where reviewer and b4 are installed. Of b4 its
own loading (`get_msgs_from_mailbox_or_maildir`), and `LoreMailbox` with `get_series` for every version of every thread
are measured; which mails are one thread it is told by a cheap union of References. Start-up counts for both.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import cost

SIZES = (5_000, 10_000, 20_000)


def main() -> int:
    """Print one line a target; 1 when one is missed."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("threads", type=Path)
    ask.add_argument("--runs", type=int, default=3)
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        boxes = [Path(folder, f"{size}.mbox") for size in SIZES]
        for size, box in zip(SIZES, boxes, strict=True):
            subprocess.run(_step("make", given.threads, box, size), check=True)
        ours = [cost(_step("read", box), runs=given.runs) for box in boxes]
        opened = cost(_step("open", boxes[0]), runs=1)
        theirs = cost(_step("b4", boxes[0]), runs=1)
        blocks = float(subprocess.run(_step("blocks", boxes[0]), check=True, stdout=subprocess.PIPE).stdout)
    if any(one.code for one in (*ours, opened, theirs)):
        print("a step failed")
        return 1
    rate, their_rate = SIZES[0] / ours[0].cpu, SIZES[0] / theirs.cpu
    further = max((ours[at].memory - ours[0].memory) / (SIZES[at] - SIZES[0]) for at in (1, 2))
    print(f"{'mails per CPU second, bodies and tags too':46} {SIZES[0] / opened.cpu:9.1f}")
    print(f"{'b4: the same':46} {their_rate:9.1f}  ({theirs.memory / 1e6:.0f} MB)")
    return _verdict(
        ("mails per CPU second, at least 2500", rate, rate >= 2500),
        ("times the rate of b4, at least 5", rate / their_rate, rate >= 5 * their_rate),
        ("MB, at most 150", ours[0].memory / 1e6, ours[0].memory <= 150e6),
        ("bytes for a further mail, at most 1000", further, further <= 1000),
        ("`Name: text` blocks, times per byte, at most 2", blocks, blocks <= 2),
    )


def _verdict(*targets: tuple[str, float, bool]) -> int:
    for name, value, met in targets:
        print(f"{name:46} {value:9.1f}{'' if met else '  MISSED'}")
    return int(not all(met for _, _, met in targets))


def _step(name: str, *given: object) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("reading_steps.py")), name, *map(str, given)]


if __name__ == "__main__":
    sys.exit(main())
