"""`reviewer compare`: one version of a series against the one before it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from reviewer.code.ladder import Ladder
from reviewer.compare.pairs import compared, pairs_of
from reviewer.compare.values import Comparison
from reviewer.engine import review
from reviewer.errors import InputError, UsageError
from reviewer.mail.spool import Spool
from reviewer.model import Assembly, Lineage, Notice, Outline, Report
from reviewer.output import form_of, has_colour, width_of, write_output
from reviewer.progress import Progress
from reviewer.reading import mails_of
from reviewer.report import check_format
from reviewer.report.compare_report import COMPARE_FORMATS, render_comparisons
from reviewer.review import baseline_of, chosen_rules, with_accepted
from reviewer.rule import Rule
from reviewer.selection import parse_revision, select_outlines
from reviewer.series.assemble import assemble, latest
from reviewer.series.opening import open_series
from reviewer.since import parse_since
from reviewer.talk.discussion import comments_of
from reviewer.tree import ladder_of

Pair = tuple[Outline, Outline]

INCOMPLETE = 3
_LEFT_TO_REVIEW = frozenset({"not-checked", "baseline-unused", "steering-unused"})
"""Codes of notices that only a review tells: what rules did not check, and what is to be tidied up."""


class _Run(Struct, kw_only=True):
    """What is compared by what, how findings are accepted, and what was noticed on the way."""

    assembly: Assembly
    rules: tuple[Rule, ...]
    ladder: Ladder
    accepts: Callable[[Report], Report]
    notices: list[Notice]
    complete: bool = True
    said: set[Notice] = field(default_factory=set[Notice])

    def note(self, notices: Iterable[Notice]) -> None:
        """Keep what the reader must know."""
        for notice in notices:
            if notice.code not in _LEFT_TO_REVIEW and notice not in self.said:
                self.said.add(notice)
                self.notices.append(notice)


def run_compare(options: argparse.Namespace) -> int:
    """Read, compare and print; returns the exit code: 0, or 3 when a rule crashed.

    Raises InputError when no series has two versions here, or none has the version that was asked for.
    """
    options.format = form_of(options)
    if options.format not in COMPARE_FORMATS:
        raise UsageError(f"no format {options.format!r} here; choose one of {', '.join(COMPARE_FORMATS)}")
    check_format("text", options.templates)
    revision = parse_revision(options.revision)
    since = parse_since(options.since) if options.since else None
    rules = chosen_rules(options)
    baseline = baseline_of(options)
    notices: list[Notice] = []
    with Spool() as spool:
        with Progress() as progress:
            assembly = assemble(progress.over(mails_of(options, spool, notices, since), "mails read"))
        chosen = select_outlines(assembly, message_id=options.message_id, revision="all", latest=latest, since=since)
        wanted = _wanted(assembly, chosen, revision, options.message_id, notices)
        with Progress() as progress, ladder_of(options, assembly) as ladder:
            run = _Run(
                assembly=assembly,
                rules=rules,
                ladder=ladder,
                accepts=lambda report: with_accepted(report, baseline, options),
                notices=[*notices, *assembly.notices],
            )
            comparisons = tuple(progress.over(_all(run, wanted), "versions compared"))
        text = render_comparisons(
            comparisons,
            tuple(run.notices),
            options.format,
            templates=options.templates,
            min_confidence=options.min_confidence,
            show_accepted=options.show_accepted,
            width=width_of(options.format),
            colour=has_colour(),
        )
        write_output(text, options.output)
    return 0 if run.complete else INCOMPLETE


def _wanted(
    assembly: Assembly, chosen: Sequence[Outline], revision: str | int, message_id: str | None, notices: list[Notice]
) -> list[tuple[Lineage, tuple[Pair, ...]]]:
    """The lineages of the `chosen` versions with the pairs to compare; those without a pair are told of."""
    ids = {outline.id for outline in chosen}
    lineages = [one for one in assembly.lineages if any(outline.id in ids for outline in one.outlines)]
    pairs = [(one, _pairs(one, revision, _home(assembly, message_id))) for one in lineages]
    wanted = [(lineage, some) for lineage, some in pairs if some]
    lone = [lineage for lineage, some in pairs if not some]
    if not wanted:
        raise InputError(_nothing(lineages, revision))
    if lone:
        text = f"{len(lone)} series of which only one version is here: nothing to compare"
        notices.append(
            Notice(code="one-version", message=text if isinstance(revision, str) else _lacking(lone, revision))
        )
    return wanted


def _lacking(lone: Sequence[Lineage], revision: int) -> str:
    return f"{len(lone)} series without a v{revision} and one before it: nothing to compare"


def _nothing(lineages: Sequence[Lineage], revision: str | int) -> str:
    """Why there is nothing to compare, and what to give."""
    if not lineages:
        return "no series has mail since then"
    versions = sorted({outline.version for lineage in lineages for outline in lineage.outlines})
    here = ", ".join(f"v{version}" for version in versions[:10])
    if isinstance(revision, int) and any(len(lineage.outlines) > 1 for lineage in lineages):
        return f"no version {revision} with one before it in the input, only {here}"
    which = (
        f'of "{lineages[0].title}" only {here} is here'
        if len(lineages) == 1
        else "of each series only one version is here"
    )
    return f"{which}; give the older version, too"


def _home(assembly: Assembly, message_id: str | None) -> str | None:
    """The id of the version that a mail belongs to."""
    return assembly.homes.get(message_id.strip().removeprefix("<").removesuffix(">")) if message_id else None


def _pairs(lineage: Lineage, revision: str | int, home: str | None) -> tuple[Pair, ...]:
    """As `pairs_of`; for the version of a mail its pair with the one before, of the first version with the next."""
    if home is None or revision != "latest":
        return pairs_of(lineage, revision)
    every = pairs_of(lineage, "all")
    own = [pair for pair in every if pair[1].id == home] or [pair for pair in every if pair[0].id == home]
    return tuple(own[:1])


def _all(run: _Run, wanted: Iterable[tuple[Lineage, tuple[Pair, ...]]]) -> Iterator[Comparison]:
    for lineage, pairs in wanted:
        yield from _lineage(run, lineage, pairs)


def _lineage(run: _Run, lineage: Lineage, pairs: Sequence[Pair]) -> Iterator[Comparison]:
    """The comparisons of one lineage; versions behind the newest that is compared are not looked at."""
    last = lineage.outlines.index(pairs[-1][1])
    versions = [open_series(outline) for outline in lineage.outlines[: last + 1]]
    reviewed = {outline.id for pair in pairs for outline in pair}
    opened = [series for series in versions if series.outline.id in reviewed]
    alone = replace(run.assembly, lineages=(lineage,), notices=())
    report = review(alone, opened, run.rules, [], ladder=run.ladder)
    comments, failed = comments_of((lineage,), versions)
    report = run.accepts(replace(report, comments=comments))
    run.note((*report.notices, *failed))
    run.complete = run.complete and report.complete
    for pair in pairs:
        yield compared(lineage, pair, versions, report)
