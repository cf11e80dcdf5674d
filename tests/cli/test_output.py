"""A file is written whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reviewer.errors import InputError
from reviewer.output import write_output


def test_a_new_file(tmp_path: Path) -> None:
    write_output("Grüße \ud800\n", tmp_path / "new.txt")
    assert (tmp_path / "new.txt").read_bytes() == "Grüße ?\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["new.txt"]


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_output(b"bytes\n", None)
    assert capsysbinary.readouterr().out == b"bytes\n"


def test_a_file_that_was_there_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_output("new", link)
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_output("through", pipe)
    reader.join(10)
    assert read == ["through"]
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("name", ["", "absent/out.txt", "a-file/out.txt", "x" * 300])
def test_what_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(InputError, match="cannot write"):
        write_output("text", tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


FULL = """
import resource, sys
from pathlib import Path
from reviewer.errors import InputError
from reviewer.output import write_output
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_output(b"x" * 1_000_000, Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.write_text("old")
    said = subprocess.run([sys.executable, "-c", FULL, output], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"cannot write {output}: ")
    assert output.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from reviewer.output import write_output

real = os.fchmod
def interrupt(*given):
    os.kill(os.getpid(), signal.SIGINT)
    real(*given)
os.fchmod = interrupt
write_output(b"new", Path(sys.argv[1]))
"""


def test_an_interrupt_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.write_text("old")
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, output], capture_output=True, check=False)
    assert done.returncode in (-signal.SIGINT, 130, 1)
    assert output.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]
