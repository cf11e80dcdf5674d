"""`--server`, `--no-cache`, `--offline` and [fetch], with a server on loopback; and the tree of git:BASE..HEAD."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from reviewer.cli import main

ID = "20260203.100000-1-ada@frob.example"
MAIL = f"""\
From mboxrd@z Thu Jan  1 00:00:00 1970
From: Ada Example <ada@frob.example>
Subject: [PATCH] net: frob: grow the pool
Message-ID: <{ID}>
Date: Tue, 03 Feb 2026 10:00:00 +0000

The pool grows.

diff --git a/frob.c b/frob.c
--- a/frob.c
+++ b/frob.c
@@ -1 +1 @@
-int a;
+int b;
"""


class Archive(BaseHTTPRequestHandler):
    """Has one thread, and remembers what it was asked for."""

    asked: list[str] = []  # noqa: RUF012 - emptied for each test

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(MAIL.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    Archive.asked.clear()
    with HTTPServer(("127.0.0.1", 0), Archive) as http:
        thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/list/"
        http.shutdown()
        thread.join()


def test_the_server_is_asked_for_message_ids(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("series", "review"):
        assert main([command, ID, "--server", server]) == 0
        assert "net: frob: grow the pool" in capsys.readouterr().out
    assert Archive.asked == [f"/list/{ID}/t.mbox.gz"]  # the second time it is in the cache
    assert main(["series", f"<{ID}>", "--server", server, "--no-cache"]) == 0
    assert len(Archive.asked) == 2


def test_the_file_says_how_to_fetch(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.toml").write_text(f'[fetch]\nserver = "{server}"\ncache = "fetched"\ntimeout = 5\n')
    for _ in range(2):
        assert main(["series", ID, "--config", "r.toml"]) == 0
    assert len(Archive.asked) == 1
    assert len(list((tmp_path / "fetched").iterdir())) == 1
    assert not (tmp_path / "cache").exists()
    (tmp_path / "r.toml").write_text(f'[fetch]\nserver = "{server}"\ncache = false\n')
    assert main(["series", ID, "--config", "r.toml"]) == 0
    assert len(Archive.asked) == 2
    assert not (tmp_path / "cache").exists()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", [ID, "<x@frob.example>", "https://archive.example/list/"])
def test_offline_fetches_nothing(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (tmp_path / "t.mbox").write_text(MAIL)
    for command in ("review", "series", "compare"):
        assert main([command, "t.mbox", name, "--offline", "--server", server]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith(f"reviewer: {name} is to be fetched, and this call is offline (--offline): give a f")
    (tmp_path / "r.toml").write_text("[fetch]\noffline = true\n")
    assert main(["series", name, "--config", "r.toml"]) == 2
    assert f"(offline in {tmp_path}/r.toml)" in capsys.readouterr().err
    assert main(["series", "t.mbox", "--offline"]) == 0
    assert Archive.asked == []


def test_what_is_no_message_id_is_a_file(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, way_out in (
        ("ann@dev.example", "if it is a Message-ID, write '<ann@dev.example>'"),
        ("thread", "give an mbox, a mail, a saved page"),
        ("mails/a@b c", "give an mbox"),
    ):
        assert main(["review", name, "--server", server]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"reviewer: no such file: {name}; {way_out}")
        assert said.count("\n") == 1
    assert Archive.asked == []


def test_a_server_is_an_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", ID, "--server", "lore"]) == 2
    assert "lore is no address: give http:// or https://" in capsys.readouterr().err


def test_a_range_of_commits_is_of_the_tree_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        git = ("git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@frob.example")
        subprocess.run(("git", "init", "-q", "-b", "main", str(folder)), check=True)
        for title in ("frob: first", f"frob: {folder.name}"):
            subprocess.run((*git, "commit", "-q", "--allow-empty", "-m", title), check=True)
            (folder / "a.c").write_text(f"/* {title} */\n")
            subprocess.run((*git, "add", "a.c"), check=True)
        subprocess.run((*git, "commit", "-q", "-m", f"frob: it is {folder.name}"), check=True)
    (tmp_path / "r.toml").write_text('[review]\ntree = "there"\n')
    monkeypatch.chdir(here)
    for options, title in ((("--config", "../r.toml"), "it is here"), (("--tree", str(there)), "it is there")):
        main(["review", "git:HEAD~..HEAD", "--fail-on", "never", *options])
        assert title in capsys.readouterr().out
