"""What must be known of a report to judge whether its findings are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date

from reviewer.model import Finding, Mail, Report, Series
from reviewer.series.titles import clean_title

_UNCHECKED = frozenset({"not-checked", "rule-crashed", "excused"})
"""The codes of notices after which silence of a rule does not mean that there is nothing."""


def scope_of(mail: Mail) -> str:
    """What names the same patch in another version: its title, or its Message-ID when it has none."""
    return clean_title(mail.subject) or mail.message_id


def mails_of(series: Series) -> Iterator[Mail]:
    """The cover letter and the patches that are there."""
    if series.outline.cover is not None:
        yield series.outline.cover
    yield from series.outline.patches


class Context:
    """The mails, versions and rules of a report, looked up instead of searched for."""

    def __init__(self, report: Report) -> None:
        self.series = {series.outline.id: series for series in report.series}
        self._run = {rule.id for rule in report.rules}
        self._mails = {mail.message_id: mail for series in report.series for mail in mails_of(series)}
        self._homes = report.assembly.homes
        self._versions = {
            outline.id: (number, index)
            for number, lineage in enumerate(report.assembly.lineages)
            for index, outline in enumerate(lineage.outlines)
        }
        self._silent: dict[str, set[str]] = {}
        for notice in report.notices:
            if notice.code in _UNCHECKED and notice.rule:
                self._silent.setdefault(notice.rule, set()).update(notice.patches)
        self._scopes: dict[str, set[str]] = {}
        self._titled: dict[str, set[str]] = {}
        for mail in self._mails.values():
            self._titled.setdefault(scope_of(mail), set()).add(mail.message_id)
        self._touching: dict[str, set[str]] = {}
        for patch in (patch for series in report.series for patch in series.patches):
            for file in patch.files:
                self._touching.setdefault(file.path, set()).add(patch.mail.message_id)

    def version(self, finding: Finding) -> tuple[int, int]:
        """The number of a finding's lineage, and of the version in it."""
        return self._versions.get(self._homes.get(finding.patch) or "", (-1, -1))

    def scope(self, finding: Finding) -> str | None:
        """What names the patch of a finding in all versions."""
        mail = self._mails.get(finding.patch)
        return scope_of(mail) if mail else None

    def scopes(self, finding: Finding) -> set[str]:
        """What names the cover letter and the patches of the series that a finding is about."""
        home = self._homes.get(finding.patch) or ""
        if home not in self._scopes:
            series = self.series.get(home)
            self._scopes[home] = {scope_of(mail) for mail in mails_of(series)} if series else set[str]()
        return self._scopes[home]

    def day(self, finding: Finding) -> date | None:
        """The day (UTC) of the mail that a finding is about, or of its series."""
        mail = self._mails.get(finding.patch)
        series = self.series.get(self._homes.get(finding.patch) or "")
        moment = (mail.date if mail else None) or (series.outline.date if series else None)
        return None if moment is None else (moment.astimezone(UTC) if moment.tzinfo else moment).date()

    def about(self, file: str | None, subject: str | None) -> set[str]:
        """The Message-IDs of what was reviewed that has this title and touches this file; None is no limit."""
        if file is None and subject is None:
            return set()
        titled = self._titled.get(subject, set()) if subject is not None else None
        touching = self._touching.get(file, set()) if file is not None else None
        if titled is None or touching is None:
            return set(titled or touching or ())
        return titled & touching

    def checked(self, rules: Iterable[str], mails: Iterable[str]) -> bool:
        """Whether all of `rules` were run and had all they need on all of `mails`."""
        wanted = set(mails)
        return all(rule in self._run and wanted.isdisjoint(self._silent.get(rule, ())) for rule in rules)
