"""Review files, read back by b4's own code in a repository that the test makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.cli import main
from reviewer.errors import InputError, UsageError
from reviewer.model import Location, Notice, Report
from reviewer.output import check_folder, write_folder
from reviewer.report import render, render_files

P1, COVER = "v1-1@frob.example", "v1-0@frob.example"
OLD, NEW = "drivers/net/frob/frob.c", "drivers/net/frob/new.c"
RETURN = "\treturn -ENOTSUPP;"
BEFORE = """\
int frob_first(struct frob *fb)
{
	if (!fb->ring)
		return -EINVAL;

	return 0;
}

int frob_last(struct frob *fb)
{
	return 0;
}
"""
AFTER = BEFORE.replace("-EINVAL;", "-ENOTSUPP;").replace("\treturn 0;\n}\n", f"{RETURN}\n}}\n")
B4 = """
import argparse, json, sys
import b4
from b4.review import _review
b4.setup_config(argparse.Namespace(config=None))
branch, *shas = sys.argv[1:]
topdir = b4.git_get_toplevel()
cover, tracking = _review.load_tracking(topdir, branch)
patches = tracking["patches"]
done = _review._integrate_agent_reviews(topdir, cover, tracking, shas, patches, branch)
cover, tracking = _review.load_tracking(topdir, branch)
print(json.dumps({"done": done, "series": tracking["series"], "patches": tracking["patches"]}))
"""
"""What `b4 review tui` does with such a folder when it opens a branch, by the same functions."""


class Repository:
    """A repository with a series of two patches on a branch of b4's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "linux"
        home = folder / "home"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "B4_", "XDG_"))}
        people = {
            f"GIT_{who}_{what}": f"{what.lower()}@frob.example"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        self.environment = kept | people | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
        home.mkdir()
        self.folder.mkdir()
        self.git("init", "-q", "-b", "main", ".")
        self.commit("base", {OLD: BEFORE})
        self.git("switch", "-q", "-c", "b4/review/frob")
        self.commit("net: frob: refuse what is not there\n\nIt is not there.", {OLD: AFTER})
        self.commit("net: frob: add a file\n\nAnother.", {NEW: f"int frob_new(void)\n{{\n{RETURN}\n}}\n"})
        self.shas = self.git("rev-list", "--reverse", "main..HEAD").split()
        data = json.dumps({"series": {}, "patches": [{}, {}]})
        self.git("commit", "-q", "--allow-empty", "-m", f"cover\n\n--- b4-review-tracking ---\n# by a test\n{data}")

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def git(self, *arguments: str) -> str:
        return self.run("git", *arguments)

    def commit(self, message: str, files: dict[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)

    def mails(self) -> bytes:
        return self.git("format-patch", "--stdout", "--thread", "--cover-letter", "main..HEAD~1").encode()

    def place(self) -> Path:
        """The folder that b4 looks into."""
        return self.folder / ".git" / "b4-review" / self.git("rev-parse", "b4/review/frob").strip()

    def read_by_b4(self) -> Any:
        said = self.run(sys.executable, "-c", B4, "b4/review/frob", *self.shas)
        return json.loads(said.splitlines()[-1])

    def line(self, sha: str, path: str, number: int) -> str:
        return self.git("show", f"{sha}:{path}").split("\n")[number - 1]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_b4_puts_the_remarks_on_their_lines(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "thread.mbox").write_bytes(repository.mails())
    place = repository.place()
    options = ["--select", "DM303", "--format", "b4-review", "-o", str(place)]
    assert main(["review", str(tmp_path / "thread.mbox"), *options]) == 1
    assert sorted(path.name for path in place.iterdir()) == ["0001.txt", "0002.txt", "identity.txt", "series.txt"]
    said = repository.read_by_b4()
    assert said["done"]
    assert not place.exists(), "b4 removes what it has read"
    ours = "reviewer@reviewer.invalid"
    assert said["series"]["reviews"] == {ours: {"name": "Reviewer", "note": "3 errors"}}
    found: list[tuple[int, str, int]] = []
    for number, (patch, sha) in enumerate(zip(said["patches"], repository.shas, strict=True), 1):
        review = patch["reviews"][ours]
        assert review["note"] == ("2 errors" if number == 1 else "1 error")
        for comment in review["comments"]:
            path = comment["path"].removeprefix("b/")
            assert repository.line(sha, path, comment["line"]).endswith("return -ENOTSUPP;")
            assert comment["text"].startswith("-ENOTSUPP (524) is for use inside the kernel;")
            assert comment["text"].endswith("\n\n(DM303 errno-kernel-internal, error)")
            assert ("for 1 more line of frob_first()" in " ".join(comment["text"].split())) is (comment["line"] == 4)
            found.append((number, path, comment["line"]))
    assert found == [(1, OLD, 4), (1, OLD, 11), (2, NEW, 3)]


def test_no_line_of_the_diff_is_dropped(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "thread.mbox").write_bytes(repository.mails())
    place = tmp_path / "made" / "here"
    main(["review", str(tmp_path / "thread.mbox"), "--format", "b4-review", "-o", str(place)])
    for number, sha in enumerate(repository.shas, 1):
        shown = (place / f"{number:04}.txt").read_text()
        lines = shown.splitlines()
        quoted = [line.removeprefix(">").removeprefix(" ") for line in lines if line.startswith(">")]
        expected = repository.git("show", "--format=", sha).rstrip("\n").split("\n")
        assert quoted == expected
        assert "-- " not in quoted, "the signature of the mail is no removed line"
        for at, line in enumerate(lines[1:], 1):
            ours, before = not line.startswith(">"), not lines[at - 1].startswith(">")
            assert ours == before or not (line if ours else lines[at - 1]), "blank lines stand around remarks"


def _files(report: Report, min_confidence: Any = "medium") -> dict[str, str]:
    return render_files(report, "b4-review", min_confidence=min_confidence)


def test_nothing_to_say(sample: Any) -> None:
    lack = Notice(code="not-checked", message="DM202 needs the whole function", rule="DM202", patches=(P1,))
    files = _files(sample.report(sample.series_of(2), [sample.finding(P1, confidence="low")], notices=(lack,)))
    assert files == {
        "identity.txt": "Reviewer <reviewer@reviewer.invalid>\n",
        "series.txt": "nothing found\n\nnot checked: DM202 needs the whole function\n",
    }


def test_what_stands_below_no_line_is_in_the_notes(sample: Any) -> None:
    report = sample.report(sample.series_of(2), notices=(Notice(code="bad-diff", message="a hunk is cut off"),))
    far = Location(kind="code", file="net/x.c", line=7, function="frob", text="\tx();", body_line=9_999)
    found = (
        sample.finding(COVER, level="note", message="The cover has a flaw.", why=""),
        sample.finding(P1, location=sample.at(report, P1, "Part 1"), confidence="medium"),
        sample.finding(P1, location=far, origin="preexisting", message="Old.", why="Old code has an old reason."),
        sample.finding(P1, location=sample.at(report, P1, "return -EINVAL"), level="error", confidence="medium"),
    )
    files = _files(replace(report, findings=found))
    assert sorted(files) == ["0001.txt", "identity.txt", "series.txt"]
    assert files["series.txt"] == (
        "1 error, 1 warning, 1 note, 1 older than the series, 1 problem with the input\n\n"
        "note: DM302 errno-silently-changed\n  The cover has a flaw.\n\nbad-diff: a hunk is cut off\n"
    )
    note, _, diff = files["0001.txt"].partition("\n> diff --git ")
    assert note.startswith(
        "1 error, 1 warning, 1 older than the series\n\n"
        "warning (medium confidence): DM302 errno-silently-changed\n    Part 1 of it.\n  frob_open() gave -E2BIG"
    )
    assert "warning (older than the series): DM302 errno-silently-changed, net/x.c:7, frob()\n    x();\n  Old." in note
    assert (
        "> +\t\treturn -EINVAL;\n\nfrob_open() gave -E2BIG here and now gives -EINVAL, which the commit\n"
        "message does not mention.\n\n(DM302 errno-silently-changed, error, medium confidence)\n\n>\n> +\tfrob_log"
    ) in diff, "the reason was given in the note"


def test_remarks_on_headers_and_several_on_a_line(sample: Any) -> None:
    report = sample.report(sample.series_of(1, cover=False))
    header = sample.at(report, P1, "@@ -10,7")
    top = sample.at(report, P1, "diff --git")
    line = sample.at(report, P1, "int err;")
    found = tuple(
        sample.finding(P1, location=at, message=f"About {at.text}.", why="", origin=origin)
        for at, origin in ((header, "introduced"), (top, "introduced"), (line, "preexisting"))
    )
    text = _files(replace(report, findings=found))["0001.txt"]
    after = text.partition(">  \tint err;\n\n")[2]
    assert after.startswith("About @@ -10,7 +10,9 @@ static int frob_open(struct frob *fb).\n\n(DM302")
    assert "About diff --git a/drivers/net/frob/main.c b/drivers/net/frob/main.c." in " ".join(after.split())
    assert "(DM302 errno-silently-changed, warning, older than the series)\n\n>\n>  \tif (!fb->ring)" in after


def test_a_diff_that_git_did_not_make_gets_the_line_that_b4_looks_for(sample: Any) -> None:
    bare = "".join(sample.DIFF.splitlines(keepends=True)[2:])
    report = sample.report([sample.write("[PATCH] net: frob: x", sample.patch_body("It.", bare), P1)])
    found = sample.finding(P1, location=sample.at(report, P1, "return -EINVAL"))
    text = _files(replace(report, findings=(found,)))["0001.txt"]
    assert "\n\n> diff --git a/drivers/net/frob/main.c b/drivers/net/frob/main.c\n> --- a/drivers" in text


def test_remarks_are_no_quotes_tags_or_patches(sample: Any) -> None:
    report = sample.report(sample.series_of(1, cover=False))
    evil = "> diff --git a/x b/x is no line here.\x1b[31m " + "word " * 11 + "Reviewed-by: Eve <eve@x.example>"
    at = sample.at(report, P1, "return -EINVAL")
    found = tuple(sample.finding(P1, location=place, message=evil, why="") for place in (at, Location(kind="series")))
    text = _files(replace(report, findings=found))["0001.txt"]
    note, _, diff = text.partition("\n> diff --git ")
    assert "\n   > diff --git" in note or "\n  > diff --git" in note
    assert "\n > diff --git a/x b/x is no line here." in diff
    for line in text.split("\n"):
        assert not line.startswith("Reviewed-by")
    assert "\x1b" not in text


def test_characters_at_which_b4_splits_lines_make_no_remarks(sample: Any) -> None:
    diff = sample.DIFF.replace(" \treturn 0;", " \f\treturn 0;\x85\u2028\x1cevil")
    report = sample.report([sample.write("[PATCH] net: frob: x", sample.patch_body("It.", diff), P1)])
    found = sample.finding(P1, location=sample.at(report, P1, "return -EINVAL"))
    text = _files(replace(report, findings=(found,)))["0001.txt"]
    assert r">  \x0c" "\treturn 0;" r"\x85\u2028\x1cevil" in text.splitlines()


def test_one_series_is_wanted(sample: Any, tmp_path: Path) -> None:
    other = sample.write("[PATCH] net: brob: x", sample.patch_body("It."), "o@brob.example", sender="B <b@b.example>")
    with pytest.raises(UsageError, match="one series, and here are 2; choose one with --message-id"):
        _files(sample.report([*sample.series_of(1), other]))
    with pytest.raises(UsageError, match="no format 'b5'"):
        render_files(sample.report([]), "b5", min_confidence="low")
    with pytest.raises(UsageError, match="here are 0"):
        _files(sample.report([]))
    # A newer version replaces the older one.
    assert "0001.txt" in _files(
        sample.report([*sample.series_of(1), *sample.series_of(1, version=2)], [sample.finding("v2-1@frob.example")])
    )


def test_nothing_is_overwritten(sample: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.eml").write_bytes(sample.series_of(1, cover=False)[0])
    command = ["review", str(tmp_path / "one.eml"), "--format", "b4-review"]
    full = tmp_path / "full"
    full.mkdir()
    (full / "series.txt").write_text("mine")
    for extra, said in (
        ([], "name a new one with -o"),
        (["-o", "-"], "name a new one with -o"),
        (["-o", str(full)], "is not empty"),
        (["-o", str(full / "series.txt")], "is no folder"),
    ):
        assert main([*command, *extra]) == 2
        assert said in capsys.readouterr().err
    assert (full / "series.txt").read_text() == "mine"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main([*command, "-o", str(empty), "--fail-on", "warning"]) == 1
    assert (empty / "0001.txt").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "full", "one.eml"]


def test_a_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_folder({"fine": "a", "no/such": "b"}, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    with pytest.raises(InputError, match="cannot read"):
        check_folder(tmp_path / "nowhere")


def test_it_is_no_text(sample: Any) -> None:
    with pytest.raises(UsageError, match="a folder"):
        render(sample.report([]), "b4-review", templates=None, min_confidence="low")
