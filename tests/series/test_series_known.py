"""Versions that are known only from links, and what mails say of patches that went in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Assembly, Mail, Series
from reviewer.series.applied import applied_by, applied_of
from reviewer.series.assemble import assemble
from reviewer.series.known import known_only, left_out
from reviewer.series.opening import open_series

ADA = "Ada Example <ada@frob.example>"
URL = "https://lore.kernel.org/r/"
DIFF = "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n"

Put = Callable[[list[bytes]], tuple[Assembly, list[Series]]]


@pytest.fixture
def put() -> Iterator[Put]:
    with Spool() as spool:

        def together(mails: list[bytes]) -> tuple[Assembly, list[Series]]:
            read = [parse_mail(data, "t.mbox", at, spool.add(data)) for at, data in enumerate(mails)]
            assembly = assemble(mail for mail in read if isinstance(mail, Mail))
            return assembly, [open_series(one) for lineage in assembly.lineages for one in lineage.outlines]

        yield together


def write(ident: str, subject: str, body: str, parent: str = "", sender: str = ADA) -> bytes:
    parents = f"In-Reply-To: <{parent}@x.example>\n" if parent else ""
    head = f"From: {sender}\nSubject: {subject}\nDate: 3 Feb 2026 10:00:00 +0000\nMessage-ID: <{ident}@x.example>\n"
    return f"{head}{parents}\n{body}\n".encode()


def patch(ident: str, subject: str, notes: str = "", parent: str = "") -> bytes:
    return write(ident, subject, f"It.\n---\n{notes}\n\n{DIFF}", parent)


@pytest.mark.parametrize(
    ("notes", "known"),
    [
        (f"Link to v2: {URL}b@x.example", [(2, "b@x.example", False)]),
        (f"v1: {URL}a@x.example\nv2: {URL}b@x.example/", [(1, "a@x.example", False), (2, "b@x.example", False)]),
        (f"- v2 [{URL}b@x.example]", [(2, "b@x.example", False)]),
        (f"Changes since v2:\n\n  {URL}b%40x.example", [(2, "b@x.example", False)]),
        (f"Previous version: {URL}20260101-slots-v2-0-0123456789ab@x.example",
         [(2, "20260101-slots-v2-0-0123456789ab@x.example", False)]),
        (f"RFC v1: {URL}rfc@x.example", [(1, "rfc@x.example", True)]),
        (f"RFC: {URL}rfc@x.example", [(None, "rfc@x.example", True)]),
        (f"Previous version: {URL}p@x.example", [(None, "p@x.example", False)]),
        (f"v3: {URL}p@x.example", [(None, "p@x.example", False)]),
        (f"v1 -> v2: {URL}p@x.example", [(None, "p@x.example", False)]),
        ("Changes since v2: faster", []),
    ],
)  # fmt: skip
def test_links_tell_versions(put: Put, notes: str, known: list[tuple[int | None, str, bool]]) -> None:
    assembly, opened = put([patch("c", "[PATCH v3] net: frob: it", notes)])
    found = known_only(assembly.lineages[0], opened, assembly.roles)
    links = [(one.version, one.link, one.rfc) for one in found]
    assert links == known


def test_a_link_without_a_number_is_the_only_version_that_is_absent(put: Put) -> None:
    assembly, opened = put([patch("b", "[PATCH v2] net: frob: it", f"Previous version: {URL}a@x.example")])
    assert [one.version for one in known_only(assembly.lineages[0], opened, assembly.roles)] == [1]


def test_a_link_to_a_version_that_is_here_is_not_told(put: Put) -> None:
    notes = f"v1: {URL}other-list@x.example"
    assembly, opened = put([patch("a", "[PATCH] net: frob: it"), patch("b", "[PATCH v2] net: frob: it", notes)])
    assert known_only(assembly.lineages[0], opened, assembly.roles) == ()


def test_an_rfc_beside_a_patch_of_the_same_number(put: Put) -> None:
    notes = f"RFC v1: {URL}rfc@x.example"
    assembly, opened = put([patch("a", "[PATCH] net: frob: it"), patch("b", "[PATCH v2] net: frob: it", notes)])
    (known,) = known_only(assembly.lineages[0], opened, assembly.roles)
    assert (known.version, known.rfc) == (1, True)


def test_without_the_texts_only_the_link_is_known(put: Put) -> None:
    assembly, _ = put([patch("c", "[PATCH v3] net: frob: it", f"Link to v2: {URL}b@x.example")])
    (known,) = known_only(assembly.lineages[0], (), assembly.roles)
    assert (known.version, known.link) == (None, "b@x.example")


@pytest.mark.parametrize(
    ("versions", "runs"),
    [((), ()), ((1, 2), ()), ((3,), ((1, 2),)), ((1, 3, 9999), ((2, 2), (4, 9998))), ((0, 2), ((1, 1),))],
)
def test_runs_of_versions_left_out(versions: tuple[int, ...], runs: tuple[tuple[int, int], ...]) -> None:
    assert left_out(versions) == runs


SERIES = [
    write("0", "[PATCH net-next 0/2] net: frob: both", "Both.\n"),
    patch("1", "[PATCH net-next 1/2] net: frob: one", parent="0"),
    patch("2", "[PATCH net-next 2/2] net: frob: two", parent="0"),
]


def applied(parent: str, body: str, subject: str = "Re: [PATCH net-next 0/2] net: frob: both", at: int = 1) -> bytes:
    return write(f"{at}.b4-ty", subject, body, parent, "Mia Example <mia@x.example>")


@pytest.mark.parametrize(
    ("mails", "patches", "whole"),
    [
        ([applied("0", "Applied, thanks!\n\n[1/2] one\n  commit: 0123\n[2/2] two\n  commit: 4567\n")], (1, 2), True),
        ([applied("0", "Applied, thanks!\n\n[1/2] one\n      (no commit info)\n")], (1,), False),
        ([applied("0", "[1/2] one\n  https://git.example/c/1\n[2/2] two\n  (no matching commit)\n")], (1,), False),
        ([applied("0", "> [1/2] one\n> commit: 1\n\nApplied, thanks!\n")], (), True),
        ([applied("2", "Applied, thanks!\n")], (2,), False),
        ([applied("1", "Applied.\n"), applied("2", "Applied too.\n", at=2)], (1, 2), True),
        ([applied("0", "Applied some.\n", "Re: (subset) [PATCH net-next 0/2] net: frob: both")], (), False),
    ],
    ids=["b4 names all", "b4 names one", "patchwork names both", "in a quote", "a patch", "one by one", "subset"],
)  # fmt: skip
def test_what_went_in(put: Put, mails: list[bytes], patches: tuple[int, ...], whole: bool) -> None:
    assembly, _ = put([*SERIES, *mails])
    (found,) = applied_of(assembly.lineages[0], assembly.roles)
    assert (found.patches, found.whole) == (patches, whole)
    by = applied_by(assembly.lineages[0], assembly.roles)
    assert (by.message_id if by else None) == (f"{len(mails)}.b4-ty@x.example" if whole else None)


def test_a_single_patch_without_a_counter(put: Put) -> None:
    single = patch("1", "[PATCH v1] net: frob: one")
    assembly, _ = put([single, applied("1", "  - [v1] net: frob: one\n    https://git.example/c/1\n", "Re: [PATCH] x")])
    assert [(one.patches, one.whole) for one in applied_of(assembly.lineages[0], assembly.roles)] == [((1,), True)]


def test_a_mail_without_text_that_says_applied(put: Put) -> None:
    data = applied("0", "AAAA").replace(b"\n\n", b"\nContent-Type: image/png\n\n", 1)
    assembly, _ = put([*SERIES, data])
    assert [one.whole for one in applied_of(assembly.lineages[0], assembly.roles)] == [True]


def test_nothing_went_in(put: Put) -> None:
    assembly, _ = put(SERIES)
    assert applied_of(assembly.lineages[0], assembly.roles) == ()
    assert applied_by(assembly.lineages[0], assembly.roles) is None
