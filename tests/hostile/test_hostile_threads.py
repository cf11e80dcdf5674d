"""Threads that break readers: each mail keeps its place, in time and memory that grow with their number."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from hostile_inputs import DIFF, box, mail, read, seconds
from msgspec.structs import replace

from reviewer.mail.parse import parse_mail
from reviewer.model import Assembly, Mail
from reviewer.series.assemble import assemble
from reviewer.series.outlines import MAX_MISSING

COUNT = 150
SLOWEST = 2.5


def to(*numbers: int) -> bytes:
    above = b" ".join(b"<%d@dev.example>" % number for number in numbers)
    return b"In-Reply-To: <%d@dev.example>\nReferences: %s\n" % (numbers[-1], above)


FIRST = mail(b"[PATCH] frob: x", 0, DIFF)


def reply(number: int, *above: int) -> bytes:
    return mail(b"Re: [PATCH] frob: x", number, b"Fine.\n", to(*above))


SHAPES: dict[str, Callable[[int], list[bytes]]] = {
    "a flat thread": lambda n: [FIRST, *(reply(i, 0) for i in range(1, n))],
    "a chain": lambda n: [FIRST, *(reply(i, i - 1) for i in range(1, n))],
    "a chain, last mail first": lambda n: [FIRST, *(reply(i, i - 1) for i in range(1, n))][::-1],
    "one cycle": lambda n: [reply(i, (i + 1) % n) for i in range(n)],
    "pairs that answer each other": lambda n: [reply(i, i ^ 1) for i in range(n)],
    "a cycle of patches": lambda n: [mail(b"[PATCH 1/2] frob: x%d" % i, i, DIFF, to((i + 1) % n)) for i in range(n)],
    "answers to absent mails": lambda n: [reply(i, n + i, n + i + 1, n + i + 2) for i in range(n)],
    "a chain of absent mails": lambda n: [reply(i, *range(2 * n + i // 20, 2 * n + i // 20 + 8)) for i in range(n)],
    "covers without patches": lambda n: [mail(b"[PATCH 0/20000] frob: x%d" % i, i) for i in range(n)],
    "single patches of long series": lambda n: [
        mail(b"[PATCH v%d %d/20000] frob: x" % (i % 9 + 1, i + 1), i, DIFF) for i in range(n)
    ],
    "a chain of versions": lambda n: [
        mail(b"[PATCH v%d 1/3] frob: x" % (i + 1), i, DIFF, to(i - 1) if i else b"") for i in range(n)
    ],
    "one title": lambda n: [mail(b"[PATCH] frob: x", i, DIFF) for i in range(n)],
    "resends": lambda n: [mail(b"[RESEND PATCH %d/2] frob: x" % (i % 2 + 1), i, DIFF) for i in range(n)],
    "one Message-ID": lambda n: [mail(b"[PATCH] frob: x%d" % i, 1, DIFF) for i in range(n)],
    "copies of one mail": lambda n: [mail(b"[PATCH] frob: x", 1, DIFF + b"-- \n2.40.%d\n" % i) for i in range(n)],
    "one change-id": lambda n: [mail(b"[PATCH] frob: x%d" % i, i, b"change-id: same\n" + DIFF) for i in range(n)],
    "a chain of links": lambda n: [
        mail(b"[PATCH] frob: x%d" % i, i, b"v1: https://lore.kernel.org/r/%d@dev.example\n" % (i - 1) + DIFF)
        for i in range(n)
    ],
    "a chain of names and addresses": lambda n: [
        mail(b"[PATCH] frob: x", i, DIFF).replace(b"Ann Author <ann@", b"N%d M <a%d@" % (i // 2, (i + 1) // 2))
        for i in range(n)
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear_in_the_number_of_mails(shape: str) -> None:
    def slow() -> float:
        few, many = (box(*SHAPES[shape](count)) for count in (COUNT, 4 * COUNT))
        return seconds(lambda: read(many)) / seconds(lambda: read(few)) / 4

    assert slow() < SLOWEST or slow() < SLOWEST


@pytest.mark.parametrize("shape", SHAPES)
def test_every_mail_has_a_role(shape: str) -> None:
    mails = SHAPES[shape](50)
    outcome = read(box(*mails))
    ids = {one.partition(b"Message-ID: <")[2].partition(b">")[0].decode() for one in mails}
    assert set(outcome.assembly.roles) == set(outcome.assembly.homes) == ids


def values(mails: list[bytes]) -> list[Mail]:
    found = [parse_mail(data, "box", position, lambda data=data: data) for position, data in enumerate(mails)]  # type: ignore[misc]
    return [one for one in found if isinstance(one, Mail)]


def test_a_hundred_thousand_replies_in_one_chain_cost_what_a_flat_thread_costs() -> None:
    first, answer = values([FIRST, reply(1, 0)])

    def thread(parent: Callable[[int], int]) -> list[Mail]:
        above = [str(parent(number)) for number in range(100_000)]
        return [
            replace(first, message_id="0"),
            *(
                replace(answer, message_id=str(i), in_reply_to=above[i], references=(above[i],), position=i)
                for i in range(1, 100_000)
            ),
        ]

    chain, flat = thread(lambda number: number - 1), thread(lambda _: 0)
    found: list[Assembly] = []
    assert seconds(lambda: found.append(assemble(chain)), 1) < 4 * seconds(lambda: assemble(flat), 1)
    ((outline,),) = (lineage.outlines for lineage in found[0].lineages)
    assert len(outline.replies) == 99_999


def test_many_cycles_give_a_handful_of_notices() -> None:
    outcome = read(box(*SHAPES["pairs that answer each other"](400)))
    assert outcome.codes == ["reply-cycle"] * 51
    assert outcome.told[-1].message == "150 more notices like the last are left out"
    (notice,) = read(box(*SHAPES["one cycle"](400))).told
    assert notice.message.startswith("400 mails answer each other in a circle")
    assert len(notice.patches) == 50


def test_covers_of_long_series_hold_no_more_numbers_than_are_listed() -> None:
    covers = values(SHAPES["covers without patches"](1000))
    few = values([mail(b"[PATCH 0/2] frob: x%d" % i, i) for i in range(1000)])

    def held(mails: list[Mail]) -> int:
        tracemalloc.start()
        kept = assemble(mails)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(kept.lineages) == 1000
        return size

    held(covers)  # tables that all series share are made once
    assert held(covers) < 3 * held(few)


def test_long_holes_are_listed_in_part_and_told_of() -> None:
    outcome = read(box(mail(b"[PATCH 0/700] frob: x", 1), mail(b"[PATCH 2/700] frob: two", 2, DIFF, to(1))))
    (outline,) = [outline for lineage in outcome.assembly.lineages for outline in lineage.outlines]
    assert outline.total == 700
    assert outline.missing == tuple(number for number in range(1, MAX_MISSING + 2) if number != 2)
    assert [notice.message for notice in outcome.told if notice.code == "many-missing"] == [
        "frob: x (v1): 699 of 700 patches are missing; the first 500 are listed"
    ]
