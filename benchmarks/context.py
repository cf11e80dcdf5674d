"""What the code behind a series costs: CPU seconds and memory of a review with a tree, above those from the mail alone.

    python benchmarks/context.py [--files 70000] [--sources FOLDER]

Makes a repository of many files in a temporary folder, and a series of 15 patches over 40 of them. FOLDER holds C files
to take these from, such as an unpacked kernel; without it, they are made up. Run it where reviewer and git are
installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Cost, cost

PATCHES = 15
TOUCHED = 40
CPU = 1.5
MEMORY = 100 << 20


def main() -> int:
    """Print the costs; 1 when the tree costs more than it may."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--files", type=int, default=70_000)
    ask.add_argument("--sources", type=Path)
    ask.add_argument("--runs", type=int, default=5)
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        mails = Path(folder) / "series.mbox"
        sources = real(given.sources) if given.sources else made_up()
        mails.write_bytes(series(tree, sources, given.files))
        command = [str(Path(sys.executable).parent / "reviewer"), "review", str(mails), "--format", "json"]
        command += ["--fail-on", "never"]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        without = cost(command, runs=given.runs, environment=environment)
        with_tree = cost([*command, "--tree", str(tree)], runs=given.runs, environment=environment)
    size = sum(map(len, sources.values())) >> 10
    print(f"{PATCHES} patches over {len(sources)} files of {size} KiB, in a repository of {given.files} files")
    for name, one in (("mail alone", without), ("with tree", with_tree)):
        print(f"{name:12} {told(one)}")
    more = Cost(cpu=with_tree.cpu - without.cpu, memory=with_tree.memory - without.memory, code=0)
    print(f"{'above':12} {told(more)}  (may be {CPU} s, {MEMORY >> 20} MiB)")
    return int(bool(without.code or with_tree.code) or more.cpu > CPU or more.memory > MEMORY)


def told(one: Cost) -> str:
    return f"CPU {one.cpu:6.3f} s  memory {one.memory / (1 << 20):6.1f} MiB" + ("  FAILED" if one.code else "")


def real(folder: Path) -> dict[str, bytes]:
    """The first C files of `folder` that are not too small and have statements to change, by name."""
    large = (path for path in sorted(folder.rglob("*.c")) if path.stat().st_size > 20_000)
    found = ((path, text) for path in large if b"\n\tif (" in (text := path.read_bytes()))
    return {str(path.relative_to(folder)): text for (path, text), _ in zip(found, range(TOUCHED), strict=False)}


def made_up() -> dict[str, bytes]:
    """C files of about a thousand lines."""
    return {
        f"drivers/frob/frob{number}.c": "\n".join(
            FUNCTION.format(file=number, number=one) for one in range(60)
        ).encode()
        for number in range(TOUCHED)
    }


FUNCTION = """\
static int frob{file}_{number}(struct frob *fb, size_t len)
{{
	struct scatterlist *sg;
	int i, err = 0;

	mutex_lock(&fb->lock);
	for_each_sgtable_dma_sg(fb->sgt, sg, i) {{
		if (sg_dma_len(sg) < {number}) {{
			err = -EINVAL;
			goto out;
		}}
		frob_add(fb, sg_dma_address(sg), sg_dma_len(sg));
	}}
out:
	mutex_unlock(&fb->lock);
	return err;
}}
"""


def series(tree: Path, sources: dict[str, bytes], files: int) -> bytes:
    """Make the repository at `tree`; the mails of the series, which is not in it."""
    git(tree.parent, "init", "-q", "--bare", str(tree))
    git(tree, "fast-import", "--quiet", data=imported(sources, files))
    git(tree, "repack", "-adq")
    mails = git(tree, "format-patch", "--stdout", "--thread=shallow", "refs/heads/main..refs/heads/series")
    git(tree, "update-ref", "-d", "refs/heads/series")
    git(tree, "gc", "-q", "--prune=now")
    return mails


def imported(sources: dict[str, bytes], files: int) -> bytes:
    """The stream for `git fast-import`: a commit with everything, then those of the series."""
    out = [commit("main", "all of it", "")]
    out += [blob(path, text) for path, text in sources.items()]
    for number in range(files - len(sources)):
        path = f"part{number % 97}/sub{number % 997}/file{number}.c"
        out.append(blob(path, b"int part_%d;\n" % number))
    current = dict(sources)
    for number in range(PATCHES):
        out.append(commit("series", f"frob: change {number}", "refs/heads/main" if number == 0 else ""))
        # Every patch changes some files of its own and some that its neighbours change, too.
        for path in list(current)[number * 2 : number * 2 + 12]:
            current[path] = changed(current[path], number)
            out.append(blob(path, current[path]))
    return b"".join(out)


def changed(text: bytes, number: int) -> bytes:
    """`text` with a statement more in two of its functions."""
    rows = text.split(b"\n")
    bodies = [at for at, row in enumerate(rows) if row == b"\treturn err;" or row.startswith(b"\tif (")]
    for at in sorted({bodies[(number * 7) % len(bodies)], bodies[(number * 31 + 5) % len(bodies)]}, reverse=True):
        rows.insert(at, b"\tfrob_note(%d);" % number)
    return b"\n".join(rows)


def commit(branch: str, title: str, parent: str) -> bytes:
    message = f"{title}\n\nIt has to be.\n\nSigned-off-by: A Uthor <a@frob.example>\n".encode()
    start = f"from {parent}\n".encode() if parent else b""
    person = b"A Uthor <a@frob.example> 1700000000 +0000"
    return b"commit refs/heads/%s\nauthor %s\ncommitter %s\ndata %d\n%s%s" % (
        branch.encode(),
        person,
        person,
        len(message),
        message,
        start,
    )


def blob(path: str, text: bytes) -> bytes:
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(text), text)


def git(folder: Path, *arguments: str, data: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], cwd=folder, input=data, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
