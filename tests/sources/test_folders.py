"""Maildirs, and folders of mails and mboxes."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from reviewer.errors import InputError
from reviewer.model import Notice
from reviewer.sources import RawMail, read_sources


def mail(name: str) -> bytes:
    return f"From: Ann <ann@dev.example>\nSubject: {name}\nMessage-ID: <{name}@dev.example>\n\nText.\n".encode()


def boxed(*names: str) -> bytes:
    return b"".join(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + mail(name) + b"\n" for name in names)


def put(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if path.parent.name in ("new", "cur"):
        (path.parent.parent / "tmp").mkdir(exist_ok=True)


def subjects(folder: Path) -> list[str]:
    found = list(read_sources([str(folder)]))
    assert all(raw.source == str(folder) for raw in found if isinstance(raw, RawMail))
    return [raw.data.split(b"\n")[1][9:].decode() for raw in found if isinstance(raw, RawMail)]


def notices(folder: Path) -> list[Notice]:
    return [raw for raw in read_sources([str(folder)]) if isinstance(raw, Notice)]


def test_new_and_cur_of_a_maildir_are_one_and_flags_are_ignored(tmp_path: Path):
    put(tmp_path, "cur/3.b:2,S", mail("three"))
    put(tmp_path, "cur/1.a:2,RST", mail("one"))
    put(tmp_path, "new/2.c", mail("two"))
    put(tmp_path, "tmp/0.d", mail("half"))
    put(tmp_path, "dovecot-uidlist", b"3 V1\n")
    assert subjects(tmp_path) == ["one", "two", "three"]
    assert notices(tmp_path) == []


def test_maildirs_within_a_maildir_and_within_a_folder(tmp_path: Path):
    put(tmp_path, "box/new/1", mail("one"))
    put(tmp_path, "box/.Lists.netdev/cur/2:2,", mail("two"))
    put(tmp_path, "box/Later/new/3", mail("three"))
    put(tmp_path, "box/.notmuch/xapian/flintlock", b"x")
    assert subjects(tmp_path / "box") == ["one", "two", "three"]
    assert subjects(tmp_path) == ["one", "two", "three"]


def test_a_folder_of_mails_and_mboxes_by_name_whatever_the_suffix(tmp_path: Path):
    put(tmp_path, "b.eml", mail("b"))
    put(tmp_path, "c.txt", boxed("c", "d"))
    put(tmp_path, "a.mbox.gz", gzip.compress(boxed("a")))
    put(tmp_path, "sub/deep/e", mail("e"))
    put(tmp_path, ".hidden", mail("hidden"))
    put(tmp_path, ".git/x.eml", mail("hidden too"))
    assert subjects(tmp_path) == ["a", "b", "c", "d", "e"]
    assert notices(tmp_path) == []


def test_a_folder_named_new_is_no_maildir(tmp_path: Path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "a.eml").write_bytes(mail("a"))
    put(tmp_path, "b.eml", mail("b"))
    assert subjects(tmp_path) == ["b", "a"]


def test_files_without_mail_are_told_once(tmp_path: Path):
    put(tmp_path, "a.eml", mail("a"))
    for number in range(5):
        put(tmp_path, f"note{number}", b"Some text.\n")
    put(tmp_path, "zero", b"")
    (notice,) = notices(tmp_path)
    assert notice.code == "no-mail"
    assert notice.message == (
        f"{tmp_path}: 6 files are passed over: note0 holds no mail; note1 holds no mail; note2 holds no mail; 3 more"
    )
    assert subjects(tmp_path) == ["a"]


def test_a_broken_mail_names_its_file(tmp_path: Path):
    put(tmp_path, "a.mbox", boxed("a") + b"From mboxrd@z Thu Jan  1 00:00:00 1970\nX-No: b\n\n")
    (notice,) = notices(tmp_path)
    assert notice.code == "bad-mail"
    assert notice.message.startswith(f"{tmp_path / 'a.mbox'}: mail 2 has no headers")


@pytest.mark.parametrize("names", [(), ("new",), ("new", "cur"), ("sub",)])
def test_folders_without_mail(tmp_path: Path, names: tuple[str, ...]):
    for name in names:
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="holds no mail"):
        subjects(tmp_path)


def test_why_a_folder_holds_no_mail(tmp_path: Path):
    put(tmp_path, "a", b"")
    put(tmp_path, "b", b"From nobody\n")
    with pytest.raises(InputError, match=r"holds no mail \(a is empty; b holds no mail that can be read"):
        subjects(tmp_path)


def test_links_pipes_and_circles_are_harmless(tmp_path: Path):
    put(tmp_path, "mails/a.eml", mail("a"))
    (tmp_path / "mails" / "b.eml").symlink_to("a.eml")
    (tmp_path / "mails" / "dangling").symlink_to("nowhere")
    (tmp_path / "mails" / "circle").symlink_to("..")
    os.mkfifo(tmp_path / "mails" / "pipe")
    assert subjects(tmp_path / "mails") == ["a", "a"]


def test_a_file_that_vanishes_is_a_notice(tmp_path: Path):
    put(tmp_path, "a.eml", mail("a"))
    put(tmp_path, "b.eml", mail("b"))
    found = read_sources([str(tmp_path)])
    assert isinstance(next(found), RawMail)
    (tmp_path / "b.eml").unlink()
    (gone,) = list(found)
    assert isinstance(gone, Notice)
    assert "b.eml cannot be read" in gone.message


def test_a_folder_that_vanishes_is_a_notice(tmp_path: Path):
    put(tmp_path, "a.eml", mail("a"))
    (tmp_path / "sub").mkdir()
    found = read_sources([str(tmp_path)])
    assert isinstance(next(found), RawMail)
    (tmp_path / "sub").rmdir()
    (gone,) = list(found)
    assert isinstance(gone, Notice)
    assert "sub cannot be read" in gone.message


def test_folders_deep_and_wide(tmp_path: Path):
    deep = tmp_path
    for _ in range(60):
        deep /= "d"
    put(deep, "a.eml", mail("a"))
    for number in range(200):
        put(tmp_path, f"w{number:03}/m.eml", mail(f"m{number:03}"))
    assert subjects(tmp_path) == ["a", *(f"m{number:03}" for number in range(200))]
