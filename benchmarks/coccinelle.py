"""Side by side with coccinelle: what both find of four rules in real kernel code and in the rules' examples, and when.

    python benchmarks/coccinelle.py [ARCHIVE or FOLDER]

Takes the C files of drivers/dma-buf, net/core and io_uring of a kernel's sources: an archive such as Debian's
linux-source-6.12 installs, or a folder. `reviewer` reads a mail for each that adds every line of it; spatch reads the
files, with the semantic patches in benchmarks/cocci. Needs both on the PATH or beside python. docs/coccinelle.md tells
what came of it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parsing import in_archive, in_folder

from reviewer.folders import shipped
from reviewer.registry import load_rules
from reviewer.rule import Example

FOLDERS = ("drivers/dma-buf/", "net/core/", "io_uring/")
RULES = ("DM102", "DM205", "DM303", "DM401")
PATCHES = Path(__file__).parent / "cocci"
SAID = re.compile(r"^(DM\d+) (.+):(\d+)$", re.MULTILINE)

Place = tuple[str, int]


@dataclass(slots=True)
class Run:
    """What one side found, by rule, and the CPU seconds of the runs."""

    found: dict[str, set[Place]] = field(default_factory=lambda: {rule: set() for rule in RULES})
    cpu: dict[str, float] = field(default_factory=dict[str, float])


def main() -> int:
    """Print the tables."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("sources", nargs="?", type=Path, default=Path("/usr/src/linux-source-6.12.tar.xz"))
    given = ask.parse_args()
    missing = [what for what in ("spatch",) if shutil.which(what) is None]
    missing += [] if given.sources.exists() else [str(given.sources)]
    if missing:
        print(f"{' and '.join(missing)} not there: install coccinelle, and name kernel sources", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = unpack(given.sources, folder)
        print(f"{len(sizes)} files, {sum(sizes)} lines")
        here, there = with_reviewer(folder), with_coccinelle(folder)
    print_code(here, there)
    print_cpu(here, there)
    print_examples()
    return 0


def unpack(sources: Path, folder: Path) -> list[int]:
    """Write the C files into `folder`; the lines of each."""
    files = in_folder(sources) if sources.is_dir() else in_archive(sources)
    sizes: list[int] = []
    for name, data in files:
        if name.startswith(FOLDERS) and name.endswith(".c"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            sizes.append(data.count(b"\n"))
    return sizes


def with_reviewer(folder: Path) -> Run:
    """One command over one mbox of all files, once with the four rules and once with all of them."""
    box = folder / "all.mbox"
    with box.open("wb") as out:
        for path in sorted(folder.rglob("*.c")):
            out.write(adding(str(path.relative_to(folder)), path.read_bytes().decode("utf-8", "replace")))
    command = [str(Path(sys.executable).parent / "reviewer"), "review", str(box), "--format", "json"]
    command += ["--fail-on", "never", "--min-confidence", "low"]
    run = Run()
    output, run.cpu["four rules"] = timed([*command, "--select", ",".join(RULES)])
    for finding in json.loads(output)["findings"]:
        # What is said of several lines of a function is one finding, with the other lines beside it.
        run.found[finding["rule"]] |= {place_of(one) for one in (finding["location"], *finding["related"])}
    run.cpu["all rules"] = timed(command)[1]
    return run


def place_of(location: dict[str, Any]) -> Place:
    return location["file"], location["line"]


def with_coccinelle(folder: Path) -> Run:
    """A command a rule over all files."""
    run = Run()
    for rule in RULES:
        output, run.cpu[rule] = timed([*spatch(rule), "--dir", str(folder)])
        run.found[rule] |= {(str(Path(path).relative_to(folder)), line) for path, line in said(output)}
    return run


def spatch(rule: str) -> list[str]:
    semantic = PATCHES / f"{rule.lower()}.cocci"
    return ["spatch", "--very-quiet", "-D", "report", "--no-includes", "--sp-file", str(semantic)]


def said(output: bytes) -> Iterator[Place]:
    for found in SAID.finditer(output.decode()):
        yield found[2], int(found[3])


def timed(command: Sequence[str]) -> tuple[bytes, float]:
    """The output of a command, and its CPU seconds."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode:
            print(f"{command[0]} failed with {process.returncode}", file=sys.stderr)
        return output.read(), usage.ru_utime + usage.ru_stime


def adding(path: str, text: str) -> bytes:
    """A patch mail that adds the file, as it stands in an mbox."""
    lines = text.removesuffix("\n").split("\n")
    added = "\n".join(f"+{line}" for line in lines)
    return (
        f"From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: Ann Author <ann@dev.example>\n"
        f"Subject: [PATCH] frob: add {path}\nMessage-ID: <{path.replace('/', '.')}@dev.example>\n"
        f"Date: Mon, 5 Jan 2026 10:00:00 +0000\n\nAdd it.\n\nSigned-off-by: Ann Author <ann@dev.example>\n---\n"
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex 000000000000..111111111111\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{added}\n\n"
    ).encode()


def print_code(here: Run, there: Run) -> None:
    print(f"\n{'rule':8}{'both':>6}{'only reviewer':>15}{'only coccinelle':>17}")
    for rule in RULES:
        ours, theirs = here.found[rule], there.found[rule]
        print(f"{rule:8}{len(ours & theirs):>6}{len(ours - theirs):>15}{len(theirs - ours):>17}")
    for rule in RULES:
        for who, places in (
            ("reviewer", here.found[rule] - there.found[rule]),
            ("coccinelle", there.found[rule] - here.found[rule]),
        ):
            for path, line in sorted(places):
                print(f"  only {who}: {rule} {path}:{line}")


def print_cpu(here: Run, there: Run) -> None:
    print()
    for name, run in (("reviewer", here), ("coccinelle", there)):
        for what, seconds in run.cpu.items():
            print(f"{name:12}{what:12}{seconds:8.2f} s")
    print(f"{'coccinelle':12}{'all four':12}{sum(there.cpu.values()):8.2f} s")


def print_examples() -> None:
    """What spatch says of the examples that `reviewer test` holds the rules to, line by line."""
    print(f"\n{'examples of':14}{'to find':>8}{'coccinelle finds':>18}{'and more':>10}{'of these in good code':>23}")
    for rule in load_rules((shipped("rules"),), installed=False):
        if rule.id in RULES:
            counts = [counted(rule.id, example) for example in rule.examples()]
            expected, found, more, wrong = map(sum, zip(*counts, strict=True))
            print(f"{rule.id:14}{expected:>8}{found:>18}{more:>10}{wrong:>23}")


def counted(rule: str, example: Example) -> tuple[int, int, int, int]:
    """Lines to find, of these found, other lines found, of these in good or look-alike examples."""
    wanted = [find.line for find in example.finds]
    hit: set[str] = set()
    more = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, _, after in (file for patch in example.patches for file in patch.files):
            if after is None:
                continue
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(after, "utf-8")
            lines = after.split("\n")
            for _, number in set(said(timed([*spatch(rule), str(target)])[0])):
                # A loop is told at its head by one side and in its body by the other.
                near = "\n".join(lines[max(number - 2, 0) : number + 1])
                met = [line for line in wanted if line in near]
                hit.update(met)
                more += not met
    return len(wanted), len(hit), more, more if example.kind != "bad" else 0


if __name__ == "__main__":
    sys.exit(main())
