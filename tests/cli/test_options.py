from __future__ import annotations

from pathlib import Path

import pytest

from reviewer.arguments import parser
from reviewer.cli import main

MAIL = """\
From mboxrd@z Thu Jan  1 00:00:00 1970
From: Ada Example <ada@frob.example>
Subject: [PATCH net-next] net: frob: grow the pool
Message-ID: <one@frob.example>
Date: Tue, 03 Feb 2026 10:00:00 +0000

The pool grows. System time drops 20% (60% -> 40%) with this.

Signed-off-by: Ada Example <ada@frob.example>
---
 net/frob.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/net/frob.c b/net/frob.c
index 1111111111..2222222222 100644
--- a/net/frob.c
+++ b/net/frob.c
@@ -1,4 +1,4 @@ int frob(void)
 int frob(void)
 {
-\treturn 1;
+\treturn 2;
 }
"""


@pytest.fixture
def thread(tmp_path: Path) -> str:
    path = tmp_path / "thread.mbox"
    path.write_text(MAIL)
    return str(path)


def failing(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("reviewer: ")
    assert said.err.count("\n") == 1
    return said.err


def test_only_what_is_shown_counts_for_the_exit_code(capsys: pytest.CaptureFixture[str], thread: str) -> None:
    assert main(["review", thread, "--fail-on", "warning"]) == 1
    assert "DM002" in capsys.readouterr().out
    assert main(["review", thread, "--fail-on", "warning", "--min-confidence", "high"]) == 0
    assert "--min-confidence medium" in capsys.readouterr().out


def test_a_folder_without_rules_is_an_error(capsys: pytest.CaptureFixture[str], thread: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = failing(capsys, "review", thread, "--rules", str(tmp_path / "empty"))
    assert "no rules in" in said
    assert "give" in said


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("review", "x", "--nope"), "--nope; see `reviewer review --help`"),
        (("series", "x", "--fail-on", "note"), "--fail-on note; see `reviewer series --help`"),
        (("rules", "x"), "x; see `reviewer rules --help`"),
        (("nope",), "see `reviewer --help`"),
    ],
)
def test_what_is_unknown_names_the_help_to_read(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], named: str
) -> None:
    assert named in failing(capsys, *arguments)


def test_sources_may_stand_between_options() -> None:
    options = parser().parse_args(["review", "a.mbox", "--revision", "all", "b.mbox", "--since", "3d", "-"])
    assert options.sources == ["a.mbox", "b.mbox", "-"]


@pytest.mark.parametrize("command", [(), ("review",), ("series",), ("rules",), ("explain",), ("test",)])
def test_help_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        parser().parse_args([*command, "--help"])
    usage = capsys.readouterr().out.partition("\nexamples:")[0]
    assert all(len(line) <= 100 for line in usage.splitlines())
