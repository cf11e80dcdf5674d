"""What holds for any mails."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewer.mail.subject import parse_subject
from reviewer.model import Address, Assembly, Mail
from reviewer.series.assemble import assemble, latest

PEOPLE = (
    Address(name="Ann Author", email="ann@dev.example"),
    Address(name="Ann Author", email="ann@home.example"),
    Address(name="Bob Builder", email="bob@dev.example"),
    Address(name="", email="patchwork-bot@dev.example"),
)
SUBJECTS = tuple(
    f"{prefix}[{tag}{counter}] frob: {title}"
    for prefix in ("", "Re: ")
    for tag in ("PATCH", "PATCH v2", "RESEND PATCH", "RFC PATCH v3", "GIT PULL")
    for counter in ("", " 0/2", " 1/2", " 2/2", " 3/2", " 1/3")
    for title in ("x", "y")
)
IDS = [f"id{n}" for n in range(12)]


@st.composite
def threads(draw: st.DrawFn) -> list[Mail]:
    mails: list[Mail] = []
    for minutes in draw(st.lists(st.integers(0, 5000), max_size=14, unique=True)):
        references = tuple(draw(st.lists(st.sampled_from([*IDS, "absent"]), max_size=3, unique=True)))
        mails.append(
            Mail(
                message_id=draw(st.sampled_from(IDS)),
                subject=parse_subject(draw(st.sampled_from(SUBJECTS))),
                author=draw(st.sampled_from(PEOPLE)),
                date=datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes),
                in_reply_to=references[-1] if references else None,
                references=references,
                has_diff=draw(st.booleans()),
                has_diffstat=draw(st.booleans()),
                source="any",
                position=len(mails),
                load=bytes,
                change_id=draw(st.sampled_from([None, None, "one", "two"])),
                links=tuple(draw(st.lists(st.sampled_from(IDS), max_size=1))),
            )
        )
    return mails


def shape(assembly: Assembly) -> object:
    return (
        [
            [
                (
                    outline.id,
                    outline.version,
                    outline.total,
                    outline.missing,
                    [mail.message_id for mail in (*outline.patches, *outline.replies)],
                    sorted(mail.message_id for mail in outline.replaced),
                )
                for outline in lineage.outlines
            ]
            for lineage in assembly.lineages
        ],
        dict(assembly.roles),
        dict(assembly.homes),
    )


@settings(max_examples=80, deadline=None)
@given(threads())
def test_every_mail_has_one_role_and_every_patch_one_series(mails: list[Mail]) -> None:
    assembly = assemble(mails)
    known = {mail.message_id for mail in mails}
    assert set(assembly.roles) == set(assembly.homes) == known
    placed: list[str] = []
    for lineage in assembly.lineages:
        assert latest(lineage) in lineage.outlines
        for outline in lineage.outlines:
            members = [*([outline.cover] if outline.cover else []), *outline.patches, *outline.replaced]
            placed += [mail.message_id for mail in (*members, *outline.replies)]
            assert outline.patches or outline.cover
            assert {assembly.homes[mail.message_id] for mail in (*members, *outline.replies)} == {outline.id}
            assert {assembly.roles[mail.message_id] for mail in members} <= {"cover", "patch"}
            assert not {assembly.roles[mail.message_id] for mail in outline.replies} & {"cover", "patch"}
    assert sorted(placed) == sorted(one for one, home in assembly.homes.items() if home is not None)


@settings(max_examples=80, deadline=None)
@given(threads(), st.integers(0, 1000))
def test_the_order_of_the_input_changes_nothing(mails: list[Mail], seed: int) -> None:
    distinct = list({mail.message_id: mail for mail in mails}.values())
    shuffled = distinct[:]
    random.Random(seed).shuffle(shuffled)
    moved = [replace(mail, position=position) for position, mail in enumerate(shuffled)]
    assert shape(assemble(moved)) == shape(assemble(distinct))


def test_thousands_of_mails_of_one_author_stay_quick(post: Callable[..., Mail]) -> None:
    mails = [post("[PATCH 0/2000] frob: x", "c", stat=True)]
    mails += [post(f"[PATCH {n}/2000] frob: x{n}", f"p{n}", "c", at=n / 100) for n in range(1, 2001)]
    mails += [post(f"[PATCH v2 {n}/2000] frob: x{n}", f"q{n}", "c", f"p{n}", at=n * 100) for n in range(1, 1001)]
    mails += [post("[PATCH] frob: same", f"s{n}", at=n) for n in range(1000)]
    start = time.process_time()
    assembly = assemble(mails)
    assert len(assembly.lineages) == 2
    assert time.process_time() - start < 5
