"""Mails that nobody should send, of any size, and what it costs to read them."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Assembly, Mail, Notice, Series
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.sources import read_sources

SURE = b"From mboxrd@z Thu Jan  1 00:00:00 1970\n"
DIFF = (
    b"---\n a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/a b/a\n"
    b"index 1111111..2222222 100644\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@ int f(void)\n a\n-b\n+c\n d\n"
)
MULTIPART = b"Content-Type: multipart/mixed; boundary=%s\n"
TO_FIRST = b"In-Reply-To: <1@dev.example>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a body of mail was read as. `told` are the notices of reading and assembling."""

    assembly: Assembly
    series: tuple[Series, ...]
    told: tuple[Notice, ...]

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in (*self.told, *(one for series in self.series for one in series.notices))]


def mail(subject: bytes, number: int, body: bytes = b"Text.\n", more: bytes = b"") -> bytes:
    head = b"From: Ann Author <ann@dev.example>\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n"
    return head + b"Subject: %s\nMessage-ID: <%d@dev.example>\n%s\n%s" % (subject, number, more, body)


def box(*mails: bytes) -> bytes:
    return b"".join(SURE + one + b"\n" for one in mails)


def patch(body: bytes, more: bytes = b"") -> bytes:
    """A patch with that body."""
    return mail(b"[PATCH 1/2] frob: count", 1, body, more)


def answer(body: bytes, more: bytes = b"") -> bytes:
    """A patch and an answer with that body."""
    return box(
        mail(b"[PATCH 1/2] frob: count", 1, b"Count.\n" + DIFF),
        mail(b"Re: [PATCH 1/2] frob: count", 2, body, TO_FIRST + more),
    )


def read(data: bytes) -> Outcome:
    """Everything up to opened series, from bytes as standard input gives them."""
    told: list[Notice] = []
    with Spool() as spool:
        assembly = assemble(_mails(data, spool, told))
        outlines = [outline for lineage in assembly.lineages for outline in lineage.outlines]
        series = tuple(open_series(outline) for outline in outlines)
    return Outcome(assembly=assembly, series=series, told=(*told, *assembly.notices))


def _mails(data: bytes, spool: Spool, told: list[Notice]) -> Iterator[Mail]:
    for position, raw in enumerate(read_sources(["-"], io.BytesIO(data))):
        one = raw if isinstance(raw, Notice) else parse_mail(raw.data, raw.source, position, spool.add(raw.data))
        if isinstance(one, Notice):
            told.append(one)
        else:
            yield one


def seconds(work: Callable[[], object], runs: int = 2) -> float:
    """CPU seconds of the cheapest run."""
    spent: list[float] = []
    for _ in range(runs):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def growth(make: Callable[[int], bytes], size: int, times: int = 4) -> float:
    """How much more a byte costs in an input of `times` the size: 1 when time is linear, `times` when quadratic."""
    small, large = make(size), make(size * times)
    cheap, dear = (max(seconds(lambda data=data: read(data)), 0.004) for data in (small, large))  # type: ignore[misc]
    return dear / cheap / (len(large) / len(small))
