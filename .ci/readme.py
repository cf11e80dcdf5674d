"""Checks that the output shown in README.md is what the commands print; with `--update`, writes it there.

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

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```console\n\$ (?P<command>reviewer [^\n]*)\n(?P<shown>.*?)^```$", re.DOTALL | re.MULTILINE)


def printed(block: re.Match[str]) -> str:
    """What the command of a block prints, as a block."""
    name, *arguments = shlex.split(block["command"])
    command = [Path(sys.executable).parent / name, *arguments]
    done = subprocess.run(command, cwd=README.parent, capture_output=True, text=True, check=False)
    return f"```console\n$ {block['command']}\n{done.stdout}```"


def main() -> int:
    """Print the difference and return 1 when a block is not true."""
    text = README.read_text(encoding="utf-8")
    if not BLOCK.search(text):
        print("README.md shows no command with its output", file=sys.stderr)
        return 1
    true = BLOCK.sub(printed, text)
    if "--update" in sys.argv:
        README.write_text(true, encoding="utf-8")
        return 0
    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), true.splitlines(True), "README.md", "printed"))
    return int(text != true)


if __name__ == "__main__":
    sys.exit(main())
