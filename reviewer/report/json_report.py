"""The report as JSON, which holds everything: docs/report.schema.json describes it, DESIGN.md its meaning."""

from __future__ import annotations

import json
import re
from typing import Any

from reviewer.model import (
    Acceptance,
    Address,
    Assembly,
    Comment,
    FileContext,
    FileDiff,
    Finding,
    Lineage,
    Location,
    Mail,
    Notice,
    Patch,
    Report,
    Rung,
    Series,
    Tag,
    Trial,
)
from reviewer.report.code_view import NOT_TRIED
from reviewer.report.escape import HIDDEN
from reviewer.report.verdict_json import verdict_json
from reviewer.series.applied import applied_by
from reviewer.series.known import known_only
from reviewer.series.needs import needs_of
from reviewer.verdict import Verdict, verdicts_of

SCHEMA = "reviewer/1"

Json = dict[str, Any]

_UNSAFE = re.compile(f"(?![\x00-\x1f])[{HIDDEN}]")  # those below are escaped by the json module


def to_json(report: Report) -> str:
    """The document as text, two spaces a level, ended by a newline.

    Lone surrogates become U+FFFD; control characters that JSON would allow, and those that turn the direction of
    text, are written as escapes, so that the document can be shown on a terminal.
    """
    return dumped(to_document(report))


def dumped(document: Json | list[Json], *, indent: int | None = 2) -> str:
    """A document as text, with what is dangerous to show as escapes; all on one line without `indent`."""
    return _UNSAFE.sub(_escaped, json.dumps(document, ensure_ascii=False, indent=indent)) + "\n"


def _escaped(match: re.Match[str]) -> str:
    return "\ufffd" if 0xD800 <= ord(match[0]) <= 0xDFFF else json.dumps(match[0])[1:-1]


def to_document(report: Report) -> Json:
    """The document as values of the json module."""
    opened = {series.outline.id: series for series in report.series}
    verdicts = verdicts_of(report)
    return {
        "schema": SCHEMA,
        "tool": {"name": "reviewer", "version": report.version},
        "complete": report.complete,
        "lineages": [_lineage(lineage, opened, report.assembly) for lineage in report.assembly.lineages],
        "series": [_series(series, report, verdicts[series.outline.id]) for series in report.series],
        "mails": [
            {"message_id": message_id, "role": role, "series": report.assembly.homes.get(message_id)}
            for message_id, role in report.assembly.roles.items()
        ],
        "findings": [finding_json(finding) for finding in report.findings],
        "notices": [notice_json(notice) for notice in report.notices],
    }


def _lineage(lineage: Lineage, opened: dict[str, Series], assembly: Assembly) -> Json:
    read = [opened[outline.id] for outline in lineage.outlines if outline.id in opened]
    applied = applied_by(lineage, assembly.roles)
    return {
        "title": lineage.title,
        "series": [outline.id for outline in lineage.outlines],
        "known_only": [{"version": one.version, "link": one.link} for one in known_only(lineage, read, assembly.roles)],
        "applied": applied.message_id if applied else None,
    }


def _series(series: Series, report: Report, verdict: Verdict) -> Json:
    outline = series.outline
    head = series.cover.mail if series.cover else next((patch.mail for patch in series.patches), None)
    return {
        "id": outline.id,
        "subject": head.subject.text if head else outline.title,
        "author": _person(outline.author),
        "date": outline.date.isoformat() if outline.date else None,
        "version": outline.version,
        "total": outline.total,
        "change_id": series.change_id,
        "base_commit": series.base_commit,
        "needs": [{"name": name, "value": value} for name, value in needs_of(series)],
        "cover": outline.cover.message_id if outline.cover else None,
        "missing": list(outline.missing),
        "tags": _tags(series.cover.tags) if series.cover else [],
        "patches": [
            _patch(patch, report.contexts.get((patch.mail.message_id, patch.number), ())) for patch in series.patches
        ],
        "comments": [comment_json(comment) for comment in report.comments.get(outline.id, ())],
        "applies": _trial(report.trials.get(outline.id, NOT_TRIED)),
        "verdict": verdict_json(verdict),
    }


def comment_json(comment: Comment) -> Json:
    """A comment, with its state and evidence."""
    return {
        "id": comment.id,
        "reply": comment.reply,
        "patch": comment.patch,
        "author": _person(comment.author),
        "location": _location(comment.location),
        "kind": comment.kind,
        "text": comment.text,
        "state": comment.state,
        "evidence": [{"message_id": one.message_id, "line": one.line, "why": one.why} for one in comment.evidence],
    }


def _trial(trial: Trial) -> Json:
    return {
        "state": trial.state,
        "revision": trial.revision or None,
        "commit": trial.commit,
        "patch": trial.patch,
        "number": trial.number,
        "file": trial.file,
        "hunk": trial.hunk,
        "reason": trial.reason or None,
        "offset": trial.offset,
        "fuzz": trial.fuzz,
    }


def _patch(patch: Patch, contexts: tuple[FileContext, ...]) -> Json:
    mail: Mail = patch.mail
    return {
        "message_id": mail.message_id,
        "number": patch.number,
        "total": patch.total,
        "subject": mail.subject.text,
        "author": _person(patch.text.author or mail.author),
        "files": [file.path for file in patch.files],
        "context": {
            **{file.path: rung(file) for file in patch.files},
            **{context.path: context.rung for context in contexts},
        },
        "context_problems": {
            context.path: {"code": context.problem or None, "offset": context.offset, "fuzz": context.fuzz}
            for context in contexts
            if context.problem or context.offset or context.fuzz
        },
        "tags": _tags(patch.tags),
    }


def rung(file: FileDiff) -> Rung:
    """How much of a file was seen: a new one whole, of others the hunks."""
    return "new" if file.status == "added" else "hunk"


def _tags(tags: tuple[Tag, ...]) -> list[Json]:
    return [
        {"name": tag.name, "value": tag.value, "from": tag.source, "counted": tag.counted, "why": tag.why}
        for tag in tags
    ]


def _person(person: Address) -> str:
    return f"{person.name} <{person.email}>" if person.name and person.email else person.name or person.email


def finding_json(finding: Finding) -> Json:
    """A finding."""
    return {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule,
        "name": finding.name,
        "category": finding.category,
        "level": finding.level,
        "confidence": finding.confidence,
        "message": finding.message,
        "why": finding.why,
        "patch": finding.patch,
        "origin": finding.origin,
        "introduced_in": finding.introduced_in,
        "fixed_in": finding.fixed_in,
        "since": _version(finding.since),
        "gone_in": _version(finding.gone_in) if finding.gone_in else None,
        "accepted": _acceptance(finding.accepted) if finding.accepted else None,
        "location": _location(finding.location),
        "related": [_location(location) for location in finding.related],
    }


def _acceptance(one: Acceptance) -> Json:
    return {
        "by": one.by,
        "why": one.why,
        "source": one.source,
        "expires": one.expires.isoformat() if one.expires else None,
    }


def _version(version: tuple[int, str]) -> Json:
    return {"version": version[0], "message_id": version[1]}


def _location(location: Location) -> Json:
    return {
        "kind": location.kind,
        "file": location.file,
        "line": location.line,
        "side": location.side,
        "function": location.function,
        "part": location.part,
        "body_line": location.body_line,
        "text": location.text,
    }


def notice_json(notice: Notice) -> Json:
    """A notice."""
    return {
        "code": notice.code,
        "message": notice.message,
        "rule": notice.rule,
        "needs": notice.needs,
        "patches": list(notice.patches),
        "source": notice.source,
    }
