"""Runs rules over opened series and makes one `Report` of what they say."""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from reviewer import __version__
from reviewer.code.change import Change, changes_of
from reviewer.code.ladder import Ladder
from reviewer.code.series_changes import SeriesChanges
from reviewer.code.versions import SeriesCode
from reviewer.errors import InputError
from reviewer.excuses import excuse_notice, excuses
from reviewer.findings import RawFinding, finished, version_key
from reviewer.fixes import with_fixes
from reviewer.model import Assembly, FileContext, Finding, Need, Notice, Patch, Report, RuleInfo, Series, Trial
from reviewer.origins import code_difference, hits_on
from reviewer.paths import matches
from reviewer.rule import ChangeRule, CodeRule, Hit, Lack, Message, MessageRule, Result, Rule, SeriesRule
from reviewer.talk.discussion import comments_of
from reviewer.vetting import guarded, place_of, told, vetted, vetted_pairs

IN_THE_MAIL: frozenset[Need] = frozenset({"hunk", "function", "file", "mail", "series"})
"""Context that a mail may hold. Whether a hunk shows the whole function, the rule tells by a `Lack`."""


class _Run(Struct, kw_only=True):
    """One series while the rules run over it."""

    series: Series
    show_old: bool
    gone: dict[tuple[str, str], Counter[str]] = field(default_factory=dict[tuple[str, str], Counter[str]])
    raw: list[RawFinding] = field(default_factory=list[RawFinding])
    lacks: defaultdict[tuple[str, Need], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    crashes: list[Notice] = field(default_factory=list[Notice])
    excused: list[Notice] = field(default_factory=list[Notice])

    def hits(self, rule: Rule, patch: str, results: Iterable[Result]) -> Iterator[Hit]:
        """The hits among `results`; what lacks is noted for `patch`."""
        for result in vetted(results):
            if isinstance(result, Lack):
                self.lacks[rule.id, result.need][patch] += result.tables
            else:
                yield result

    def keep(self, rule: Rule, patch: str, path: str, hits: Iterable[Hit], *, introduced: bool = True) -> None:
        """Keep `hits` as findings of `rule` on the mail `patch`."""
        self.raw += [RawFinding(rule=rule, patch=patch, path=path, hit=hit, introduced=introduced) for hit in hits]

    def crashed(self, rule: Rule, patch: str, error: BaseException) -> None:
        """Note that `rule` broke on the mail `patch`."""
        message = f"{rule.id} {rule.name} crashed at {place_of(error)}: {told(error)}"
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
    way = ladder or Ladder()
    for series in watch(opened):
        code = _climbed(way, series, said)
        run = _Run(series=series, show_old=show_old)
        trials[series.outline.id] = code.trial
        context = IN_THE_MAIL | _from_elsewhere(series, assembly)
        able = [rule for rule in rules if not _lacks_context(run, rule, context)]
        changes = SeriesChanges(series, [seen.codes for seen in code.patches], focused=not show_old, trees=way.trees)
        for rule in able:
            _run_on_whole(run, rule, changes)
        for patch, seen in zip(series.patches, code.patches, strict=True):
            contexts[patch.mail.message_id, patch.number] = seen.contexts
            _run_on_patch(run, able, patch, changes.of(patch))
        kept = finished(run.raw, series, partial(with_fixes, series=series, gone=run.gone))
        findings += kept
        said += [
            *_not_checked(run, kept),
            *_by_rule(run.excused),
            *_by_rule(run.crashes),
        ]
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
        rules=tuple(_told(rule) for rule in rules),
    )


def _by_rule(notices: Iterable[Notice]) -> list[Notice]:
    return sorted(notices, key=lambda notice: notice.rule or "")


def _told(rule: Rule) -> RuleInfo:
    return RuleInfo(
        id=rule.id,
        name=rule.name,
        title=rule.title,
        why=rule.why,
        help=inspect.cleandoc(rule.__doc__ or ""),
        level=rule.level,
        confidence=rule.confidence,
        category=rule.category,
    )


def _climbed(ladder: Ladder, series: Series, said: list[Notice]) -> SeriesCode:
    """The code behind `series`; a tree that cannot be read costs itself only."""
    try:
        return ladder.climb(series)
    except InputError as error:
        mails = tuple(patch.mail.message_id for patch in series.patches)
        said.append(Notice(code="unreadable-tree", message=str(error), patches=mails))
        return Ladder().climb(series)


def _from_elsewhere(series: Series, assembly: Assembly) -> frozenset[Need]:
    versions = next((one.outlines for one in assembly.lineages if series.outline in one.outlines), ())
    return frozenset({"lineage"}) if len(versions) > 1 else frozenset()


def _lacks_context(run: _Run, rule: Rule, context: frozenset[Need]) -> bool:
    if not context.isdisjoint(rule.needs):
        return False
    run.lacks[rule.id, rule.needs[-1]].update({patch.mail.message_id: 0 for patch in run.series.patches})
    return True


def _run_on_whole(run: _Run, rule: Rule, changes: SeriesChanges) -> None:
    """Run what looks at the series as a whole or at its cover letter."""
    cover = run.series.cover
    if isinstance(rule, SeriesRule):
        _run_series_rule(run, rule, changes)
    elif isinstance(rule, MessageRule) and cover:
        _guarded(run, rule, Message(mail=cover.mail, text=cover.text, patch=None, series=run.series))


def _run_on_patch(run: _Run, rules: Sequence[Rule], patch: Patch, changes: tuple[Change, ...]) -> None:
    """Run what looks at one patch. Its syntax trees, by far the largest things here, are given up afterwards."""
    message = Message(mail=patch.mail, text=patch.text, patch=patch, series=run.series)
    pairs = zip(changes, changes_of(patch, run.series), strict=True)
    alone = tuple(one for change, one in pairs if change.is_whole)
    for rule in rules:
        if not isinstance(rule, SeriesRule):
            _guarded(run, rule, message, changes, alone)
    for change in (*changes, *alone):
        change.forget()


def _guarded(
    run: _Run, rule: Rule, message: Message, changes: Sequence[Change] = (), alone: Sequence[Change] = ()
) -> None:
    """Run `rule` on one mail: what it raises costs the rule on this mail, nothing else.

    `alone` are the changes as they are without the code behind them, to tell what that excuses.
    """
    patch = message.mail.message_id
    with guarded(partial(run.crashed, rule, patch)):
        if isinstance(rule, MessageRule):
            run.keep(rule, patch, "", list(run.hits(rule, patch, rule.check(message))))
            return
        matching = _matching(rule, changes)
        before = len(run.raw)
        for change in matching:
            if isinstance(rule, ChangeRule):
                run.keep(rule, patch, change.file.path, list(run.hits(rule, patch, rule.check(change))))
        if isinstance(rule, CodeRule):
            _run_code_rule(run, rule, patch, matching)
        if any(change.is_whole for change in matching):
            said = [one.hit for one in run.raw[before:]]
            found = excuses(matching, _matching(rule, alone), partial(hits_on, rule), said)
            run.excused += (excuse_notice(rule, patch, excuse) for excuse in found)


def _matching(rule: Rule, changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if matches(change.file.path, rule.paths)]


def _run_series_rule(run: _Run, rule: SeriesRule, changes: SeriesChanges) -> None:
    with guarded(partial(run.crashed, rule, run.series.outline.id)):
        for where, result in list(vetted_pairs(rule.check(run.series, changes), run.series)):
            patch = where.mail.message_id
            path = "" if isinstance(result, Lack) else result.at.file or ""
            run.keep(rule, patch, path, list(run.hits(rule, patch, (result,))))


def _run_code_rule(run: _Run, rule: CodeRule, patch: str, changes: list[Change]) -> None:
    gone = any(one.rule is rule for one in run.raw)
    found = code_difference(rule, changes, lambda unit: run.hits(rule, patch, rule.check(unit)), gone=gone)
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
    "hunk": "hunks that can be read",
    "mail": "a table or text that can be read",
    "series": "all patches of the series",
    "lineage": "an earlier version",
    "tree": "the tree (--tree)",
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
