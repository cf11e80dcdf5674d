"""The real threads, when they are there."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from reviewer.mail.parse import parse_mail
from reviewer.model import Assembly, Mail
from reviewer.series.assemble import assemble, latest
from reviewer.series.opening import open_series
from reviewer.sources import RawMail, read_sources


@cache
def mails_of(path: Path) -> tuple[Mail, ...]:
    found: list[Mail] = []
    for raw in read_sources([str(path)]):
        assert isinstance(raw, RawMail)
        mail = parse_mail(raw.data, raw.source, len(found), lambda data=raw.data: data)  # type: ignore[misc]
        assert isinstance(mail, Mail)
        found.append(mail)
    return tuple(found)


def assembled(*paths: Path) -> Assembly:
    return assemble(mail for path in paths for mail in mails_of(path))


@pytest.mark.parametrize(
    ("name", "version", "there", "total"),
    [
        ("rx-buf-size-v1", 1, 4, 4),
        ("rx-buf-size-v2", 2, 4, 4),
        ("rx-buf-size-v3", 3, 4, 4),
        ("rx-buf-size-v4", 4, 3, 3),
        ("rx-buf-size-v5", 5, 3, 3),
        ("token-refill-v1", 1, 1, None),
        ("tx-niov-size-v1-cover", 1, 0, 7),
        ("tx-niov-size-v4-cover", 4, 0, 5),
    ],
)
def test_the_seeds(corpus: Path, name: str, version: int, there: int, total: int | None) -> None:
    assembly = assembled(corpus / "seed" / f"{name}.mbox")
    (lineage,) = assembly.lineages
    (outline,) = lineage.outlines
    assert (outline.version, len(outline.patches), outline.total) == (version, there, total)
    assert len(outline.missing) == (total or there) - there
    assert None not in assembly.homes.values()


def test_the_seeds_of_one_lineage_together(corpus: Path) -> None:
    (lineage,) = assembled(*sorted((corpus / "seed").glob("rx-buf-size-*.mbox"))).lineages
    assert [outline.version for outline in lineage.outlines] == [1, 2, 3, 4, 5]
    assert latest(lineage).version == 5


def test_tags_on_a_cover_without_patches(corpus: Path) -> None:
    (lineage,) = assembled(corpus / "seed" / "tx-niov-size-v4-cover.mbox").lineages
    cover = open_series(lineage.outlines[0]).cover
    assert cover is not None
    assert sorted((tag.name, tag.counted) for tag in cover.tags) == [("Reviewed-by", True), ("Tested-by", True)]


def test_an_unthreaded_series_from_three_threads(corpus: Path) -> None:
    threads = sorted((corpus / "threads").glob("*-v19.mbox.gz"))
    (lineage,) = assembled(*threads).lineages
    (outline,) = lineage.outlines
    assert (outline.version, len(outline.patches), outline.total, len(outline.replies)) == (19, 2, 13, 11)


def test_an_aborted_rfc_and_its_resend(corpus: Path) -> None:
    (lineage,) = assembled(*sorted((corpus / "threads").glob("*-zero-copy-network-rx-*.mbox.gz"))).lineages
    (outline,) = lineage.outlines
    assert (len(outline.patches), len(outline.replaced), outline.missing) == (11, 12, ())
    assert outline.cover is not None
    assert outline.cover.subject.resend


def test_every_thread_alone_has_one_series_of_its_title_and_version(corpus: Path) -> None:
    several: list[str] = []
    for path in sorted((corpus / "threads").glob("*.mbox.gz")):
        outlines = [outline for lineage in assembled(path).lineages for outline in lineage.outlines]
        mails = mails_of(path)
        if all(mail.subject.reply for mail in mails):
            assert outlines == []
            continue
        version = int(path.name.removesuffix(".mbox.gz").rpartition("-v")[2].partition("-")[0])
        assert version in [outline.version for outline in outlines], path.name
        if len(outlines) > 1:
            several.append(path.name)
    assert len(several) == 1
    assert "drm-msm-fix-drm-sched-point-of-no-return-rules" in several[0]
