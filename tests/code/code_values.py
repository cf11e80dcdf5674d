"""Values to try the code layer on: diffs through the real reader, and units of whole files and of fragments."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime

from reviewer.code.change import Change, changes_of
from reviewer.code.node import Node
from reviewer.code.unit import Unit, whole_file_unit
from reviewer.diff.parse import parse_diff
from reviewer.model import Address, FileDiff, Mail, MessageText, Outline, Patch, Series, Subject, TextLine

AUTHOR = Address(name="A. Author", email="author@frob.example")
MAIL = Mail(
    message_id="1@frob.example",
    subject=Subject(text="[PATCH] frob", title="frob"),
    author=AUTHOR,
    date=datetime(2024, 1, 2, tzinfo=UTC),
    in_reply_to=None,
    references=(),
    has_diff=True,
    has_diffstat=False,
    source="frob.mbox",
    position=0,
    load=lambda: b"",
)


def patch_of(diff: str, *, first_line: int = 20, part: int = 1) -> tuple[Patch, Series]:
    """A patch whose diff begins at line `first_line` of text part `part`, and a series of it alone."""
    lines = tuple(TextLine(text=text, body_line=first_line + row) for row, text in enumerate(diff.split("\n")[:-1]))
    files, notices = parse_diff(lines)
    assert not notices
    text = MessageText(
        part=part, author=None, message=(), trailers=(), notes=(), diffstat=None, diff=lines, base_commit=None
    )
    patch = Patch(mail=MAIL, number=1, total=1, text=text, files=files, tags=())
    outline = Outline(
        id=MAIL.message_id,
        cover=None,
        patches=(MAIL,),
        missing=(),
        replies=(),
        version=1,
        total=1,
        title="frob",
        author=AUTHOR,
        date=MAIL.date,
    )
    return patch, Series(outline=outline, cover=None, patches=(patch,), base_commit=None, change_id=None)


def changes(diff: str, **where: int) -> tuple[Change, ...]:
    """The changes of a patch with this diff."""
    return changes_of(*patch_of(diff, **where))


def hunk(body: str, section: str = "", path: str = "net/frob.c") -> Change:
    """The change of one hunk, whose lines begin with their marks; the first is line 100 of the file."""
    lines = body.split("\n")[:-1]
    old = sum(line[:1] != "+" for line in lines)
    new = sum(line[:1] != "-" for line in lines)
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -100,{old} +100,{new} @@ {section}\n"
    (change,) = changes(head + body)
    return change


def fragment(text: str, section: str = "", path: str = "net/frob.c") -> Unit:
    """The unit of a hunk that adds nothing but shows `text`, its first line marked as added."""
    lines = text.split("\n")[:-1]
    body = "".join(("+" if row == 0 else " ") + line + "\n" for row, line in enumerate(lines))
    ((_, after),) = hunk(body, section, path).units
    return after


def edit(before: str, after: str, path: str = "net/frob.c", context: int = 3) -> Change:
    """The change from one text to another, hunk headings as difflib makes them: without sections."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", n=context, lineterm=""
    )
    (change,) = changes(f"diff --git a/{path} b/{path}\n" + "".join(f"{line}\n" for line in lines))
    return change


def whole(text: str, path: str = "net/frob.c") -> Unit:
    """The unit of a whole file."""
    patch, series = patch_of(f"diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n")
    file: FileDiff = patch.files[0]
    return whole_file_unit(text, file=file, patch=patch, series=series, side="new", rung="blob")


def named(unit: Unit, text: str, kind: str = "") -> Node:
    """The last and innermost node that is written `text`."""
    return [node for node in unit.root.walk() if node.text == text and kind in ("", node.kind)][-1]
