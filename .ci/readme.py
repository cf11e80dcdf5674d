"""Checks that the output shown in README.md is what the commands print.

A fenced block of the language `console` holds one command behind `$ ` and what it prints; `reviewer` is run as
installed beside this interpreter, with the repository as the current folder.
"""

from __future__ import annotations

import difflib
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Print the difference and return 1 when a block is not true."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n\$ (reviewer [^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if not blocks:
        print("README.md shows no command with its output", file=sys.stderr)
        return 1
    wrong = 0
    for command, shown in blocks:
        name, *arguments = shlex.split(command)
        done = subprocess.run(
            [Path(sys.executable).parent / name, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        wrong += done.stdout != shown
        sys.stdout.writelines(
            difflib.unified_diff(shown.splitlines(True), done.stdout.splitlines(True), "README.md", command)
        )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
