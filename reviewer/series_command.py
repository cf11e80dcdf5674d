"""`reviewer series`: from sources to what was found in them, before any rule runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby

from msgspec.structs import replace

from reviewer import __version__
from reviewer.errors import InputError
from reviewer.mail.spool import Spool
from reviewer.model import Assembly, Comment, Mail, Notice, Outline, Report, Series
from reviewer.output import form_of, has_colour, width_of, write_output
from reviewer.progress import Progress
from reviewer.reading import mails_of
from reviewer.report import check_format, paint_of
from reviewer.selection import is_recent, nothing_since, parse_revision, select_outlines
from reviewer.series.assemble import assemble, latest
from reviewer.series.carry import with_carried
from reviewer.series.opening import open_series
from reviewer.since import parse_since
from reviewer.talk.discussion import comments_of


def run_series(options: argparse.Namespace) -> int:
    """Read, put together and print; returns the exit code, 0."""
    options.format = form_of(options)
    check_format(options.format, options.templates)
    revision = parse_revision(options.revision)
    since = parse_since(options.since) if options.since else None
    with Spool() as spool:
        notices: list[Notice] = []
        with Progress() as progress:
            mails = list(progress.over(mails_of(options, spool, notices, since), "mails read"))
            assembly = assemble(mails)
        left = _left_over(mails, assembly, since) if options.message_id is None else ()
        del mails  # their series hold those that are needed
        try:
            outlines = select_outlines(
                assembly, message_id=options.message_id, revision=revision, latest=latest, since=since
            )
        except InputError:
            if options.format == "json":  # a machine still wants to know what became of each mail
                _print(_report(assembly, (), notices), (), options)
            raise
        if since is not None and not outlines:
            notices.append(nothing_since(assembly, since))
        _print(_report(assembly, outlines, notices), left, options)
    return 0


def _left_over(mails: Iterable[Mail], assembly: Assembly, since: datetime | None) -> tuple[Mail, ...]:
    """The mails that belong to no series, each once, in the order of the input."""
    left = {mail.message_id: mail for mail in mails if assembly.homes[mail.message_id] is None}
    return tuple(mail for mail in left.values() if since is None or is_recent((mail,), since))


def _report(assembly: Assembly, outlines: Sequence[Outline], notices: Sequence[Notice]) -> Report:
    opened: list[Series] = []
    comments: dict[str, tuple[Comment, ...]] = {}
    untold: list[Notice] = []
    homes = {outline.id: lineage for lineage in assembly.lineages for outline in lineage.outlines}
    with Progress() as progress:
        read = progress.over(outlines, "series read", len(outlines))
        for _, group in groupby(read, key=lambda outline: id(homes[outline.id])):
            versions = [open_series(outline) for outline in group]
            versions = [with_carried(one, versions[:at]) for at, one in enumerate(versions)]
            said, failed = comments_of([homes[versions[0].outline.id]], versions)
            comments.update(said)
            untold += failed
            opened += map(_listed, versions)
    return Report(
        version=__version__,
        complete=True,
        assembly=assembly,
        series=tuple(opened),
        findings=(),
        notices=(*notices, *assembly.notices, *(notice for series in opened for notice in series.notices), *untold),
        comments=comments,
    )


def _listed(series: Series) -> Series:
    """A series without the lines of its diffs: an archive of thousands fits into memory."""
    patches = tuple(
        replace(
            patch,
            text=replace(patch.text, diff=()),
            files=tuple(replace(file, hunks=()) for file in patch.files),
        )
        for patch in series.patches
    )
    return replace(series, patches=patches)


def _print(report: Report, left: Sequence[Mail], options: argparse.Namespace) -> None:
    if options.format == "json":
        from reviewer.report.json_report import to_json

        write_output(to_json(report), options.output)
    else:
        from reviewer.report.series_text import to_series_text

        paint = paint_of(options.format, colour=has_colour())
        text = to_series_text(report, left, templates=options.templates, width=width_of(options.format), paint=paint)
        write_output(text, options.output)
