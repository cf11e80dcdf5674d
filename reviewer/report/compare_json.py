"""Comparisons as JSON, which holds everything: docs/compare.md and docs/compare.schema.json describe it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reviewer import __version__
from reviewer.compare.values import Claim, Comparison, FindingChange, PatchChange, TagChange
from reviewer.model import Notice, Patch, Series
from reviewer.report.json_report import Json, comment_json, dumped, finding_json, notice_json
from reviewer.series.rangediff import RangeLine
from reviewer.talk.changelog import Entry

COMPARE_SCHEMA = "reviewer-compare/1"


def to_compare_json(comparisons: Sequence[Comparison], notices: Sequence[Notice]) -> str:
    """The document as text, two spaces a level, ended by a newline; control characters are escapes."""
    return dumped(
        {
            "schema": COMPARE_SCHEMA,
            "tool": {"name": "reviewer", "version": __version__},
            "pairs": [_pair(one) for one in comparisons],
            "notices": [notice_json(notice) for notice in notices],
        }
    )


def _pair(one: Comparison) -> Json:
    return {
        "title": one.title,
        "old": _version(one.old),
        "new": _version(one.new),
        "patches": [_patch(change) for change in one.patches],
        "findings": [_finding(change) for change in one.findings],
        "comments": [comment_json(comment) for comment in one.comments],
        "tags": [_tag(change) for change in one.tags],
        "claims": [_claim(claim) for claim in one.claims],
        "numbers": [
            {"old": number.old, "new": number.new, "old_line": number.old_line, "new_line": number.new_line}
            for number in one.numbers
        ],
    }


def _version(series: Series) -> Json:
    outline = series.outline
    return {
        "id": outline.id,
        "version": outline.version,
        "date": outline.date.isoformat() if outline.date else None,
        "missing": list(outline.missing),
    }


def _patch(change: PatchChange) -> Json:
    return {
        "fate": change.fate,
        "old": _place(change.old),
        "new": _place(change.new),
        "renamed": change.renamed,
        "moved": change.moved,
        "others": [patch.mail.message_id for patch in change.others],
        "code": _lines(change.code),
        "message": _lines(change.message),
        "reasons": [_entry(entry) for entry in change.reasons],
    }


def _place(patch: Patch | None) -> Json | None:
    if patch is None:
        return None
    title = patch.mail.subject.title
    return {"message_id": patch.mail.message_id, "number": patch.number, "total": patch.total, "title": title}


def _lines(lines: Iterable[RangeLine]) -> list[Json]:
    return [{"outer": line.outer, "text": line.text} for line in lines]


def _entry(entry: Entry) -> Json:
    return {"text": entry.text, "message_id": entry.message_id, "line": entry.body_line}


def _finding(change: FindingChange) -> Json:
    return {
        "fate": change.fate,
        "with_patch": change.with_patch,
        "old": finding_json(change.old) if change.old else None,
        "new": finding_json(change.new) if change.new else None,
    }


def _tag(change: TagChange) -> Json:
    return {
        "fate": change.fate,
        "name": change.name,
        "person": change.person,
        "patches": [patch.mail.message_id for patch in change.patches],
    }


def _claim(claim: Claim) -> Json:
    return {
        "fate": claim.fate,
        "entry": _entry(claim.entry) if claim.entry else None,
        "patch": claim.patch.mail.message_id if claim.patch else None,
        "names": list(claim.names),
    }
