"""DM008: a line of the message that tools take for the end of the message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from reviewer.rule import Example, Find, Hit, Message, MessageRule, PatchExample, Result, TextLine, message, series

_SEPARATOR = re.compile(r"---(?:[^ \t]|(?:\t| [ \t])[ \t]*[^ \t])")
_LOG = re.compile(
    r"\[ (?:cut here|end trace|end Kernel panic)|^Call Trace:|^RIP: |^(?:WARNING|BUG|INFO|Possible unsafe)\b.*|"
    r"but task is already|is trying to (?:acquire|lock)|^[ *]*stack backtrace|^[=*]{20,}$"
)


class SeparatorInMessage(MessageRule):
    """Finds unindented lines that begin with `---` and go on: an underlined heading, or a rule across the text.

    git keeps what follows such a line, but checkpatch (BAD_COMMIT_SEPARATOR) and scripts that split a mail at `---` do
    not, and the rest of the message, tags included, can get lost on the way.

    Silent on indented lines (table rules), on kernel logs that were pasted (`cut here`, lockdep), on a line of exactly
    `---` and on `--- name`, which git itself cuts at (another rule), and below the separator. A note in a cover letter,
    whose text hardly passes through these tools. One remark for a message, at the first such line.

    Sources: checkpatch.pl BAD_COMMIT_SEPARATOR; <15e72c82-ca99-481b-bd53-744fabd503b0@redhat.com>.
    """

    id = "DM008"
    name = "separator-in-message"
    title = "A dashed line in the message looks like the commit separator"
    why = (
        "git cuts a message at a line of exactly `---`, some scripts at any line that begins so: what stands below "
        "would be lost, tags included."
    )
    level = "warning"
    confidence = "high"
    category = "commit-message"
    needs = ("mail",)

    def check(self, message: Message) -> Iterator[Result]:
        """Yield a hit for the first line that looks like a separator."""
        found = [line for line in _prose(message.text.message) if _SEPARATOR.match(line.text.rstrip())]
        if not found:
            return
        others = len(found) - 1
        more = f", as do{'es' * (others == 1)} {others} more below" if others else ""
        which = "these lines" if others else "the line"
        above = message.line_text(found[0].body_line - 1).strip()
        heading = f'The line under "{above}"' if above and len(above) <= 40 else "This line"
        who = "checkpatch reports that as an error (BAD_COMMIT_SEPARATOR)"
        if message.is_cover:
            who = "a script that takes the text for a merge may cut it there"
        yield Hit(
            message.at(found[0]),
            f"{heading} begins with three dashes{more}: {who}. It reads the same without {which}.",
            level="note" if message.is_cover else None,
            confidence="medium" if message.is_cover else None,
            related=tuple(message.at(line) for line in found[1:]),
        )

    @staticmethod
    def examples() -> Sequence[Example]:
        """A heading in a patch and in a cover letter; the same without dashes; an indented table and a log."""
        return [
            message("bad", "Results\n-------\n\nFrobbing is faster.\n", finds=[Find(line="-------")]),
            series(
                "bad",
                [PatchExample(files=(("net/core/frob.c", "int frob_a;\n", "int frob_b;\n"),))],
                cover="\nWhat changed\n------------\n\nOnly the name.\n",
                finds=[Find(line="------------", level="note", patch=0)],
            ),
            message("good", "Results:\n\nFrobbing is faster.\n"),
            message("look-alike", "  size  Gbps\n  ----  ----\n  4K    10.0\n", note="an indented table"),
            message(
                "look-alike",
                "Fix this warning:\n\n------------[ cut here ]------------\nWARNING: CPU: 1 at net/core/frob.c:12\n",
                note="a kernel log",
            ),
        ]


def _prose(lines: tuple[TextLine, ...]) -> Iterator[TextLine]:
    """The lines of the paragraphs that are no kernel log."""
    for empty, run in groupby(lines, key=lambda line: not line.text.strip()):
        paragraph = list(run)
        if not empty and not any(_LOG.search(line.text) for line in paragraph):
            yield from paragraph
