"""K.10 of the rule book: whole real files, every line of them added, give nothing but what kernel_files.toml explains.

Each file becomes a patch mail that adds it, and goes through the real readers and all rules. The list holds what
remains, with a reason that was written after reading the code, so that every other finding is a fault of a rule.
"""

from __future__ import annotations

import re
import tarfile
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.parse import parse_mail
from reviewer.model import Finding, Mail
from reviewer.registry import load_rules
from reviewer.rule import Rule
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

Key = tuple[str, str, str, str]

ARCHIVE = Path("/usr/src/linux-source-6.12.tar.xz")
WANTED = ("net/core/", "drivers/dma-buf/", "io_uring/", "net/ipv4/tcp.c")
NAMED = (
    "net/core/devmem.c",
    "net/core/devmem.h",
    "net/core/netdev_rx_queue.c",
    "net/core/datagram.c",
    "drivers/dma-buf/udmabuf.c",
    "net/ipv4/tcp.c",
)
"""The files that the rule book names, as far as 6.12 has them. The others are those of the folders around them."""
SUBLEVEL = re.compile(r"^SUBLEVEL = (\d+)$", re.MULTILINE)
ORDER = "DM016"
"""Listed by file alone: net code is older than the order of declarations."""


def unpacked() -> Path:
    """The wanted files and the Makefile, unpacked once and kept in the temporary folder."""
    folder = Path(tempfile.gettempdir()) / "reviewer-linux-source-6.12-whole"
    if (folder / "done").exists():
        return folder
    with tarfile.open(ARCHIVE, "r|xz") as archive:
        for member in archive:
            _, _, name = member.name.partition("/")
            wanted = name == "Makefile" or (name.startswith(WANTED) and name.endswith((".c", ".h")))
            data = archive.extractfile(member) if wanted and member.isfile() else None
            if data is not None:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data.read())
    (folder / "done").touch()
    return folder


def adding(path: str, text: str) -> bytes:
    """A patch mail that adds the file."""
    lines = text.removesuffix("\n").split("\n")
    added = "\n".join(f"+{line}" for line in lines)
    return (
        f"From: Ann Author <ann@dev.example>\nSubject: [PATCH] frob: add {path}\n"
        f"Message-ID: <{path.replace('/', '.')}@dev.example>\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\n"
        f"Add it.\n\nSigned-off-by: Ann Author <ann@dev.example>\n---\n"
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex 000000000000..111111111111\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{added}\n"
    ).encode()


def found(path: str, text: str, rules: tuple[Rule, ...]) -> tuple[Finding, ...]:
    data = adding(path, text)
    mail = parse_mail(data, "box", 0, lambda: data)
    assert isinstance(mail, Mail)
    assembly = assemble([mail])
    opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
    assert [file.added for series in opened for patch in series.patches for file in patch.files] == [
        len(text.removesuffix("\n").split("\n"))
    ]
    report = review(assembly, opened, rules, ())
    assert report.complete
    return report.findings


def key(finding: Finding) -> Key:
    where = finding.location
    function = "" if finding.rule == ORDER else where.function or ""
    return finding.rule, finding.level, where.file or "", function


def listed() -> tuple[int, Counter[Key]]:
    """The point release that was read, and what may be found in it."""
    baseline = tomllib.loads(Path(__file__).with_name("kernel_files.toml").read_text("utf-8"))
    counts: Counter[Key] = Counter()
    for entry in baseline["finding"]:
        assert len(entry["reason"]) > 20, entry
        counts[entry["rule"], entry["level"], entry["file"], entry["function"]] += entry["count"]
    assert len(counts) == len(baseline["finding"]), "an entry twice"
    counts.update({(ORDER, "note", path, ""): count for path, count in baseline["declarations"].items()})
    return baseline["sublevel"], counts


def test_kernel_files_give_nothing_but_what_was_read_and_explained() -> None:
    if not ARCHIVE.exists():
        pytest.skip("linux-source-6.12 is not installed")
    folder = unpacked()
    rules = load_rules((shipped("rules"),), installed=False)
    paths = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.[ch]"))
    assert set(NAMED) <= set(paths)
    counts: Counter[Key] = Counter()
    for path in paths:
        counts.update(map(key, found(path, (folder / path).read_text("utf-8"), rules)))
    sublevel, expected = listed()
    assert counts - expected == Counter()
    release = SUBLEVEL.search((folder / "Makefile").read_text("utf-8"))
    if release is not None and int(release[1]) == sublevel:
        assert expected - counts == Counter()
