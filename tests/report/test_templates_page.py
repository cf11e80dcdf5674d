"""docs/templates.md: its example runs, and each template can be replaced as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from reviewer.cli import main
from reviewer.report import TEMPLATES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "templates.md"
THREAD = str(ROOT / "examples" / "thread.mbox")
COMMANDS = {
    "text.j2": ("review", THREAD),
    "markdown.j2": ("review", THREAD, "--format", "markdown"),
    "html.j2": ("review", THREAD, "--format", "html"),
    "html.css": ("review", THREAD, "--format", "html"),
    "html.js": ("review", THREAD, "--format", "html"),
    "reply.j2": ("review", THREAD, "--format", "reply"),
    "series.j2": ("series", THREAD),
    "compare.j2": ("compare",),
    "macros.j2": ("review", THREAD),
}
"""A command that a template makes the output of."""


def test_the_example_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], *, update_golden: bool
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    template = re.search(r"^```jinja\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    console = re.search(r"^```console\n\$ reviewer ([^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert template is not None
    assert console is not None
    (tmp_path / "chat").mkdir()
    (tmp_path / "chat" / "text.j2").write_text(template[1], encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(console[1])) == 1
    shown = capsysbinary.readouterr().out.decode()
    if update_golden:
        PAGE.write_text(text.replace(console[2], shown), encoding="utf-8")
    assert shown == console[2]


def test_every_template_is_named() -> None:
    rows = re.findall(r"^\| (`[^|]*`) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert re.findall(r"`([^`]*)`", " ".join(rows)) == list(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_can_be_replaced(
    name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], corpus: Path
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    shipped = (ROOT / "templates" / name).read_text(encoding="utf-8")
    ours = "/* kilroy */" if name in ("html.css", "html.js") else "kilroy\n"
    own = shipped.replace("complete", "kilroy") if name == "macros.j2" else ours + shipped
    (folder / name).write_text(own, encoding="utf-8")
    command = COMMANDS[name]
    if command == ("compare",):
        command = ("compare", *(str(corpus / "seed" / f"rx-buf-size-v{version}.mbox") for version in (4, 5)))
    assert main([*command, "--templates", str(folder)]) in (0, 1)
    assert "kilroy" in capsysbinary.readouterr().out.decode()
