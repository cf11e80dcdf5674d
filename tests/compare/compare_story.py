"""Versions of a small series as mails, made from a few words: bytes for the reader, a day between versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from reviewer.compare.pairs import compared, pairs_of
from reviewer.compare.values import Comparison
from reviewer.mail.parse import parse_mail
from reviewer.model import Finding, Location, Mail, Report
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.talk.discussion import comments_of

ADA = "Ada Example <ada@frob.example>"
RITA = "Rita Example <rita@x.example>"

LINES = ["frob_prepare(fb)", "frob_count_slots(fb)", "frob_map_slots(fb)", "frob_start_queue(fb)"]


def diff(path: str, *added: str, context: str = "frob_lock(fb)", function: str = "frob_open") -> str:
    """A diff of one hunk that adds a call a line."""
    body = "".join(f"+\t{line};\n" for line in added)
    return (
        f"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -10,2 +10,{2 + len(added)} @@ int {function}(struct frob *fb)\n \t{context};\n{body} \treturn 0;\n"
    )


@dataclass
class Story:
    """Mails in the order in which they were sent."""

    mails: list[bytes] = field(default_factory=list)

    def send(self, ident: str, subject: str, body: str, *above: str, by: str = ADA, day: int = 1) -> str:
        parents = f"In-Reply-To: <{above[-1]}>\nReferences: {' '.join(f'<{one}>' for one in above)}\n" if above else ""
        head = (
            f"From: {by}\nSubject: {subject}\nMessage-ID: <{ident}>\n"
            f"Date: {day} Feb 2026 10:{len(self.mails) % 60:02}:00 +0000\n{parents}"
            "Content-Type: text/plain; charset=utf-8\n\n"
        )
        self.mails.append((head + body).encode("utf-8", "surrogateescape"))
        return ident

    def version(
        self,
        number: int,
        patches: Sequence[tuple[str, str]],
        *,
        text: str = "It counts.\n",
        notes: str = "",
        **own: Any,
    ) -> None:
        """A cover letter and patches, (title, diff) each; `own` has `message`, `trailers` and `note` by number."""
        total, day = len(patches), own.get("day", number)
        tag = f"PATCH v{number}" if number > 1 else "PATCH"
        root = self.send(
            f"v{number}-0@frob.example", f"[{tag} 0/{total}] net: frob: count", f"{text}\n{notes}", day=day
        )
        for at, (title, patch) in enumerate(patches, 1):
            if at in own.get("holes", ()):
                continue
            message = own.get("message", {}).get(at, "It is needed.")
            tags = own.get("trailers", {}).get(at, "")
            note = own.get("note", {}).get(at, "")
            body = f"{message}\n\nSigned-off-by: {ADA}\n{tags}---\n{note}\n{patch}"
            self.send(f"v{number}-{at}@frob.example", f"[{tag} {at}/{total}] {title}", body, root, day=day)

    def reply(self, ident: str, to: str, body: str, *, by: str = RITA, day: int = 1) -> str:
        return self.send(ident, "Re: [PATCH] whatever", body, to, by=by, day=day)

    def report(self, findings: Sequence[Finding] = (), **changes: Any) -> Report:
        read = [
            parse_mail(data, "test.mbox", at, lambda data=data: data)  # type: ignore[misc]
            for at, data in enumerate(self.mails)
        ]
        assembly = assemble(mail for mail in read if isinstance(mail, Mail))
        opened = tuple(open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines)
        comments, notices = comments_of(assembly.lineages, opened)
        assert notices == ()
        report = Report(
            version="0.9",
            complete=True,
            assembly=assembly,
            series=opened,
            findings=tuple(findings),
            notices=(),
            comments=comments,
        )
        return replace(report, **changes)

    def compared(self, findings: Sequence[Finding] = ()) -> Comparison:
        """The comparison of the last two versions."""
        report = self.report(findings)
        (lineage,) = report.assembly.lineages
        (pair,) = pairs_of(lineage, "latest")
        return compared(lineage, pair, report.series, report)

    def mbox(self) -> bytes:
        return b"".join(b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + mail + b"\n\n" for mail in self.mails)


def finding(patch: str, **changes: Any) -> Finding:
    """A finding on a patch mail."""
    made = Finding(
        fingerprint="0123456789abcdef",
        rule="DM302",
        name="errno-silently-changed",
        category="errno-choice",
        level="warning",
        confidence="high",
        message="It gives another errno.",
        why="",
        patch=patch,
        origin="introduced",
        introduced_in=patch,
        fixed_in=None,
        since=(1, "v1-0@frob.example"),
        gone_in=None,
        location=Location(kind="code", file="net/frob.c", line=12, side="new", body_line=14, text="return -EINVAL;"),
    )
    return replace(made, **changes)
