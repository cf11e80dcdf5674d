"""The example thread in every form, as it was read by a person; `--update-golden` writes the files anew.

The rules are few, so that the files change only when a form does. `terminal` has its own, in test_terminal_report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer import __version__
from reviewer.cli import main
from reviewer.report import FOLDERS, FORMATS

GOLDEN = Path(__file__).parent / "golden"
THREAD = Path(__file__).parents[2] / "examples" / "thread.mbox"
RULES = "DM008,DM102,DM303"

Facts = Callable[[str], None]


def _made(form: str, folder: Path) -> str:
    """What `review` writes, without what a release changes and the place of the thread."""
    output = folder / "out"
    code = main(["review", str(THREAD), "--select", RULES, "--format", form, "-o", str(output)])
    assert code == (0 if form == "b4" else 1)
    if form in FOLDERS:
        files = sorted(output.iterdir())
        text = "".join(f"== {path.name}\n{path.read_text(encoding='utf-8')}" for path in files)
    else:
        text = output.read_text(encoding="utf-8")
    text = re.sub(r"<reviewer-[0-9a-f]{32}@", "<reviewer-HASH@", text)
    return text.replace(str(THREAD), "thread.mbox").replace(__version__, "VERSION")


def _json(text: str) -> None:
    report = json.loads(text)
    assert [finding["rule"] for finding in report["findings"]] == ["DM303", "DM008", "DM102"]
    assert report["complete"] is True


def _sarif(text: str) -> None:
    (run,) = json.loads(text)["runs"]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("DM303", "error"),
        ("DM008", "warning"),
        ("DM102", "error"),
    ]


def _rdjsonl(text: str) -> None:
    found = [json.loads(line) for line in text.splitlines()]
    assert [(one["location"]["range"]["start"]["line"], one["severity"]) for one in found] == [
        (18, "ERROR"),
        (24, "ERROR"),
    ]


def _b4(text: str) -> None:
    assert [(one["status"], one["summary"]) for one in json.loads(text)] == [("fail", "2 errors, 1 warning")]


def _reply(text: str) -> None:
    assert text.count("\nIn-Reply-To: ") == 2
    assert "\n> +\t\treturn -ENOTSUPP;\n" in text


def _review_files(text: str) -> None:
    assert "\n> +\t\treturn -ENOTSUPP;\n\n-ENOTSUPP (524)" in text


FACTS: dict[str, Facts] = {
    "json": _json,
    "sarif": _sarif,
    "rdjsonl": _rdjsonl,
    "b4": _b4,
    "reply": _reply,
    "b4-review": _review_files,
}
"""What matters in a form, whatever it looks like."""


@pytest.mark.parametrize("form", [form for form in (*FORMATS, *FOLDERS) if form != "terminal"])
def test_golden(form: str, tmp_path: Path, *, update_golden: bool) -> None:
    path = GOLDEN / f"example.{form}"
    text = _made(form, tmp_path)
    if update_golden:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert "DM303" in text
    FACTS.get(form, lambda _: None)(text)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    for form in (*FORMATS, *FOLDERS):
        first, second = (tmp_path / f"{form}{turn}" for turn in "ab")
        first.mkdir()
        second.mkdir()
        assert _made(form, first) == _made(form, second)
