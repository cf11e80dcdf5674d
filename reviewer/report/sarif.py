"""The report as SARIF 2.1.0 (OASIS, errata 01): everything that was found, in the words of other analysis tools."""

from __future__ import annotations

import re

from reviewer.model import Confidence, Finding, Level, Notice, Report, RuleInfo
from reviewer.report.escape import visible, visible_code
from reviewer.report.json_report import dumped
from reviewer.report.sarif_places import BASES, Json, Places, places_of
from reviewer.report.standing import TROUBLE

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "devmemReviewer/v1"
RANKS: dict[Confidence, int] = {"high": 90, "medium": 60, "low": 30}
_SEVERITIES: dict[Level, str] = {"error": "error", "warning": "warning", "note": "recommendation"}
_PLACEHOLDER = re.compile(r"\{(\d{1,9})\}")


def to_sarif(report: Report) -> str:
    """The log, one run, as text ended by a newline; all findings are in it.

    `baselineState` is there when more than one version of a series was reviewed; SARIF wants it on all results then.
    """
    rules = _rules(report)
    places = places_of(report)
    run: Json = {
        "tool": {
            "driver": {
                "name": "reviewer",
                "version": report.version,
                "rules": [_descriptor(rule) for rule in rules.values()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": BASES,
        "invocations": [_invocation(report, [*rules], places)],
        "artifacts": list(places.artifacts),
        "results": _results(report, rules, places),
    }
    return dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(report: Report) -> dict[str, RuleInfo]:
    """The rules that were run by id, and those that a finding is of although nothing else is known of them."""
    rules = {rule.id: rule for rule in report.rules}
    for finding in report.findings:
        if finding.rule not in rules:
            rules[finding.rule] = RuleInfo(
                id=finding.rule,
                name=finding.name,
                title=finding.name.replace("-", " "),
                why=finding.why,
                help=finding.why,
                level=finding.level,
                confidence=finding.confidence,
                category=finding.category,
            )
    return dict(sorted(rules.items()))


def _descriptor(rule: RuleInfo) -> Json:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": _plain(rule.title)},
        "fullDescription": {"text": _plain(rule.why)},
        "help": {"text": _text(rule.help), "markdown": _text(rule.help)},
        "defaultConfiguration": {"level": rule.level, "rank": RANKS[rule.confidence]},
        "properties": {
            "tags": [rule.category],
            "precision": rule.confidence,
            "problem.severity": _SEVERITIES[rule.level],
        },
    }


def _invocation(report: Report, rules: list[str], places: Places) -> Json:
    told = [_notification(notice, rules, places) for notice in report.notices]
    return {"executionSuccessful": report.complete, "toolExecutionNotifications": told}


def _notification(notice: Notice, rules: list[str], places: Places) -> Json:
    level = "warning" if notice.code in TROUBLE else "note"
    about: Json = {}
    if notice.rule:
        index = {"index": rules.index(notice.rule)} if notice.rule in rules else {}
        about["associatedRule"] = {"id": notice.rule, **index}
    if notice.patches:
        about["locations"] = [{"physicalLocation": {"artifactLocation": places.mail(one)}} for one in notice.patches]
    if notice.source:
        about["properties"] = {"source": visible(notice.source)}
    return {
        "descriptor": {"id": notice.code},
        "level": "error" if notice.code == "rule-crashed" else level,
        "message": {"text": _plain(notice.message)},
        **about,
    }


def _results(report: Report, rules: dict[str, RuleInfo], places: Places) -> list[Json]:
    indices = {rule: at for at, rule in enumerate(rules)}
    reviewed = {series.outline.id for series in report.series}
    compared = any(
        sum(outline.id in reviewed for outline in lineage.outlines) > 1 for lineage in report.assembly.lineages
    )
    suppressed = any(finding.accepted for finding in report.findings)
    results: list[Json] = []
    for finding in report.findings:
        state = {"baselineState": _state(finding, report.assembly.homes.get(finding.patch))} if compared else {}
        given = {"suppressions": _suppressions(finding)} if suppressed else {}
        results.append({**_result(finding, indices[finding.rule], places), **state, **given})
    return results


def _suppressions(finding: Finding) -> list[Json]:
    """Why nobody has to act upon a finding; when one result of a run has the property, all have (3.27.23)."""
    one = finding.accepted
    if one is None:
        return []
    known = {
        "by": visible(one.by),
        "source": visible(one.source) if one.source else None,
        "expires": one.expires.isoformat() if one.expires else None,
    }
    return [
        {
            "kind": "external",
            "status": "accepted",
            "justification": _plain(f"{one.by}: {one.why}" if one.why else one.by),
            "properties": {key: value for key, value in known.items() if value},
        }
    ]


def _state(finding: Finding, home: str | None) -> str:
    """What a later version, or an earlier one, says of a finding on the version `home`."""
    if finding.gone_in:
        return "absent"
    return "new" if finding.since[1] == home or home is None else "unchanged"


def _result(finding: Finding, index: int, places: Places) -> Json:
    related: list[Json] = []
    for at in finding.related:
        location = places.location(at, finding.patch)
        if location not in related:
            related.append(location)
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.level,
        "rank": RANKS[finding.confidence],
        "message": {"text": _plain(finding.message)},
        "locations": [places.location(finding.location, finding.patch)],
        **({"relatedLocations": [{"id": at, **one} for at, one in enumerate(related, 1)]} if related else {}),
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {
            "confidence": finding.confidence,
            "category": finding.category,
            "origin": finding.origin,
            "patch": visible(finding.patch),
            "part": finding.location.part,
            "bodyLine": finding.location.body_line,
            "since": finding.since[0],
            "goneIn": finding.gone_in[0] if finding.gone_in else None,
            "fixedIn": visible(finding.fixed_in) if finding.fixed_in else None,
        },
    }


def _text(text: str) -> str:
    return "\n".join(visible_code(line) for line in text.splitlines()) or "-"


def _plain(text: str) -> str:
    """`text` as a message that shows it: no links and no placeholders (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return _PLACEHOLDER.sub(r"{{\1}}", visible(text)).replace("](", "\\](") or "-"
