"""Findings that steering lines accept, and lines that were of no use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from reviewer.acceptance.context import Context, mails_of, scope_of
from reviewer.acceptance.steering import Steering
from reviewer.model import Acceptance, Finding, Notice, Series

_EVERY = "*"
_DEEPEST = 64

_Key = tuple[int, str, str | None, str | None]
"""Lineage, rule (or `*`), path, title of the patch; None for no limit."""
_Id = tuple[str, int]


class Steered(Struct, kw_only=True):
    """Steering lines by what they are about, and which of them were of use.

    `before` remembers what was accepted in an earlier version, for when the patch has another title in a later one.
    """

    lines: Sequence[Steering]
    table: Mapping[_Key, Sequence[Steering]]
    used: set[_Id] = field(default_factory=set[_Id])
    refused: dict[_Id, tuple[Steering, Finding]] = field(default_factory=dict[_Id, tuple[Steering, Finding]])
    before: dict[tuple[int, str, str], Steering] = field(default_factory=dict[tuple[int, str, str], Steering])

    def acceptance(self, finding: Finding, context: Context) -> Acceptance | None:
        """Who accepted a finding, if a line does; call it with the findings of older versions first."""
        if not self.lines:
            return None
        lineage, index = context.version(finding)
        known = (lineage, finding.rule, finding.fingerprint)
        keys = _keys(lineage, finding, context.scope(finding))
        found = [line for key in keys for line in self.table.get(key, ()) if line.index <= index]
        if not found and known in self.before:
            found = [self.before[known]]
        if not found:
            return None
        self.used.update(map(_id, found))
        first = min(found, key=lambda line: (line.right != "maintainer", line.index))
        self.before.setdefault(known, first)
        if finding.level == "error" and first.right != "maintainer":
            self.refused.setdefault(_id(first), (first, finding))
            return None
        return Acceptance(by=first.who, why=first.line.reason, source=first.mail.message_id)

    def notices(self, context: Context) -> Iterator[Notice]:
        """Of lines that would lower an error, and of those on the versions under review that were of no use.

        Nothing is said of a line whose rules were not all run, or lacked something on the patches it is about.
        """
        for line, finding in self.refused.values():
            told = f"{line.told}: not acted upon for {finding.rule}, which is an error"
            message = f"{told}; only a maintainer named in the configuration may lower it"
            yield Notice(code="steering-refused", message=message, rule=finding.rule, patches=(finding.patch,))
        useful = {key for key, lines in self.table.items() if any(_id(line) in self.used for line in lines)}
        for line in self.lines:
            series = context.series.get(line.home)
            if series is None or _id(line) in self.used or not useful.isdisjoint(_keys_of(line)):
                continue
            mails = [mail.message_id for mail in mails_of(series) if line.title in (None, scope_of(mail))]
            if _is_whole(series, line) and context.checked(line.rules, mails):
                message = f"{line.told}, which matches nothing here"
                yield Notice(code="steering-unused", message=message, patches=(line.about,))


def steered(lines: Sequence[Steering]) -> Steered:
    """`lines`, ready to judge findings."""
    table: dict[_Key, dict[str, Steering]] = {}
    for line in lines:
        for key in _keys_of(line):
            kept = table.setdefault(key, {})
            if line.right not in kept or line.index < kept[line.right].index:  # the others say nothing new
                kept[line.right] = line
    return Steered(lines=lines, table={key: tuple(kept.values()) for key, kept in table.items()})


def _id(line: Steering) -> _Id:
    return line.mail.message_id, line.line.body_line


def _keys_of(line: Steering) -> Iterator[_Key]:
    """Where a line stands in the table."""
    for rule in (_EVERY,) if line.every else sorted(line.rules):
        for path in line.paths or (None,):
            yield line.lineage, rule, path.rstrip("/") if path else None, line.title


def _keys(lineage: int, finding: Finding, title: str | None) -> Iterator[_Key]:
    """Where lines about a finding stand in the table."""
    for rule in (finding.rule, _EVERY):
        for path in (None, *_folders(finding.location.file or "")):
            yield lineage, rule, path, None
            if title is not None:
                yield lineage, rule, path, title


def _folders(path: str) -> Iterator[str]:
    """A path and the folders it is in."""
    for _ in range(_DEEPEST):
        if not path:
            return
        yield path
        path = path.rpartition("/")[0]


def _is_whole(series: Series, line: Steering) -> bool:
    """Whether all that a line is about could be looked at."""
    return line.title is not None or not series.outline.missing
