"""Reports made of real mail bytes, read by the real readers, with findings that the test gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Finding, Location, Mail, Notice, Report, Series
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

# The empty lines of the hunk have lost their mark, as mailers do that cut white space at the end of lines.
DIFF = (
    "diff --git a/drivers/net/frob/main.c b/drivers/net/frob/main.c\n"
    "index 1111111..2222222 100644\n"
    "--- a/drivers/net/frob/main.c\n"
    "+++ b/drivers/net/frob/main.c\n"
    "@@ -10,7 +10,9 @@ static int frob_open(struct frob *fb)\n"
    " \tint err;\n"
    "\n"
    " \tif (!fb->ring)\n"
    "-\t\treturn -E2BIG;\n"
    "+\t\treturn -EINVAL;\n"
    "\n"
    '+\tfrob_log(fb, "opened",\n'
    "+\t\t fb->id);\n"
    " \tfb->open = true;\n"
    " \treturn 0;\n"
)


def write(
    subject: str,
    body: str,
    ident: str,
    *,
    parent: str = "",
    sender: str = "Ada Example <ada@frob.example>",
) -> bytes:
    head = [f"From: {sender}", f"Subject: {subject}", f"Message-ID: <{ident}>", "Date: Tue, 3 Feb 2026 09:00:00 +0100"]
    if parent:
        head += [f"In-Reply-To: <{parent}>", f"References: <{parent}>"]
    head += ['Content-Type: text/plain; charset="utf-8"', "Content-Transfer-Encoding: 8bit"]
    return ("\n".join(head) + "\n\n" + body).encode("utf-8", "surrogateescape")


def patch_body(message: str, diff: str = DIFF) -> str:
    return (
        f"{message}\n---\n drivers/net/frob/main.c | 4 +++-\n 1 file changed, 3 insertions(+), 1 deletion(-)\n\n{diff}"
    )


def series_of(patches: int, *, cover: bool = True, missing: tuple[int, ...] = (), version: int = 1) -> list[bytes]:
    """A series of equal patches by number, `v<version>-<number>@frob.example`."""
    tag = f"PATCH net-next v{version}" if version > 1 else "PATCH net-next"
    root = f"v{version}-{0 if cover else 1}@frob.example"
    mails = [write(f"[{tag} 0/{patches}] net: frob: all of it", "Hello.\n\nWorld.\n", root)] if cover else []
    for number in range(1, patches + 1):
        if number not in missing:
            ident = f"v{version}-{number}@frob.example"
            counter = f" {number}/{patches}" if patches > 1 or cover else ""
            body = patch_body(f"Part {number} of it.\n\nSigned-off-by: Ada Example <ada@frob.example>")
            parent = root if ident != root else ""
            mails.append(write(f"[{tag}{counter}] net: frob: part {number}", body, ident, parent=parent))
    return mails


def finding(patch: str, **changes: Any) -> Finding:
    location = changes.pop("location", Location(kind="message"))
    made = Finding(
        fingerprint="0123456789abcdef",
        rule="DM302",
        name="errno-silently-changed",
        category="errno-choice",
        level="warning",
        confidence="high",
        message="frob_open() gave -E2BIG here and now gives -EINVAL, which the commit message does not mention.",
        why="Applications distinguish failures by these codes, therefore changes deserve explanation.",
        patch=patch,
        origin="introduced",
        introduced_in=patch,
        fixed_in=None,
        since=(1, "v1-0@frob.example"),
        gone_in=None,
        location=location,
    )
    return replace(made, **changes)


class Sample:
    """Builds reports; mails are read from a spool that lives as long as the test."""

    DIFF = DIFF
    write = staticmethod(write)
    patch_body = staticmethod(patch_body)
    series_of = staticmethod(series_of)
    finding = staticmethod(finding)

    def __init__(self, spool: Spool) -> None:
        self._spool = spool

    def report(
        self,
        mails: list[bytes],
        findings: list[Finding] | None = None,
        notices: tuple[Notice, ...] = (),
        **changes: Any,
    ) -> Report:
        read = [parse_mail(data, "test.mbox", at, self._spool.add(data)) for at, data in enumerate(mails)]
        assembly = assemble(mail for mail in read if isinstance(mail, Mail))
        opened = tuple(open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines)
        report = Report(
            version="0.9",
            complete=True,
            assembly=assembly,
            series=opened,
            findings=tuple(findings or ()),
            notices=(*notices, *(notice for series in opened for notice in series.notices)),
        )
        return replace(report, **changes)

    def at(self, report: Report, patch: str, text: str, **changes: Any) -> Location:
        """The location of the first line of a patch mail that contains `text`."""
        series, subject = next(
            (series, one)
            for series in report.series
            for one in (series.cover, *series.patches)
            if one and one.mail.message_id == patch
        )
        assert isinstance(series, Series)
        lines = (*subject.text.message, *subject.text.notes, *subject.text.diff)
        line = next(line for line in lines if text in line.text)
        code = line in subject.text.diff
        made = Location(
            kind="code" if code else "message",
            file="drivers/net/frob/main.c" if code else None,
            line=13 if code else None,
            side="new" if code else None,
            function="frob_open" if code else None,
            part=subject.text.part,
            body_line=line.body_line,
            text=line.text,
        )
        return replace(made, **changes)


@pytest.fixture
def sample() -> Iterator[Sample]:
    with Spool() as spool:
        yield Sample(spool)
