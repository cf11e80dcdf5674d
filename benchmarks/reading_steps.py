"""The steps of reading.py, each in a process of its own: what the parent holds would count as memory of its children.

python benchmarks/reading_steps.py make THREADS MBOX MAILS
python benchmarks/reading_steps.py read|open|b4|blocks MBOX
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

from real_mails import write_mbox

from reviewer.diff.parse import parse_diff
from reviewer.mail.body import part_lines, text_parts
from reviewer.mail.message import message_text
from reviewer.mail.parse import parse_mail
from reviewer.mail.replytags import reply_tags
from reviewer.mail.spool import Spool
from reviewer.model import Mail
from reviewer.reading import read_mails
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.sources import RawMail, read_sources

LARGE = 3_500_000
ORDINARY = 1_000


def main(step: str, *given: str) -> int:
    """Run one step; what it has to say goes to standard output."""
    if step == "make":
        folder, box, mails = given
        return int(not write_mbox(Path(folder), int(mails), Path(box)))
    mbox = Path(given[0])
    if step == "blocks":
        print(_blocks_against_ordinary(mbox))
        return 0
    return {"read": _read, "open": _open, "b4": _b4}[step](mbox)


def _read(box: Path) -> int:
    with Spool() as spool:
        return int(not assemble(read_mails([str(box)], spool, [])).lineages)


def _open(box: Path) -> int:
    with Spool() as spool:
        assembly = assemble(read_mails([str(box)], spool, []))
        opened = [bool(open_series(one).patches) for line in assembly.lineages for one in line.outlines]
    return int(not any(opened))


def _b4(box: Path) -> int:
    from b4_threads import series_of  # b4 only in its own child

    return int(not list(series_of(box)))


def _blocks_against_ordinary(box: Path) -> float:
    """CPU seconds a byte of mails that are `Name: text` lines, over those of the real mails of `box`."""
    lines = b"".join(b"Name%d: some text of usual length, number %d\n" % (n % 97, n) for n in range(LARGE // 45))
    patch = b"From: A <a@dev.example>\nSubject: [PATCH] x\nMessage-ID: <1@dev.example>\n\n" + lines
    reply = patch.replace(b"1@dev", b"2@dev").replace(b"[", b"Re: [", 1)
    mails = [raw.data for raw in read_sources([str(box)]) if isinstance(raw, RawMail)][:ORDINARY]
    ordinary = sum(map(_seconds, mails)) / sum(map(len, mails))
    return max(_seconds(mail) / len(mail) for mail in (patch, reply)) / ordinary


def _seconds(data: bytes) -> float:
    """CPU seconds to read a mail whole: headers, text, trailers, diff and tags; the cheapest of two runs."""
    spent: list[float] = []
    for _ in range(2):
        start = process_time()
        mail = parse_mail(data, "box", 0, lambda: data)
        assert isinstance(mail, Mail)
        parts = text_parts(mail)
        if mail.subject.reply and parts:
            reply_tags("\n".join(line.text for line in part_lines(parts[0])))
        else:
            parse_diff(message_text(mail, parts).diff)
        spent.append(process_time() - start)
    return min(spent)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
