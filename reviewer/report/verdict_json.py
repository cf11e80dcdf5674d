"""The verdict on a series as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reviewer.verdict import Standing, Verdict


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """The `verdict` of a series, as docs/report.schema.json describes it."""
    return {
        "later": verdict.later,
        "missing": list(verdict.missing),
        "objections": _standing(verdict.objections),
        "remarks": _standing(verdict.remarks),
        "questions": _standing(verdict.questions),
        "untagged": [
            {"area": one.area, "patches": [patch.mail.message_id for patch in one.patches]} for one in verdict.untagged
        ],
        "levels": dict(verdict.levels),
        "accepted": verdict.accepted,
        "asked": verdict.asked,
        "settled": verdict.settled,
        "tagged": [patch.mail.message_id for patch in verdict.tagged],
        "unseen": [{"first": first, "last": last} for first, last in verdict.unseen],
    }


def _standing(all_: Iterable[Standing]) -> list[dict[str, Any]]:
    return [
        {
            "id": one.comment.id,
            "patch": one.comment.patch,
            "version": one.version,
            "versions": one.versions,
            "days": one.days,
            "state": one.comment.state,
        }
        for one in all_
    ]
