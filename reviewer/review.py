"""`reviewer review`: from sources to a report, and what the process says of it by its exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from reviewer.arguments import words
from reviewer.engine import review
from reviewer.errors import InputError
from reviewer.folders import shipped
from reviewer.mail.parse import parse_mail
from reviewer.mail.spool import Spool
from reviewer.model import LEVELS, Mail, Notice, Report
from reviewer.registry import load_rules, select_rules
from reviewer.report import check_format, render
from reviewer.rule import Rule
from reviewer.selection import parse_revision, select_outlines
from reviewer.series.assemble import assemble, latest
from reviewer.series.opening import open_series
from reviewer.sources import read_sources


def run_review(options: argparse.Namespace) -> int:
    """Read, check and print; returns the exit code."""
    check_format(options.format, options.templates)
    revision = parse_revision(options.revision)
    rules = chosen_rules(options)
    with Spool() as spool:
        notices: list[Notice] = []
        assembly = assemble(read_mails(options.sources, spool, notices))
        try:
            outlines = select_outlines(assembly, message_id=options.message_id, revision=revision, latest=latest)
        except InputError:
            if options.format == "json":  # a machine still wants to know what became of each mail
                _print(review(assembly, (), rules, notices), options)
            raise
        report = review(assembly, [open_series(outline) for outline in outlines], rules, notices)
        _print(report, options)
    return exit_code(report, options.fail_on)


def chosen_rules(options: argparse.Namespace) -> tuple[Rule, ...]:
    """The rules that `--rules`, `--select` and `--ignore` ask for."""
    rules = load_rules([shipped("rules"), *options.rules])
    return select_rules(rules, words(options.select), words(options.ignore))


def read_mails(sources: list[str], spool: Spool, notices: list[Notice]) -> Iterator[Mail]:
    """The mails of all sources in their order, raw text spooled; what cannot be read is added to `notices`."""
    position = 0
    for raw in read_sources(sources, sys.stdin.buffer):
        if isinstance(raw, Notice):
            notices.append(raw)
            continue
        mail = parse_mail(raw.data, raw.source, position, spool.add(raw.data))
        if isinstance(mail, Notice):
            notices.append(mail)
        else:
            yield mail
            position += 1


def _print(report: Report, options: argparse.Namespace) -> None:
    text = render(report, options.format, templates=options.templates, min_confidence=options.min_confidence)
    output: Path | None = options.output
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if output is None:
        sys.stdout.buffer.write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from error


def exit_code(report: Report, fail_on: str) -> int:
    """3 when a rule crashed, 1 for a finding at or above `fail_on`, else 0."""
    if not report.complete:
        return 3
    if fail_on == "never":
        return 0
    loud = LEVELS[: [*LEVELS].index(fail_on) + 1]  # type: ignore[arg-type]  # argparse allows no other word
    return int(any(finding.level in loud for finding in report.findings))
