"""`reviewer compare --tree`: findings of rules that need more than the hunks, in both versions."""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import MAIN, Tree

from reviewer.cli import main

RULE = '''
from collections.abc import Iterator
from reviewer.rule import CodeRule, Example, Hit, Result, Unit

class Pokes(CodeRule):
    """Looks at a call that is far from what changed."""
    id = "XX902"
    name = "pokes"
    title = "pokes"
    level = "note"
    confidence = "high"
    category = "other"
    needs = ("file",)
    why = "To see how far it sees."
    def check(self, unit: Unit) -> Iterator[Result]:
        for call in unit.calls("frob_far") if unit.calls("frob_do_8") else ():  # which is in no hunk
            yield Hit(at=unit.at(call), message="It is far away.")
    @staticmethod
    def examples() -> tuple[Example, ...]:
        return ()
'''


def test_findings_come_with_the_tree(clone: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "pokes.py").write_text(RULE)
    mails: list[bytes] = []
    for version, near in ((1, "int left = 33;"), (2, "int left = 34;")):
        clone.edit("frob: poke", MAIN, ("int left = 3;", near), ("frob_poke(fb, arg + 8)", "frob_far(fb, arg + 8)"))
        mails += clone.mails(f"-v{version}", "-1")
        if version == 1:
            clone.only(clone.base)
    mbox = tmp_path / "t.mbox"
    mbox.write_bytes(b"\n".join(mails))

    def compared(*options: str) -> str:
        told = ("--rules", str(tmp_path / "rules"), "--select", "XX902", "--format", "json")
        assert main(["compare", str(mbox), *told, *options]) == 0
        return capsys.readouterr().out

    assert "XX902" not in compared()
    assert "XX902" in compared("--tree", str(clone.folder), "--cache", str(tmp_path / "cache"))
    assert (tmp_path / "cache").is_dir()
    assert main(["compare", str(mbox), "--base", "main"]) == 2
    assert "give it with --tree DIR" in capsys.readouterr().err
