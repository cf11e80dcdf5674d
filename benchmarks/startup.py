"""What it costs to start `reviewer` and to review one thread, as ratios measured in one run.

    python benchmarks/startup.py THREAD.mbox MESSAGE-ID

`reviewer --version` is held against `python -c pass` of the same environment, a review as JSON against `b4 am` on the
same file. Run it in an environment where reviewer and b4 are installed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measure import Cost, cost


def main() -> int:
    """Print one line a comparison; 1 when a command failed."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("thread", type=Path)
    ask.add_argument("message_id", help="Message-ID of the cover letter or a patch in it")
    ask.add_argument("--runs", type=int, default=7)
    given = ask.parse_args()
    commands = Path(sys.executable).parent
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environment["HOME"] = folder
        b4 = [str(commands / "b4"), "-n", "--offline-mode", "--no-stdin", "-c", "b4.attestation-policy=off", "am"]
        pairs = {
            "reviewer --version : python -c pass": (
                [str(commands / "reviewer"), "--version"],
                [sys.executable, "-c", "pass"],
            ),
            "reviewer review --format json : b4 am": (
                [str(commands / "reviewer"), "review", str(given.thread), "--format", "json", "--fail-on", "never"],
                [*b4, "-m", str(given.thread), "-o", folder, given.message_id],
            ),
        }
        failed = 0
        for name, (ours, theirs) in pairs.items():
            left, right = (cost(command, runs=given.runs, environment=environment) for command in (ours, theirs))
            print(f"{name:40} {_told(left, right)}")
            failed += bool(left.code or right.code)
    return int(bool(failed))


def _told(left: Cost, right: Cost) -> str:
    failure = "  FAILED" if left.code or right.code else ""
    return (
        f"CPU {left.cpu / right.cpu:5.2f} ({left.cpu:.3f} s : {right.cpu:.3f} s)  "
        f"memory {left.memory / right.memory:5.2f} ({left.memory >> 20} MiB : {right.memory >> 20} MiB){failure}"
    )


if __name__ == "__main__":
    sys.exit(main())
