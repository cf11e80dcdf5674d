"""`reviewer review`: from sources to a report, and what the process says of it by its exit code."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from reviewer.arguments import words
from reviewer.engine import review
from reviewer.errors import InputError
from reviewer.folders import shipped
from reviewer.mail.spool import Spool
from reviewer.model import LEVELS, Assembly, Notice, Outline, Report
from reviewer.output import write_output
from reviewer.progress import Progress
from reviewer.reading import read_mails
from reviewer.registry import load_rules, select_rules
from reviewer.report import check_format, render
from reviewer.rule import Rule
from reviewer.selection import nothing_since, parse_revision, select_outlines
from reviewer.series.assemble import assemble, latest
from reviewer.series.opening import open_series
from reviewer.since import parse_since
from reviewer.tree import ladder_of


def run_review(options: argparse.Namespace) -> int:
    """Read, check and print; returns the exit code."""
    check_format(options.format, options.templates)
    revision = parse_revision(options.revision)
    since = parse_since(options.since) if options.since else None
    rules = chosen_rules(options)
    with Spool() as spool:
        notices: list[Notice] = []
        with Progress() as progress:
            assembly = assemble(progress.over(read_mails(options.sources, spool, notices, since=since), "mails read"))
        try:
            outlines = select_outlines(
                assembly, message_id=options.message_id, revision=revision, latest=latest, since=since
            )
        except InputError:
            if options.format == "json":  # a machine still wants to know what became of each mail
                _print(review(assembly, (), rules, notices), options)
            raise
        if since is not None and not outlines:
            notices.append(nothing_since(assembly, since))
        report = _reviewed(assembly, outlines, rules, notices, options)
        _print(report, options)
    return exit_code(report, options.fail_on)


def _reviewed(
    assembly: Assembly,
    outlines: Sequence[Outline],
    rules: tuple[Rule, ...],
    notices: list[Notice],
    options: argparse.Namespace,
) -> Report:
    with Progress() as progress, ladder_of(options, assembly) as ladder:
        opened = [open_series(outline) for outline in progress.over(outlines, "series read", len(outlines))]
        return review(
            assembly,
            opened,
            rules,
            notices,
            lambda series: progress.over(series, "series reviewed", len(series)),
            ladder,
            show_old=options.show_old,
        )


def chosen_rules(options: argparse.Namespace) -> tuple[Rule, ...]:
    """The rules that `--rules`, `--select` and `--ignore` ask for."""
    rules = load_rules([shipped("rules"), *options.rules])
    return select_rules(rules, words(options.select), words(options.ignore))


def _print(report: Report, options: argparse.Namespace) -> None:
    text = render(report, options.format, templates=options.templates, min_confidence=options.min_confidence)
    write_output(text, options.output)


def exit_code(report: Report, fail_on: str) -> int:
    """3 when a rule crashed, 1 for a finding at or above `fail_on`, else 0."""
    if not report.complete:
        return 3
    if fail_on == "never":
        return 0
    loud = LEVELS[: [*LEVELS].index(fail_on) + 1]  # type: ignore[arg-type]  # argparse allows no other word
    return int(any(finding.level in loud and finding.origin == "introduced" for finding in report.findings))
