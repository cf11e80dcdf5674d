"""Units to try the kit on: from a mail, through the real readers."""

from __future__ import annotations

from reviewer.code.change import changes_of
from reviewer.examples import mails_of
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail
from reviewer.rule import Example, Node, PatchExample, Unit
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series


def units(after: str, before: str | None = None, path: str = "net/core/frob.c") -> list[Unit]:
    """The post-image of each hunk of a patch; of a new file when there is no `before`."""
    patch = PatchExample(files=((path, before, after),), diffstat=f" {path} | 1 +\n 1 file changed, 1 insertion(+)\n")
    (data,) = mails_of(Example(kind="good", patches=(patch,)))
    mail = parse_mail(data, "test", 0, lambda: data)
    assert isinstance(mail, Mail)
    (lineage,) = assemble([mail]).lineages
    series = open_series(lineage.outlines[0])
    (change,) = changes_of(series.patches[0], series)
    return [after for _, after in change.units]


def unit_of(text: str) -> Unit:
    """The unit of a new file."""
    return units(text)[0]


def body_of(statements: str) -> Unit:
    """The unit of a function with these statements."""
    return unit_of("static int frob(struct frob *fb)\n{\n" + statements + "}\n")


def named(unit: Unit, text: str, kind: str = "") -> Node:
    """The last and innermost node that is written `text`."""
    return [node for node in unit.root.walk() if node.text == text and kind in ("", node.kind)][-1]
