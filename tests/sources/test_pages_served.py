"""Pages, feeds and t.mbox.gz of a real public-inbox server give the same series as the mbox."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from server import get, missing, serving
from threadmaking import ALL, COVER_V2, summary

from reviewer.model import Notice
from reviewer.sources import RawMail, read_sources
from reviewer.sources.feeds import read_feed
from reviewer.sources.fetch import Fetcher
from reviewer.sources.pages import read_page

SINGLE = ["v2-0", "v2-1", "v2-2", "v2-3", "r1", "r2", "r3", "r4", "r5", "v1-0", "v1-1", "v1-3"]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return summary(RawMail(data=data, source="x") for data in ALL)


def test_the_thread_itself_is_what_the_tests_think(expected: dict[str, Any]) -> None:
    [[first, second]] = expected["lineages"]
    assert (first["version"], second["version"]) == ((1, 3, (2,)), (2, 3, ()))
    given = {number: [tag.name for tag in tags if tag.source] for _, number, tags, *_ in second["patches"]}
    assert given == {1: ["Reviewed-by", "Acked-by"], 2: ["Acked-by"], 3: ["Acked-by"]}
    assert [tag.name for tag in second["cover"][1]] == ["Acked-by"]
    assert len(expected["texts"]["r4@dev.example"]) == 2


@pytest.mark.parametrize("view", ["T/", "t/"])
def test_a_thread_page_gives_the_same_series(archive: str, expected: dict[str, Any], view: str) -> None:
    mails = list(read_page(get(f"{archive}{COVER_V2}/{view}"), "page"))
    assert not [one for one in mails if isinstance(one, Notice)]
    assert summary(mails) == expected


def test_message_pages_in_a_folder_give_the_same_series(archive: str, expected: dict[str, Any], tmp_path: Path) -> None:
    for at, number in enumerate(SINGLE):
        (tmp_path / f"{at:02}.html").write_bytes(get(f"{archive}{number}@dev.example/"))
    assert summary(read_sources([str(tmp_path)])) == expected


def test_a_message_page_has_the_headers_of_the_mail(archive: str) -> None:
    [mail] = read_page(get(f"{archive}r2@dev.example/"), "page")
    assert isinstance(mail, RawMail)
    head = mail.data.partition(b"\n\n")[0].decode().split("\n")
    assert head[:6] == [
        "From: Ann Author <ann@dev.example>",
        "Subject: Re: [PATCH net-next v2 1/3] frob: a",
        "Date: Mon, 3 Mar 2025 12:31:07 +0000",
        "Message-ID: <r2@dev.example>",
        "In-Reply-To: <r1@dev.example>",
        "References: <v1-0@dev.example> <v2-0@dev.example> <v2-1@dev.example> <r1@dev.example>",
    ]


@pytest.mark.parametrize("feed", ["t.atom", "new.atom", "?q=frob&x=A"])
def test_a_feed_gives_the_same_series(archive: str, expected: dict[str, Any], feed: str) -> None:
    address = f"{archive}{COVER_V2}/{feed}" if feed == "t.atom" else archive + feed
    found = summary(read_feed(get(address), "feed"))
    assert found["texts"] == {key: text for key, text in expected["texts"].items() if key in found["texts"]}
    if feed == "?q=frob&x=A":  # a search finds what it finds
        assert {f"v2-{number}@dev.example" for number in range(4)} < found["texts"].keys()
    else:
        assert found == expected


@pytest.mark.parametrize("page", ["new.html", "?q=frob&x=t"])
def test_pages_of_new_mails_and_of_search_results_are_read(archive: str, expected: dict[str, Any], page: str) -> None:
    found = summary(read_page(get(archive + page), "page"))
    assert {f"v2-{number}@dev.example" for number in range(4)} < found["texts"].keys()
    assert found["texts"] == {key: text for key, text in expected["texts"].items() if key in found["texts"]}
    [second] = [one for lineage in found["lineages"] for one in lineage if one["version"][0] == 2]
    assert second["id"] == COVER_V2


@pytest.mark.parametrize("kind", ["raw", "t.mbox.gz", "T.html.gz", "t.atom"])
def test_what_was_saved_is_told_by_its_content(archive: str, tmp_path: Path, kind: str) -> None:
    data = get(f"{archive}{COVER_V2}/{'T/' if kind == 'T.html.gz' else kind}")
    path = tmp_path / "saved"
    path.write_bytes(gzip.compress(data) if kind == "T.html.gz" else data)
    mails = list(read_sources([str(path)]))
    assert {one.source for one in mails} == {str(path)}
    assert len(mails) == (1 if kind == "raw" else len(ALL))


def test_lists_of_subjects_hold_no_mail(archive: str, tmp_path: Path) -> None:
    path = tmp_path / "saved.html"
    path.write_bytes(get(archive))
    with pytest.raises(Exception, match=r"saved\.html is a page without a mail \(save a message, or its thread"):
        list(read_sources([str(path)]))


@pytest.mark.parametrize("liblore", [True, False])
@pytest.mark.parametrize("ending", ["", "/", "/T/#u", "/t/", "/raw", "/t.mbox.gz", "/t.atom"])
def test_an_address_gives_its_whole_thread(archive: str, expected: dict[str, Any], ending: str, liblore: bool) -> None:
    if liblore:
        pytest.importorskip("liblore", reason="the extra `lore` is not installed")
    mails = read_sources([f"{archive}r1@dev.example{ending}"], fetcher=Fetcher(use_liblore=liblore))
    assert summary(mails) == expected


@pytest.mark.parametrize("name", ["<v2-2@dev.example>", " <v2-2@dev.example> "])
def test_a_message_id_is_looked_up_at_the_server(archive: str, expected: dict[str, Any], name: str) -> None:
    assert summary(read_sources([name], fetcher=Fetcher(server=archive))) == expected


def test_a_search_is_fetched_as_it_is(archive: str) -> None:
    mails = list(read_sources([f"{archive}?q=frob&x=A"], fetcher=Fetcher()))
    assert len(mails) >= 4


@pytest.mark.parametrize("liblore", [True, False])
def test_an_unknown_message_is_one_line(archive: str, liblore: bool) -> None:
    with pytest.raises(
        Exception, match=r"^20250303\.nosuch@dev\.example: not found at .*: check the Message-ID, or give"
    ) as info:
        list(read_sources(["20250303.nosuch@dev.example"], fetcher=Fetcher(server=archive, use_liblore=liblore)))
    assert "\n" not in str(info.value)


def _bodies(mails: Callable[[], Any]) -> dict[str, Any]:
    found = summary(mails())
    return {"texts": found["texts"], "subjects": found["subjects"]}


def test_a_real_thread_reads_alike_from_its_pages(corpus: Path, tmp_path: Path) -> None:
    if missing():
        pytest.skip(f"no {missing()} here: install the Debian package public-inbox")
    mbox = min((corpus / "threads").glob("*.mbox.gz"), key=lambda path: path.stat().st_size)
    mails = [one.data for one in read_sources([str(mbox)]) if isinstance(one, RawMail)]
    expected = summary(read_sources([str(mbox)]))
    cover = next(iter(expected["texts"]))
    with serving(tmp_path, mails) as address:
        for view in ("T/", "t/"):
            found = summary(read_page(get(f"{address}{cover}/{view}"), "page"))
            for what in ("texts", "subjects", "roles"):
                assert found[what] == expected[what]
