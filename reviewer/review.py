"""`reviewer review`: from sources to a report, and what the process says of it by its exit code."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewer.arguments import words
from reviewer.config import named_in
from reviewer.discussed import followed
from reviewer.engine import review
from reviewer.errors import InputError, UsageError
from reviewer.folders import shipped
from reviewer.mail.spool import Spool
from reviewer.model import CONFIDENCES, LEVELS, Assembly, Confidence, Notice, Outline, Report
from reviewer.output import check_folder, form_of, has_colour, width_of, write_folder, write_output
from reviewer.progress import Progress
from reviewer.reading import mails_of
from reviewer.registry import load_rules, select_rules
from reviewer.report import FOLDERS, check_format, render, render_files
from reviewer.rule import Rule
from reviewer.selection import nothing_since, parse_revision, select_outlines
from reviewer.series.assemble import assemble, latest
from reviewer.series.opening import open_series
from reviewer.since import parse_since
from reviewer.streams import complain
from reviewer.tree import ladder_of

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.acceptance.entries import Baseline


def run_review(options: argparse.Namespace) -> int:
    """Read, check and print; returns the exit code."""
    options.format = form_of(options)
    check_format(options.format, options.templates)
    if options.format in FOLDERS:
        check_folder(options.output)
    revision = parse_revision(options.revision)
    since = parse_since(options.since) if options.since else None
    rules = chosen_rules(options)
    baseline = baseline_of(options, options.write_baseline)
    with Spool() as spool:
        notices: list[Notice] = []
        with Progress() as progress:
            assembly = assemble(progress.over(mails_of(options, spool, notices, since), "mails read"))
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
        report = with_accepted(_reviewed(assembly, outlines, rules, notices, options), baseline, options)
        if options.write_baseline is not None:
            from reviewer.baseline import write_baseline

            write_baseline(options.write_baseline, report, baseline)
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
        return report if options.format in ("reply", *FOLDERS) else followed(report, opened)


def baseline_of(options: argparse.Namespace, write: Path | None = None) -> Baseline | None:
    """The baseline in force; what is wrong with it, or with the one to `write`, is told before any mail is read.

    It need not be there yet when it is the one to write.
    """
    if options.baseline is None and write is None:
        return None
    from reviewer.baseline import check_writable, is_unwritten, read_baseline

    if write is not None:
        check_writable(write)
    if options.baseline is None or (write is not None and is_unwritten(options.baseline, write)):
        return None
    return read_baseline(options.baseline)


def with_accepted(report: Report, baseline: Baseline | None, options: argparse.Namespace) -> Report:
    """`report` with what a baseline or the discussion accepts marked."""
    steered = _is_steered(report)
    if baseline is None and not steered:
        return report
    from reviewer.acceptance.accept import accepted
    from reviewer.acceptance.steering import steering_of

    known = load_rules([shipped("rules"), *options.rules]) if steered else ()
    lines, said = steering_of(report, known, options.maintainers)
    return accepted(report, lines, baseline, said)


def _is_steered(report: Report) -> bool:
    """Whether a mail of the lineages under review may hold a steering line; no text is looked at."""
    reviewed = {series.outline.id for series in report.series}
    return any(
        mail is not None and mail.steers
        for lineage in report.assembly.lineages
        if not reviewed.isdisjoint(outline.id for outline in lineage.outlines)
        for outline in lineage.outlines
        for mail in (outline.cover, *outline.patches, *outline.replies)
    )


def chosen_rules(options: argparse.Namespace) -> tuple[Rule, ...]:
    """The rules that `--rules`, `--select` and `--ignore`, or a configuration, ask for."""
    rules = load_rules([shipped("rules"), *options.rules])
    try:
        return select_rules(rules, words(options.select), words(options.ignore))
    except UsageError as error:
        told = dict.fromkeys(named_in(options, name) for name in ("select", "ignore"))
        raise UsageError(f"{error}{''.join(told)}") from None


def _print(report: Report, options: argparse.Namespace) -> None:
    if options.format in FOLDERS:
        files = render_files(report, options.format, min_confidence=options.min_confidence)
        write_folder(files, options.output)
        return
    text = render(
        report,
        options.format,
        templates=options.templates,
        min_confidence=options.min_confidence,
        width=width_of(options.format),
        show_accepted=options.show_accepted,
        colour=has_colour(),
    )
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
    """3 when a rule crashed, 1 for a finding at or above `fail_on` that `min_confidence` shows, else 0.

    Findings that were accepted do not count.
    """
    if not report.complete:
        return 3
    if fail_on == "never":
        return 0
    loud = LEVELS[: [*LEVELS].index(fail_on) + 1]  # type: ignore[arg-type]  # argparse allows no other word
    sure = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    shown = (one for one in report.findings if one.confidence in sure and one.origin == "introduced")
    return int(any(finding.level in loud for finding in shown if finding.accepted is None))
