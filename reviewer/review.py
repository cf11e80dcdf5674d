"""`reviewer review`: from sources to a report, and what the process says of it by its exit code."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from reviewer.arguments import words
from reviewer.discussed import followed
from reviewer.engine import review
from reviewer.errors import InputError
from reviewer.folders import shipped
from reviewer.mail.spool import Spool
from reviewer.model import CONFIDENCES, LEVELS, Assembly, Confidence, Notice, Outline, Report
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
from reviewer.streams import complain
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
    return 0 if options.format == "b4" else exit_code(report, options.fail_on, options.min_confidence)


def _reviewed(
    assembly: Assembly,
    outlines: Sequence[Outline],
    rules: tuple[Rule, ...],
    notices: list[Notice],
    options: argparse.Namespace,
) -> Report:
    with Progress() as progress, ladder_of(options, assembly) as ladder:
        opened = [open_series(outline) for outline in progress.over(outlines, "series read", len(outlines))]
        report = review(
            assembly,
            opened,
            rules,
            notices,
            lambda series: progress.over(series, "series reviewed", len(series)),
            ladder,
            show_old=options.show_old,
        )
        return report if options.format == "reply" else followed(report, opened)


def chosen_rules(options: argparse.Namespace) -> tuple[Rule, ...]:
    """The rules that `--rules`, `--select` and `--ignore` ask for."""
    rules = load_rules([shipped("rules"), *options.rules])
    return select_rules(rules, words(options.select), words(options.ignore))


def _print(report: Report, options: argparse.Namespace) -> None:
    text = render(report, options.format, templates=options.templates, min_confidence=options.min_confidence)
    write_output(text, options.output)
    if options.format == "rdjsonl":
        _tell_left_out(report, options)


def _tell_left_out(report: Report, options: argparse.Namespace) -> None:
    from reviewer.report.rdjsonl import left_out

    count = left_out(report, options.min_confidence)
    if count:
        complain(
            f"{count} finding{'s' * (count > 1)} on messages left out, since rdjsonl only tells of files; "
            "--format text or markdown has all"
        )


def exit_code(report: Report, fail_on: str, min_confidence: Confidence = "low") -> int:
    """3 when a rule crashed, 1 for a finding at or above `fail_on` that `min_confidence` shows, else 0."""
    if not report.complete:
        return 3
    if fail_on == "never":
        return 0
    loud = LEVELS[: [*LEVELS].index(fail_on) + 1]  # type: ignore[arg-type]  # argparse allows no other word
    sure = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    shown = (one for one in report.findings if one.confidence in sure and one.origin == "introduced")
    return int(any(finding.level in loud for finding in shown))
