"""Runs rules over opened series and makes one `Report` of what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reviewer import __version__
from reviewer.code.change import Change, changes_of
from reviewer.code.ladder import Ladder
from reviewer.code.versions import SeriesCode
from reviewer.errors import InputError
from reviewer.findings import RawFinding, finished, version_key
from reviewer.fixes import with_fixes
from reviewer.model import Assembly, FileContext, Finding, Need, Notice, Patch, Report, Series, Trial
from reviewer.origins import Pair, difference
from reviewer.paths import matches
from reviewer.rule import ChangeRule, CodeRule, Hit, Lack, Message, MessageRule, Result, Rule, SeriesRule
from reviewer.talk.discussion import comments_of

IN_THE_MAIL: frozenset[Need] = frozenset({"hunk", "function", "file", "mail", "series"})
"""Context that a mail may hold. Whether a hunk shows the whole function, the rule tells by a `Lack`."""


@dataclass(slots=True, kw_only=True)
class _Run:
    """One series while the rules run over it."""

    series: Series
    changes: dict[tuple[str, int], tuple[Change, ...]]
    show_old: bool
    gone: dict[tuple[str, str], Counter[str]] = field(default_factory=dict[tuple[str, str], Counter[str]])
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

    def keep(self, rule: Rule, patch: str, path: str, hits: Iterable[Hit], *, introduced: bool = True) -> None:
        """Keep `hits` as findings of `rule` on the mail `patch`."""
        self.raw += [RawFinding(rule=rule, patch=patch, path=path, hit=hit, introduced=introduced) for hit in hits]

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
    ladder: Ladder | None = None,
    *,
    show_old: bool = False,
) -> Report:
    """One report of all `opened` series; `notices` are those of reading, and come first.

    `watch` gives the series on, one by one, to see how far the work is. `ladder` leads to the code behind the patches;
    `show_old` asks for what was wrong with it before them, too.
    """
    findings: list[Finding] = []
    said = [*notices, *assembly.notices, *(notice for series in opened for notice in series.notices)]
    complete = True
    contexts: dict[tuple[str, int], tuple[FileContext, ...]] = {}
    trials: dict[str, Trial] = {}
    for series in watch(opened):
        code = _climbed(ladder or Ladder(), series, said)
        run = _started(series, code, show_old=show_old)
        contexts.update(zip(run.changes, (seen.contexts for seen in code.patches), strict=True))
        trials[series.outline.id] = code.trial
        context = IN_THE_MAIL | _from_elsewhere(series, assembly)
        for rule in rules:
            _run_rule(run, rule, context)
        kept = finished(run.raw, series, partial(with_fixes, series=series, gone=run.gone))
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
        contexts=contexts,
        trials=trials,
    )


def _climbed(ladder: Ladder, series: Series, said: list[Notice]) -> SeriesCode:
    """The code behind `series`; a tree that cannot be read costs itself only."""
    try:
        return ladder.climb(series)
    except InputError as error:
        mails = tuple(patch.mail.message_id for patch in series.patches)
        said.append(Notice(code="unreadable-tree", message=str(error), patches=mails))
        return Ladder().climb(series)


def _key(patch: Patch) -> tuple[str, int]:
    return patch.mail.message_id, patch.number


def _started(series: Series, code: SeriesCode, *, show_old: bool) -> _Run:
    changes = {
        _key(patch): changes_of(patch, series, seen.codes, focused=not show_old)
        for patch, seen in zip(series.patches, code.patches, strict=True)
    }
    return _Run(series=series, changes=changes, show_old=show_old)


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
        if not isinstance(subject, Patch):
            return
        changes = [change for change in run.changes[_key(subject)] if matches(change.file.path, rule.paths)]
        for change in changes:
            if isinstance(rule, ChangeRule):
                run.keep(rule, patch, change.file.path, list(run.hits(rule, patch, rule.check(change))))
        if isinstance(rule, CodeRule):
            _run_code_rule(run, rule, patch, changes)
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


def _run_code_rule(run: _Run, rule: CodeRule, patch: str, changes: list[Change]) -> None:
    found = difference(
        [Pair(path=change.file.path, before=old, after=new) for change in changes for old, new in change.units],
        lambda unit: run.hits(rule, patch, rule.check(unit)),
        lambda unit: (hit for hit in rule.check(unit) if isinstance(hit, Hit)),
        gone=any(one.rule is rule for one in run.raw),
    )
    run.gone.setdefault((rule.id, patch), Counter()).update(found.gone)
    for path, hit in found.introduced:
        run.keep(rule, patch, path, (hit,))
    if run.show_old:
        for path, hit in found.preexisting:
            run.keep(rule, patch, path, (hit,), introduced=False)


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
