"""Runs rules over opened series and makes one `Report` of what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from reviewer import __version__
from reviewer.code.change import Change, changes_of
from reviewer.code.unit import Unit
from reviewer.findings import RawFinding, evidence, finished, version_key
from reviewer.model import Assembly, Finding, Need, Notice, Patch, Report, Series
from reviewer.paths import matches
from reviewer.rule import ChangeRule, CodeRule, Hit, Lack, Message, MessageRule, Result, Rule, SeriesRule
from reviewer.talk.discussion import comments_of

IN_THE_MAIL: frozenset[Need] = frozenset({"hunk", "function", "file", "mail", "series"})
"""Context that a mail may hold. Whether a hunk shows the whole function, the rule tells by a `Lack`."""


@dataclass(slots=True, kw_only=True)
class _Run:
    """One series while the rules run over it."""

    series: Series
    changes: dict[str, tuple[Change, ...]]
    raw: list[RawFinding] = field(default_factory=list[RawFinding])
    lacks: defaultdict[tuple[str, Need], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    crashes: list[Notice] = field(default_factory=list[Notice])

    def hits(self, rule: Rule, patch: str, results: Iterable[Result]) -> Iterator[Hit]:
        """The hits among `results`; what lacks is noted for `patch`."""
        for result in results:
            if isinstance(result, Lack):
                self.lacks[rule.id, result.need][patch] += result.tables
            else:
                yield result

    def keep(self, rule: Rule, patch: str, path: str, hits: Iterable[Hit]) -> None:
        """Keep `hits` as findings of `rule` on the mail `patch`."""
        self.raw += [RawFinding(rule=rule, patch=patch, path=path, hit=hit) for hit in hits]

    def crashed(self, rule: Rule, patch: str, error: Exception) -> None:
        """Note that `rule` broke on the mail `patch`."""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        message = f"{rule.id} {rule.name} crashed: {reason}"
        self.crashes.append(Notice(code="rule-crashed", message=message, rule=rule.id, patches=(patch,)))


def review(
    assembly: Assembly,
    opened: Sequence[Series],
    rules: tuple[Rule, ...],
    notices: Sequence[Notice],
    watch: Callable[[Sequence[Series]], Iterable[Series]] = iter,
) -> Report:
    """One report of all `opened` series; `notices` are those of reading, and come first.

    `watch` gives the series on, one by one, to see how far the work is.
    """
    findings: list[Finding] = []
    said = [*notices, *assembly.notices, *(notice for series in opened for notice in series.notices)]
    complete = True
    for series in watch(opened):
        run = _Run(
            series=series, changes={patch.mail.message_id: changes_of(patch, series) for patch in series.patches}
        )
        context = IN_THE_MAIL | _from_elsewhere(series, assembly)
        for rule in rules:
            _run_rule(run, rule, context)
        kept = finished(run.raw, series)
        findings += kept
        said += [*_not_checked(run, kept), *run.crashes]
        complete = complete and not run.crashes
    comments, untold = comments_of(assembly.lineages, opened)
    return Report(
        version=__version__,
        complete=complete,
        assembly=assembly,
        series=tuple(opened),
        findings=_over_versions(findings, assembly, opened),
        notices=(*said, *untold),
        comments=comments,
    )


def _from_elsewhere(series: Series, assembly: Assembly) -> frozenset[Need]:
    versions = next((one.outlines for one in assembly.lineages if series.outline in one.outlines), ())
    return frozenset({"lineage"}) if len(versions) > 1 else frozenset()


def _run_rule(run: _Run, rule: Rule, context: frozenset[Need]) -> None:
    if context.isdisjoint(rule.needs):
        run.lacks[rule.id, rule.needs[-1]].update({patch.mail.message_id: 0 for patch in run.series.patches})
    elif isinstance(rule, SeriesRule):
        _run_series_rule(run, rule)
    else:
        if isinstance(rule, MessageRule) and run.series.cover:
            cover = run.series.cover
            _guarded(run, rule, Message(mail=cover.mail, text=cover.text, patch=None, series=run.series))
        for patch in run.series.patches:
            if isinstance(rule, MessageRule):
                _guarded(run, rule, Message(mail=patch.mail, text=patch.text, patch=patch, series=run.series))
            else:
                _guarded(run, rule, patch)


def _guarded(run: _Run, rule: Rule, subject: Message | Patch) -> None:
    """Run `rule` on one mail: what it raises costs the rule on this mail, nothing else."""
    patch = subject.mail.message_id
    try:
        if isinstance(rule, MessageRule) and isinstance(subject, Message):
            run.keep(rule, patch, "", list(run.hits(rule, patch, rule.check(subject))))
            return
        changes = [change for change in run.changes[patch] if matches(change.file.path, rule.paths)]
        for change in changes:
            if isinstance(rule, ChangeRule):
                run.keep(rule, patch, change.file.path, list(run.hits(rule, patch, rule.check(change))))
        if isinstance(rule, CodeRule):
            for path, hits in _introduced(run, rule, patch, changes).items():
                run.keep(rule, patch, path, hits)
    except Exception as error:
        run.crashed(rule, patch, error)


def _run_series_rule(run: _Run, rule: SeriesRule) -> None:
    try:
        for where, result in list(rule.check(run.series)):
            patch = where.mail.message_id
            path = "" if isinstance(result, Lack) else result.at.file or ""
            run.keep(rule, patch, path, list(run.hits(rule, patch, (result,))))
    except Exception as error:
        run.crashed(rule, run.series.outline.id, error)


def _introduced(run: _Run, rule: CodeRule, patch: str, changes: list[Change]) -> dict[str, list[Hit]]:
    """What the post-images have and the pre-images had not, counted over the whole patch, since code moves."""
    new: list[tuple[str, Unit, Hit]] = []
    pairs = [(change.file.path, *pair) for change in changes for pair in change.units]
    for path, _, unit in pairs:
        new += [(path, unit, hit) for hit in run.hits(rule, patch, rule.check(unit))]
    if not new:
        return {}
    old = Counter(evidence(hit) for _, unit, _ in pairs for hit in rule.check(unit) if isinstance(hit, Hit))
    kept: defaultdict[str, list[Hit]] = defaultdict(list)
    untouched_first = sorted(new, key=lambda one: _is_touched(one[1], one[2]))
    for path, unit, hit in untouched_first:
        if old[evidence(hit)] > 0:
            old[evidence(hit)] -= 1
        elif _is_touched(unit, hit) or not unit.root.broken:
            kept[path].append(hit)
    return kept


def _is_touched(unit: Unit, hit: Hit) -> bool:
    """Whether the hit stands on an added line, or names one as related.

    A hit on a line that the patch left alone is believed only where the parser saw the whole hunk clearly: else the
    two sides may differ by how the parser recovered from a cut end.
    """
    touched = {line.body_line for line in unit.lines if line.touched}
    return any(place.body_line in touched for place in (hit.at, *hit.related))


def _not_checked(run: _Run, kept: list[Finding]) -> Iterator[Notice]:
    """One notice for a rule and the context that it lacks; a patch on which the rule spoke counts as checked."""
    spoke = {(finding.rule, finding.patch) for finding in kept}
    order = [mail.message_id for mail in (run.series.outline.cover, *run.series.outline.patches) if mail]
    for (rule, need), patches in sorted(run.lacks.items()):
        silent = tuple(patch for patch in order if patch in patches and (rule, patch) not in spoke)
        if silent:
            tables = sum(patches[patch] for patch in silent)
            counted = f": {tables} table{'s' * (tables != 1)} could not be read" if tables else ""
            message = f"{rule} needs {NEEDS[need]}{counted}"
            yield Notice(code="not-checked", message=message, rule=rule, needs=need, patches=silent)


NEEDS: dict[Need, str] = {
    "file": "the whole file",
    "function": "the whole function",
    "hunk": "the hunk",
    "mail": "a table or text that can be read",
    "series": "all patches of the series",
    "lineage": "an earlier version",
    "tree": "a tree",
    "uapi": "the spec, the uapi header and what is generated from them",
}


def _over_versions(findings: list[Finding], assembly: Assembly, opened: Sequence[Series]) -> tuple[Finding, ...]:
    """Findings with `since` and `gone_in`, as far as the versions of their lineage were reviewed."""
    reviewed = {series.outline.id for series in opened}
    homes = {finding.patch: assembly.homes.get(finding.patch) or "" for finding in findings}
    present = {(homes[finding.patch], finding.fingerprint) for finding in findings}
    chains: dict[str, tuple[list[tuple[int, str]], int]] = {}
    for lineage in assembly.lineages:
        chain = [version_key(outline) for outline in lineage.outlines if outline.id in reviewed]
        chains.update({key[1]: (chain, index) for index, key in enumerate(chain)})
    finished_findings: list[Finding] = []
    for finding in findings:
        chain, index = chains.get(homes[finding.patch], ([finding.since], 0))
        since = index
        while since > 0 and (chain[since - 1][1], finding.fingerprint) in present:
            since -= 1
        gone = next((key for key in chain[index + 1 :] if (key[1], finding.fingerprint) not in present), None)
        finished_findings.append(replace(finding, since=chain[since], gone_in=gone))
    return tuple(finished_findings)
