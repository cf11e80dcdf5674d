"""Baselines: written, edited by people, read again, merged; and what is no baseline."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewer.acceptance.entries import Entry
from reviewer.baseline import (
    _toml,  # pyright: ignore[reportPrivateUsage]
    read_baseline,
)
from reviewer.errors import UsageError

HEAD = 'schema = "reviewer-baseline/1"\n'
ENTRY = '[[accepted]]\nfingerprint = "0123456789abcdef"\nrule = "DM302"\n'


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept.toml"


def edited(path: Path, **changes: str) -> None:
    """Set keys of every entry, as a person would."""
    text = path.read_text()
    for key, value in changes.items():
        text = re.sub(rf"^{key} = .*\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^(rule = .*\n)", rf"\1{key} = {value}\n", text, flags=re.MULTILINE)
    path.write_text(text)


def test_what_is_written_is_not_shown_again(desk: Any, kept: Path) -> None:
    before = desk.text(desk.series(), "--write-baseline", str(kept))
    assert desk.code == 1
    assert before == desk.text(desk.series())
    entries = tomllib.loads(kept.read_text())["accepted"]
    assert [(one["rule"], one["file"], one["subject"], one["text"], one["reason"]) for one in entries] == [
        ("DM302", "net/frob/close.c", "net: frob: close", "return -ENOTSUPP;", ""),
        ("DM303", "net/frob/close.c", "net: frob: close", "return -ENOTSUPP;", ""),
        ("DM302", "net/frob/open.c", "net: frob: open", "return -EINVAL;", ""),
    ]
    after = desk.text(desk.series(), "--baseline", str(kept))
    assert desk.code == 0
    assert "found: nothing; 3 accepted: --show-accepted" in after
    assert "DM30" not in after
    assert desk.notices(desk.series(), "--baseline", str(kept)) == {}
    assert set(desk.accepted(desk.series(), "--baseline", str(kept)).values()) == {"kept.toml"}


def test_messages_and_all_rules_go_round(desk: Any, kept: Path) -> None:
    mails = [mail.replace("Signed-off-by", "Signed-of-by") for mail in desk.series()]
    assert desk.json(mails, "--write-baseline", str(kept), rules="DM")["findings"]
    assert {"subject"} < set(tomllib.loads(kept.read_text())["accepted"][0])
    assert "" not in desk.accepted(mails, "--baseline", str(kept), rules="DM").values()
    first = kept.read_bytes()
    desk.text(mails, "--write-baseline", str(kept), rules="DM")
    assert kept.read_bytes() == first


def test_it_holds_for_later_versions_and_moved_lines(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    later = [mail.replace("1/2", "1/3").replace("2/2", "3/3").replace("0/2", "0/3") for mail in desk.series(2, line=90)]
    new = desk.send(
        "v2-9@frob.example",
        "[PATCH net-next v2 2/3] net: frob: lock",
        desk.patch(name="lock"),
        parent="v2-0@frob.example",
    )
    assert desk.accepted([*later, new], "--baseline", str(kept)) == {
        ("DM302", "v2-1"): "kept.toml",
        ("DM302", "v2-2"): "kept.toml",
        ("DM303", "v2-2"): "kept.toml",
        ("DM302", "v2-9"): "",
    }


def test_the_same_remark_on_what_somebody_else_does_is_shown(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    other = desk.send("w1@x.example", "[PATCH] net: other: thing", desk.patch(), by="Otto Example <otto@x.example>")
    assert desk.accepted([other], "--baseline", str(kept)) == {("DM302", "w1"): ""}
    assert desk.notices([other], "--baseline", str(kept)) == {}
    kept.write_text(re.sub("subject = .*\n", "", kept.read_text()))
    assert desk.accepted([other], "--baseline", str(kept)) == {("DM302", "w1"): "kept.toml"}


def test_reason_and_expiry_are_of_the_report(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    edited(kept, reason='"as it always was"', expires="2026-02-03")
    (found, *_) = desk.json(desk.series(), "--baseline", str(kept))["findings"]
    assert found["accepted"] == {
        "by": "kept.toml",
        "why": "as it always was",
        "source": None,
        "expires": "2026-02-03",
    }
    shown = desk.text(desk.series(), "--baseline", str(kept), "--show-accepted")
    assert "accepted by kept.toml until 2026-02-03: as it always was" in " ".join(shown.split())


def test_an_entry_expires_by_the_date_of_the_mail(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    edited(kept, expires="2026-02-04")
    late = desk.series(day=5)
    assert set(desk.accepted(late, "--baseline", str(kept)).values()) == {""}
    told = desk.notices(late, "--baseline", str(kept))
    assert sorted(told) == ["baseline-expired"]
    assert told["baseline-expired"][0].startswith("kept.toml: DM30")
    assert told["baseline-expired"][0].endswith("expired on 2026-02-04")
    dateless = [re.sub("Date: .*\n", "", mail) for mail in desk.series()]
    assert set(desk.accepted(dateless, "--baseline", str(kept)).values()) == {""}


def test_an_entry_that_matches_nothing_any_more_is_told(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    mended = desk.series(second=desk.patch(name="close"))
    told = desk.notices(mended, "--baseline", str(kept))
    assert [re.sub(r"\(.*\)", "()", one) for one in told["baseline-unused"]] == [
        "kept.toml: DM302 in net/frob/close.c () matches nothing here any more",
        "kept.toml: DM303 in net/frob/close.c () matches nothing here any more",
    ]
    assert len(desk.notices(mended, "--baseline", str(kept), rules="DM302")["baseline-unused"]) == 1


def test_rewriting_keeps_what_people_wrote(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    edited(kept, reason='"mine"', expires="2027-01-01")
    strange = '\n[[accepted]]\nfingerprint = "0123456789abcdef"\nrule = "DM302"\nsubject = "of others"\nreason = "r"\n'
    kept.write_text(kept.read_text() + strange)
    mended = desk.series(second=desk.patch(name="close"))
    desk.text(mended, "--write-baseline", str(kept))
    found = {(one.file, one.subject, one.rule, one.reason, str(one.expires)) for one in read_baseline(kept).entries}
    assert found == {
        ("net/frob/open.c", "net: frob: open", "DM302", "mine", "2027-01-01"),
        ("net/frob/close.c", "net: frob: close", "DM302", "", "None"),  # another errno: another finding
        (None, "of others", "DM302", "r", "None"),
    }


def test_rules_that_were_not_run_keep_their_entries(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    before = kept.read_bytes()
    desk.text(desk.series(), "--write-baseline", str(kept), rules="DM302")
    assert kept.read_bytes() == before


def test_another_baseline_in_force_gives_its_reasons(desk: Any, kept: Path, tmp_path: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    edited(kept, reason='"mine"')
    desk.text(desk.series(), "--baseline", str(kept), "--write-baseline", str(tmp_path / "new.toml"))
    assert {one.reason for one in read_baseline(tmp_path / "new.toml").entries} == {"mine"}


def test_an_entry_that_was_made_wider_stays_so(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    wide = re.sub("subject = .*\n", "", kept.read_text())
    kept.write_text(wide)
    desk.text(desk.series(), "--write-baseline", str(kept))
    assert kept.read_text() == wide


def test_what_the_discussion_accepts_is_not_written(desk: Any, kept: Path) -> None:
    mails = [*desk.series(), desk.reply("reviewer: ignore DM302")]
    desk.text(mails, "--write-baseline", str(kept))
    assert [one.file for one in read_baseline(kept).entries] == ["net/frob/close.c", "net/frob/close.c"]
    desk.text(desk.series(), "--write-baseline", str(kept))
    desk.text(mails, "--write-baseline", str(kept))
    assert len(read_baseline(kept).entries) == 3  # an entry that is there stays
    assert desk.accepted(mails, "--baseline", str(kept))["DM302", "v1-1"] == "kept.toml"
    assert desk.notices(mails, "--baseline", str(kept)) == {}


def test_the_configuration_may_name_it(desk: Any, kept: Path) -> None:
    desk.text(desk.series(), "--write-baseline", str(kept))
    (desk.folder / "reviewer.toml").write_text('[review]\nbaseline = "kept.toml"\n')
    desk.text(desk.series(), "--config", str(desk.folder / "reviewer.toml"))
    assert desk.code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: no baseline: it lacks schema"),
        ('[review]\ntree = "x"\n', "line 1: no baseline: it lacks schema"),
        ("<html>\n", "line 1: no baseline: "),
        (HEAD + "x\n", "line 2: no baseline: "),
        (HEAD + 'more = "x"\n', "line 2: unknown key more"),
        (HEAD + "accepted = 1\n", r"line 2: write [[accepted]]"),
        (HEAD + "accepted = [1]\n", r"line 2: write [[accepted]]"),
        (HEAD + ENTRY + "reson = 'x'\n", "line 5: unknown key reson; known are fingerprint"),
        (HEAD + ENTRY + "reason = 1\n", "line 5: reason is a text in quotes"),
        (HEAD + ENTRY + 'expires = "2026-01-01"\n', "line 5: expires is a date without quotes"),
        (HEAD + ENTRY + "expires = 2026-01-01T00:00:00\n", "line 5: expires is a date without quotes"),
        (HEAD + ENTRY + '[[accepted]]\nrule = "x"\n', "line 5: the entry lacks its fingerprint"),
        (HEAD + 'accepted = [{rule = "x"}]\n', "line 1: the entry lacks its fingerprint"),
        (HEAD + "x = " + "[" * 5000 + "\n", "no baseline: nested too deeply"),
        (HEAD + 'x = """\n\n', "line 4: no baseline: "),
    ],
)
def test_what_is_no_baseline_is_one_line(desk: Any, kept: Path, text: str, said: str) -> None:
    kept.write_text(text)
    desk.text(desk.series(), "--baseline", str(kept))
    assert (desk.code, desk.said.count("\n")) == (2, 1)
    assert said in desk.said
    assert "kept.toml" in desk.said
    desk.text(desk.series(), "--write-baseline", str(kept))
    if text:
        assert desk.code == 2
        assert "it is not overwritten" in desk.said
        assert kept.read_text() == text
    else:
        assert desk.code == 1  # an empty file has nothing to lose


def test_bytes_that_are_no_text(desk: Any, kept: Path) -> None:
    kept.write_bytes(HEAD.encode() + b'\nx = "\xff"\n')
    desk.text(desk.series(), "--baseline", str(kept))
    assert "line 3: no baseline: not UTF-8" in desk.said
    kept.write_bytes(b"#" * (9 << 20))
    desk.text(desk.series(), "--baseline", str(kept))
    assert "more than 8 MB" in desk.said


def test_what_is_no_file(desk: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, said in (("absent", "no such baseline"), ("pipe", "not a file"), (".", "not a file")):
        desk.text(desk.series(), "--baseline", str(tmp_path / name))
        assert (desk.code, desk.said.count("\n")) == (2, 1)
        assert said in desk.said
    for name in ("pipe", ".", "no/folder"):
        desk.text(desk.series(), "--write-baseline", str(tmp_path / name))
        assert (desk.code, desk.said.count("\n")) == (2, 1)
    desk.text(desk.series(), "--write-baseline", "-")
    assert "needs the name of a file" in desk.said
    desk.text(desk.series(), "--baseline", "/dev/zero")
    assert "not a file" in desk.said


def test_a_baseline_that_may_not_be_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.write_text(HEAD)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match=r"cannot read .*: Permission denied"):
        read_baseline(kept)


def test_hostile_text_is_written_inert(desk: Any, kept: Path) -> None:
    mails = desk.series(first=desk.patch('-EINVAL; /* "\x1b[31m\u202e\\" */ x("""')).copy()
    mails[1] = mails[1].replace("net: frob: open", 'net: "frob\u202e": """ open')
    desk.text(mails, "--write-baseline", str(kept))
    text = kept.read_text()
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)
    assert "" not in desk.accepted(mails, "--baseline", str(kept)).values()


TEXTS = st.text(max_size=30)
ENTRIES = st.builds(
    Entry,
    fingerprint=st.text(min_size=1, max_size=20),
    rule=st.text(min_size=1, max_size=8),
    file=st.none() | st.text(min_size=1, max_size=30),
    subject=st.none() | st.text(min_size=1, max_size=30),
    text=TEXTS,
    reason=TEXTS,
    expires=st.none() | st.dates(min_value=date(1000, 1, 1)),
)


@given(entry=ENTRIES)
def test_any_entry_comes_back(tmp_path_factory: pytest.TempPathFactory, entry: Entry) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(HEAD + _toml(entry), encoding="utf-8", errors="surrogatepass", newline="\n")
    (back,) = read_baseline(path).entries
    assert back == replace(entry)


def test_it_holds_at_every_rung(desk: Any, kept: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("open", "close"):
        above = "struct frob;\n" + "\n" * 7 + f"int frob_{name}(struct frob *fb)\n"
        body = f"{{\n\tif (!fb->ring)\n\t\treturn -E2BIG;\n\tfb->{name} = true;\n\treturn 0;\n}}\n"
        path = tree / "net" / "frob" / f"{name}.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(above + body)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=Ada", "-c", "user.email=ada@frob.example", "commit", "-q", "-m", "x"],
    ):
        subprocess.run(["git", "-C", str(tree), *command], check=True)
    desk.text(desk.series(), "--write-baseline", str(kept))
    code = ("--tree", str(tree), "--base", "HEAD")
    document = desk.json(desk.series(), *code, "--baseline", str(kept))
    assert {rung for one in document["series"][0]["patches"] for rung in one["context"].values()} == {"named"}
    assert len(document["findings"]) == 3
    assert all(one["accepted"] for one in document["findings"])
    first = kept.read_bytes()
    desk.text(desk.series(), *code, "--write-baseline", str(kept))
    assert kept.read_bytes() == first


@pytest.mark.parametrize("given", ["option", "configuration", "link"])
def test_the_file_that_is_in_force_may_be_written_first(desk: Any, kept: Path, tmp_path: Path, given: str) -> None:
    config = tmp_path / "own.toml"
    config.write_text('[review]\nbaseline = "kept.toml"\n')
    named = tmp_path / "same.toml"
    named.symlink_to(kept)
    options = {
        "option": ("--baseline", str(kept)),
        "configuration": ("--config", str(config)),
        "link": ("--baseline", str(named)),
    }[given]
    desk.text(desk.series(), *options)
    assert (desk.code, desk.said.startswith("reviewer: no such baseline: ")) == (2, True)
    for _ in range(2):
        desk.text(desk.series(), *options, "--write-baseline", str(kept))
        assert len(tomllib.loads(kept.read_text())["accepted"]) == 3
    assert "3 accepted" in desk.text(desk.series(), *options)


def test_an_empty_file_in_force_may_be_written(desk: Any, kept: Path) -> None:
    kept.touch()
    desk.text(desk.series(), "--baseline", str(kept), "--write-baseline", str(kept))
    assert len(tomllib.loads(kept.read_text())["accepted"]) == 3


def test_another_file_in_force_must_be_there(desk: Any, kept: Path, tmp_path: Path) -> None:
    desk.text(desk.series(), "--baseline", str(kept), "--write-baseline", str(tmp_path / "new.toml"))
    assert desk.code == 2
    assert not (tmp_path / "new.toml").exists()
