"""The entries of a baseline: findings that were accepted for good, or for a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from msgspec import Struct, field

from reviewer.acceptance.context import Context
from reviewer.model import Acceptance, Finding, Notice, Report


class Entry(Struct, frozen=True, kw_only=True):
    """One accepted finding.

    It is the finding of `rule` with that `fingerprint`: in code that in `file`, by a series that has a patch titled
    `subject` (as `scope_of` gives it), in text that on this patch itself; what is None is not looked at. The subject
    keeps the same remark on what somebody else does to the file visible. `expires` is the last day on which the entry
    holds, `text` the line at issue, for people.
    """

    fingerprint: str
    rule: str
    file: str | None = None
    subject: str | None = None
    text: str = ""
    reason: str = ""
    expires: date | None = None


class Baseline(Struct, frozen=True, kw_only=True):
    """The entries of a baseline file, and what the file is called."""

    name: str
    entries: tuple[Entry, ...]


Table = dict[tuple[str, str], list[Entry]]
"""Entries by rule and fingerprint."""


def table_of(entries: Iterable[Entry]) -> Table:
    """The entries, to be looked up."""
    table: Table = {}
    for entry in entries:
        table.setdefault((entry.rule, entry.fingerprint), []).append(entry)
    return table


def entries_about(table: Table, finding: Finding, context: Context) -> Iterator[Entry]:
    """The entries that are about a finding."""
    file = finding.location.file
    for entry in table.get((finding.rule, finding.fingerprint), ()):
        titles = context.scopes(finding) if file else {context.scope(finding)}
        if entry.file in (None, file) and (entry.subject is None or entry.subject in titles):
            yield entry


def is_gone(entry: Entry, context: Context) -> bool:
    """Whether an entry that matches no finding is about what was reviewed, and its rule had all it needs there."""
    mails = context.about(entry.file, entry.subject)
    return bool(mails) and context.checked((entry.rule,), mails)


class Listed(Struct, kw_only=True):
    """A baseline while findings are judged: which of its entries were of use."""

    baseline: Baseline | None
    table: Table
    used: set[Entry] = field(default_factory=set[Entry])
    expired: dict[Entry, str] = field(default_factory=dict[Entry, str])

    def acceptance(self, finding: Finding, context: Context) -> Acceptance | None:
        """Who accepted a finding, if an entry does that has not expired by the day of the mail."""
        if self.baseline is None:
            return None
        found = list(entries_about(self.table, finding, context))
        self.used.update(found)
        day = context.day(finding)
        for entry in found:
            if entry.expires is None or (day is not None and day <= entry.expires):
                return Acceptance(by=self.baseline.name, why=entry.reason, expires=entry.expires)
        for entry in found:
            self.expired.setdefault(entry, finding.patch)
        return None

    def notices(self, context: Context) -> Iterator[Notice]:
        """Of entries that have expired, and of those about what is under review that match nothing there."""
        if self.baseline is None:
            return
        name = self.baseline.name
        for entry, patch in self.expired.items():
            told = f"{name}: {_named(entry)} expired on {entry.expires}"
            yield Notice(code="baseline-expired", message=told, rule=entry.rule, patches=(patch,))
        for entry in self.baseline.entries:
            if entry not in self.used and is_gone(entry, context):
                told = f"{name}: {_named(entry)} matches nothing here any more"
                yield Notice(code="baseline-unused", message=told, rule=entry.rule)


def listed(baseline: Baseline | None) -> Listed:
    """`baseline`, ready to judge findings."""
    return Listed(baseline=baseline, table=table_of(baseline.entries if baseline else ()))


def _named(entry: Entry) -> str:
    place = entry.file or entry.subject
    return f"{entry.rule}{' in ' + place if place else ''} ({entry.fingerprint})"


def merged(report: Report, own: Iterable[Entry], others: Iterable[Entry] = ()) -> tuple[Entry, ...]:
    """The entries of a new baseline: one for each finding that no steering line accepts, by file, subject and rule.

    `own` are those of the file that is written, `others` those of another baseline in force: reasons and expiry are
    taken from them. Entries of `own` without a finding stay as long as they are about other series, or their rule
    could not be checked.
    """
    context = Context(report)
    before = tuple(own)
    mine, theirs = table_of(before), table_of(others)
    kept: dict[tuple[str | None, ...], Entry] = {}
    known: set[Entry] = set()
    for finding in report.findings:
        there = list(entries_about(mine, finding, context))
        known.update(there)
        if not there and finding.accepted is not None and finding.accepted.source is not None:
            continue
        other = next(entries_about(theirs, finding, context), None)
        for old in there or (other,):
            entry = _entry(finding, context, old)
            kept.setdefault(_key(entry), entry)
    for entry in before:
        if entry not in known and not is_gone(entry, context):
            kept.setdefault(_key(entry), entry)
    return tuple(sorted(kept.values(), key=_order))


def _entry(finding: Finding, context: Context, old: Entry | None) -> Entry:
    """The entry of a finding; one that was made wider by hand stays so."""
    subject = context.scope(finding) if finding.origin == "introduced" else None
    return Entry(
        fingerprint=finding.fingerprint,
        rule=finding.rule,
        file=finding.location.file if old is None or old.file is not None else None,
        subject=subject if old is None or old.subject is not None else None,
        text=finding.location.text.strip(),
        reason=old.reason if old else "",
        expires=old.expires if old else None,
    )


def _key(entry: Entry) -> tuple[str | None, ...]:
    return entry.rule, entry.fingerprint, entry.file, entry.subject


def _order(entry: Entry) -> tuple[str, ...]:
    return entry.file or "", entry.subject or "", entry.rule, entry.fingerprint
