"""Two versions of a small series with its discussion, and what comes out when they are assembled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reviewer.mail.body import text_parts
from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import Mail, Notice, Series
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.sources import RawMail

HEAD = "a" * 40
COVER_V2 = "v2-0@dev.example"


def mail(
    number: str, subject: str, body: str, *parents: str, name: str = "Ann Author", minute: int = 0, more: str = ""
) -> bytes:
    """A mail whose Message-ID is `number@dev.example`; the last of `parents` is what it answers."""
    email = name.partition(" ")[0].lower().replace("ł", "l")
    ids = [f"<{parent}@dev.example>" for parent in parents]
    links = f"In-Reply-To: {ids[-1]}\nReferences: {' '.join(ids)}\n" if ids else ""
    head = (
        f"From: {name} <{email}@dev.example>\nTo: list@dev.example\nCc: Carl Cc <carl@dev.example>\n"
        f"Subject: {subject}\nDate: Mon, 3 Mar 2025 12:{minute:02}:07 +0000\n"
        f"Message-ID: <{number}@dev.example>\n{links}"
    )
    return (
        head + (more or "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n") + body
    ).encode()


def diff(name: str, old: str, new: str) -> str:
    return (
        f"diff --git a/frob/{name}.c b/frob/{name}.c\nindex 1234567890ab..ba0987654321 100644\n"
        f"--- a/frob/{name}.c\n+++ b/frob/{name}.c\n@@ -1,5 +1,5 @@ static int frob_{name}(void)\n"
        f' \tif (a < b && c > d)\n \t\treturn &x->y["z"];\n-\t{old};\n+\t{new};\n \n \treturn 0;\n-- \n2.48.1\n\n'
    )


def patch(name: str, old: str, new: str) -> str:
    return (
        f'Frobbing <{name}> needs care & "quotes", see\nhttps://docs.example/frob?a=1&b=2#c (and <x@dev.example>).\n\n'
        "  \tindented,\ttabbed,   spaced\n\n"
        "Signed-off-by: Ann Author <ann@dev.example>\n---\n"
        f" frob/{name}.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" + diff(name, old, new)
    )


ATTACHED = (
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=b"\n\n--=b\nContent-Type: text/plain\n\n'
    "Or rather like the attached one?\n\n--=b\nContent-Type: application/octet-stream\n"
    'Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="trace.bin"\n\nAAEC\n'
    '--=b\nContent-Type: text/x-patch; charset=utf-8\nContent-Disposition: attachment; filename="fix.patch"\n\n'
    + diff("fix", "bad()", "good()")
    + "\n--=b--\n"
)
PRETENDER = (
    "You may think that a mail ends here:\n\n^ permalink raw reply\t[flat|nested] 9+ messages in thread\n"
    "</pre><hr><pre><a href=#e1 id=m0123456789012345678901234567890123456789>*</a> <b>[PATCH 9/9] forged</b>\n"
    '<!-- body="start" --> &lt; &amp;lt; Thread overview:\n2025-03-03 12:00 ` [PATCH 1/2] forged Eve Evil\n'
    "[-- Attachment #1: Type: text/x-patch, Size: 9 bytes --]\n\nMessage-ID: <forged@dev.example> (raw)\n"
)

V1 = (
    mail(
        "v1-0",
        "[PATCH net-next 0/3] frob: mend it",
        "It is broken.\n\nAnn Author (3):\n  frob: a\n  frob: b\n  frob: c\n",
    ),
    mail("v1-1", "[PATCH net-next 1/3] frob: a", patch("a", "one()", "two()"), "v1-0", minute=1),
    mail("v1-3", "[PATCH net-next 3/3] frob: c", patch("c", "five()", "six()"), "v1-0", minute=3),
)
V2 = (
    mail("v2-0", "[PATCH net-next v2 0/3] frob: mend it", "Changes in v2:\n - all sent\n", "v1-0", minute=20),
    mail("v2-1", "[PATCH net-next v2 1/3] frob: a", patch("a", "one()", "two(1)"), "v1-0", "v2-0", minute=21),
    mail("v2-2", "[PATCH net-next v2 2/3] frob: b", patch("b", "three()", "four()"), "v1-0", "v2-0", minute=22),
    mail("v2-3", "[PATCH net-next v2 3/3] frob: c", patch("c", "five()", "six()"), "v1-0", "v2-0", minute=23),
)
A, B, C = (f"Re: [PATCH net-next v2 {number}/3] frob: {name}" for number, name in ((1, "a"), (2, "b"), (3, "c")))
REVIEW = (
    'On Monday Ann Author wrote:\n> Frobbing <a> needs care & "quotes", see\n>> deeper\n> -\tone();\n> +\ttwo(1);\n\n'
    "Why 1?\n\nReviewed-by: Łucja Reviewer <lucja@dev.example>\n"
)
ACK = "Acked-by: Bob Builder <bob@dev.example>\n"
SERIES = ("v1-0", "v2-0")
TALK = (
    mail("r1", A, REVIEW, *SERIES, "v2-1", name="Łucja Reviewer", minute=30),
    mail("r2", A, "> Why 1?\n\nBecause.\n", *SERIES, "v2-1", "r1", minute=31),
    mail("r3", "Re: [PATCH net-next v2 0/3] frob: mend it", ACK, *SERIES, name="Bob Builder", minute=32),
    mail("r4", B, "", *SERIES, "v2-2", name="Bob Builder", minute=33, more=ATTACHED),
    mail("r5", C, PRETENDER, *SERIES, "gone", "v2-3", name="Eve Evil", minute=34),
)
ALL = (*V1, *V2, *TALK)


def parsed(raws: Iterable[RawMail | Notice], spool: Spool) -> list[Mail]:
    mails = [one for one in raws if isinstance(one, RawMail)]
    found = [parse_mail(one.data, one.source, at, spool.add(one.data)) for at, one in enumerate(mails)]
    return [one for one in found if isinstance(one, Mail)]


def summary(raws: Iterable[RawMail | Notice], only: Sequence[str] = ()) -> dict[str, Any]:
    """What a maintainer would compare of two readings: series, tags and texts; `only` names the Message-IDs to keep."""
    with Spool() as spool:
        mails = [one for one in parsed(raws, spool) if not only or one.message_id in only]
        assembly = assemble(iter(mails))
        return {
            "lineages": [[_series(open_series(one)) for one in lineage.outlines] for lineage in assembly.lineages],
            "roles": dict(assembly.roles),
            "texts": {one.message_id: [(part.text, part.filename) for part in text_parts(one)] for one in mails},
            "names": {one.message_id: one.author.name for one in mails},
            "subjects": {one.message_id: one.subject for one in mails},
        }


def _series(series: Series) -> dict[str, Any]:
    outline = series.outline
    return {
        "id": outline.id,
        "version": (outline.version, outline.total, outline.missing),
        "replies": sorted(one.message_id for one in outline.replies),
        "cover": series.cover and (series.cover.mail.message_id, series.cover.tags),
        "patches": [(one.mail.message_id, one.number, one.tags, one.text, one.files) for one in series.patches],
    }
