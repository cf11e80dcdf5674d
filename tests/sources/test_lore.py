"""What names are fetched, and from where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.errors import InputError
from reviewer.sources.lore import DEFAULT_SERVER, is_address, request_for

LIST = "https://archive.example/list"
MBOX = f"{LIST}/a.b@dev.example/t.mbox.gz"


@pytest.mark.parametrize(
    ("name", "yes"),
    [
        ("https://archive.example/list/x@y/", True),
        ("HTTP://archive.example/x", True),
        ("<x@y>", True),
        ("<x/y@z>", True),
        ("20250303.1-2-ann+x@dev.example", True),
        ("there@dev.example", False),
        ("mails/x@y", False),
        ("x@y.mbox", False),
        ("x@y.patch.gz", False),
        ("x", False),
        ("a b@c", False),
        ("ftp://archive.example/x@y", False),
        ("x" * 300 + "@" + "y" * 300, False),
        ("aX" * 300 + "@" + "y" * 300, True),
        ("ZmAghrRrj_KGgSQR@dev.example", True),
        ("87a1b2c3d4.fsf@dev.example", True),
        ("ann.example@dev.example", False),
        ("AnnaMaria.Exampleson@dev.example", False),
        ("exampleson1999@dev.example", True),
        ("ann99@dev.example", False),
        ("v2-0001@dev.example", False),
    ],
)
def test_what_is_an_address(name: str, yes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there@dev.example").write_bytes(b"")
    assert is_address(name) is yes


@pytest.mark.parametrize(
    "ending", ["", "/", "/T/", "/T/#u", "/t/#m123", "/t", "/raw", "/t.mbox.gz", "/t.atom", "/#R", "/d/"]
)
def test_a_message_on_any_server_gives_its_thread(ending: str) -> None:
    request = request_for(f"{LIST}/a.b@dev.example{ending}")
    assert (request.url, request.base) == (MBOX, LIST)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        (f"{LIST}/a%2Fb%3Fc@dev.example/", f"{LIST}/a%2Fb%3Fc@dev.example/t.mbox.gz"),
        ("http://archive.example:8080/x@y/", "http://archive.example:8080/x@y/t.mbox.gz"),
        ("http://[::1]:80/l/x@y/", "http://[::1]:80/l/x@y/t.mbox.gz"),
        ("https://lore.kernel.org/r/x@y", "https://lore.kernel.org/all/x@y/t.mbox.gz"),
        ("https://patch.msgid.link/x@y", "https://lore.kernel.org/all/x@y/t.mbox.gz"),
        ("https://bücher.example/l/x@y/", "https://xn--bcher-kva.example/l/x@y/t.mbox.gz"),
    ],
)
def test_addresses_of_messages(name: str, url: str) -> None:
    assert request_for(name).url == url


@pytest.mark.parametrize(
    "name",
    [
        f"{LIST}/new.atom",
        f"{LIST}/?q=frob+dfn:x&x=A",
        f"{LIST}/x@y/?q=1",
        f"{LIST}/x@y/2-fix.patch",
        "https://archive.example/hypermail/0001.html",
        "https://archive.example",
    ],
)
def test_other_addresses_are_fetched_as_they_are(name: str) -> None:
    request = request_for(name)
    assert (request.url, request.base) == (name, None)


@pytest.mark.parametrize("name", ["a.b@dev.example", "<a.b@dev.example>", " <a.b@dev.example>\n"])
def test_message_ids_are_looked_up_at_the_server(name: str) -> None:
    assert request_for(name, LIST).url == MBOX
    assert request_for(name, LIST + "/").url == MBOX
    assert request_for(name).url == f"{DEFAULT_SERVER}a.b@dev.example/t.mbox.gz"


@pytest.mark.parametrize(
    ("name", "server", "told"),
    [
        ("https://", LIST, "give http:// or https://"),
        ("http:///x@y", LIST, "give http:// or https://"),
        ("https://ann:secret@archive.example/x@y/", LIST, "without user name and password"),
        ("https://archive.example:port/x@y/", LIST, "copy it again"),
        ("https://[::1/x@y/", LIST, "copy it again"),
        ("https://" + "ü" * 100 + ".example/", LIST, "name cannot be used"),
        ("x@y", "archive.example/list", "give http:// or https://"),
        ("x@y", "file:///etc/", "give http:// or https://"),
    ],
)
def test_addresses_that_cannot_be_used(name: str, server: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as info:
        request_for(name, server)
    assert "secret" not in str(info.value)


@given(st.text())
def test_no_name_breaks_it(name: str) -> None:
    is_address(name)
    for text in (name, f"https://{name}", f"https://archive.example/{name}", f"<{name}>"):
        try:
            url = request_for(text).url
        except InputError:
            continue
        assert url.isascii()
        assert not any(char.isspace() for char in url)
