"""How much of real kernel C is parsed cleanly, and how fast: the share of functions without an error, and MB/s.

    python benchmarks/parsing.py [ARCHIVE or FOLDER]

Reads net/core, drivers/dma-buf, io_uring and include/net of a kernel's sources: an archive such as Debian's
linux-source-6.12 installs, or a folder. 1 when fewer functions than TARGET are clean.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from reviewer.code.functions import functions_of
from reviewer.code.reading import read_file
from reviewer.code.rows import Rows, content_of

FOLDERS = ("net/core/", "drivers/dma-buf/", "io_uring/", "include/net/")
TARGET = 0.97


def main() -> int:
    """Print a line a folder and one for all of them."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("sources", nargs="?", type=Path, default=Path("/usr/src/linux-source-6.12.tar.xz"))
    given = ask.parse_args()
    gc.set_threshold(100_000, 20, 20)  # as the command does
    if not given.sources.exists():
        print(f"{given.sources} is not installed; name an archive or folder of kernel sources", file=sys.stderr)
        return 2
    files = sorted(in_folder(given.sources) if given.sources.is_dir() else in_archive(given.sources))
    whole = [0, 0, 0, 0.0]
    for folder in FOLDERS:
        counts = measured([data for name, data in files if name.startswith(folder)])
        whole = [one + other for one, other in zip(whole, counts, strict=True)]
        print(told(folder, *counts))
    print(told("all", *whole))
    return int(not whole[1] or whole[0] / whole[1] < TARGET)


def measured(files: list[bytes]) -> tuple[int, int, int, float]:
    """Clean functions, all functions, bytes, and the CPU seconds that reading took."""
    clean = functions = 0
    start = time.process_time()
    for data in files:
        content = content_of(data)
        reading = read_file(content.source)
        lines = Rows(content, {})
        definitions = [node for node in reading.root.walk() if node.kind == "function_definition"]
        found = functions_of(definitions, lines, reading.place, None, [(0, len(lines))])
        functions += len(found)
        clean += sum(one.complete and one.node is not None and not one.node.broken for one in found)
    return clean, functions, sum(map(len, files)), time.process_time() - start


def told(name: str, clean: float, functions: float, size: float, seconds: float) -> str:
    share = 100 * clean / functions if functions else 0.0
    speed = size / seconds / 1e6 if seconds else 0.0
    counts = f"{clean:6.0f} of {functions:6.0f} functions clean: {share:6.2f} %"
    return f"{name:18} {counts}  {size / 1e6:6.2f} MB  {speed:5.2f} MB/s"


def in_archive(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive, "r|*") as members:
        for member in members:
            name = member.name.partition("/")[2]
            if member.isfile() and name.startswith(FOLDERS) and name.endswith((".c", ".h")):
                data = members.extractfile(member)
                if data is not None:
                    yield name, data.read()


def in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*.[ch]"):
        yield str(path.relative_to(folder)), path.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
