"""Versions of a small series with replies, made from a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reviewer.mail.parse import parse_mail
from reviewer.model import Comment, Mail, Series
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.talk.discussion import talk_of

ANN = "Ann Author <ann@dev.example>"
ROB = "Robert Reader <rob@lists.example>"
EVE = "Eve Elder <eve@lists.example>"

FROB = """\
diff --git a/net/frob.c b/net/frob.c
index 1111111..2222222 100644
--- a/net/frob.c
+++ b/net/frob.c
@@ -10,10 +10,17 @@ static int frob_begin(struct frob *f)
 int frob_init(struct frob *f)
 {
 \tint err;
+\tunsigned int slots = FROB_SLOTS;
%%
 \terr = frob_open(f);
 \tif (err)
 \t\treturn err;
-\tf->count = 0;
+\tf->table = frob_table_alloc(slots);
+\tif (!f->table)
+\t\treturn -EFAULT;
+\tf->count = slots;
 \treturn 0;
 }
+
+/* Frobs that are gone are counted too. */
@@ -40,6 +47,8 @@ void frob_exit(struct frob *f)
 \tstruct frob_slot *slot;
%%
 \tfrob_close(f);
+\tif (f->table)
+\t\tfrob_table_free(f->table);
 \tf->open = false;
 }
%%
""".replace("%%", " ")
"""A patch with 1 in a series of one: lines that are quoted by the tests."""


def hunk(lines: Sequence[str], start: int = 10, section: str = "") -> str:
    """A hunk of lines with their marks."""
    old = sum(line[:1] != "+" for line in lines)
    new = sum(line[:1] != "-" for line in lines)
    return f"@@ -{start},{old} +{start},{new} @@{section}\n" + "".join(f"{line}\n" for line in lines)


def diff(path: str, *hunks: str) -> str:
    """A git diff of one file."""
    return f"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n" + "".join(hunks)


@dataclass
class Story:
    """Mails in the order in which they were sent, a minute apart."""

    mails: list[bytes] = field(default_factory=list)

    def send(self, message_id: str, subject: str, body: str, *to: str, by: str = ANN, headers: str = "") -> str:
        minute = len(self.mails)
        above = f"References: {' '.join(f'<{one}>' for one in to)}\nIn-Reply-To: <{to[-1]}>\n" if to else ""
        date = f"Date: Mon, 3 Mar 2025 {12 + minute // 60:02}:{minute % 60:02}:00 +0000\n"
        kind = "" if "Content-Type" in headers else "Content-Type: text/plain; charset=utf-8\n"
        head = f"From: {by}\nSubject: {subject}\nMessage-ID: <{message_id}>\n{date}{above}{headers}{kind}\n"
        self.mails.append((head + body).encode())
        return message_id

    def cover(self, version: int, total: int, text: str = "Make frob count.\n", notes: str = "") -> str:
        body = f"{text}{notes}\n net/frob.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
        mark = f" v{version}" if version > 1 else ""
        return self.send(f"v{version}-0@dev.example", f"[PATCH net-next{mark} 0/{total}] net: frob: count things", body)

    def patch(
        self,
        version: int,
        counter: str,
        title: str,
        patch: str,
        *,
        text: str = "Frob needs this.\n",
        notes: str = "",
        trailers: str = "Signed-off-by: Ann Author <ann@dev.example>\n",
    ) -> str:
        number = counter.partition("/")[0]
        mark = f" v{version}" if version > 1 else ""
        stat = " net/frob.c | 2 +-\n 1 file changed, 2 insertions(+)\n"
        body = f"{text}\n{trailers}---\n{notes}{stat}\n{patch}-- \n2.50.0\n"
        above = () if counter == "1/1" else (f"v{version}-0@dev.example",)
        place = "" if counter == "1/1" else f" {counter}"
        subject = f"[PATCH net-next{mark}{place}] {title}"
        return self.send(f"v{version}-{number}@dev.example", subject, body, *above)

    def reply(self, message_id: str, to: str, body: str, *above: str, by: str = ROB, headers: str = "") -> str:
        subject = next(
            mail.decode().split("Subject: ")[1].split("\n")[0]
            for mail in self.mails
            if f"Message-ID: <{to}>".encode() in mail
        )
        return self.send(message_id, f"Re: {subject.removeprefix('Re: ')}", body, *above, to, by=by, headers=headers)

    def versions(self) -> tuple[Series, ...]:
        read = [
            parse_mail(data, "test.mbox", n, lambda data=data: data)  # type: ignore[misc]
            for n, data in enumerate(self.mails)
        ]
        (lineage,) = assemble(mail for mail in read if isinstance(mail, Mail)).lineages
        return tuple(open_series(outline) for outline in lineage.outlines)

    def comments(self) -> list[Comment]:
        """All comments of all versions, in order."""
        return [comment for said in talk_of(self.versions()).values() for comment in said]
