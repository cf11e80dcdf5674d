"""Every error is one line on standard error that names the culprit and the way out, with exit code 2."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from reviewer.cli import main

MAIL = """From mboxrd@z Thu Jan  1 00:00:00 1970
From: A Uthor <a@dev.example>
Subject: [PATCH] frob: count slots
Date: Mon, 5 Jan 2026 10:00:00 +0000
Message-ID: <1@dev.example>

Slots are counted.

Signed-off-by: A Uthor <a@dev.example>
---
 net/core/frob.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/net/core/frob.c b/net/core/frob.c
index 1111111..2222222 100644
--- a/net/core/frob.c
+++ b/net/core/frob.c
@@ -1,3 +1,3 @@ int frob(void)
 {
-\treturn -EINVAL;
+\treturn -ENOTSUPP;
 }
--\x20
2.47.0

"""
REPLY = """From mboxrd@z Thu Jan  1 00:00:00 1970
From: R Eader <r@dev.example>
Subject: Re: hello
Date: Mon, 5 Jan 2026 11:00:00 +0000
Message-ID: <2@dev.example>

Nothing to see here.

"""


@pytest.fixture
def thread(tmp_path: Path) -> Path:
    path = tmp_path / "thread.mbox"
    path.write_text(MAIL)
    return path


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("reviewer: ")
    assert said.err.count("\n") == 1
    return said.err


def test_a_file_that_is_not_there(capsys, tmp_path):
    assert "frob.mbox" in complaint(capsys, "review", tmp_path / "frob.mbox")


@pytest.mark.parametrize(
    "data",
    [b"", b"\x7fELF\x00\x00\x01" * 100, b"\x1f\x8b\x08\x00garbage", bytes(range(256)) * 8, b"\n\n\n", b"From nobody\n"],
    ids=["empty", "binary", "broken gzip", "bytes", "blank", "a From line alone"],
)
def test_a_file_that_is_no_mail(capsys, tmp_path, data):
    path = tmp_path / "odd.mbox"
    path.write_bytes(data)
    assert "odd.mbox" in complaint(capsys, "review", path)


def test_empty_gzip(capsys, tmp_path):
    path = tmp_path / "odd.gz"
    path.write_bytes(gzip.compress(b""))
    assert "odd.gz" in complaint(capsys, "review", path)


def test_a_folder_that_holds_no_mail(capsys, tmp_path):
    assert str(tmp_path) in complaint(capsys, "review", tmp_path)


def test_mail_with_neither_patch_nor_cover(capsys, tmp_path):
    path = tmp_path / "talk.mbox"
    path.write_text(REPLY)
    assert "neither a patch nor a cover letter" in complaint(capsys, "review", path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--select", "DM9999"], "unknown rule: DM9999"),
        (["--ignore", "errno-silently-change"], "did you mean errno-silently-changed"),
        (["--format", "pdf"], "pdf"),
        (["--frob"], "--frob"),
        (["--revision", "newest"], "newest"),
        (["--revision", "7"], "no version 7"),
        (["--message-id", "nobody@dev.example"], "nobody@dev.example"),
        (["--min-confidence", "some"], "some"),
        (["--rules", "no-such-folder"], "no-such-folder"),
        (["--templates", "no-such-folder"], "no-such-folder"),
        (["-o", "no-such-folder/out.txt"], "no-such-folder/out.txt"),
    ],
)
def test_wrong_options(capsys, thread, arguments, words):
    assert words in complaint(capsys, "review", thread, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [[], ["frob"], ["explain"], ["explain", "DM9999"], ["explain", "DM3"], ["test", "no-such"]],
)
def test_wrong_commands(capsys, arguments):
    complaint(capsys, *arguments)


def test_a_broken_mail_costs_itself_alone(capsys, tmp_path):
    path = tmp_path / "thread.mbox"
    broken = "From mboxrd@z Thu Jan  1 00:00:00 1970\nSubject: \0\0\0\n\n\0\0\0\n\n"
    path.write_text(MAIL + broken + REPLY)
    assert main(["review", str(path)]) == 1
    assert "ENOTSUPP" in capsys.readouterr().out


def test_a_file_that_breaks_off_is_reviewed_as_far_as_it_goes(capsys, tmp_path):
    path = tmp_path / "thread.mbox.gz"
    whole = gzip.compress((MAIL + REPLY.replace("Nothing", "Nothing at all, " * 5000)).encode())
    path.write_bytes(whole[:-40])
    assert main(["review", str(path)]) == 1
    said = capsys.readouterr().out
    assert "ENOTSUPP" in said
    assert "thread.mbox.gz" in said


def test_exit_codes_follow_fail_on(capsys, thread):
    assert main(["review", str(thread)]) == 1
    assert main(["review", str(thread), "--fail-on", "never"]) == 0
    assert main(["review", str(thread), "--ignore", "DM"]) == 0
    capsys.readouterr()


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["review", "--help"])
    assert ended.value.code == 0
    assert "examples:" in capsys.readouterr().out


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("reviewer ")
